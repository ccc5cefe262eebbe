# SPDX-License-Identifier: GPL-2.0-or-later
#
# The naive models of caches against the distribution's callgrind, and ours against them:
# random accesses, each event of each instruction.

"""The naive cache models count what stock counts, and so does the tool."""

from __future__ import annotations

import os
import random
import unittest
from typing import Sequence

from tests.simulators import stock
from tests.simulators.assembly import READ, WRITE, Access, program, random_accesses
from tests.simulators.naive import (
    HIT,
    MEMORY,
    MEMORY_DIRTY,
    Geometry,
    Machine,
    PrefetchMachine,
    UseMachine,
    WatchedWritebackMachine,
    WritebackMachine,
)

# I1, D1, LL.  The smallest that stock takes, one set, one way, ways that are no power of
# two, lines of several sizes, and two that are common.
SHAPES = [
    ((64, 1, 32), (64, 1, 32), (64, 1, 32)),
    ((64, 2, 32), (96, 3, 32), (512, 4, 32)),
    ((128, 1, 64), (256, 2, 64), (1024, 16, 64)),
    ((4096, 8, 64), (320, 5, 64), (1920, 15, 64)),
    ((1024, 2, 128), (1024, 4, 32), (4096, 4, 256)),
    ((1024, 2, 32), (2048, 2, 256), (4096, 4, 64)),
    ((32768, 8, 64), (49152, 12, 64), (8388608, 16, 64)),
]


# By option: the model that it asks for.
MODELS = {
    "--cache-sim=yes": Machine,
    "--simulate-wb=yes": WritebackMachine,
    "--simulate-hwpref=yes": PrefetchMachine,
    "--cacheuse=yes": UseMachine,
}

# What stock cannot do.
BOTH = "--simulate-wb=yes --simulate-hwpref=yes"
OUR_MODELS: dict[str, type[Machine]] = {**MODELS, BOTH: WatchedWritebackMachine}
OURS = os.path.join(os.environ.get("VG_BUILD", ""), "vg-in-place")

WASTE = ("AcCost1", "SpLoss1", "AcCost2", "SpLoss2")


def options(option: str, shapes: list[Geometry]) -> list[str]:
    levels = zip(("I1", "D1", "LL"), shapes)
    return [*option.split(), *(f"--{level}={shape.option()}" for level, shape in levels)]


def executed(run: stock.Run, accesses: list[Access]) -> int:
    """How many instructions the profile has: all of the body, at least."""
    count = next((position for position, each in enumerate(run.instructions)
                  if not each.events), len(run.instructions))
    assert count > run.body() + len(accesses), run.log
    return count


Events = dict[str, int]


def count(machine: Machine, run: stock.Run, accesses: list[Access]) -> list[Events]:
    """The events of each instruction by a naive model, zeros left out.

    The last superblock is executed too, though it is not in the profile.
    """
    counted = []
    data = iter(accesses)
    for position, instruction in enumerate(run.instructions):
        events = {"Ir": 1}
        outcome = machine.access(
            0, instruction.address, instruction.size, False, position)
        events.update({"I1mr": int(outcome != HIT), "ILmr": int(outcome >= MEMORY),
                       "ILdmr": int(outcome == MEMORY_DIRTY)})
        each = next(data, None) if position >= run.body() else None
        if each is not None:
            letter = "r" if each.kind == READ else "w"
            outcome = machine.access(1, each.address, each.size, letter == "w", position)
            events.update({f"D{letter}": 1, f"D1m{letter}": int(outcome != HIT),
                           f"DLm{letter}": int(outcome >= MEMORY),
                           f"DLdm{letter}": int(outcome == MEMORY_DIRTY)})
        counted.append(events)
    machine.settle()
    for position, costs in machine.waste.items():
        counted[position].update(zip(WASTE, costs))
    return [{event: cost for event, cost in events.items() if cost} for events in counted]


