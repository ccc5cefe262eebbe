#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What sampling costs, beside `perf record --call-graph dwarf` where that is installed:
# rounds are interleaved, numbers are medians.  Leave the machine alone while it runs.
#
#    make -C build bench-sampler [SAMPLING="--rounds 5 --goals"]

"""Measure callgrind_sample's own time, the program's slowdown, and the size of its file."""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple, Optional

from sampling import PROGRAMS, SAMPLER, SOURCE, why_not_sampling

# In per cent; of perf's file for the last.
MOST_OWN_TIME, MOST_SLOWDOWN, MOST_FILE = 5.0, 3.0, 1.0

SETTINGS = ["-e", "cpu-clock", "-F", "997", "--call-graph", "dwarf,16384"]


class Round(NamedTuple):
    plain: float  # seconds of CPU time
    sampled: float  # the same under the sampler, without the sampler's
    own: float
    size: int
    perf_size: Optional[int]


def cpu_time(*command: object) -> tuple[float, str]:
    """CPU seconds of a command and its children, and what it said on stderr."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], check=True, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            done.stderr)


def one_round(command: list[object], folder: Path) -> Round:
    tree, data = folder / "tree", folder / "perf.data"
    plain, _ = cpu_time(*command)
    both, said = cpu_time(SAMPLER, "--event=cpu-clock", "-o", tree, *command)
    found = re.search(r"([\d.]+) s of CPU time", said)
    if found is None:
        sys.exit(f"measure: the sampler said: {said}")
    own = float(found[1])
    perf_size = None
    if shutil.which("perf"):
        subprocess.run(["perf", "record", "-q", *SETTINGS, "-o", data, *command],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        perf_size = data.stat().st_size if data.exists() else None
    return Round(plain, both - own, own, tree.stat().st_size, perf_size)


def workloads(folder: Path) -> dict[str, list[object]]:
    compiled = folder / "repeated"
    subprocess.run(["g++", "-O2", "-g", "-o", compiled, PROGRAMS / "repeated.cpp"],
                   check=True)
    interpreted = SOURCE / "tests" / "bench" / "programs" / "interpreted.py"
    return {"c++": [compiled], "python3": [sys.executable, interpreted, "1000"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how many (default: 3)")
    parser.add_argument("--goals", action="store_true", help="status 1 if one is missed")
    options = parser.parse_args()
    if why_not_sampling():
        print(f"measure: {why_not_sampling()}", file=sys.stderr)
        return 2
    missed = False
    with tempfile.TemporaryDirectory() as name:
        print(f"{'program':8} {'seconds':>8} {'own time':>9} {'slowdown':>9} "
              f"{'bytes':>9} {'of perf':>8}")
        for program, command in workloads(Path(name)).items():
            rounds = [one_round(command, Path(name)) for _ in range(options.rounds)]
            plain = statistics.median(r.plain for r in rounds)
            own = 100 * statistics.median(r.own for r in rounds) / plain
            slower = 100 * (statistics.median(r.sampled for r in rounds) / plain - 1)
            size = statistics.median(r.size for r in rounds)
            sizes = [r.perf_size for r in rounds if r.perf_size]
            of_perf = 100 * size / statistics.median(sizes) if sizes else None
            shown = "no perf" if of_perf is None else f"{of_perf:.2f}%"
            print(f"{program:8} {plain:8.2f} {own:8.1f}% {slower:8.1f}% {size:9.0f} "
                  f"{shown:>8}")
            missed |= (own > MOST_OWN_TIME or slower > MOST_SLOWDOWN
                       or (of_perf or 0) > MOST_FILE)
    return 1 if missed and options.goals else 0


if __name__ == "__main__":
    sys.exit(main())
