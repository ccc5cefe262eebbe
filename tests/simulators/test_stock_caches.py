#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The naive model of caches against the distribution's callgrind: random accesses, each
# event of each instruction.

"""The naive cache model counts what stock counts."""

from __future__ import annotations

import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import stock  # noqa: E402
from assembly import READ, Access, program, random_accesses  # noqa: E402
from naive import HIT, MEMORY, Cache, Geometry, access  # noqa: E402
from summary import run_suite  # noqa: E402

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


def count(
    shapes: list[Geometry], run: stock.Run, accesses: list[Access]
) -> list[dict[str, int]]:
    """The events of each instruction by the naive model, zeros left out."""
    first_instruction, first_data, last = [Cache(shape) for shape in shapes]
    by_text: list[dict[str, int]] = []
    data = iter(accesses)
    for position, instruction in enumerate(run.instructions):
        events = {"Ir": 1}
        outcome = access(first_instruction, last, instruction.address, instruction.size)
        events.update({"I1mr": int(outcome != HIT), "ILmr": int(outcome == MEMORY)})
        each = next(data, None) if position >= run.body() else None
        if each is not None:
            letter = "r" if each.kind == READ else "w"
            outcome = access(first_data, last, each.address, each.size)
            events.update({f"D{letter}": 1, f"D1m{letter}": int(outcome != HIT),
                           f"DLm{letter}": int(outcome == MEMORY)})
        by_text.append({name: value for name, value in events.items() if value})
    return by_text


@unittest.skipIf(stock.missing(), str(stock.missing()))
class StockCaches(unittest.TestCase):
    def test_random_accesses(self) -> None:
        for seed, shape in enumerate(SHAPES):
            shapes = [Geometry(*numbers) for numbers in shape]
            with self.subTest(seed=seed, shape=shape):
                source = random.Random(seed)
                span = max(4 * shapes[1].size, 2 * shapes[2].size) if seed < 6 else 200000
                accesses = random_accesses(source, 1500, stock.DATA, span)
                run = stock.run(
                    stock.with_data(program(accesses)),
                    ["--cache-sim=yes"] + [
                        f"--{level}={each.option()}"
                        for level, each in zip(("I1", "D1", "LL"), shapes)],
                )
                self.assertEqual(run.status, 0, run.log)
                expected = count(shapes, run, accesses)
                self.assertTrue(run.instructions[run.body() + len(accesses)].events)
                for instruction, events in zip(run.instructions, expected):
                    if not instruction.events:
                        continue
                    counted = {name: value for name, value in instruction.events.items()
                               if value}
                    self.assertEqual(counted, events, f"{instruction}")


if __name__ == "__main__":
    sys.exit(run_suite())
