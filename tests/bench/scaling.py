#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How does the time that the tool takes grow with what a program does?

Runs programs/scaling*.c, which do things of which a profiler may come to take time by
the square of their number, with n, 2 n and 4 n of them. Prints CPU seconds without those
that an empty run takes, and how much more 4 n take than 2 n: about 2 where the work goes
by the number, 4 where it goes by its square. `make bench-scaling` calls it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
# Static: an empty run takes a quarter of the time, as Valgrind has no C library's debug
# information to read.
FLAGS = ("-O1", "-g", "-Wall", "-Wextra", "-static")
SOURCES = ("scaling.c", "scaling_stacks.c")
CALLERS = ("--separate-callers=2",)
COPIED = ("--copied-stacks=yes",)
TREE = ("--call-tree=yes", "--call-tree-max-nodes=1000")


@dataclass(frozen=True)
class Row:
    kind: str  # of scaling.c or scaling_stacks.c
    what: str
    size: int  # n
    options: tuple[str, ...] = ()


ROWS = (
    Row("recursion", "a recursion, the tree pruned to 1,000 nodes", 100_000, TREE),
    Row("rewrite", "JIT functions, one after another in one place", 4_000),
    Row("retire", "JIT functions side by side, all rewritten", 4_000),
    Row("contexts", "callers of a JIT function, which is rewritten for each", 4_000,
        CALLERS),
    Row("held", "the same, of a function that always has a frame", 4_000, CALLERS),
    Row("lines", "a perf map that grows by single lines", 8_000),
    Row("unfinished", "a perf map without an end of line", 8_000),
    Row("header", "a jitdump with a header that is too long", 8_000),
    Row("record", "a jitdump with a record that is too long", 8_000),
    Row("move", "JIT functions that the jitdump moves", 4_000),
    Row("pages", "names for the same 60 pages", 40_000),
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


class ScalingError(Exception):
    """A program cannot be built or run; the text says why."""


def build(folder: Path, compiler: str) -> Path:
    program = folder / "scaling"
    sources = [str(HERE / "programs" / name) for name in SOURCES]
    command = [compiler, *FLAGS, "-o", str(program), *sources]
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ScalingError(f"{' '.join(command)}: {error}") from error
    return program


def cpu_seconds(command: Sequence[str], folder: Path) -> float:
    """What a command takes, with its children."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise ScalingError(f"{' '.join(command)}: status {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def measure(launcher: Path, program: Path, row: Row, size: int, runs: int) -> float:
    """The least of some runs."""
    with tempfile.TemporaryDirectory(prefix="scaling.") as name:
        command = [str(launcher), "-q", "--tool=callgrind", "--main-stacksize=1000000000",
                   f"--callgrind-out-file={name}/profile",
                   *(f"{option}" for option in row.options)]
        if row.options == TREE:
            command.append(f"--call-tree-out-file={name}/tree")
        command += [str(program), row.kind, str(size)]
        return min(cpu_seconds(command, Path(name)) for _ in range(runs))


def table(rows: Sequence[Row], times: dict[str, list[float]]) -> str:
    """`times` has those of an empty run, n, 2 n and 4 n."""
    lines = ["| what there are n of | n | n: s | 2 n | 4 n | growth |",
             "|---|---:|---:|---:|---:|---:|"]
    for row in rows:
        empty, *taken = times[row.kind]
        once, twice, four_times = (max(0.0, seconds - empty) for seconds in taken)
        growth = f"{four_times / twice:.1f}" if twice > 0.02 else "-"
        lines.append(f"| {row.what} | {row.size:,} | {once:.2f} | {twice:.2f} | "
                     f"{four_times:.2f} | {growth} |")
    return "\n".join(lines)


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
    rows = [Row(row.kind, row.what, max(1, row.size // options.divide), row.options)
            for row in ROWS if options.only is None or row.kind in options.only]
    times: dict[str, list[float]] = {}
    try:
        with tempfile.TemporaryDirectory(prefix="scaling.") as name:
            program = build(Path(name), options.cc)
            for row in rows:
                sizes = (1, row.size, 2 * row.size, 4 * row.size)
                times[row.kind] = [measure(launcher, program, row, size, options.runs)
                                   for size in sizes]
    except (ScalingError, OSError) as error:
        print(f"scaling: {error}", file=sys.stderr)
        return 2
    print(table(rows, times))
    return 0


if __name__ == "__main__":
    sys.exit(main())
