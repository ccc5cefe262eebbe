# SPDX-License-Identifier: GPL-2.0-or-later
#
# What runs on another machine, as `./check MACHINE` is told, and the sum of it.

"""The choice of tests for another machine, and their count."""

from __future__ import annotations

import contextlib
import io
import runpy
import unittest
from pathlib import Path
from typing import Optional

from tests.machines.choice import OF_THE_MACHINE, Choice, Sum, sum_of

CHECK_ON = str(Path(__file__).resolve().with_name("check_on"))
THERE = ("simulators", "regression", "groundtruth", *OF_THE_MACHINE)


def chosen(*words: str) -> tuple[Optional[Choice], str]:
    """What check_on hands to a machine, or None; and what it complains of."""
    seen: list[Choice] = []

    def machine(choice: Choice) -> int:
        seen.append(choice)
        return 0

    names = runpy.run_path(CHECK_ON)
    names["MACHINES"]["sid"] = machine
    complaint = io.StringIO()
    with contextlib.redirect_stderr(complaint), contextlib.suppress(SystemExit):
        names["main"](["sid", *words])
    return seen[0] if seen else None, complaint.getvalue()


class Choosing(unittest.TestCase):
    def arguments(self, *words: str) -> list[str]:
        choice, complaint = chosen(*words)
        assert choice is not None, complaint
        return choice.arguments(THERE)

    def test_all_that_is_for_the_machine(self) -> None:
        self.assertEqual(
            self.arguments(),
            ["--jobs=auto", "simulators", "regression", "groundtruth", "--"],
        )

    def test_what_is_named(self) -> None:
        self.assertEqual(
            self.arguments("--quick", "regression", "--jobs=1", "--", "-k", "calls"),
            ["--quick", "--jobs=1", "regression", "--", "-k", "calls"],
        )
        self.assertEqual(
            self.arguments("--long", "simulators"),
            ["--long", "--jobs=auto", "simulators", "--"],
        )

    def test_with_stored_translations_only_suites_that_know_them(self) -> None:
        warm = ["--warm", "--jobs=auto", "regression", "groundtruth", "--"]
        self.assertEqual(self.arguments("--warm"), warm)
        warm.remove("regression")
        self.assertEqual(self.arguments("--warm", "groundtruth"), warm)

    def test_with_stored_translations_others_are_refused(self) -> None:
        choice, complaint = chosen("--warm", "simulators")
        self.assertIsNone(choice)
        self.assertIn("--warm is not for suite 'simulators', but for: regr", complaint)


class Sums(unittest.TestCase):
    def test_the_last_line_of_the_runner_is_read(self) -> None:
        self.assertEqual(sum_of("3 passed, 2 failed, 1 skipped\n"), Sum(3, 2, 1))
        self.assertIsNone(sum_of("build   3 passed   2 failed   1 skipped"))

    def test_sums_add_up(self) -> None:
        total = Sum(passed=1)
        total.add(Sum(3, 0, 1))
        self.assertEqual(total.line(), "4 passed, 0 failed, 1 skipped")
        self.assertEqual(total.status(), 0)
        total.add(Sum(failed=1))
        self.assertEqual(total.status(), 1)


if __name__ == "__main__":
    unittest.main()