@unittest.skipIf(stock.missing(), str(stock.missing()))
class StockCaches(unittest.TestCase):
    def compare(self, option: str, shapes: list[Geometry], accesses: list[Access],
                start: int = stock.DATA, size: int = stock.DATA_SIZE) -> stock.Run:
        with stock.built(stock.with_data(program(accesses), start, size)) as built:
            return self.compare_runs(built, option, shapes, accesses)[0]

    def compare_runs(self, built: stock.Program, option: str, shapes: list[Geometry],
                     accesses: list[Access], launcher: str = stock.VALGRIND,
                     each_with: Sequence[Sequence[str]] = ((),)) -> list[stock.Run]:
        """Runs with one model, each with some options more, of which none may matter."""
        runs = [built.run([*options(option, shapes), *more], launcher)
                for more in each_with]
        expected = count(OUR_MODELS[option](shapes), runs[0], accesses)
        for run, more in zip(runs, each_with):
            self.assertEqual(run.status, 0, run.log)
            for position in range(executed(run, accesses)):
                instruction = run.instructions[position]
                counted = {event: cost for event, cost in instruction.events.items()
                           if cost}
                self.assertEqual(counted, expected[position], f"{more} {instruction}")
        return runs

    def test_random_accesses(self) -> None:
        for seed, shape in enumerate(SHAPES):
            shapes = [Geometry(*numbers) for numbers in shape]
            span = max(4 * shapes[1].size, 2 * shapes[2].size) if seed < 6 else 200000
            accesses = random_accesses(random.Random(seed), 1000, stock.DATA, span)
            with stock.built(stock.with_data(program(accesses))) as built:
                for option in MODELS:
                    with self.subTest(option=option, seed=seed, shape=shape):
                        self.compare_runs(built, option, shapes, accesses)

    @unittest.skipUnless(os.path.exists(OURS), "VG_BUILD names no build of the tool")
    def test_random_accesses_and_streams_with_the_tool(self) -> None:
        each_with = [["--ct-cold-runs=0"], ["--ct-cold-runs=1"]]
        for seed, shape in enumerate(SHAPES):
            shapes = [Geometry(*numbers) for numbers in shape]
            source = random.Random(seed)
            span = max(4 * shapes[1].size, 2 * shapes[2].size) if seed < 6 else 200000
            accesses = random_accesses(source, 500, stock.DATA, span)
            accesses += streams(source, 500, shapes[2])
            with stock.built(stock.with_data(program(accesses))) as built:
                for option in OUR_MODELS:
                    with self.subTest(option=option, seed=seed, shape=shape):
                        self.compare_runs(built, option, shapes, accesses, OURS,
                                          each_with)

    def test_streams(self) -> None:
        """Up and down pages that share what the prefetcher remembers, or do not."""
        option = "--simulate-hwpref=yes"
        for seed in range(3):
            source = random.Random(seed)
            shapes = [Geometry(8192, 8, 32), Geometry(64, 1, 32),
                      Geometry(*[(1024, 4, 32), (4096, 4, 64), (1 << 20, 16, 128)][seed])]
            with self.subTest(seed=seed):
                accesses = streams(source, 1200, shapes[2])
                run = self.compare(option, shapes, accesses)
                plain = count(Machine(shapes), run, accesses)
                misses = sum(events.get("DLmr", 0) for events in plain)
                self.assertLess(run.total("DLmr"), 0.95 * misses)

    def test_a_stream_that_turns(self) -> None:
        for seed, shape in enumerate([(1024, 4, 32), (512, 2, 64)]):
            source = random.Random(seed)
            shapes = [Geometry(8192, 8, 32), Geometry(64, 1, 32), Geometry(*shape)]
            accesses, block = [], 20
            for _ in range(900):
                block = (block + source.choice([-1, -1, 0, 1, 1, 1, 2, -2, 7])) % 60
                accesses.append(Access(READ, stock.DATA + 0x10000 + block * shape[2], 4))
            with self.subTest(seed=seed):
                self.compare("--simulate-hwpref=yes", shapes, accesses)

    def test_low_addresses(self) -> None:
        """Tags that are 0, which stock takes for an empty place in two of its models."""
        start, size = 0x20000, 0x300000
        for seed, shape in enumerate([
            ((32768, 8, 64), (1024, 2, 64), (1 << 20, 1, 64)),
            ((32768, 8, 64), (1 << 18, 1, 64), (1 << 21, 2, 64)),
            ((1 << 23, 2, 64), (1 << 19, 2, 64), (1 << 22, 4, 64)),
        ]):
            shapes = [Geometry(*numbers) for numbers in shape]
            accesses = random_accesses(random.Random(seed), 700, start, 0x180000)
            text = stock.with_data(program(accesses), start, size)
            with stock.built(text) as built:
                for option in MODELS:
                    with self.subTest(option=option, seed=seed):
                        self.compare_runs(built, option, shapes, accesses)


def streams(source: random.Random, length: int, last: Geometry) -> list[Access]:
    accesses: list[Access] = []
    pages = [0x10000 + page for page in (0, 1, 3, 8, 11, 16, 19, 24)]
    running: list[list[int]] = []
    line = last.line_size
    while len(accesses) < length:
        if len(running) < 3 or source.random() < 0.15:
            start = source.choice(pages) * 4096 + source.randrange(4096) // 4 * 4
            step = source.choice([-line, line, line, -line // 2, line // 2, 0, 2 * line])
            running = (running + [[start, step]])[-4:]
        stream = source.choice(running)
        for _ in range(source.choice([1, 1, 2, 3, 5])):
            address, size = stream[0], source.choice([1, 4, 8, 32])
            if source.random() < 0.3:
                address = address // line * line + line - size // 2 - source.randrange(2)
            kind = source.choice([READ, WRITE])
            accesses.append(Access(kind, max(stock.DATA, address), size))
            stream[0] += stream[1]
    return accesses[:length]
