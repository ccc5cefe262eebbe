#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How does the time that the tool takes grow with what a program does?

Runs programs/scaling.c, which does things of which a profiler may come to take time by
the square of their number, with n, 2 n and 4 n of them. Prints CPU seconds without those
that an empty run takes, and how much more 4 n take than 2 n: about 2 where the work goes
by the number, 4 where it goes by its square. `make bench-scaling` calls it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional, Sequence

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE))  # when run as a command

from tests.bench.inputs import Unavailable, made_by  # noqa: E402
from tests.bench.measure import Failed, cpu_seconds  # noqa: E402
from tests.bench.tables import table  # noqa: E402

# Static: an empty run takes a quarter of the time, as Valgrind has no C library's debug
# information to read.
FLAGS = ("-O1", "-g", "-Wall", "-Wextra", "-static")
CALLERS = ("--separate-callers=2",)
COPIED = ("--copied-stacks=yes",)
TREE = ("--call-tree=yes", "--call-tree-max-nodes=1000")


@dataclass(frozen=True)
class Row:
    kind: str  # of scaling.c
    what: str
    size: int  # n
    options: tuple[str, ...] = ()


ROWS = (
    Row("recursion", "a recursion, the tree pruned to 1,000 nodes", 100_000, TREE),
    Row("rewrite", "JIT functions, one after another in one place", 4_000),
    Row("contexts", "callers of a JIT function, which is rewritten for each", 4_000,
        CALLERS),
    Row("held", "the same, of a function that always has a frame", 4_000, CALLERS),
    Row("unmapped", "JIT functions, each in a page that is unmapped", 8_000),
    Row("parked", "coroutines that wait at a time", 16_000),
    Row("left", "coroutines in one place, each left in the middle", 40_000),
    Row("nested", "stacks, each of which calls on the next one", 16_000),
    Row("moved", "moves of one stack", 40_000),
    Row("copied", "coroutines copied in and out of one place", 4_000, COPIED),
    Row("switches", "levels of a recursion, each with a switch", 40_000, COPIED),
    Row("scheduled", "switches by a scheduler's stack, of coroutines as deep", 16_000),
    Row("yields", "yields of a fiber to its parent, both as deep", 16_000),
    Row("fibers", "fibers in one place, each yields once", 4_000),
    Row("unwound", "stacks that call on the next, then go on from the first", 4_000),
    Row("topmost", "stacks that call on the next, and switches on the last", 4_000),
)


def build(folder: Path, compiler: str) -> Path:
    program = folder / "scaling"
    source = SOURCE / "tests/bench/programs/scaling.c"
    made_by([compiler, *FLAGS, "-o", str(program), str(source)])
    return program


def measure(launcher: Path, program: Path, row: Row, size: int, runs: int) -> float:
    """The least of some runs."""
    with tempfile.TemporaryDirectory(prefix="scaling.") as name:
        command = [str(launcher), "-q", "--tool=callgrind", "--main-stacksize=1000000000",
                   f"--callgrind-out-file={name}/profile", *row.options]
        if row.options == TREE:
            command.append(f"--call-tree-out-file={name}/tree")
        command += [str(program), row.kind, str(size)]
        return min(cpu_seconds(command, Path(name)) for _ in range(runs))


def growth(rows: Sequence[Row], times: dict[str, list[float]]) -> str:
    """`times` has those of an empty run, n, 2 n and 4 n."""
    cells = []
    for row in rows:
        empty, *taken = times[row.kind]
        times_less = [max(0.0, seconds - empty) for seconds in taken]
        _, twice, four_times = times_less
        growth = f"{four_times / twice:.1f}" if twice > 0.02 else "-"
        cells.append([row.what, f"{row.size:,}",
                      *(f"{seconds:.2f}" for seconds in times_less), growth])
    header = ["what there are n of", "n", "n: s", "2 n", "4 n", "growth"]
    return table(header, cells)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="take the least of N (3)")
    parser.add_argument("--only", action="append", choices=[row.kind for row in ROWS],
                        help="this row alone; may be repeated")
    parser.add_argument("--divide", type=int, default=1, metavar="N",
                        help="an Nth of all sizes (1)")
    parser.add_argument("--build", type=Path, default=SOURCE / "build",
                        help="the build folder")
    parser.add_argument("--launcher", type=Path, help="another valgrind than ours")
    parser.add_argument("--cc", default="gcc", help="the compiler (gcc)")
    options = parser.parse_args(arguments)
    launcher = options.launcher or options.build.resolve() / "vg-in-place"
    rows = [replace(row, size=max(1, row.size // options.divide))
            for row in ROWS if options.only is None or row.kind in options.only]
    try:
        with tempfile.TemporaryDirectory(prefix="scaling.") as name:
            program = build(Path(name), options.cc)
            times = {row.kind: [measure(launcher, program, row, size, options.runs)
                                for size in (1, row.size, 2 * row.size, 4 * row.size)]
                     for row in rows}
    except (Failed, Unavailable) as error:
        print(f"scaling: {error}", file=sys.stderr)
        return 2
    print(growth(rows, times), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
