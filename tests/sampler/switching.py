# SPDX-License-Identifier: GPL-2.0-or-later
#
# How much sampling slows a program, measured within one run of it.  Our sampler and those
# of perf are attached to the program, and take turns: a while with none, one with each,
# in an order of chance.  The program tells the CPU time of short rounds of equal work.
# What else the machine does slows all alike, where runs as a whole differ by more than
# sampling costs.

"""The slowdown of one program, by switching samplers on and off."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import time
from pathlib import Path
from statistics import mean
from typing import Iterator, Mapping, NamedTuple, Optional, Sequence

from tests.sampler.intervals import Interval, median_of, percent
from tests.sampler.sampling import PROGRAMS, SAMPLER, SOURCE

PERIOD = 0.06  # seconds between switches
OURS = "callgrind_sample"
BENCHES = SOURCE / "tests" / "bench" / "programs"

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

NODE_ROUNDS = """
function words(n) {
   const seen = new Map();
   for (let i = 0; i < n; i++) {
      const word = ((i * 7919) % 6007).toString(36);
      seen.set(word, (seen.get(word) || 0) + i);
   }
   return [...seen].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1))[5][1];
}
let sum = 0;
for (let round = 0; round < Number(process.argv[1]); round++) {
   const began = process.hrtime(), before = process.cpuUsage();
   sum += words(4000);
   const used = process.cpuUsage(before);
   const seconds = began[0] + began[1] / 1e9;
   process.stdout.write(`${seconds} ${(used.user + used.system) / 1e6}\n`);
}
"""

# Says who it is, and becomes the program once it is told to.
WAITING = 'echo $$ > "$0"; read -r line; exec "$@"'


class Window(NamedTuple):
    """A time in which samplers were as `state` says: the name of one, or ""."""

    began: float
    ended: float
    state: str


class Slowdown(NamedTuple):
    """In per cent of the time without sampling, by the sampler that was on; and how much
    longer it took with ours, in per cent of the time with another."""

    by: dict[str, Interval]
    against: dict[str, Interval]
    turns: int


def commands(folder: Path, scale: float) -> dict[str, list[object]]:
    """Programs that print, for each round, when it began and its CPU time in seconds."""
    compiled, threads, passing = (folder / name for name in ("rounds", "threads",
                                                             "passing"))
    subprocess.run(["g++", "-O2", "-g", "-o", compiled, PROGRAMS / "repeated.cpp"],
                   check=True)
    subprocess.run(["gcc", "-O2", "-g", "-pthread", "-o", threads,
                    PROGRAMS / "threads.c"], check=True)
    subprocess.run(["gcc", "-O2", "-g", "-pthread", "-o", passing,
                    PROGRAMS / "byte_to_and_fro.c"], check=True)
    found: dict[str, list[object]] = {
        "c++": [compiled, int(8000 * scale), 4000],
        "threads": [threads, 4, int(8000 * scale)],
        "byte to and fro": [passing, int(5000 * scale)],
        "python3": [os.path.realpath("/usr/bin/python3"), "-c", PYTHON_ROUNDS, BENCHES,
                    int(4000 * scale)],
    }
    node = shutil.which("node")
    if node is not None:
        found["node"] = [node, "-e", NODE_ROUNDS, int(10000 * scale)]
    return found


class Sampler:
    """One that is switched on and off in the way of perf, by FIFOs."""

    def __init__(self, name: str, folder: Path, number: int) -> None:
        self.name = name
        self.fifos = [folder / f"{number}.control", folder / f"{number}.answers"]
        for fifo in self.fifos:
            os.mkfifo(fifo)
        self.option = f"--control=fifo:{self.fifos[0]},{self.fifos[1]}"
        self.asking = self.answering = -1

    def wait_until_ready(self) -> None:
        """It has to be off."""
        self.asking = os.open(self.fifos[0], os.O_WRONLY)
        self.answering = os.open(self.fifos[1], os.O_RDONLY)
        self.switch(False)

    def switch(self, on: bool) -> None:
        os.write(self.asking, b"enable\n" if on else b"disable\n")
        if os.read(self.answering, 5) != b"ack\n\0":
            raise BrokenPipeError(f"{self.name} has ended")

    def close(self) -> None:
        for descriptor in (self.asking, self.answering):
            if descriptor >= 0:
                os.close(descriptor)


@contextlib.contextmanager
def attached(command: Sequence[object], folder: Path, ours: Sequence[str],
             perfs: Mapping[str, Sequence[str]]) -> Iterator[list[Sampler]]:
    """The program runs, and the samplers, given by their options, are ready."""
    known = folder / "pid"
    os.mkfifo(known)
    samplers = [Sampler(OURS, folder, 0)]
    words = [SAMPLER, *ours, "--start=off", "-o", folder / "tree", samplers[0].option,
             "sh", "-c", WAITING, known, *command]
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(open(folder / "rounds.out", "wb"))
        program = stack.enter_context(subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.PIPE, stdout=out,
            stderr=subprocess.DEVNULL))
        process = known.read_text(encoding="ascii").strip()
        for number, (name, options) in enumerate(perfs.items(), 1):
            samplers.append(Sampler(name, folder, number))
            words = ["perf", "record", "-q", *options, "--delay=-1", "-p", process, "-o",
                     folder / f"{number}.data", samplers[-1].option]
            stack.enter_context(subprocess.Popen([str(word) for word in words],
                                                 stderr=subprocess.DEVNULL))
        for sampler in samplers:
            stack.callback(sampler.close)
            sampler.wait_until_ready()
        assert program.stdin is not None
        program.stdin.write(b"\n")
        program.stdin.close()
        yield samplers


def take_turns(samplers: Sequence[Sampler]) -> list[Window]:
    """Until the program has ended."""
    windows: list[Window] = []
    states: list[Optional[Sampler]] = [None, *samplers]
    with contextlib.suppress(BrokenPipeError):
        while True:
            random.shuffle(states)
            for sampler in states:
                if sampler is not None:
                    sampler.switch(True)
                began = time.monotonic()
                time.sleep(PERIOD)
                name = sampler.name if sampler is not None else ""
                windows.append(Window(began, time.monotonic(), name))
                # Where none was on, too, ours says whether there still is a program.
                (sampler or samplers[0]).switch(False)
    return windows


def measure(command: Sequence[object], ours: Sequence[str],
            perfs: Mapping[str, Sequence[str]], folder: Path) -> list[dict[str, float]]:
    """Of each turn, the time of a round by the sampler that was on."""
    place = folder / "run"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    with attached(command, place, ours, perfs) as samplers:
        windows = take_turns(samplers)
    return turns((place / "rounds.out").read_text(encoding="ascii"), windows,
                 1 + len(samplers))


def turns(printed: str, windows: Sequence[Window], states: int) -> list[dict[str, float]]:
    """Of rounds that lie wholly in a window.  A window is long enough for many of them:
    one alone has one interrupt or two."""
    lines = [tuple(map(float, line.split())) for line in printed.splitlines()]
    found, at = [], 0
    for first in range(0, len(windows) - states + 1, states):
        times: dict[str, float] = {}
        for window in windows[first:first + states]:
            used = []
            while at + 1 < len(lines) and lines[at + 1][0] <= window.ended:
                if lines[at][0] >= window.began:
                    used.append(lines[at][1])
                at += 1
            if used:
                times[window.state] = mean(used)
        if len(times) == states:
            found.append(times)
    return found


def compare(times: Sequence[dict[str, float]]) -> Slowdown:
    """What lies beside one another in time is compared; there has to be a turn."""
    def slower(name: str, base: str) -> Interval:
        return median_of([percent(turn[name], turn[base]) - 100 for turn in times])

    names = [name for name in times[0] if name]
    return Slowdown({name: slower(name, "") for name in names},
                    {name: slower(OURS, name) for name in names if name != OURS},
                    len(times))
