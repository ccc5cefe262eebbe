# SPDX-License-Identifier: GPL-2.0-or-later
#
# How well what events say agrees with times, as tables.  Knows nothing of where the
# numbers come from.

"""Rank correlation, and the relative error after one common scale."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Sequence

from tests.bench.tables import table

EVENTS = ("Ir", "Ir+10L1+100LL", "Ct", "Cl", "Cy")


@dataclass
class Row:
    """A kernel or program: what a turn of it takes, and the events of one.  The turn of a
    program is a whole run."""

    name: str
    family: str
    seconds: float
    events: dict[str, float]


def ranks(values: Sequence[float]) -> list[float]:
    """From 1 on; equal values share the mean of their ranks."""
    below = [sum(other < value for other in values) for value in values]
    return [before + (1 + values.count(value)) / 2
            for before, value in zip(below, values)]


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


def _correlations(event: str, rows: list[Row]) -> list[str]:
    """Of a turn; and of an instruction, where it does not matter how long turns are."""
    by_turn = rank_correlation([row.events[event] for row in rows],
                               [row.seconds for row in rows])
    by_instruction = rank_correlation(
        [row.events[event] / row.events["Ir"] for row in rows],
        [row.seconds / row.events["Ir"] for row in rows])
    return [f"{by_turn:.3f}", f"{by_instruction:.3f}"]


def report(rows: list[Row]) -> str:
    """A table by event, and by family."""
    times = [row.seconds for row in rows]
    kernels = [row for row in rows if row.family != "program"]
    families = sorted({row.family for row in rows})
    lines = []
    for event in EVENTS:
        guesses = [row.events[event] for row in rows]
        off = errors(guesses, times, common_scale(guesses, times))
        by_family = [[e for e, row in zip(off, rows) if row.family == family]
                     for family in families]
        lines.append([
            f"`{event}`", *_correlations(event, kernels),
            *(f"{100 * statistics.median(some):.0f} %" for some in [off, *by_family])])
    header = ["event", "by turn", "by instruction", "median error", *families]
    return table(header, lines)


def details(rows: list[Row]) -> str:
    """A line for each row: its time, and what each event makes of it."""
    times = [row.seconds for row in rows]
    scales = {e: common_scale([row.events[e] for row in rows], times) for e in EVENTS}
    return table(["", "ns", *EVENTS], [
        [row.name, f"{1e9 * row.seconds:.2f}",
         *(f"{1e9 * row.events[event] * scales[event]:.2f}" for event in EVENTS)]
        for row in rows
    ])
