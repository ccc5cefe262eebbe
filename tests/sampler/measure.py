#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What sampling costs, beside `perf record` where that is installed:
# rounds are interleaved, numbers are medians of CPU time.  Leave the machine alone while
# it runs; where that cannot be, the slowdown that switching.py finds is the better one.
#
# Of whole runs, each round compares runs that stood beside one another, each in another
# order; the range behind a median is its 95 % interval.  One run is slower than the next
# by more than sampling costs: so many rounds say more than long ones.
#
#    make -C build bench-sampler [SAMPLING="--rounds 5 --goals"]
#    make -C build bench-sampler SAMPLING="--whole --only c++ --rounds 15 --scale 0.5"

"""What callgrind_sample takes, how it slows the program, and the size of its file."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from itertools import permutations
from math import factorial
from pathlib import Path
from statistics import median
from typing import NamedTuple, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # when run as a command

from tests.sampler import switching  # noqa: E402
from tests.sampler.intervals import Interval, median_of, percent  # noqa: E402
from tests.sampler.sampling import (  # noqa: E402
    PROGRAMS,
    SAMPLER,
    SOURCE,
    why_not_sampling,
)

# In per cent: of the program's time, and of perf's file.
MOST_OWN_TIME, MOST_SLOWDOWN, MOST_FILE = 5.0, 3.0, 1.0

FREQUENCY = "997"
# As often as by default: less often where that would slow the program by over 3 %.
SAMPLED = ["--event=cpu-clock"]
PLAIN_PERF = ["-e", "cpu-clock", "-F", FREQUENCY, "--no-buildid"]
# Of stacks as deep as most are, perf copies as much; its own choice is 8192.
BY_PERF = [*PLAIN_PERF, "--call-graph", "dwarf,16384"]
# Without stacks, what is left is the timer and what the kernel does for it.
BY_PERFS = {
    "perf, dwarf,16384": BY_PERF,
    "perf, dwarf,8192": [*PLAIN_PERF, "--call-graph", "dwarf,8192"],
    "perf, fp": [*PLAIN_PERF, "--call-graph", "fp"],
    "perf, no stacks": PLAIN_PERF,
}

# The program's own time, apart from the profiler's around it.
TIMED = ["bash", "-c", 'TIMEFORMAT="%3U %3S"; { time "$@" > /dev/null 2>&1; } 2> "$0"']


class Times(NamedTuple):
    """Seconds of CPU time."""

    program: float
    around: float  # what was spent beside it


class Round(NamedTuple):
    plain: Times
    sampled: Times
    size: int
    perf: Optional[Times]
    perf_size: int


def run(folder: Path, profiler: list[object], program: list[object]) -> Times:
    said = folder / "times"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(word) for word in [*profiler, *TIMED, said, *program]],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    inside = sum(map(float, said.read_text().split()))
    return Times(inside, after.ru_utime + after.ru_stime - before.ru_utime
                 - before.ru_stime - inside)


def one_round(program: list[object], folder: Path, number: int) -> Round:
    tree, data = folder / "tree", folder / "perf.data"
    profilers: dict[str, list[object]] = {
        "plain": [], "sampled": [SAMPLER, *SAMPLED, "-o", tree]}
    if shutil.which("perf"):
        profilers["perf"] = ["perf", "record", "-q", *BY_PERF, "-o", data]
    order = list(permutations(profilers))[number % factorial(len(profilers))]
    times = {name: run(folder, profilers[name], program) for name in order}
    return Round(times["plain"], times["sampled"], tree.stat().st_size,
                 times.get("perf"), data.stat().st_size if "perf" in times else 0)


def workloads(folder: Path, scale: float) -> dict[str, list[object]]:
    compiled = folder / "repeated"
    subprocess.run(["g++", "-O2", "-g", "-o", compiled, PROGRAMS / "repeated.cpp"],
                   check=True)
    script = SOURCE / "tests" / "bench" / "programs" / "interpreted.py"
    found: dict[str, list[object]] = {"c++": [compiled, int(100 * scale)]}
    # The bench's, and this one, if that is another: it may have debug information.
    for name, python in (("python3", "/usr/bin/python3"),
                         ("python3 here", sys.executable)):
        if os.path.exists(python) and (name == "python3" or not os.path.samefile(
                python, "/usr/bin/python3")):
            found[name] = [os.path.realpath(python), script, int(2000 * scale)]
    return found


def switched(scale: float, rounds: int, folder: Path, only: Optional[str],
             beside: str) -> bool:
    """Prints, too.  Whether a goal is missed, for sure."""
    missed = False
    perfs = {name: options for name, options in BY_PERFS.items()
             if beside in name and shutil.which("perf")}
    for program, command in switching.commands(folder, scale).items():
        if only not in (None, program):
            continue
        turns = [turn for _ in range(rounds)
                 for turn in switching.measure(command, SAMPLED, perfs, folder)]
        if not turns:
            print(f"{program}: ended before each sampler had been on: raise --scale")
            missed = True
            continue
        found = switching.compare(turns)
        print(f"{program}: {found.turns} turns; slowed")
        for name, by in sorted(found.by.items()):
            against = found.against.get(name)
            beside = f"; {switching.OURS} against that: {against}" if against else ""
            print(f"   by {by} while on: {name}{beside}", flush=True)
        missed |= (found.by[switching.OURS].low > MOST_SLOWDOWN
                   or any(against.low > 0 for name, against in found.against.items()
                          if "dwarf" in name))
    return missed


class Whole(NamedTuple):
    """What whole runs show of a program, in per cent."""

    own_time: float
    slowdown: Interval
    of_perf_size: Optional[float]
    against_perf: Optional[Interval]  # how much slower than with perf

    def misses(self) -> bool:
        """A goal, for sure: not where the interval has both sides of it."""
        return (self.own_time > MOST_OWN_TIME or self.slowdown.low > MOST_SLOWDOWN
                or self.of_perf_size is not None and self.of_perf_size > MOST_FILE
                or self.against_perf is not None and self.against_perf.low > 0)


def whole(program: str, command: list[object], rounds: int, folder: Path) -> Whole:
    """Prints, too."""
    run(folder, [], command)  # a first time, for what the machine keeps
    done = [one_round(command, folder, number) for number in range(rounds)]
    plain = median([r.plain.program for r in done])
    around = median([r.plain.around for r in done])  # bash
    own = percent(median([r.sampled.around for r in done]) - around, plain)
    slowdown = median_of([percent(r.sampled.program, r.plain.program) - 100
                          for r in done])
    size = median([r.size for r in done])
    print(f"{program}: runs of {plain:.2f} s; own time {own:.1f}%, slows by {slowdown}, "
          f"file {size / 1024:.0f} KB", flush=True)
    beside = [(r, r.perf) for r in done if r.perf is not None]
    if not beside:
        print(f"{program}: no perf")
        return Whole(own, slowdown, None, None)
    of_perf = percent(size, median([r.perf_size for r, _ in beside]))
    perf_own = percent(median([perf.around for _, perf in beside]) - around, plain)
    perf_slower = median_of([percent(perf.program, r.plain.program) - 100
                             for r, perf in beside])
    against = median_of([percent(r.sampled.program, perf.program) - 100
                         for r, perf in beside])
    print(f"{program}: perf's own time {perf_own:.1f}%, it slows by {perf_slower}; the "
          f"file has {of_perf:.2f}% of its; slower than with perf by {against}",
          flush=True)
    return Whole(own, slowdown, of_perf, against)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how many (default: 3)")
    parser.add_argument("--scale", type=float, default=1.0,
                        help="how long programs run: 1 is some seconds (default: 1)")
    parser.add_argument("--only", help="one program alone: c++, python3, "
                        "'python3 here'; switched, also threads and node")
    parser.add_argument("--beside", default="", metavar="TEXT",
                        help="switched, the perfs alone that have TEXT in their names "
                        "('dwarf,16384'): the fewer, the more turns")
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--whole", action="store_true", help="whole runs alone")
    parts.add_argument("--switched", action="store_true",
                       help="runs in which sampling is switched on and off alone")
    parser.add_argument("--goals", action="store_true", help="status 1 if one is missed")
    options = parser.parse_args()
    if why_not_sampling():
        print(f"measure: {why_not_sampling()}", file=sys.stderr)
        return 2
    missed = False
    with tempfile.TemporaryDirectory() as name:
        print(f"load of the machine before: {os.getloadavg()[0]:.1f}; medians of "
              f"{options.rounds} rounds, {FREQUENCY} samples per second")
        for program, command in workloads(Path(name), options.scale).items():
            if options.only in (None, program) and not options.switched:
                missed |= whole(program, command, options.rounds, Path(name)).misses()
        if not options.whole:
            print("\nWithin one run, between switching sampling on and off:")
            missed |= switched(options.scale, options.rounds, Path(name), options.only,
                               options.beside)
    return 1 if missed and options.goals else 0


if __name__ == "__main__":
    sys.exit(main())
