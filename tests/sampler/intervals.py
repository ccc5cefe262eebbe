# SPDX-License-Identifier: GPL-2.0-or-later
#
# Parts in per cent, and how sure a median of them is, for what is measured many times.

"""Medians with their 95 % intervals."""

from __future__ import annotations

from math import comb
from statistics import median
from typing import NamedTuple, Sequence


class Interval(NamedTuple):
    """A median in per cent, and between what it is with 95 %."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.1f}% ({self.low:.1f} to {self.high:.1f})"


def percent(part: float, whole: float) -> float:
    return 100 * part / whole


def median_of(values: Sequence[float]) -> Interval:
    """The interval ends at two of the values, whatever their distribution: the median is
    beyond each of them as seldom as so few of `n` coins show heads.  With less than six
    values, these are the outermost."""
    ordered = sorted(values)
    n, beyond, chance = len(ordered), -1, 0.0
    while chance + comb(n, beyond + 1) / 2**n <= 0.025:
        beyond += 1
        chance += comb(n, beyond) / 2**n
    beyond = max(beyond, 0)
    return Interval(median(ordered), ordered[beyond], ordered[n - 1 - beyond])
