# SPDX-License-Identifier: GPL-2.0-or-later
#
# The arithmetic of the bench that switches samplers on and off (switching.py).

"""Slowdowns out of the times of rounds."""

from __future__ import annotations

import unittest

from tests.sampler.intervals import median_of
from tests.sampler.switching import Window, compare, turns


class Turns(unittest.TestCase):
    WINDOWS = [Window(0, 1, ""), Window(1.1, 2.1, "perf"),
               Window(2.2, 3.2, "perf"), Window(3.3, 4.3, "")]

    def test_rounds_count_where_they_lie_wholly_in_a_window(self) -> None:
        # The third round lasts beyond the first window, the fourth begins between two.
        began = [0.1, 0.4, 0.8, 1.05, 1.2, 1.9, 2.3, 3.0, 3.4, 4.0]
        used = [2.0, 2.2, 9.0, 9.0, 3.0, 9.0, 4.0, 9.0, 2.5, 9.0]
        printed = "\n".join(f"{a} {b}" for a, b in zip(began, used))
        self.assertEqual(turns(printed, self.WINDOWS, 2),
                         [{"": 2.1, "perf": 3.0}, {"perf": 4.0, "": 2.5}])

    def test_a_turn_without_rounds_in_a_window_is_left_out(self) -> None:
        printed = "0.1 2\n0.9 2\n2.3 4\n3.1 9\n3.4 5\n4.2 9\n"
        self.assertEqual(turns(printed, self.WINDOWS, 2), [{"perf": 4.0, "": 5.0}])

    def test_each_is_compared_with_its_neighbours(self) -> None:
        """So it does not matter that the machine has become twice as slow."""
        times = [{"": speed, "callgrind_sample": 1.02 * speed, "perf": 1.03 * speed}
                 for speed in (1.0, 1.1, 1.5, 2.0, 2.0, 2.1)]
        found = compare(times)
        self.assertEqual(str(found.by["callgrind_sample"]), "2.0% (2.0 to 2.0)")
        self.assertEqual(str(found.by["perf"]), "3.0% (3.0 to 3.0)")
        self.assertEqual(str(found.against["perf"]), "-1.0% (-1.0 to -1.0)")
        self.assertEqual(found.turns, 6)

    def test_without_perf(self) -> None:
        found = compare([{"": 1.0, "callgrind_sample": 1.02}])
        self.assertEqual({name: str(by) for name, by in found.by.items()},
                         {"callgrind_sample": "2.0% (2.0 to 2.0)"})
        self.assertEqual(found.against, {})


class Intervals(unittest.TestCase):
    def test_one_wild_value_moves_nothing(self) -> None:
        self.assertEqual(median_of([1, 2, 3, 4, 5, 900]), (3.5, 1, 900))
        self.assertEqual(median_of([*range(20), 900]), (10, 5, 15))


if __name__ == "__main__":
    unittest.main()
