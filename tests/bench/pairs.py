# SPDX-License-Identifier: GPL-2.0-or-later
"""The workloads of the set `pairs`: what a START with its STOP costs.

Owns the table. Each row is a run with many pairs less one with a single pair, which runs
right after it: the start and the end of the program are in neither. What is measured
between START and STOP is in the rows, and so is what the program does once before each
START, to warm up.
"""

from __future__ import annotations

from tests.bench.benchmarks import PLUGIN, PLUGIN_COMMAND, SCRIPT_COMMAND, SMALL
from tests.bench.inputs import compiled
from tests.bench.workload import Workload

PAIRS: tuple[Workload, ...] = (
    Workload(
        "pairs-python3",
        "small benchmarks in python3, but the first",
        SMALL,
        (SCRIPT_COMMAND,),
        quick=10,
        full=42,
        long=420,
        only="pairs",
        less=1,
    ),
    Workload(
        "pairs-node",
        "benchmarks of tinybench, by CodSpeed's plugin in node, but the first",
        PLUGIN,
        (PLUGIN_COMMAND,),
        quick=10,
        full=60,
        long=240,
        only="pairs",
        less=1,
    ),
    Workload(
        "pairs-empty",
        "pairs with next to nothing between them in C, but the first",
        compiled("pairs.c"),
        (("{program}", "{size}"),),
        quick=1_000,
        full=10_001,
        long=100_001,
        only="pairs",
        less=1,
        varies=None,  # of so little, most is right before a STOP
    ),
)
