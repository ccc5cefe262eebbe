# SPDX-License-Identifier: GPL-2.0-or-later
"""Queries of `post:` lines: which are answered without a process, and their answers."""

from __future__ import annotations

import shutil
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.regtest import queries
from tests.regtest.sandbox import RegtestCase
from tests.regtest.test_profiles import PROFILE, TREE

COMMANDS = Path(__file__).resolve().parents[2] / "callgrind" / "tests" / "helpers"
SOUND = "1 part, well-formed, sums agree, inclusive costs conserved"


class Parsing(unittest.TestCase):
    """Which commands are queries."""

    def test_plain_and_quoted_words(self) -> None:
        for command, arguments in {
            "profile_query check": ["check"],
            "profile_query arcs 'main leaf*' + self leaf --profile a.out.1":
                ["arcs", "main leaf*", "+", "self", "leaf", "--profile", "a.out.1"],
            "tree_query calls ''": ["calls", ""],
        }.items():
            with self.subTest(command=command):
                query = queries.parse(command)
                assert query is not None
                self.assertEqual(query.name, command.split()[0])
                self.assertEqual(query.arguments, arguments)

    def test_what_needs_a_shell_is_no_query(self) -> None:
        for command in (
            "profile_query check | cat", "profile_query check; true",
            "profile_query self $f", "profile_query self `cat f`",
            "profile_query self le*", "profile_query self [ab]", "profile_query self a?",
            'profile_query self "$n"', "profile_query self 'a", "profile_query self ~",
            "profile_query check && true", "profile_query check > file",
            "profile_query self a\\ b", "profile_query self {a,b}", "x=1 profile_query",
            "echo profile_query", "(profile_query check)", "profile_query self #a",
            "profile_query self a\tb", "profile_query self !a",
        ):
            with self.subTest(command=command):
                self.assertIsNone(queries.parse(command))

    def test_a_long_line_is_refused_at_once(self) -> None:
        self.assertIsNone(queries.parse("profile_query " + "a b " * 5000 + "$x"))


class Answers(unittest.TestCase):
    """An answer is what the command prints, with its status."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "callgrind.out").write_text(PROFILE)
        (self.folder / "other").write_text(PROFILE)
        (self.folder / "callgrind.tree").write_text(TREE)

    def both(self, command: str) -> tuple[int, str]:
        """The answer, which is the same as the command's."""
        query = queries.parse(command)
        assert query is not None
        status, text = query.answer(self.folder)
        done = subprocess.run(
            ["sh", "-c", f"{shlex.quote(str(COMMANDS))}/{command}"], cwd=self.folder,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
        self.assertEqual(done.returncode, status)
        # An error names the file with the folder that it was looked for in.
        self.assertEqual(done.stdout, text.replace(f"{self.folder}/", ""))
        return status, text

    def test_one_query(self) -> None:
        self.assertEqual(self.both("profile_query self"), (0, "main 3\n"))
        self.assertEqual(self.both("profile_query self leaf"), (0, ""))
        self.assertEqual(self.both("tree_query calls"), (0, "main 0\n"))

    def test_several_queries(self) -> None:
        self.assertEqual(self.both("profile_query self + total + self leaf"),
                         (0, "main 3\n3\n"))

    def test_several_files(self) -> None:
        files = "--profile callgrind.out other"
        self.assertEqual(self.both(f"profile_query self {files}"), (0, "main 6\n"))
        self.assertEqual(self.both(f"profile_query self + check --apart {files}"),
                         (0, f"main 3\ncallgrind.out: {SOUND}\nmain 3\nother: {SOUND}\n"))
        self.assertEqual(self.both(f"profile_query same_total {files}"),
                         (0, "same total\n"))

    def test_other_totals(self) -> None:
        (self.folder / "other").write_text(
            PROFILE.replace("\n1 3\n", "\n1 4\n").replace(": 3\n", ": 4\n"))
        files = "--profile callgrind.out other"
        self.assertEqual(self.both(f"profile_query same_total {files}"),
                         (0, "callgrind.out: 3, other: 4\n"))
        (self.folder / "callgrind.out").write_text(
            PROFILE.replace("\n1 3\n", "\n").replace(": 3\n", ": 0\n"))
        self.assertEqual(self.both(f"profile_query same_total {files}"),
                         (0, "callgrind.out: nothing was measured\n"))

    def test_events(self) -> None:
        (self.folder / "callgrind.out").write_text(
            PROFILE.replace("events: Ir", "events: Ir Dr Dw")
            .replace(": 3\n", ": 3 2 1\n").replace("\n1 3\n", "\n1 3 2 1\n"))
        self.assertEqual(self.both("profile_query events"), (0, "main Dr 2\nmain Dw 1\n"))
        self.assertEqual(self.both("profile_query events --events '?w'"),
                         (0, "main Dw 1\n"))

    def test_times_called(self) -> None:
        calls = "".join(
            f"fn={caller}\n1 0\ncfn=leaf\ncalls={count} 1\n1 0\n"
            for caller, count in (("run", 4), ("prologue", 2))
        )
        path = self.folder / "callgrind.out"
        path.write_text(path.read_text().replace("fn=main\n", f"{calls}fn=main\n"))
        self.assertEqual(self.both("profile_query times_called leaf"), (0, "6\n"))
        self.assertEqual(
            self.both("profile_query times_called leaf --except 'pro*'"), (0, "4\n")
        )

    def test_a_file_that_has_changed_is_read_again(self) -> None:
        path = self.folder / "callgrind.out"
        self.assertEqual(self.both("profile_query self + check"),
                         (0, f"main 3\ncallgrind.out: {SOUND}\n"))
        changed = path.read_text().replace("\n1 3\n", "\n1 33\n")
        path.write_text(changed.replace(": 3\n", ": 33\n"))
        self.assertEqual(self.both("profile_query self"), (0, "main 33\n"))
        # Another file in its place, as large and as old.
        other = self.folder / "new"
        other.write_text(path.read_text().replace("33", "44"))
        shutil.copystat(path, other)
        other.replace(path)
        self.assertEqual(self.both("profile_query self + check"),
                         (0, f"main 44\ncallgrind.out: {SOUND}\n"))

    def test_a_file_that_is_not_there(self) -> None:
        for command in ("profile_query self --profile no", "tree_query calls --tree no"):
            status, text = self.both(command)
            self.assertEqual(status, 1)
            self.assertNotIn("Traceback", text)

    def test_wrong_usage(self) -> None:
        for command in ("profile_query nonsense", "profile_query self a b",
                        "profile_query", "tree_query nonsense"):
            query = queries.parse(command)
            assert query is not None
            self.assertEqual(query.answer(self.folder)[0], 2)


class Posts(RegtestCase):
    """A test whose `post:` is a query."""

    def test_a_query_reads_the_profile_in_the_run_folder(self) -> None:
        self.program(f"cat > callgrind.out <<'END'\n{PROFILE}END")
        self.describe("prog: prog\npost: profile_query self\n", post="main 3\n")
        self.assert_pass()
        self.describe("prog: prog\npost: profile_query self\n", post="main 4\n")
        self.assertIn("\n-main 4\n+main 3\n", self.assert_fail("post in line 2").stdout)

    def test_a_query_that_fails(self) -> None:
        self.program("true")
        self.describe("prog: prog\npost: profile_query self\n")
        report = self.assert_fail("post in line 2 ended with status 1")
        self.assertIn("profile_query: ", report.stdout)
