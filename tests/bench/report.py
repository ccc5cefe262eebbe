# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a result as tables.

Owns layout only; every figure comes from the result.
"""

from __future__ import annotations

from typing import Any, Sequence

from tests.bench.columns import BASE
from tests.bench.goals import ADDED, SECONDS, Goal, Verdict
from tests.bench.result import Result
from tests.bench.tables import table, two_places


def ratio_table(result: Result, of: str) -> str:
    """of: "cpu" or "memory". The base column is absolute, the others are ratios to it."""
    others = [column for column in result.columns if column is not BASE]
    rows = []
    for workload, series in result.series.items():
        row = [workload, _absolute(result, workload, of)]
        for column in others:
            failed = column.key in series.failures
            value = result.ratio(workload, column.key, of)
            row.append("FAILED" if failed else two_places(value))
        rows.append(row)
    means = ["geometric mean", ""]
    for column in others:
        mean, count = result.mean(column.key, of)
        partial = mean is not None and count < len(result.suited(column.key))
        means.append(two_places(mean) + (f" (of {count})" if partial else ""))
    title = {"cpu": "CPU time", "memory": "Peak memory"}[of] + ", as ratio to none"
    header = ["", BASE.title, *(column.title for column in others)]
    return table(header, [*rows, means], title)


def _absolute(result: Result, workload: str, of: str) -> str:
    base = result.summary(workload, BASE.key)
    if base is None:
        return "-"
    return f"{base.cpu:.2f} s" if of == "cpu" else f"{base.peak_kib / 1024:.0f} MiB"


def _divided_by(goal: Goal) -> str:
    if goal.of == SECONDS:
        return "(seconds)"
    return f"{goal.to}, added" if goal.of == ADDED else goal.to


def goal_table(verdicts: Sequence[Verdict]) -> str:
    return table(
        ["", "ratio to", "at most", "where stock took", "measured", "stock takes", ""],
        [
            [verdict.goal.what, _divided_by(verdict.goal), f"{verdict.goal.at_most:.2f}",
             verdict.goal.stock or "-", two_places(verdict.measured),
             two_places(verdict.stock), verdict.text]
            for verdict in verdicts
        ],
        "Goals",
    )


def render(result: Result, facts: dict[str, Any], verdicts: Sequence[Verdict]) -> str:
    parts = [ratio_table(result, "cpu"), ratio_table(result, "memory")]
    if verdicts:
        parts.append(goal_table(verdicts))
    settings = facts["settings"]
    how = f"medians of {settings['runs']} interleaved runs"
    size = "" if settings["size"] == "full" else f", {settings['size']} sizes"
    parts.append(
        "User and system time of the whole process, "
        f"{'one run' if settings['runs'] == 1 else how}{size}.\n"
        f"{facts['machine']['cpu']}, {facts['machine']['kernel']}, "
        f"{facts['versions']['valgrind']}, {facts['date']}, "
        f"revision {facts['revision']}.\n"
    )
    notes = result.all_notes()
    if notes:
        parts.append("".join(f"- {note}\n" for note in notes))
    return "\n".join(parts)
