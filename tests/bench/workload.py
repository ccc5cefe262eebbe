# SPDX-License-Identifier: GPL-2.0-or-later
"""What one workload of the bench is; workloads.py, benchmarks.py, real.py have them.

Owns the shape of an entry of their tables.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    real: bool = False  # is for the set `real`, and for no other
    variables: tuple[tuple[str, str], ...] = ()  # added to the environment

    def size(self, name: str) -> int:
        """`name` is quick, full or long."""
        return {"quick": self.quick, "full": self.full, "long": self.long}[name]

    def filled(self, size: int, values: dict[str, str]) -> list[list[str]]:
        return [
            [word.format(size=size, **values) for word in command]
            for command in self.commands
        ]
