# SPDX-License-Identifier: GPL-2.0-or-later
"""The arithmetic of the bench: medians, spreads, ratios, geometric means.

Owns the step from the raw runs to the figures of the tables, and the rules for when
a figure does not exist. Relies on nothing: it sees numbers only, no processes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Optional, Sequence


@dataclass(frozen=True)
class Run:
    """What one execution of a workload in one column took."""

    user: float  # seconds
    system: float  # seconds
    wall: float  # seconds
    peak_kib: int  # the largest resident set among its processes
    load: float  # load average of the machine when it began
    counted: Optional[int]  # the profile's total of its first event, if it wrote one

    @property
    def cpu(self) -> float:
        return self.user + self.system

    def without(self, other: Run) -> Run:
        """What it took more than another one."""
        known = self.counted is not None and other.counted is not None
        return replace(
            self, user=self.user - other.user, system=self.system - other.system,
            wall=self.wall - other.wall,
            counted=(self.counted or 0) - (other.counted or 0) if known else None,
        )


@dataclass(frozen=True)
class Summary:
    """All runs of one workload in one column, as one line."""

    cpu: float
    peak_kib: float
    spread: float


def median(values: Sequence[float]) -> float:
    if not values:
        raise ValueError("median of no values")
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def spread(values: Sequence[float]) -> float:
    """How far the rounds lie apart, as a share of their median."""
    centre = median(values)
    return (max(values) - min(values)) / centre if centre > 0 else 0.0


def geometric_mean(ratios: Sequence[float]) -> Optional[float]:
    """None when there is nothing to average; ratios are positive by construction."""
    if not ratios:
        return None
    if min(ratios) <= 0:
        raise ValueError("geometric mean of a ratio that is not positive")
    return math.exp(math.fsum(math.log(ratio) for ratio in ratios) / len(ratios))


def summarize(runs: Sequence[Run]) -> Summary:
    times = [run.cpu for run in runs]
    return Summary(
        cpu=median(times),
        peak_kib=median([run.peak_kib for run in runs]),
        spread=spread(times),
    )


def ratio(value: float, base: float) -> Optional[float]:
    """None when the base took too little for the kernel to see, or value did."""
    return value / base if value > 0 and base > 0 else None
