# SPDX-License-Identifier: GPL-2.0-or-later
"""Ratios, means and warnings of a result, and its machine-readable copy."""

from __future__ import annotations

import json
import unittest

from tests.bench.fakes import result_of, run
from tests.bench.measure import Run
from tests.bench.result import as_json, ratio, summarize


class Runs(unittest.TestCase):
    def test_cpu_time_is_user_and_system_time(self) -> None:
        self.assertEqual(Run(1.0, 0.5, 9.0, 1, 0.0, None).cpu, 1.5)

    def test_one_less_another_has_the_difference_and_its_own_peak(self) -> None:
        many = Run(1.0, 0.5, 9.0, 300, 0.2, 1000)
        self.assertEqual(many.without(Run(0.25, 0.5, 8.0, 400, 0.9, 10)),
                         Run(0.75, 0.0, 1.0, 300, 0.2, 990))
        self.assertIsNone(many.without(run(0.5)).counted)

    def test_the_median_is_of_time_and_memory_separately(self) -> None:
        summary = summarize([run(1.0, 300), run(3.0, 100), run(2.0, 250)])
        self.assertEqual((summary.cpu, summary.peak_kib), (2.0, 250))
        self.assertAlmostEqual(summary.spread, 1.0)

    def test_times_too_short_to_see_have_no_spread_and_no_ratio(self) -> None:
        self.assertEqual(summarize([run(0.0), run(0.0), run(0.1)]).spread, 0.0)
        self.assertEqual(ratio(3.0, 2.0), 1.5)
        self.assertIsNone(ratio(1.0, 0.0))
        self.assertIsNone(ratio(0.0, 1.0))


class Ratios(unittest.TestCase):
    def test_are_of_medians_and_of_peaks(self) -> None:
        result = result_of({"fib": {
            "none": [run(1.0, 100), run(2.0, 100), run(1.0, 100)],
            "ours-ir": [run(3.0, 140), run(1.5, 140), run(1.5, 140)],
        }})
        self.assertEqual(result.ratio("fib", "ours-ir", "cpu"), 1.5)
        self.assertEqual(result.ratio("fib", "ours-ir", "memory"), 1.4)

    def test_do_not_exist_for_what_was_not_measured(self) -> None:
        result = result_of({"fib": {"none": [run(1.0)]}})
        self.assertIsNone(result.ratio("fib", "ours-ir", "cpu"))
        self.assertIsNone(result.ratio("perl", "none", "cpu"))

    def test_their_mean_is_over_the_workloads_that_have_one(self) -> None:
        result = result_of({
            "fib": {"none": [run(1.0)], "ours-ir": [run(8.0)]},
            "perl": {"none": [run(2.0)], "ours-ir": [run(4.0)]},
            "cc1": {"none": [run(2.0)]},
        })
        mean, count = result.mean("ours-ir", "cpu")
        self.assertAlmostEqual(mean or 0, 4.0)
        self.assertEqual(count, 2)
        self.assertEqual(result_of({}).mean("ours-ir", "cpu"), (None, 0))


class Notes(unittest.TestCase):
    def test_rounds_far_apart_are_told_and_no_others(self) -> None:
        for third, notes in ((1.11, ["warning: fib, none: rounds lie 11% apart"]),
                             (1.09, [])):
            result = result_of({"fib": {"none": [run(1.0), run(1.0), run(third)]}})
            self.assertEqual(result.all_notes(), notes)

    def test_a_busy_machine_is_told(self) -> None:
        result = result_of({"fib": {"none": [run(1.0, load=0.9), run(1.0, load=2.4)]}})
        self.assertIn("load average was up to 2.4", result.all_notes()[0])

    def test_different_counts_of_one_program_are_told(self) -> None:
        told = ["warning: fib: ours Ir counts 101000, stock counts 100000"]
        for ours, varies, notes in (
            (100_010, 0.001, []), (101_000, 0.001, told), (101_000, 0.005, told),
            # What does not execute the same twice may count otherwise.
            (101_000, 0.02, []), (101_000, None, []),
        ):
            with self.subTest(ours=ours, varies=varies):
                result = result_of({"fib": {
                    "none": [run(1.0)],
                    "stock-ir": [run(1.0, counted=100_000)],
                    "ours-ir": [run(1.0, counted=ours)],
                    "ours-off": [run(1.0, counted=0)],
                }})
                result.series["fib"].varies = varies
                self.assertEqual(result.all_notes(), notes)

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
        columns = copy["workloads"]["fib"]["columns"]
        self.assertEqual(list(columns), ["none", "ours-ir"])
        ours = columns["ours-ir"]
        self.assertEqual(
            [ours["cpu_seconds_median"], ours["cpu_ratio"], ours["memory_ratio"]],
            [1.6, 1.6, 1.2])
        self.assertEqual(ours["runs"][1], {
            "user": 1.7, "system": 0.0, "wall": 1.7, "peak_kib": 120, "load": 0.5,
            "counted": 42,
        })
        self.assertAlmostEqual(copy["geometric_means"]["ours-ir"]["cpu"], 1.6)
