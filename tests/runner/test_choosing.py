# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which tests run, in which order, and by which Python.

"""Suites, their tests, and the order."""

from __future__ import annotations

import os
import re
import subprocess
import unittest
from types import SimpleNamespace
from typing import Any, Optional, Sequence
from unittest import mock

from tests.runner.__main__ import PACKAGES
from tests.runner.sandbox import SOURCE, WAYS, RunnerTest
from tests.runner.series import TURN_VARIABLE, TURNS, in_turn
from tests.runner.sharing import arrange
from tests.runner.suites import (
    DEFAULT_NAMES,
    NAMES,
    SUITES,
    is_for_long_runs,
    is_quick,
    suite_name,
    suite_of,
    takes_turns,
)


class Table(unittest.TestCase):
    def test_every_test_file_belongs_to_a_suite(self) -> None:
        files = [
            path.relative_to(SOURCE).as_posix()
            for folder in ("tests", "callgrind", "sampler", "coregrind")
            for pattern in ("test_*.py", "*.vgtest")
            for path in (SOURCE / folder).rglob(pattern)
        ]
        self.assertGreater(len(files), 100)
        self.assertEqual([name for name in files if suite_of(name) is None], [])

    def test_the_innermost_folder_tells(self) -> None:
        for name, suite in (
            ("tests/groundtruth/test_paths.py::T::test", "tools"),
            ("tests/groundtruth/real/test_call_counts.py", "tools"),
            ("tests/groundtruth/test_programs.py::test[x/y]", "groundtruth"),
            ("tests/groundtruth/real/test_real_programs.py::test[a]", "programs"),
            ("callgrind/report/tests/test_page.py", "report"),
            ("callgrind/tests/x.vgtest", "regression"),
            ("tests/buildings/test_x.py", "other"),
        ):
            self.assertEqual(suite_name(name), suite)

    def test_quick_patterns_are_of_their_suite(self) -> None:
        for suite in SUITES:
            for pattern in (*suite.quick, *suite.slow, *suite.long,
                            *suite.each_long, *suite.turns):
                self.assertTrue(pattern.startswith(suite.paths), pattern)

    def test_what_takes_turns(self) -> None:
        for name, turns in (
            ("tests/clients/test_go.py::test_it_is_vetted[linux-386]", True),
            ("tests/clients/test_go.py::test_it_is_vetted[linux-amd64]", False),
            ("tests/build/test_bundle.py::Bundle::test_x", False),
            ("tests/suites/test_gated.py::test_suite[go]", True),
            ("elsewhere/test_x.py::test_x", False),
        ):
            self.assertEqual(takes_turns(name), turns, name)

    def test_each_of_a_series_has_its_turn(self) -> None:
        series = list("abcdefg")
        parts = []
        for turn in range(TURNS):
            with mock.patch.dict(os.environ, {TURN_VARIABLE: str(turn)}):
                parts.append(in_turn(series))
        self.assertEqual(parts, [list("adg"), list("be"), list("cf")])
        with mock.patch.dict(os.environ):
            os.environ.pop(TURN_VARIABLE, None)
            self.assertEqual(in_turn(series), series)

    def test_what_is_slow_is_not_quick(self) -> None:
        self.assertTrue(is_quick("callgrind/tests/calls/checked_code.vgtest"))
        self.assertFalse(is_quick("callgrind/tests/calls/checked_calls.vgtest"))
        self.assertFalse(is_quick("callgrind/tests/switching/seed_fork.vgtest"))

    def test_what_only_long_runs_have_is_there(self) -> None:
        for pattern in (pattern for suite in SUITES for pattern in suite.long):
            file, _, test = pattern.partition("::")
            found = sorted(SOURCE.glob(file))
            self.assertTrue(found, pattern)
            text = found[0].read_text(encoding="utf-8")
            for word in re.findall(r"\w{4,}", re.sub(r"\[.*", "", test)):
                self.assertIn(word, text, pattern)

    def test_a_part_of_each_suite_runs_always(self) -> None:
        self.assertTrue(is_for_long_runs("tests/build/test_setup.py::Clone::test_x"))
        self.assertFalse(is_for_long_runs("tests/build/test_setup.py::Stated::test_x"))
        self.assertFalse(is_for_long_runs("elsewhere/test_x.py::test_x"))


