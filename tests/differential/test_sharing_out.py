#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that comparisons made side by side are those that were asked for, in their order,
# and that a worker's end does not pass for a result.  No program runs but `false`.

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Callable
from unittest import mock

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent.parent / "callgrind" / "report"
sys.path[:0] = [str(HERE), str(HERE.parent), str(REPORT)]

import sharing_out  # noqa: E402
from cases import Case, CaseUnavailable, need_program  # noqa: E402
from launching import Launcher, Surroundings  # noqa: E402
from measuring import Comparison  # noqa: E402
from sharing_out import Outcome, Plan, WorkerError, compare_all  # noqa: E402
from summary import run_suite  # noqa: E402


def prepared(folder: Path) -> list[str]:
    return ["true"]


def lacking(folder: Path) -> list[str]:
    return [need_program("no-such-program-anywhere")]


# All but the second differ in format only.
SETS = ["default", "bus", "instr", "jumps"]
CASES = [
    Case("one", prepared, SETS),
    Case("absent", lacking, SETS),
    Case("two", prepared, SETS[:2]),
]


class SharingOut(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        launcher = Launcher("false", {})
        self.plan = Plan(Surroundings(launcher, launcher), self.folder, self.folder)
        for case in CASES:
            self.plan.add(case, case.option_sets)

    def outcomes(
        self, compare: Callable[[object, str], Comparison], jobs: int = 2
    ) -> list[Outcome]:
        """What comes of the plan where `compare` stands for the runs of one set."""
        with mock.patch.object(sharing_out, "CASES", CASES), mock.patch.object(
            sharing_out.Measurement, "compare", compare
        ):
            return list(compare_all(self.plan, jobs))

    def test_sets_of_a_kind_are_one_piece(self) -> None:
        self.assertEqual(
            [(piece.case, piece.options) for piece in self.plan.pieces],
            [
                ("one", ["default", "instr", "jumps"]),
                ("one", ["bus"]),
                ("two", ["default"]),
                ("two", ["bus"]),
            ],
        )

    def test_outcomes_come_in_the_order_of_the_plan(self) -> None:
        def compare(measurement: object, options: str) -> Comparison:
            return Comparison(summary=options)

        for jobs in (1, 2, 5):
            with self.subTest(jobs=jobs):
                found = self.outcomes(compare, jobs)
                self.assertEqual(
                    [outcome.label for outcome in found],
                    [*(f"one / {name}" for name in SETS), "absent", "two / default",
                     "two / bus"],
                )
                for outcome in found:
                    if outcome.comparison is not None:
                        self.assertEqual(outcome.comparison.summary, outcome.options)

    def test_so_many_at_a_time(self) -> None:
        """Each set waits until another one has begun as well."""
        os.mkfifo(self.folder / "fifo")

        def compare(measurement: object, options: str) -> Comparison:
            if options == "bus":
                (self.folder / "fifo").write_text("met")
                return Comparison()
            if options == "default":
                return Comparison(summary=(self.folder / "fifo").read_text())
            return Comparison()

        found = {outcome.label: outcome for outcome in self.outcomes(compare)}
        met = found["one / default"].comparison
        assert met is not None
        self.assertEqual(met.summary, "met")

    def test_what_cannot_run_is_skipped_with_its_reason(self) -> None:
        def compare(measurement: object, options: str) -> Comparison:
            if options == "bus":
                raise CaseUnavailable("no bus")
            return Comparison()

        skipped = {
            outcome.label: outcome.skipped
            for outcome in self.outcomes(compare)
            if outcome.comparison is None
        }
        self.assertEqual(
            skipped,
            {
                "one / bus": "no bus",
                "absent": "no-such-program-anywhere is not installed",
                "two / bus": "no bus",
            },
        )

    def test_a_worker_that_is_killed_is_an_error(self) -> None:
        def compare(measurement: object, options: str) -> Comparison:
            os.kill(os.getpid(), signal.SIGKILL)
            return Comparison()

        with self.assertRaises(WorkerError):
            self.outcomes(compare)

    def test_nothing_runs_on_when_it_is_closed(self) -> None:
        """Neither a worker nor its program, which would write to the pipe later."""
        plan = Plan(self.plan.surroundings, self.folder, self.folder)
        plan.add(CASES[0], SETS)
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)

        def compare(measurement: object, options: str) -> Comparison:
            if options == "bus":
                words = ["sh", "-c", "echo begun; sleep 60; echo ran on"]
                subprocess.run(words, stdout=writing, check=False)
            return Comparison()

        with mock.patch.object(sharing_out, "CASES", CASES), mock.patch.object(
            sharing_out.Measurement, "compare", compare
        ):
            outcomes = compare_all(plan, 2)
            next(outcomes)
            os.close(writing)
            self.assertEqual(os.read(reading, 100), b"begun\n")
            outcomes.close()
        self.assertEqual(multiprocessing.active_children(), [])
        self.assertEqual(os.read(reading, 100), b"")

    def test_what_a_comparison_raises_is_raised(self) -> None:
        def compare(measurement: object, options: str) -> Comparison:
            raise OSError("no room")

        with self.assertRaisesRegex(OSError, "no room"):
            self.outcomes(compare)

    def test_sets_that_fail_without_runs(self) -> None:
        """The launcher ends with status 1, which is each side's error."""
        with mock.patch.object(sharing_out, "CASES", CASES):
            found = list(compare_all(self.plan, 2))
        failed = [o.comparison for o in found if o.comparison is not None]
        self.assertEqual(len(failed), 6)
        for comparison in failed:
            self.assertFalse(comparison.passed)
            self.assertEqual(len(comparison.errors), 2)


if __name__ == "__main__":
    sys.exit(run_suite())
