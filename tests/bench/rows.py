# SPDX-License-Identifier: GPL-2.0-or-later
"""One row of the bench: what a workload needs is made, and every column is measured.

Owns nothing but the way from a row of workloads.py to figures. Relies on measure.py,
which runs the commands.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Optional, Sequence

from tests.bench.columns import PLAIN, Column
from tests.bench.inputs import Place
from tests.bench.measure import Run, Series, Surroundings, measure
from tests.bench.workloads import SIZES, Workload


def columns_for(workload: Workload, columns: Sequence[Column]) -> list[Column]:
    """The base and those that the workload is for; none if there are none of these."""
    suited = [column.of(workload.kind) for column in columns
              if column.suits(workload.kind)]
    only_base = len(columns) == 1 and workload.kind == PLAIN
    return suited if len(suited) > 1 or only_base else []


class Progress:
    """One line for each run, as it goes, on standard error."""

    def __init__(self, name: str, rounds: int) -> None:
        self.name = name
        self.rounds = rounds

    def __call__(self, number: int, column: Column, run: Optional[Run]) -> None:
        if run is None:
            print(f"{self.name:8} {number}/{self.rounds}  {column.title:14}",
                  end="", file=sys.stderr, flush=True)
        else:
            print(f" {run.cpu:7.2f} s {run.peak_kib / 1024:6.0f} MiB", file=sys.stderr)


def measure_row(
    workload: Workload,
    size_name: str,
    columns: Sequence[Column],
    launchers: dict[bool, Path],
    rounds: int,
    place: Place,
    surroundings: Surroundings,
    called: str = "",
) -> Series:
    """A workload in these columns, which are those for it. size_name is of SIZES; called:
    how progress names it. Raises Unavailable and Failed."""
    size = workload.sizes[SIZES.index(size_name)]
    values = workload.make(place, size)
    less = workload.less
    series = measure(
        workload.filled(size, values), columns, launchers, rounds,
        replace(surroundings, variables=workload.environment(values)),
        Progress(called or workload.name, rounds),
        [] if less is None else workload.filled(less, values),
    )
    series.kind, series.varies = workload.kind, workload.varies
    return series
