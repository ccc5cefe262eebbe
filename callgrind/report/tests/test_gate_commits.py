# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate in a git repository: which commit a run belongs to, and which one it is
# compared with.

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from callgrind.report.tests.gate_case import GateCase


class GitCase(GateCase):
    """The current folder is a repository, on the branch trunk, without a commit."""

    def setUp(self) -> None:
        super().setUp()
        os.environ.pop("GIT_CEILING_DIRECTORIES")
        self.git("init", "-q", "-b", "trunk")

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e", *words],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, title: str) -> str:
        self.git("commit", "-q", "--allow-empty", "-m", title)
        return self.git("rev-parse", "HEAD")

    def measured(self, cost: int) -> None:
        status, _, errors = self.gate(
            "run", f"a=costs f={cost}", "--valgrind", str(self.valgrind)
        )
        self.assertEqual((status, errors), (0, ""))

    def base_commit(self, *options: str) -> str:
        _, output, _ = self.gate("compare", "base", *options)
        return output.split()[1].rstrip(",")


class Base(GitCase):
    def test_the_nearest_ancestor_is_the_base(self) -> None:
        first = self.commit("first")
        self.measured(1)
        self.gate("accept", "base")
        self.git("checkout", "-q", "-b", "side")
        self.commit("side")
        self.measured(3)
        self.gate("accept", "base")
        self.git("checkout", "-q", "trunk")
        second = self.commit("second")
        self.measured(2)
        self.gate("accept", "base")
        self.commit("third")
        self.measured(2)
        self.assertEqual(self.base_commit(), second[:10])
        self.assertEqual(self.base_commit(f"--base={first[:12]}"), first[:10])
        self.assertEqual(self.base_commit("--base=trunk~1"), second[:10])
        self.assertEqual(self.gate("compare", "base", "--base=HEAD")[0], 2)
        log = self.gate("log", "base")[1].splitlines()
        self.assertIn(f"{first[:10]}  first", log)
        self.assertIn(f"{second[:10]}  second", log)


class Changes(GitCase):
    """A work tree that is not as its commit."""

    def setUp(self) -> None:
        super().setUp()
        for name in ("source", "other"):
            Path(name).write_text("1")
        self.git("add", "source", "other")
        self.first = self.commit("first")
        self.measured(1)
        self.assertEqual(self.gate("accept", "base")[2], "")
        self.own = Path(f"base/runs/{self.first}.json").read_bytes()

    def stored_runs(self) -> list[str]:
        return sorted(path.name[:-5] for path in Path("base/runs").iterdir())

    def accepted(self, *options: str) -> str:
        """What it says of changes."""
        status, _, errors = self.gate("accept", "base", *options)
        self.assertEqual((status, errors.count("\n")), (0, 1), errors)
        self.assertIn("the work tree has changes that are not committed", errors)
        return errors

    def own_run_is_as_before(self) -> bool:
        return Path(f"base/runs/{self.first}.json").read_bytes() == self.own

    def test_are_kept_beside_the_run_of_the_commit(self) -> None:
        for way, change in (
            ("changed", lambda: Path("source").write_text("2")),
            ("added", lambda: self.add("new")),
            ("removed", lambda: os.unlink("other")),
            ("of another mode", lambda: os.chmod("source", 0o755)),
        ):
            with self.subTest(way):
                change()
                self.measured(2)
                self.assertIn(f"kept as {self.first}+changes", self.accepted())
                both = [self.first, f"{self.first}+changes"]
                self.assertEqual(self.stored_runs(), both)
                self.assertTrue(self.own_run_is_as_before())
                self.git("reset", "-q", "--hard")
                self.measured(1)
                self.assertEqual(self.gate("accept", "base")[2], "")

    def add(self, name: str) -> None:
        Path(name).write_text("")
        self.git("add", name)

    def test_that_came_after_the_run_or_went_before_it_was_accepted(self) -> None:
        for measured_with, accepted_with in (("1", "2"), ("2", "1")):
            Path("source").write_text(measured_with)
            self.measured(2)
            Path("source").write_text(accepted_with)
            self.accepted()
            self.assertTrue(self.own_run_is_as_before())

    def test_also_where_the_commit_is_named(self) -> None:
        Path("source").write_text("2")
        for name in ("HEAD", "trunk", self.first, self.first[:9]):
            words = ("--commit", name, "--valgrind", str(self.valgrind))
            self.assertEqual(self.gate("run", "a=costs f=3", *words)[0], 0)
            self.accepted()
            self.assertTrue(self.own_run_is_as_before())

    def test_replace_it_where_that_is_wanted(self) -> None:
        Path("source").write_text("2")
        self.measured(2)
        self.assertIn(f"kept as the run of {self.first}", self.accepted("--replace"))
        self.assertEqual(self.stored_runs(), [self.first])
        self.assertEqual(self.stored("base", self.first).results["a"].total, {"Ir": 2})

    def test_are_compared_with_the_run_of_the_commit(self) -> None:
        Path("source").write_text("2")
        self.measured(2)
        self.accepted()
        self.measured(3)
        _, output, _ = self.gate("compare", "base")
        short = self.first[:10]
        self.assertIn(f"base {short}, head {short}+changes", output)
        named = f"--base={self.first}+changes"
        self.assertEqual(self.base_commit(named), f"{short}+changes")
        log = self.gate("log", "base")[1].splitlines()
        self.assertEqual(log[:2], [f"{short}  first", f"{short}+changes  first"])

    def test_count_with_the_run_of_the_commit(self) -> None:
        Path("source").write_text("2")
        self.measured(2)
        self.accepted("--keep=1")
        self.assertEqual(self.stored_runs(), [self.first, f"{self.first}+changes"])
        os.environ["GIT_COMMITTER_DATE"] = "@4000000000 +0000"
        self.git("commit", "-qam", "second")
        second = self.git("rev-parse", "HEAD")
        self.measured(2)
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.assertEqual(len(self.stored_runs()), 3)
        self.assertEqual(self.gate("accept", "base", "--keep=1")[0], 0)
        self.assertEqual(self.stored_runs(), [second])

    def test_what_git_does_not_keep_is_none(self) -> None:
        Path("new").write_text("")
        self.measured(1)
        self.assertEqual(self.gate("accept", "base")[2], "")

    def test_a_baseline_in_the_repository_is_none(self) -> None:
        self.git("add", "base")
        self.first = self.commit("with its baseline")
        for cost in (1, 2):
            self.measured(cost)
            self.git("add", "base")
            self.assertEqual(self.gate("accept", "base", "--keep=1")[2], "")
        Path("source").write_text("2")
        self.measured(2)
        self.accepted()

    def test_a_file_that_only_looks_like_one_of_a_baseline_is_one(self) -> None:
        Path("runs").mkdir()
        Path("runs/c1.json").write_text("1")
        self.git("add", "runs")
        self.commit("second")
        Path("runs/c1.json").write_text("2")
        self.measured(2)
        self.accepted()

    def test_a_pipe_or_link_that_stands_for_the_mark_of_a_baseline(self) -> None:
        """Neither is waited for, nor believed."""
        Path("runs").mkdir()
        Path("runs/c1.json").write_text("1")
        self.git("add", "runs")
        self.commit("second")
        Path("runs/c1.json").write_text("2")
        for plant in (lambda: os.mkfifo("callgrind_gate"),
                      lambda: os.symlink("base/callgrind_gate", "callgrind_gate")):
            plant()
            self.measured(2)
            self.accepted()
            os.unlink("callgrind_gate")
