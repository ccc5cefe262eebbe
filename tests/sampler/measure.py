#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What sampling costs, beside `perf record --call-graph dwarf` where that is installed:
# rounds are interleaved, numbers are medians of CPU time.  Leave the machine alone while
# it runs; where that cannot be, the slowdown that switching.py finds is the better one.
#
#    make -C build bench-sampler [SAMPLING="--rounds 5 --goals"]

"""What callgrind_sample takes, how it slows the program, and the size of its file."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # when run as a command

from tests.sampler import switching  # noqa: E402
from tests.sampler.sampling import (  # noqa: E402
    PROGRAMS,
    SAMPLER,
    SOURCE,
    why_not_sampling,
)

# In per cent: of the program's time, and of perf's file.
MOST_OWN_TIME, MOST_SLOWDOWN, MOST_FILE = 5.0, 3.0, 1.0

FREQUENCY = "997"
SAMPLED = ["--event=cpu-clock", f"--frequency={FREQUENCY}"]
# Of stacks as deep as most are, perf copies as much; its own choice is 8192.
BY_PERF = ["-e", "cpu-clock", "-F", FREQUENCY, "--no-buildid", "--call-graph",
           "dwarf,16384"]

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


def one_round(program: list[object], folder: Path) -> Round:
    tree, data = folder / "tree", folder / "perf.data"
    plain = run(folder, [], program)
    sampled = run(folder, [SAMPLER, *SAMPLED, "-o", tree], program)
    perf, perf_size = None, 0
    if shutil.which("perf"):
        perf = run(folder, ["perf", "record", "-q", *BY_PERF, "-o", data], program)
        perf_size = data.stat().st_size
    return Round(plain, sampled, tree.stat().st_size, perf, perf_size)


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


class Switched(NamedTuple):
    """Slowdowns within runs in per cent, by profiler: medians of so many runs."""

    ours: float
    perf: Optional[float]


def switched(scale: float, rounds: int, folder: Path) -> dict[str, Switched]:
    profilers = {"callgrind_sample": switching.by_sampler(folder, SAMPLED)}
    if shutil.which("perf"):
        profilers["perf"] = switching.by_perf(folder, BY_PERF)
    found = {}
    for program, command in switching.commands(folder, scale).items():
        runs: dict[str, list[switching.Slowdown]] = {name: [] for name in profilers}
        for _ in range(rounds):
            for name, profiler in profilers.items():
                runs[name].append(switching.measure(command, folder, profiler))
        slower = {name: median(run.percent for run in these)
                  for name, these in runs.items()}
        for name, these in runs.items():
            print(f"{program}: slowed by {slower[name]:.1f}% while {name} is on "
                  f"({rounds} runs, {min(run.rounds for run in these)} rounds or more on"
                  " and off)", flush=True)
        found[program] = Switched(slower["callgrind_sample"], slower.get("perf"))
    return found


def percent(part: float, whole: float) -> float:
    return 100 * part / whole


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how many (default: 3)")
    parser.add_argument("--scale", type=float, default=1.0,
                        help="how long programs run: 1 is some seconds (default: 1)")
    parser.add_argument("--only", help="one program alone: c++, python3, 'python3 here'")
    parser.add_argument("--goals", action="store_true", help="status 1 if one is missed")
    options = parser.parse_args()
    if why_not_sampling():
        print(f"measure: {why_not_sampling()}", file=sys.stderr)
        return 2
    missed = False
    with tempfile.TemporaryDirectory() as name:
        print(f"load of the machine before: {os.getloadavg()[0]:.1f}; medians of "
              f"{options.rounds} rounds, {FREQUENCY} samples per second\n"
              f"{'program':12} {'seconds':>8} {'own time':>9} {'slowdown':>9} "
              f"{'bytes':>9} {'of perf':>8} {'perf own':>9} {'perf slows':>10}")
        for program, command in workloads(Path(name), options.scale).items():
            if options.only not in (None, program):
                continue
            rounds = [one_round(command, Path(name)) for _ in range(options.rounds)]
            plain = median([r.plain.program for r in rounds])
            around = median([r.plain.around for r in rounds])  # bash
            own = percent(median([r.sampled.around for r in rounds]) - around, plain)
            slower = percent(median([r.sampled.program for r in rounds]), plain) - 100
            size = median([r.size for r in rounds])
            perfs = [r.perf for r in rounds if r.perf is not None]
            line = f"{program:12} {plain:8.2f} {own:8.1f}% {slower:8.1f}% {size:9.0f} "
            of_perf = 0.0
            if perfs:
                of_perf = percent(size, median([r.perf_size for r in rounds]))
                perf_own = percent(median([p.around for p in perfs]) - around, plain)
                perf_slower = percent(median([p.program for p in perfs]), plain) - 100
                line += f"{of_perf:7.2f}% {perf_own:8.1f}% {perf_slower:9.1f}%"
            else:
                line += " no perf"
            print(line, flush=True)
            missed |= own > MOST_OWN_TIME or of_perf > MOST_FILE
        print("\nWithin one run, between switching sampling on and off:")
        found = switched(options.scale, options.rounds, Path(name))
        missed |= any(each.ours > MOST_SLOWDOWN
                      or each.perf is not None and each.ours > each.perf
                      for each in found.values())
    return 1 if missed and options.goals else 0


if __name__ == "__main__":
    sys.exit(main())
