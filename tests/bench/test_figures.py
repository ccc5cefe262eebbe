# SPDX-License-Identifier: GPL-2.0-or-later
"""Medians, spreads, ratios and geometric means."""

from __future__ import annotations

import unittest

from tests.bench.fakes import run
from tests.bench.figures import Run, geometric_mean, median, ratio, spread, summarize


class Median(unittest.TestCase):
    def test_of_an_odd_number_is_the_middle_whatever_the_order(self) -> None:
        self.assertEqual(median([9.0, 1.0, 2.0]), 2.0)

    def test_of_an_even_number_is_between_the_two_middles(self) -> None:
        self.assertEqual(median([4.0, 1.0, 2.0, 100.0]), 3.0)

    def test_of_one_is_that_one(self) -> None:
        self.assertEqual(median([7.5]), 7.5)

    def test_of_nothing_is_an_error(self) -> None:
        with self.assertRaises(ValueError):
            median([])

    def test_leaves_its_argument_alone(self) -> None:
        values = [3.0, 1.0, 2.0]
        median(values)
        self.assertEqual(values, [3.0, 1.0, 2.0])


class Spread(unittest.TestCase):
    def test_is_the_range_as_a_share_of_the_median(self) -> None:
        self.assertAlmostEqual(spread([2.0, 1.9, 2.2]), 0.15)

    def test_of_equal_rounds_is_nothing(self) -> None:
        self.assertEqual(spread([2.0, 2.0]), 0.0)

    def test_of_times_too_short_to_see_is_nothing(self) -> None:
        self.assertEqual(spread([0.0, 0.0, 0.1]), 0.0)


class GeometricMean(unittest.TestCase):
    def test_of_a_factor_and_its_inverse_is_one(self) -> None:
        self.assertAlmostEqual(geometric_mean([4.0, 0.25]) or 0, 1.0)

    def test_is_the_root_of_the_product(self) -> None:
        self.assertAlmostEqual(geometric_mean([1.0, 2.0, 4.0]) or 0, 2.0)

    def test_of_nothing_does_not_exist(self) -> None:
        self.assertIsNone(geometric_mean([]))

    def test_of_zero_is_an_error_not_zero(self) -> None:
        with self.assertRaises(ValueError):
            geometric_mean([1.0, 0.0])


class Ratio(unittest.TestCase):
    def test_divides(self) -> None:
        self.assertEqual(ratio(3.0, 2.0), 1.5)

    def test_of_what_was_too_short_to_see_does_not_exist(self) -> None:
        self.assertIsNone(ratio(1.0, 0.0))
        self.assertIsNone(ratio(0.0, 1.0))


class SummaryOfRuns(unittest.TestCase):
    def test_cpu_time_is_user_and_system_time(self) -> None:
        self.assertEqual(Run(1.0, 0.5, 9.0, 1, 0.0, None).cpu, 1.5)

    def test_one_less_another_has_the_difference_and_its_own_peak(self) -> None:
        many = Run(1.0, 0.5, 9.0, 300, 0.2, 1000)
        self.assertEqual(many.without(Run(0.25, 0.5, 8.0, 400, 0.9, 10)),
                         Run(0.75, 0.0, 1.0, 300, 0.2, 990))
        self.assertIsNone(many.without(run(0.5)).counted)

    def test_takes_the_median_of_time_and_memory_separately(self) -> None:
        summary = summarize([run(1.0, 300), run(3.0, 100), run(2.0, 250)])
        self.assertEqual((summary.cpu, summary.peak_kib), (2.0, 250))
        self.assertAlmostEqual(summary.spread, 1.0)
