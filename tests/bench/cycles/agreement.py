# SPDX-License-Identifier: GPL-2.0-or-later
#
# How well one row of numbers agrees with another.  Knows nothing of where they come from.

"""Rank correlation, and the relative error after one common scale."""

from __future__ import annotations

import statistics
from typing import Sequence


def ranks(values: Sequence[float]) -> list[float]:
    """From 1 on; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    found = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for i in order[begin:end]:
            found[i] = (begin + 1 + end) / 2
        begin = end
    return found


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Spearman's."""
    if len(a) < 2:
        return 1.0
    x, y = ranks(a), ranks(b)
    middle = (len(a) + 1) / 2
    both = sum((i - middle) * (j - middle) for i, j in zip(x, y))
    one = sum((i - middle) ** 2 for i in x)
    other = sum((j - middle) ** 2 for j in y)
    return both / (one * other) ** 0.5 if one and other else 0.0


def common_scale(estimates: Sequence[float], times: Sequence[float]) -> float:
    """The factor by which estimates are taken for times: the median of the ratios."""
    return statistics.median(time / max(guess, 1e-12)
                             for guess, time in zip(estimates, times))


def errors(
    estimates: Sequence[float], times: Sequence[float], scale: float
) -> list[float]:
    """How far each is off, relative to the time."""
    return [abs(guess * scale - time) / time for guess, time in zip(estimates, times)]
