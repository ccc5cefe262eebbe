# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that the last test of a run, and no other, is told what was of use to all; and
# that every set of options is compared in each run.

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.differential.cases import CASES
from tests.differential.uses import Uses


def config(run: str) -> pytest.Config:
    """As a process of pytest-xdist has it."""
    return cast(pytest.Config, SimpleNamespace(workerinput={"testrunuid": run}))


class LongOnly(unittest.TestCase):
    def test_what_only_a_long_run_compares_another_case_has(self) -> None:
        always = {
            name
            for case in CASES
            for name in case.option_sets
            if name not in case.long_only
        }
        for case in CASES:
            with self.subTest(case.name):
                self.assertLessEqual(set(case.long_only), set(case.option_sets) & always)


class Last(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "uses"

    def test_the_last_hears_of_all(self) -> None:
        one, other = Uses(self.folder, config("r")), Uses(self.folder, config("r"))
        tests = ["a/x", "a/y", "b"]
        self.assertIsNone(one.add("a/x", {"p", "q"}, tests))
        self.assertIsNone(other.add("b", (), tests))
        found = one.add("a/y", ["q"], tests)
        self.assertEqual(found, {"a/x": ["p", "q"], "a/y": ["q"], "b": []})
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_who_was_skipped_says_nothing(self) -> None:
        uses = Uses(self.folder, config("r"))
        self.assertIsNone(uses.add("a", None, ["a", "b"]))
        self.assertEqual(uses.add("b", ["p"], ["a", "b"]), {"b": ["p"]})

    def test_runs_are_kept_apart(self) -> None:
        one, other = Uses(self.folder, config("r")), Uses(self.folder, config("s"))
        self.assertIsNone(one.add("a", ["p"], ["a", "b"]))
        self.assertIsNone(other.add("b", ["p"], ["a", "b"]))

    def test_a_run_of_some_tests_has_no_last(self) -> None:
        uses = Uses(self.folder, config("r"))
        for test in ("a", "b", "b"):
            self.assertIsNone(uses.add(test, [], ["a", "b", "c"]))
