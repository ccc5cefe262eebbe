# SPDX-License-Identifier: GPL-2.0-or-later
#
# Rows of calls: what is put in comes out, also of numbers that no array has room for.

from __future__ import annotations

import unittest

from analysis.call_rows import CallRows
from profile_file.model import Calls, FunctionKey

LARGE = 1 << 63  # one more than an array takes
KEYS = [FunctionKey("o", "f", name) for name in "abc"]
CALLS = Calls(KEYS, [1, 2, 3], [10, 11, 20, 21, 30, 31])


def rows_of(*calls: Calls) -> CallRows:
    rows = CallRows(2)
    for each in calls:
        rows.append(each, range(len(each.counts)))
    return rows


class Rows(unittest.TestCase):
    def test_rows_are_as_they_were_put_in(self) -> None:
        rows = rows_of(CALLS, CALLS)
        self.assertEqual(len(rows), 6)
        self.assertEqual(list(rows.counts), [1, 2, 3, 1, 2, 3])
        self.assertEqual([rows.cost(row) for row in (0, 4)], [[10, 11], [20, 21]])

    def test_some_of_the_calls(self) -> None:
        rows = CallRows(2)
        rows.append(CALLS, [0, 2])
        self.assertEqual(list(rows.counts), [1, 3])
        self.assertEqual(rows.cost(1), [30, 31])

    def test_rows_side_by_side_and_apart(self) -> None:
        rows = rows_of(CALLS, CALLS)
        choices: list[list[int]] = [[1, 2, 3], [0, 2, 5], [4], []]
        for chosen in choices:
            counts, costs = rows.taken(chosen)
            self.assertEqual(list(counts), [rows.counts[row] for row in chosen])
            each = [rows.cost(row) for row in chosen]
            self.assertEqual(list(costs), [number for cost in each for number in cost])
            self.assertEqual(rows.sums(chosen),
                             [sum(cost[event] for cost in each) for event in (0, 1)])

    def test_calls_are_added_to_a_row(self) -> None:
        rows = rows_of(CALLS)
        rows.add(1, CALLS, 2)
        self.assertEqual((list(rows.counts), rows.cost(1)), ([1, 5, 3], [50, 52]))

    def test_a_row_is_costly_by_any_of_its_events(self) -> None:
        rows = rows_of(Calls(KEYS, [1, 1, 1], [0, 0, 0, 1, 1, 0]))
        self.assertEqual(list(rows.costly([0, 1, 2])), [False, True, True])
        one = CallRows(1)
        one.append(Calls(KEYS, [1, 1, 1], [0, 7, 0]), range(3))
        self.assertEqual(list(one.costly([0, 1, 2])), [False, True, False])

    def test_numbers_of_more_than_64_bits(self) -> None:
        large = Calls(KEYS, [1, LARGE, 3], [1, 2, 3, LARGE, 5, 6])
        rows = rows_of(CALLS, large, CALLS)
        self.assertEqual(list(rows.counts), [1, 2, 3, 1, LARGE, 3, 1, 2, 3])
        self.assertEqual(rows.cost(4), [3, LARGE])
        self.assertEqual(rows.cost(8), [30, 31])
        self.assertEqual(rows.sums(range(3, 9)), [69, 71 + LARGE])

    def test_sums_of_more_than_64_bits(self) -> None:
        almost = Calls(KEYS[:1], [LARGE - 1], [LARGE - 1, 4])
        rows = rows_of(almost)
        rows.add(0, almost, 0)
        self.assertEqual(list(rows.counts), [2 * LARGE - 2])
        self.assertEqual(rows.cost(0), [2 * LARGE - 2, 8])


if __name__ == "__main__":
    unittest.main()
