# SPDX-License-Identifier: GPL-2.0-or-later
"""The result of a bench run: every workload in every column, and what follows from it.

Owns the arithmetic, the rules for when a figure does not exist, and the shape of a
result and of its machine-readable copy. A ratio is against the base column of the same
workload, unless another one is named.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import geometric_mean, median
from typing import Any, Iterator, Optional, Sequence

from tests.bench.columns import BASE, Column
from tests.bench.measure import Run, Series

# Above this, a round was disturbed, or the workload is too short for this machine.
WIDE_SPREAD = 0.10
# The bench itself keeps one processor busy.
BUSY_LOAD = 1.5


@dataclass(frozen=True)
class Summary:
    """All runs of one workload in one column, as one line."""

    cpu: float
    peak_kib: float
    spread: float  # how far the rounds lie apart, as a share of their median


def summarize(runs: Sequence[Run]) -> Summary:
    times = [run.cpu for run in runs]
    middle = median(times)
    return Summary(middle, median(run.peak_kib for run in runs),
                   (max(times) - min(times)) / middle if middle > 0 else 0.0)


def ratio(value: float, base: float) -> Optional[float]:
    """None when the base took too little for the kernel to see, or value did."""
    return value / base if base > 0 and value > 0 else None


@dataclass
class Result:
    columns: list[Column]
    series: dict[str, Series] = field(default_factory=dict)  # by name of workload
    notes: list[str] = field(default_factory=list)

    def summary(self, workload: str, column: str) -> Optional[Summary]:
        """None when it was not measured, or failed."""
        if workload not in self.series:
            return None
        runs = self.series[workload].runs.get(column)
        return summarize(runs) if runs else None

    def seconds(self, workload: str, column: str) -> Optional[float]:
        summary = self.summary(workload, column)
        return None if summary is None else summary.cpu

    def added(self, workload: str, column: str, to: str) -> Optional[float]:
        """What a column takes more than the base, divided by what another does."""
        base = self.seconds(workload, BASE.key)
        one, other = self.seconds(workload, column), self.seconds(workload, to)
        if base is None or one is None or other is None:
            return None
        return ratio(max(one - base, 0.0), other - base)

    def ratio(
        self, workload: str, column: str, of: str, to: str = BASE.key
    ) -> Optional[float]:
        """of: "cpu" or "memory"; to: the column that is divided by."""
        value, base = self.summary(workload, column), self.summary(workload, to)
        if value is None or base is None:
            return None
        if of == "memory":
            return ratio(value.peak_kib, base.peak_kib)
        return ratio(value.cpu, base.cpu)

    def suited(self, key: str) -> list[str]:
        """The workloads that a column is for."""
        return [workload for workload, series in self.series.items()
                if any(one.key == key and one.suits(series.kind)
                       for one in self.columns)]

    def mean(
        self, column: str, of: str, to: str = BASE.key
    ) -> tuple[Optional[float], int]:
        """The geometric mean of a column, and over how many workloads it is."""
        every = [self.ratio(workload, column, of, to) for workload in self.suited(column)]
        ratios = [value for value in every if value is not None]
        return geometric_mean(ratios) if ratios else None, len(ratios)

    @property
    def failed(self) -> bool:
        return any(series.failures for series in self.series.values())

    def all_notes(self) -> list[str]:
        every = [*self._failures(), *self._interference(), *self._disagreements()]
        return [*self.notes, *every]

    def _measured(self) -> Iterator[tuple[str, Series, Column]]:
        for workload, series in self.series.items():
            for column in self.columns:
                yield workload, series, column

    def _failures(self) -> Iterator[str]:
        for workload, series, column in self._measured():
            if column.key in series.failures:
                yield f"FAILED: {workload}, {column.title}: {series.failures[column.key]}"

    def _interference(self) -> Iterator[str]:
        highest = 0.0
        for workload, series, column in self._measured():
            summary = self.summary(workload, column.key)
            if summary is not None and summary.spread > WIDE_SPREAD:
                yield (f"warning: {workload}, {column.title}: rounds lie "
                       f"{summary.spread:.0%} apart")
            highest = max([highest, *(run.load for run in
                                      series.runs.get(column.key, ()))])
        if highest > BUSY_LOAD:
            yield (f"warning: the load average was up to {highest:.1f}: other work ran "
                   "on this machine")

    def _disagreements(self) -> Iterator[str]:
        """Columns that count the same event of the same program, differently."""
        for workload, series, column in self._measured():
            ours = series.runs.get(column.key)
            stock = series.runs.get(column.key.replace("ours-", "stock-"))
            if not column.ours or not ours or not stock or series.varies is None:
                continue
            a, b = ours[0].counted, stock[0].counted
            if a is not None and b and abs(a - b) > series.varies * b:
                yield (f"warning: {workload}: {column.title} counts {a}, "
                       f"stock counts {b}")


def as_json(
    result: Result, facts: dict[str, Any], goals: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """All of it, raw figures included, for other programs to read."""
    return {
        "format": 1,
        **facts,
        "columns": [
            {"key": column.key, "title": column.title, "tool": column.tool,
             "options": list(column.options)}
            for column in result.columns
        ],
        "workloads": {
            workload: {
                "commands": series.commands,
                "failures": series.failures,
                "columns": {
                    column.key: _column_as_json(result, workload, column.key)
                    for column in result.columns
                    if column.key in series.runs
                },
            }
            for workload, series in result.series.items()
        },
        "geometric_means": {
            column.key: {of: result.mean(column.key, of)[0] for of in ("cpu", "memory")}
            for column in result.columns
        },
        "goals": list(goals),
        "notes": result.all_notes(),
    }


def _column_as_json(result: Result, workload: str, column: str) -> dict[str, Any]:
    summary = result.summary(workload, column)
    assert summary is not None
    return {
        "cpu_seconds_median": summary.cpu,
        "cpu_spread": summary.spread,
        "cpu_ratio": result.ratio(workload, column, "cpu"),
        "peak_kib_median": summary.peak_kib,
        "memory_ratio": result.ratio(workload, column, "memory"),
        "runs": [asdict(run) for run in result.series[workload].runs[column]],
    }