class MadeUpItem(SimpleNamespace):
    def __init__(self, nodeid: str, group: Optional[str] = None) -> None:
        super().__init__(nodeid=nodeid, group=group)

    def get_closest_marker(self, name: str) -> Optional[Any]:
        return SimpleNamespace(args=(self.group,)) if self.group else None


class Order(unittest.TestCase):
    def arranged(self, items: list[Any], seconds: dict[str, float]) -> list[str]:
        arrange(items, seconds)
        return [item.nodeid.rpartition("/")[2] for item in items]

    def test_the_longest_is_first_and_one_that_never_ran_before_it(self) -> None:
        names = [f"tests/readers/{name}" for name in "abc"]
        self.assertEqual(
            self.arranged([MadeUpItem(name) for name in names],
                          {names[0]: 1.0, names[1]: 2.0}),
            ["c", "b", "a"],
        )

    def test_suite_by_suite(self) -> None:
        names = ["tests/runner/a", "tests/build/b", "tests/runner/c", "elsewhere/d"]
        self.assertEqual(
            self.arranged([MadeUpItem(name) for name in names],
                          {name: 1.0 for name in names}),
            ["b", "a", "c", "d"],
        )

    def test_a_group_counts_as_one_and_stays_together(self) -> None:
        items = [MadeUpItem("tests/readers/a", "g"), MadeUpItem("tests/readers/b"),
                 MadeUpItem("tests/readers/c", "g"), MadeUpItem("tests/readers/d")]
        lengths = (2.0, 3.0, 2.0, 9.0)
        seconds = {item.nodeid: length for item, length in zip(items, lengths)}
        self.assertEqual(self.arranged(items, seconds), ["d", "a", "c", "b"])


# In the tree, these are the quick ones.
QUICK = """
import dataclasses
_QUICK = {
    "readers": ("tests/readers/test_quick.py::*",),
    "documents": ("tests/documents/*",),
    "tools": ("tests/groundtruth/test_a.py::*",),
    "groundtruth": ("tests/groundtruth/*",),
}
_EACH_LONG = {"documents": ("tests/documents/test_long.py::*_long",)}
_LONG = {"documents": (*_EACH_LONG["documents"], "tests/documents/test_turn.py::*")}
_TURNS = {"readers": ("tests/readers/test_turn.py::*",)}
SUITES = tuple(
    dataclasses.replace(suite, quick=_QUICK.get(suite.name, ()),
                        long=_LONG.get(suite.name, ()),
                        each_long=_EACH_LONG.get(suite.name, ()),
                        turns=_TURNS.get(suite.name, ()))
    for suite in SUITES
)
"""

IS_CHOSEN = """
    def test_go(self):
        import os
        self.assertEqual(os.environ.get("CT_RUNTIMES"), "go")

    def test_all(self):
        import os
        self.assertIsNone(os.environ.get("CT_RUNTIMES"))
"""


