# SPDX-License-Identifier: GPL-2.0-or-later
"""Ratios, means and warnings of a result, and its machine-readable copy."""

from __future__ import annotations

import json
import unittest

from tests.bench.fakes import result_of, run
from tests.bench.result import as_json


class Ratios(unittest.TestCase):
    def test_are_of_medians(self) -> None:
        result = result_of({"fib": {
            "none": [run(1.0), run(2.0), run(1.0)],
            "ours-ir": [run(3.0), run(1.5), run(1.5)],
        }})
        self.assertEqual(result.ratio("fib", "ours-ir", "cpu"), 1.5)

    def test_of_memory_are_of_peaks(self) -> None:
        result = result_of({"fib": {"none": [run(1.0, 100)], "ours-ir": [run(1.0, 140)]}})
        self.assertEqual(result.ratio("fib", "ours-ir", "memory"), 1.4)

    def test_do_not_exist_for_what_was_not_measured(self) -> None:
        result = result_of({"fib": {"none": [run(1.0)]}})
        self.assertIsNone(result.ratio("fib", "ours-ir", "cpu"))
        self.assertIsNone(result.ratio("perl", "none", "cpu"))


class Mean(unittest.TestCase):
    def test_is_over_the_workloads_that_have_a_ratio(self) -> None:
        result = result_of({
            "fib": {"none": [run(1.0)], "ours-ir": [run(4.0)]},
            "perl": {"none": [run(2.0)], "ours-ir": [run(2.0)]},
            "cc1": {"none": [run(2.0)]},
        })
        self.assertEqual(result.mean("ours-ir", "cpu"), (2.0, 2))

    def test_of_a_column_without_runs_does_not_exist(self) -> None:
        self.assertEqual(result_of({}).mean("ours-ir", "cpu"), (None, 0))


class Notes(unittest.TestCase):
    def test_rounds_far_apart_are_told(self) -> None:
        result = result_of({"fib": {"none": [run(1.0), run(1.0), run(1.11)]}})
        self.assertEqual(
            result.all_notes(), ["warning: fib, none: rounds lie 11% apart"]
        )

    def test_rounds_close_together_are_not(self) -> None:
        result = result_of({"fib": {"none": [run(1.0), run(1.05), run(1.09)]}})
        self.assertEqual(result.all_notes(), [])

    def test_a_busy_machine_is_told(self) -> None:
        result = result_of({"fib": {"none": [run(1.0, load=0.9), run(1.0, load=2.4)]}})
        self.assertIn("load average was up to 2.4", result.all_notes()[0])

    def test_different_counts_of_the_same_program_are_told(self) -> None:
        def counts(ours: int) -> list[str]:
            return result_of({"fib": {
                "none": [run(1.0)],
                "stock-ir": [run(1.0, counted=100_000)],
                "ours-ir": [run(1.0, counted=ours)],
                "ours-off": [run(1.0, counted=0)],
            }}).all_notes()

        self.assertEqual(counts(100_010), [])
        self.assertEqual(
            counts(90_000),
            ["warning: fib: ours Ir counts 90000, stock counts 100000"],
        )

    def test_what_does_not_execute_the_same_twice_may_count_otherwise(self) -> None:
        for varies, told in ((0.02, 0), (0.005, 1), (None, 0)):
            with self.subTest(varies=varies):
                result = result_of({"go": {
                    "none": [run(1.0)],
                    "stock-ir": [run(1.0, counted=100_000)],
                    "ours-ir": [run(1.0, counted=101_000)],
                }})
                result.series["go"].varies = varies
                self.assertEqual(len(result.all_notes()), told)

    def test_failures_are_told_with_their_reason(self) -> None:
        result = result_of({"fib": {"none": [run(1.0)]}})
        result.series["fib"].failures["ours-ir"] = "no profile was written"
        self.assertTrue(result.failed)
        self.assertEqual(
            result.all_notes(), ["FAILED: fib, ours Ir: no profile was written"]
        )


class Json(unittest.TestCase):
    def test_has_every_run_and_what_follows_from_them(self) -> None:
        result = result_of({"fib": {
            "none": [run(1.0, 100)],
            "ours-ir": [run(1.5, 120, 0.25, 42), run(1.7, 120, 0.5, 42)],
        }})
        copy = json.loads(json.dumps(as_json(result, {"date": "today"}, [])))
        self.assertEqual(copy["date"], "today")
        ours = copy["workloads"]["fib"]["columns"]["ours-ir"]
        self.assertEqual(ours["cpu_seconds_median"], 1.6)
        self.assertEqual(ours["cpu_ratio"], 1.6)
        self.assertEqual(ours["memory_ratio"], 1.2)
        self.assertEqual(ours["runs"][1], {
            "user": 1.7, "system": 0.0, "wall": 1.7, "peak_kib": 120, "load": 0.5,
            "counted": 42,
        })
        self.assertNotIn("stock-ir", copy["workloads"]["fib"]["columns"])
        self.assertAlmostEqual(copy["geometric_means"]["ours-ir"]["cpu"], 1.6)
