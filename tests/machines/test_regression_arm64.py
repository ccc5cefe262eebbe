# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which regression tests are left out on arm64: that the table names what there is, and
# that nothing else is left out.

"""The choice of regression tests for arm64."""

from __future__ import annotations

import tempfile
import unittest
from fnmatch import fnmatchcase
from pathlib import Path

from tests.machines.regression_arm64 import (
    OF_THIS_MACHINE,
    SUFFIXES,
    TESTS,
    Reason,
    choose,
    link_sources,
    reasons,
    why_left_out,
)

ASSEMBLER = Reason("assembler", ("jumps",), ("odd_*",))


class Table(unittest.TestCase):
    def test_it_names_programs_and_tests_that_there_are(self) -> None:
        sources = {path.stem for path in TESTS.rglob("*") if path.suffix in SUFFIXES}
        tests = [path.stem for path in TESTS.rglob("*.vgtest")]
        for reason in reasons():
            self.assertTrue(reason.programs or reason.tests, reason.text)
            self.assertEqual(set(reason.programs) - sources, set(), reason.text)
            for pattern in reason.tests:
                self.assertTrue([t for t in tests if fnmatchcase(t, pattern)], pattern)

    def test_each_test_is_chosen_or_left_out(self) -> None:
        chosen = choose(reasons())
        left_out = [test for tests in chosen.left_out.values() for test in tests]
        self.assertEqual(sorted([*chosen.tests, *left_out]),
                         sorted(TESTS.rglob("*.vgtest")))
        self.assertGreater(len(chosen.tests), len(left_out) / 2)

    def test_what_an_emulator_cannot_do_is_left_out_under_that_alone(self) -> None:
        table = [Reason("signal", (), ("threads_exit",), emulator_before=10)]
        for emulator, left_out in ((0, {"signal"}), (9, {"signal"}), (10, set[str]())):
            reasons_there = set(choose(table, emulator).left_out) - {OF_THIS_MACHINE}
            self.assertEqual(reasons_there, left_out, emulator)

    def test_what_is_built_is_what_the_chosen_need(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            built, again = (
                {path.name for path in link_sources(Path(folder), reasons()).iterdir()}
                for _ in range(2)
            )
        self.assertEqual(built, again)
        self.assertIn("known_costs.c", built)
        self.assertIn("known_cost.h", built)
        self.assertNotIn("tail_calls.c", built)


class Why(unittest.TestCase):
    def why(self, name: str, text: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            test = Path(folder, name)
            test.write_text(f"{text}stdout:\n")
            return why_left_out(test, [ASSEMBLER])

    def test_by_its_program(self) -> None:
        self.assertEqual(self.why("a.vgtest", "prog: jumps\n"), "assembler")
        self.assertEqual(self.why("a.vgtest", "prog: longjmp\n"), "")

    def test_by_its_second_program(self) -> None:
        self.assertEqual(self.why("a.vgtest", "prog: waits\nprogB: jumps\n"), "assembler")

    def test_by_its_own_name(self) -> None:
        self.assertEqual(self.why("odd_one.vgtest", "prog: longjmp\n"), "assembler")

    def test_programs_of_the_system_are_not_for_arm64(self) -> None:
        self.assertEqual(self.why("a.vgtest", "prog-asis: true\n"), OF_THIS_MACHINE)


if __name__ == "__main__":
    unittest.main()