class CommandLine(RunnerTest):
    def setUp(self) -> None:
        """Tests of several suites, in a tree with none of our own."""
        super().setUp()
        for path in (self.tree / "tests" / "runner").glob("test_*.py"):
            path.unlink()
        for name in ("regtest", "format"):
            (self.tree / "tests" / name).unlink()
            (self.tree / "tests" / name).mkdir()
        table = self.tree / "tests" / "runner" / "suites.py"
        table.write_text(table.read_text() + QUICK)
        is_fresh = ("    def test_{}(self):\n        import os\n"
                    "        self.assertEqual(os.environ.get('CT_FRESH'), {!r})\n")
        self.write("readers/test_quick.py",
                   is_fresh.format("fresh", "1") + is_fresh.format("kept", None))
        self.write("readers/test_slow.py", "    def test_it(self): pass\n")
        self.write("documents/test_a.py", "    def test_it(self): pass\n")
        # A file of a suite in the folder of another.
        self.write("groundtruth/test_a.py", "    def test_it(self): pass\n")
        self.write("groundtruth/test_programs.py", "    def test_it(self): pass\n")
        # The suite that runs only when it is asked for.
        self.write("runtimes/test_a.py", IS_CHOSEN)
        (self.tree / PACKAGES).write_text("# comment\ngo golang-go\nphp php-cli\n")

    def check_outcomes(
        self, *words: str, ways: Sequence[tuple[str, ...]] = WAYS, **expected: str
    ) -> None:
        """What runs, and what becomes of it, in one process and in several; keywords are
        folder, file and test."""
        outcomes = {
            "tests/{}/test_{}.py::T::test_{}".format(*key.split("_")): outcome
            for key, outcome in expected.items()
        }
        for way in ways:
            separator = () if "--" in way else ("--",)
            said = self.run_suites(*words, *way, *separator, "-v").stdout
            found = re.findall(r"(?m)^(passed|failed|skipped): (\S+) [\d.]+ s$", said)
            self.assertEqual({name: outcome for outcome, name in found}, outcomes, said)
            lines = re.findall(r"(?m)^(\S+) +\d+ passed +\d+ failed +\d+ skipped ", said)
            self.assertEqual(sorted(set(lines)),
                             sorted({suite_name(name) for name in outcomes}), said)

    def test_quick_tests_alone_with_profiles_measured_anew(self) -> None:
        self.check_outcomes(
            "readers", "--quick", "--fresh", "tools",
            readers_quick_fresh="passed", readers_quick_kept="failed",
            groundtruth_a_it="passed",
        )

    def test_a_suite_without_quick_tests_is_not_missed_among_the_quick(self) -> None:
        self.write("clients/test_a.py", "    def test_it(self): pass\n")
        done = self.run_suites("clients", "documents", "--quick")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]),
                         (0, "1 passed, 0 failed, 0 skipped"))

    def test_all_tests_with_profiles_as_they_are(self) -> None:
        self.check_outcomes(
            "readers", "groundtruth",
            readers_quick_fresh="failed", readers_quick_kept="passed",
            readers_slow_it="passed", groundtruth_programs_it="passed",
        )

    def test_what_is_for_long_runs(self) -> None:
        self.write("documents/test_long.py", "    def test_long(self): pass\n"
                                             "    def test_short(self): pass\n")
        self.check_outcomes("documents", documents_a_it="passed",
                            documents_long_short="passed")
        self.check_outcomes("documents", "--long", documents_a_it="passed",
                            documents_long_short="passed", documents_long_long="passed")
        by_name = ("--jobs", "2", "--", "-k", "long")
        self.check_outcomes("documents", ways=[by_name], documents_long_short="passed",
                            documents_long_long="passed")
        left = "Not run: what only --long runs"
        self.assertIn(left, self.run_suites("documents").stdout)
        self.assertNotIn(left, self.run_suites("documents", "--long").stdout)

    def test_turns_go_by_the_commit(self) -> None:
        """Of which there is none at first."""
        names = [f"turn_{letter}" for letter in "abc"]
        for suite in ("documents", "readers"):
            self.write(f"{suite}/test_turn.py", "".join(
                f"    def test_{name}(self): pass\n" for name in names))
        self.assertEqual(self.taken("--long"), names)
        for words in (["init", "-q"], ["add", "."],
                      ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q",
                       "-m", "a"]):
            subprocess.run(["git", *words], cwd=self.tree, check=True)
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.tree, check=True,
                                capture_output=True, text=True).stdout
        its_turn = [names[int(commit, 16) % TURNS]]
        self.assertEqual(self.taken("--long"), its_turn)
        self.assertEqual(self.taken("--by-turn", suite="readers"), its_turn)
        self.assertEqual(self.taken(suite="readers"), names)
        self.assertEqual(self.taken("--every-turn"), names)
        self.assertEqual(self.taken("--long", "--", "-k", "turn"), names)
        self.assertEqual(self.taken(), [])

    def taken(self, *words: str, suite: str = "documents") -> list[str]:
        separator = () if "--" in words else ("--",)
        done = self.run_suites(suite, "--jobs=2", *words, *separator, "-v")
        goes_by_turn = {"--long", "--by-turn"} & {*words}
        self.assertEqual("Not run: what has its turn" in done.stdout,
                         bool(goes_by_turn) and (self.tree / ".git").exists())
        return sorted(re.findall(r"(?m)^passed: \S+::test_(turn_\w+) ", done.stdout))

    def test_a_suite_on_demand(self) -> None:
        self.check_outcomes("runtimes", runtimes_a_go="failed", runtimes_a_all="passed")
        self.check_outcomes("readers", "--runtimes", "go", readers_quick_fresh="failed",
                            readers_quick_kept="passed", readers_slow_it="passed",
                            runtimes_a_go="passed", runtimes_a_all="failed")
        self.assertEqual(set(NAMES) - set(DEFAULT_NAMES), {"runtimes", "suites"})

    def check_is_told(self, option: str, *test: str) -> None:
        """The lines of a test, which passes with this option alone."""
        self.write("groundtruth/test_programs.py", "    def test_it(self):\n"
                   + "".join(f"        {line}\n" for line in test))
        several = WAYS[1:]  # where it also has to reach the others
        for words, outcome in (((option,), "passed"), ((), "failed")):
            self.check_outcomes("groundtruth", *words, ways=several,
                                groundtruth_programs_it=outcome)

    def test_with_stored_translations(self) -> None:
        self.check_is_told("--warm", "import os",
                           "self.assertEqual(os.environ.get('CT_WARM'), '1')")

    def test_with_series_that_are_whole(self) -> None:
        self.check_is_told("--long", "from tests.runner.series import is_long",
                           "self.assertTrue(is_long())")

    def test_what_cannot_be(self) -> None:
        self.write("readers/test_a.py", "    def test_it(self): pass\n")
        for words, reason in (
            (["reader"], "no suite is called 'reader'; there are: programs "),
            (["--jobs=0"], "`0` is neither a number above 0 nor auto"),
            (["--jobs=many"], "`many` is neither"),
            (["--runtimes=go,perl"], "no runtime is called `perl`; there are: go, php"),
            (["--warm", "readers"], "--warm is not for suite 'readers', but for: regr"),
            (["--warm"], "suite regression has lost its tests"),
            (["--quik"], "unrecognized arguments: --quik"),
            (["simulators"], "simulators has lost its tests: there is no tests/sim"),
        ):
            done = self.run_suites(*words)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(reason, done.stdout)
        (self.tree / "build" / "vg-in-place").unlink()
        done = self.run_suites("readers")
        self.assertEqual(done.returncode, 2)
        self.assertIn("vg-in-place is missing: run make, or ./check, first", done.stdout)

    def test_collecting_alone(self) -> None:
        done = self.run_suites("readers", "--", "-n", "0", "--collect-only", "-q")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("tests/readers/test_slow.py::T::test_it\n", done.stdout)
        self.assertIn("3 tests collected in ", done.stdout)

    def test_list(self) -> None:
        done = self.run_suites("--list")
        self.assertEqual(tuple(done.stdout.split()), NAMES)


class FindPython(unittest.TestCase):
    """A `python3` that has no package of the distribution's must not be the one."""

    def found(self, *modules: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(SOURCE / "tests" / "find_python"), *modules], env=dict(os.environ),
            stdout=subprocess.PIPE, text=True, check=False,
        )

    def test_it_has_the_modules(self) -> None:
        done = self.found("pytest", "xdist")
        self.assertEqual(done.returncode, 0)
        subprocess.run([done.stdout.strip(), "-B", "-c", "import pytest, xdist"],
                       check=True)

    def test_none_has_them(self) -> None:
        done = self.found("no_such_module")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
