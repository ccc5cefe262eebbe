# SPDX-License-Identifier: GPL-2.0-or-later
#
# The calls of a profile in arrays: a row for each pair of caller and callee, with how
# often the one calls the other, and what that costs.  There may be a million: as objects
# they would take five times the memory.
#
# Owns: the numbers.  Which rows are whose is function_costs.py's business.

"""Counts and costs of calls, packed in arrays."""

from __future__ import annotations

from array import array
from itertools import chain
from typing import Iterable, MutableSequence, Sequence

from profile_file.model import Calls, Vector


class CallRows:
    """Rows of a count, and the inclusive costs of so many events."""

    def __init__(self, events: int) -> None:
        self._events = events
        # Lists, once a number does not fit 64 bits.
        self.counts: MutableSequence[int] = array("q")
        self._costs: MutableSequence[int] = array("q")

    def __len__(self) -> int:
        return len(self.counts)

    def append(self, calls: Calls, places: Sequence[int]) -> None:
        """Rows at the end: of the calls at these places of `calls`, in ascending order.
        """
        counts, costs, step = calls.counts, calls.costs, self._events
        if len(places) < len(counts):
            counts = [counts[place] for place in places]
            costs = list(
                chain.from_iterable(
                    costs[place * step : (place + 1) * step] for place in places
                )
            )
        self.counts = _extended(self.counts, counts)
        self._costs = _extended(self._costs, costs)

    def add(self, row: int, calls: Calls, place: int) -> None:
        """Add the calls at this place of `calls` to a row."""
        step = self._events
        self.counts = _increased(self.counts, row, calls.counts[place])
        for event in range(step):
            cost = calls.costs[place * step + event]
            self._costs = _increased(self._costs, row * step + event, cost)

    def cost(self, row: int) -> Vector:
        return list(self._costs[row * self._events : (row + 1) * self._events])

    def taken(self, rows: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
        """Counts and costs of rows in ascending order; those of a row side by side."""
        step = self._events
        if rows and rows[-1] - rows[0] + 1 == len(rows):
            first, end = rows[0], rows[-1] + 1
            return self.counts[first:end], self._costs[first * step : end * step]
        costs = [self._costs[row * step : (row + 1) * step] for row in rows]
        return [self.counts[row] for row in rows], list(chain.from_iterable(costs))

    def sums(self, rows: Sequence[int]) -> Vector:
        """What rows in ascending order cost together."""
        _, costs = self.taken(rows)
        return [sum(costs[event :: self._events]) for event in range(self._events)]

    def costly(self, rows: Sequence[int]) -> Iterable[bool]:
        """Whether each of rows in ascending order costs anything."""
        _, costs = self.taken(rows)
        if self._events == 1:
            return map(bool, costs)
        columns = [costs[event :: self._events] for event in range(self._events)]
        return map(any, zip(*columns))


def _extended(
    numbers: MutableSequence[int], added: Sequence[int]
) -> MutableSequence[int]:
    """`numbers`, or a list, if it must be one."""
    before = len(numbers)
    try:
        numbers.extend(added)
    except OverflowError:
        return [*numbers[:before], *added]
    return numbers


def _increased(
    numbers: MutableSequence[int], place: int, amount: int
) -> MutableSequence[int]:
    """As _extended()."""
    total = numbers[place] + amount
    try:
        numbers[place] = total
    except OverflowError:
        numbers = list(numbers)
        numbers[place] = total
    return numbers
