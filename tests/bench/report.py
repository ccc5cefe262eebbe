# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a result as tables, for a terminal or as Markdown.

Owns layout only; every figure comes from the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence

from tests.bench.columns import BASE
from tests.bench.goals import ADDED, SECONDS, Goal, Verdict
from tests.bench.result import Result

ABSENT = "-"


@dataclass(frozen=True)
class Table:
    """Text cells; the first column is flush left, all others flush right."""

    title: str
    header: list[str]
    rows: list[list[str]]

    def as_text(self) -> str:
        widths = [max(len(cell) for cell in column) for column in self._by_column()]
        lines = [self.title, ""]
        for row in (self.header, *self.rows):
            cells = [row[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines) + "\n"

    def as_markdown(self) -> str:
        rule = ["---"] + ["---:"] * (len(self.header) - 1)
        lines = [f"**{self.title}**", ""]
        for row in (self.header, rule, *self.rows):
            escaped = [cell.replace("|", "\\|") for cell in row]
            lines.append("| " + " | ".join(escaped) + " |")
        return "\n".join(lines) + "\n"

    def _by_column(self) -> list[tuple[str, ...]]:
        return list(zip(self.header, *self.rows))


def _two_places(value: Optional[float]) -> str:
    return ABSENT if value is None else f"{value:.2f}"


def ratio_table(result: Result, of: str) -> Table:
    """of: "cpu" or "memory". The base column is absolute, the others are ratios to it."""
    others = [column for column in result.columns if column is not BASE]
    rows = []
    for workload, series in result.series.items():
        row = [workload, _absolute(result, workload, of)]
        for column in others:
            failed = column.key in series.failures
            value = result.ratio(workload, column.key, of)
            row.append("FAILED" if failed else _two_places(value))
        rows.append(row)
    rows.append(_mean_row(result, of))
    title = {"cpu": "CPU time", "memory": "Peak memory"}[of] + ", as ratio to none"
    return Table(title, ["", BASE.title, *(column.title for column in others)], rows)


def _absolute(result: Result, workload: str, of: str) -> str:
    base = result.summary(workload, BASE.key)
    if base is None:
        return ABSENT
    return f"{base.cpu:.2f} s" if of == "cpu" else f"{base.peak_kib / 1024:.0f} MiB"


def _mean_row(result: Result, of: str) -> list[str]:
    row = ["geometric mean", ""]
    for column in result.columns:
        if column is BASE:
            continue
        mean, count = result.mean(column.key, of)
        partial = mean is not None and count < len(result.suited(column.key))
        row.append(_two_places(mean) + (f" (of {count})" if partial else ""))
    return row


def _divided_by(goal: Goal) -> str:
    if goal.of == SECONDS:
        return "(seconds)"
    return f"{goal.to}, added" if goal.of == ADDED else goal.to


def goal_table(verdicts: Sequence[Verdict]) -> Table:
    return Table(
        "Goals",
        ["", "ratio to", "at most", "where stock took", "measured", "stock takes", ""],
        [
            [verdict.goal.what, _divided_by(verdict.goal), f"{verdict.goal.at_most:.2f}",
             verdict.goal.stock or "-", _two_places(verdict.measured),
             _two_places(verdict.stock), verdict.text]
            for verdict in verdicts
        ],
    )


def render(
    result: Result, facts: dict[str, Any], verdicts: Sequence[Verdict], markdown: bool
) -> str:
    tables = [ratio_table(result, "cpu"), ratio_table(result, "memory")]
    if verdicts:
        tables.append(goal_table(verdicts))
    parts = [table.as_markdown() if markdown else table.as_text() for table in tables]
    parts.append(_provenance(facts))
    notes = result.all_notes()
    if notes:
        bullet = "- " if markdown else ""
        parts.append("\n".join(bullet + note for note in notes) + "\n")
    return "\n".join(parts)


def _provenance(facts: dict[str, Any]) -> str:
    settings = facts["settings"]
    rounds = settings["runs"]
    how = "one run" if rounds == 1 else f"medians of {rounds} interleaved runs"
    size = "" if settings["size"] == "full" else f", {settings['size']} sizes"
    return (
        f"User and system time of the whole process, {how}{size}.\n"
        f"{facts['machine']['cpu']}, {facts['machine']['kernel']}, "
        f"{facts['versions']['valgrind']}, {facts['date']}, "
        f"revision {facts['revision']}.\n"
    )
