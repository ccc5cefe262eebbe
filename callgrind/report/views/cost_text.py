# SPDX-License-Identifier: GPL-2.0-or-later
#
# How costs are written in text reports: those that were counted as they are; those that
# were sampled with no more digits than their samples justify, and half of the 95 %
# interval behind ±, times in milliseconds.
#
# Owns: these words.  Relies on analysis/estimates.py for the intervals.

"""Costs as text, exact ones and estimates."""

from __future__ import annotations

import math

from analysis.estimates import NANOSECONDS_OF_A_MILLISECOND, Estimate, Estimates
from console.text_layout import number, relative, share, signed, with_unit

# From so many samples on, a share has a decimal.
MANY_SAMPLES = 10_000


class CostText:
    """The costs of some profiles."""

    def __init__(self, estimates: Estimates) -> None:
        self._estimates = estimates

    @property
    def is_sampled(self) -> bool:
        return self._estimates.is_sampled

    def cost(self, value: int, event: str) -> str:
        estimate = self._estimates.of(event)
        if estimate is None:
            return number(value, event)
        return estimated(value, estimate.half(value), estimate)

    def with_unit(self, value: int, event: str) -> str:
        """The same in a sentence."""
        if self._estimates.of(event) is None:
            return with_unit(value, event)
        return self.cost(value, event)

    def share(self, part: int, whole: int, event: str) -> str:
        estimate = self._estimates.of(event)
        if estimate is None or not estimate.period or not whole:
            return share(part, whole)
        digits = 0 if estimate.samples(whole) < MANY_SAMPLES else 1
        return f"{100 * part / whole:.{digits}f}%"


class ChangeText:
    """The costs of old and new profiles, and what changed."""

    def __init__(self, old: Estimates, new: Estimates) -> None:
        self._old, self._new = old, new

    def old(self, value: int, event: str) -> str:
        return CostText(self._old).cost(value, event)

    def new(self, value: int, event: str) -> str:
        return CostText(self._new).cost(value, event)

    def change(self, old: int, new: int, event: str) -> str:
        """A change is as uncertain as both sides together."""
        before, after = self._old.of(event), self._new.of(event)
        if before is None or after is None:
            return signed(new - old, event)
        half = math.hypot(before.half(old), after.half(new))
        sign = "+" if new > old else ""
        return sign + estimated(new - old, half, after)

    def sum_of_changes(self, change: int, event: str) -> str:
        """Of which both sides are not known."""
        estimate = self._new.of(event)
        if estimate is None or not estimate.is_time:
            return signed(change, event)
        return f"{change / NANOSECONDS_OF_A_MILLISECOND:+,.0f} ms"

    def relative(self, old: int, new: int, event: str) -> str:
        """As a share of the old value; whole percents of what was sampled."""
        estimate = self._old.of(event)
        if estimate is None or not estimate.period or not old:
            return relative(new - old, old)
        return f"{100 * (new - old) / old:+.0f}%"


def estimated(value: int, half: float, estimate: Estimate) -> str:
    """With the digits of the interval's half: one, or two that begin with 1."""
    scale = NANOSECONDS_OF_A_MILLISECOND if estimate.is_time else 1
    unit = " ms" if estimate.is_time else ""
    if not half:
        measured = value and not estimate.period
        return f"{value / scale:,.3f}{unit}" if measured else "0"
    half /= scale
    first = math.floor(math.log10(half))
    power = first - 1 if half < 2 * 10**first else first
    step, digits = 10 ** max(power, 0), max(0, -power)

    def rounded(exact: float) -> str:
        return f"{round(exact / step) * step if step > 1 else exact:,.{digits}f}"

    return f"{rounded(value / scale)}{unit} ±{rounded(half)}"
