# SPDX-License-Identifier: GPL-2.0-or-later
"""What one workload of the bench is; workloads.py, benchmarks.py, pairs.py, real.py have
them.

Owns the shape of an entry of their tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional

from tests.bench.inputs import Maker


@dataclass(frozen=True)
class Workload:
    """One row of the tables: commands that run one after the other."""

    name: str
    what: str
    make: Maker
    commands: tuple[tuple[str, ...], ...]  # {size} and what make() returns are put in
    quick: int
    full: int
    long: int
    # Whether it asks for instrumentation. Then it is for the columns that leave that to
    # the program (columns.py), and for no others; None: for those others.
    asks: Optional[bool] = None
    only: Optional[str] = None  # the set that it is for alone
    variables: tuple[tuple[str, str], ...] = ()  # added to the environment
    # A size whose run is made after each, and subtracted from it.
    less: Optional[int] = None
    # By how much two profilers may differ, as it does not execute the same twice; None:
    # they cannot be compared.
    varies: Optional[float] = 0.001

    def size(self, name: str) -> int:
        """`name` is quick, full or long."""
        return {"quick": self.quick, "full": self.full, "long": self.long}[name]

    def filled(self, size: int, values: dict[str, str]) -> list[list[str]]:
        return [
            [word.format(size=size, **values) for word in command]
            for command in self.commands
        ]

    def environment(self, values: dict[str, str]) -> tuple[tuple[str, str], ...]:
        """The variables, with what make() returns put in."""
        return tuple((name, value.format(**values)) for name, value in self.variables)

    def sized(self, name: str) -> Workload:
        """The workload with that size for its full one."""
        return replace(self, full=self.size(name))
