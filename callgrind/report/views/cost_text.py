# SPDX-License-Identifier: GPL-2.0-or-later
#
# How costs are written in text reports: those that were counted as they are; those that
# were sampled with no more digits than their samples justify, and half of the 95 %
# interval behind ±, times in milliseconds.
#
# Owns: these words.  Relies on analysis/estimates.py for the intervals.  What is written
# is an event of a row of costs, as its interval may depend on another event of the row.

"""Costs as text, exact ones and estimates."""

from __future__ import annotations

import math
from typing import Sequence

from analysis.estimates import NANOSECONDS_OF_A_MILLISECOND, Estimate, Estimates
from analysis.profile_diff import Difference
from console.text_layout import number, relative, share, signed, with_unit

# From so many samples on, a share has a decimal.
MANY_SAMPLES = 10_000


class CostText:
    """The costs of some profiles.  Rows are of these events, the first the main one."""

    def __init__(self, estimates: Estimates, events: Sequence[str]) -> None:
        self._estimates = estimates
        self._events = events

    @property
    def is_sampled(self) -> bool:
        return self._estimates.is_sampled

    def cost(self, row: Sequence[int], place: int = 0) -> str:
        event = self._events[place]
        estimate = self._estimates.of(event)
        if estimate is None:
            return number(row[place], event)
        return estimated(row[place], self.half(row, place), estimate)

    def with_unit(self, row: Sequence[int]) -> str:
        """As cost(), for a sentence."""
        if self._estimates.of(self._events[0]) is None:
            return with_unit(row[0], self._events[0])
        return self.cost(row)

    def share(self, part: int, whole: Sequence[int]) -> str:
        """Of the main event."""
        estimate = self._estimates.of(self._events[0])
        if estimate is None or not estimate.period or not whole[0]:
            return share(part, whole[0])
        samples = estimate.samples(self._sampled(whole, 0, estimate))
        digits = 0 if samples < MANY_SAMPLES else 1
        return f"{100 * part / whole[0]:.{digits}f}%"

    def half(self, row: Sequence[int], place: int) -> float:
        """Of the 95 % interval."""
        estimate = self._estimates.of(self._events[place])
        return estimate.half(self._sampled(row, place, estimate)) if estimate else 0.0

    def _sampled(self, row: Sequence[int], place: int, estimate: Estimate) -> int:
        part = estimate.sampled_part
        return row[self._events.index(part) if part else place]


class ChangeText:
    """The costs of old and new profiles, and what changed."""

    def __init__(self, found: Difference) -> None:
        self.old = CostText(found.old_estimates, found.added_up)
        self.new = CostText(found.new_estimates, found.added_up)
        self._found = found

    def change(self, old: Sequence[int], new: Sequence[int], place: int = 0) -> str:
        """A change is as uncertain as both sides together."""
        event, change = self._found.events[place], new[place] - old[place]
        before = self._found.old_estimates.of(event)
        after = self._found.new_estimates.of(event)
        if before is None or after is None:
            return signed(change, event)
        half = math.hypot(self.old.half(old, place), self.new.half(new, place))
        return ("+" if change > 0 else "") + estimated(change, half, after)

    def sum_of_changes(self, change: int) -> str:
        """Of the main event; both sides are not known."""
        event = self._found.events[0]
        estimate = self._found.new_estimates.of(event)
        if estimate is None or not estimate.is_time:
            return signed(change, event)
        return f"{change / NANOSECONDS_OF_A_MILLISECOND:+,.0f} ms"

    def relative(self, old: Sequence[int], new: Sequence[int], place: int = 0) -> str:
        """As a share of the old value; whole percents of what was sampled."""
        estimate = self._found.old_estimates.of(self._found.events[place])
        before, change = old[place], new[place] - old[place]
        if estimate is None or not estimate.period or not before:
            return relative(change, before)
        return f"{100 * change / before:+.0f}%"


def estimated(value: int, half: float, estimate: Estimate) -> str:
    """With the digits of the interval's half: one, or two that begin with 1."""
    scale = NANOSECONDS_OF_A_MILLISECOND if estimate.is_time else 1
    unit = " ms" if estimate.is_time else ""
    if not half:  # nothing of it was sampled
        return f"{value / scale:,.3f}{unit}" if value else "0"
    half /= scale
    first = math.floor(math.log10(half))
    power = first - 1 if half < 2 * 10**first else first
    step, digits = 10 ** max(power, 0), max(0, -power)

    def rounded(exact: float) -> str:
        return f"{round(exact / step) * step if step > 1 else exact:,.{digits}f}"

    return f"{rounded(value / scale)}{unit} ±{rounded(half)}"
