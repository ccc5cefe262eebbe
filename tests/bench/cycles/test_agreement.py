# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests agreement.py: numbers that can be told by hand.

"""How well rows of numbers agree."""

from __future__ import annotations

import unittest

from tests.bench.cycles.agreement import common_scale, errors, rank_correlation, ranks
from tests.bench.cycles.scatter import scatter_plot


class Agreement(unittest.TestCase):
    def test_equal_values_share_their_rank(self) -> None:
        self.assertEqual(ranks([5.0, 1.0, 5.0, 9.0]), [2.5, 1.0, 2.5, 4.0])

    def test_rank_correlation(self) -> None:
        self.assertAlmostEqual(rank_correlation([1, 2, 3], [10, 20, 900]), 1)
        self.assertAlmostEqual(rank_correlation([1, 2, 3], [3, 2, 1]), -1)
        self.assertAlmostEqual(rank_correlation([1, 2, 3, 4], [2, 1, 4, 3]), 0.6)
        self.assertEqual(rank_correlation([1, 1, 1], [1, 2, 3]), 0)

    def test_errors_after_one_scale(self) -> None:
        scale = common_scale([1, 2, 4], [10, 20, 80])
        self.assertEqual(scale, 10)
        self.assertEqual(errors([1, 2, 4], [10, 20, 80], scale), [0, 0, 0.5])

    def test_every_point_is_in_the_plot(self) -> None:
        text = scatter_plot([("a", "x", 1.0, 100.0), ("b", "y", 0.01, 2.0)])
        self.assertIn("<title>a</title>", text)
        self.assertIn("<title>b</title>", text)


if __name__ == "__main__":
    unittest.main()
