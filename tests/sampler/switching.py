# SPDX-License-Identifier: GPL-2.0-or-later
#
# How much sampling slows a program, measured within one run of it: sampling is switched
# on and off many times, and short rounds of equal work are compared.  What else the
# machine does meanwhile slows both alike, where runs as a whole differ by more than
# sampling costs.

"""The slowdown of one program, by switching sampling on and off."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from tests.sampler.sampling import PROGRAMS, SAMPLER, SOURCE

PERIOD = 0.1  # seconds between switches

PYTHON_ROUNDS = """
import sys, time
sys.path.insert(0, sys.argv[1])
import interpreted
for _ in range(int(sys.argv[2])):
    began, used = time.monotonic(), time.process_time()
    interpreted.json_round(1)
    interpreted.regular_expression_round(1)
    interpreted.recursion_round(1)
    print(began, time.process_time() - used)
"""


class Switch(NamedTuple):
    """From `done` on, sampling is as `on` says."""

    asked: float
    done: float
    on: bool


class Slowdown(NamedTuple):
    percent: float
    rounds: int  # that were compared: the smaller number of on and off


def commands(folder: Path, scale: float) -> dict[str, list[object]]:
    """Programs that print, for each round, when it began and its CPU time in seconds."""
    compiled = folder / "rounds"
    subprocess.run(["g++", "-O2", "-g", "-o", compiled, PROGRAMS / "repeated.cpp"],
                   check=True)
    return {"c++": [compiled, int(4000 * scale), 4000],
            "python3": [os.path.realpath("/usr/bin/python3"), "-c", PYTHON_ROUNDS,
                        SOURCE / "tests" / "bench" / "programs", int(3000 * scale)]}


def by_sampler(folder: Path, options: list[str]) -> list[object]:
    return [SAMPLER, *options, "-o", folder / "tree", "--start=off"]


def by_perf(folder: Path, options: list[str]) -> list[object]:
    return ["perf", "record", "-q", *options, "-o", folder / "perf.data", "--delay=-1"]


def measure(command: list[object], folder: Path, profiler: list[object]) -> Slowdown:
    """With a profiler that is switched on and off in the way of perf."""
    control, answers, rounds = folder / "ctl", folder / "ack", folder / "rounds.out"
    for fifo in (control, answers):
        fifo.unlink(missing_ok=True)
        os.mkfifo(fifo)
    switches: list[Switch] = []
    with open(rounds, "w") as out, subprocess.Popen(
            [str(word) for word in
             [*profiler, f"--control=fifo:{control},{answers}", *command]],
            stdout=out, stderr=subprocess.DEVNULL) as running, \
            open(control, "wb", 0) as asking, open(answers, "rb", 0) as answering:
        on = True
        with contextlib.suppress(BrokenPipeError):  # so it shows that the run has ended
            while running.poll() is None:
                asked = time.monotonic()
                asking.write(b"enable\n" if on else b"disable\n")
                if answering.read(5) != b"ack\n\0":
                    break
                switches.append(Switch(asked, time.monotonic(), on))
                time.sleep(PERIOD)
                on = not on
    return compare(rounds.read_text(), switches)


def middle(values: list[float]) -> float:
    """The mean of all but the highest and lowest tenth.  Not the median: a round as short
    as these has one interrupt or two, and the median is of one of the kinds."""
    tenth = len(values) // 10
    return mean(sorted(values)[tenth:len(values) - tenth])


def compare(printed: str, switches: list[Switch]) -> Slowdown:
    """Rounds that lie wholly between two switches, with sampling and without."""
    times: dict[bool, list[float]] = {True: [], False: []}
    lines = [tuple(map(float, line.split())) for line in printed.splitlines()]
    at = 0
    for (began, used), (ended, _) in zip(lines, lines[1:]):
        while at + 1 < len(switches) and switches[at + 1].asked <= began:
            at += 1
        if (at + 1 < len(switches) and switches[at].done <= began
                and ended <= switches[at + 1].asked):
            times[switches[at].on].append(used)
    if not times[True] or not times[False]:
        return Slowdown(0.0, 0)
    return Slowdown(100 * (middle(times[True]) / middle(times[False]) - 1),
                    min(len(times[True]), len(times[False])))
