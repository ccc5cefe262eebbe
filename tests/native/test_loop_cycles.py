# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/cycles/loop_cycles.c: what loops cost whose cost can be told by hand.

"""Superblocks cost what they cost in the loop that they are part of."""

from __future__ import annotations

import platform
import subprocess
import unittest
from functools import lru_cache
from typing import NamedTuple

from tests.native.building import build

FILES = tuple(f"cycles/{name}.c" for name in (
    "loop_cycles", "pipeline", "memory_latency", "x86_operands", "x86_decode",
    "form_table", "forms_x86", "model_haswell", "model_skylake", "model_icelake_server",
    "model_znver3", "model_znver4"))
HASWELL, ZEN3 = 0, 3


class Superblock(NamedTuple):
    """Its cost, and that of a miss of its first load, in hundredths of a cycle."""

    cost: int
    near: int
    far: int


@lru_cache(maxsize=None)
def loops(model: int) -> dict[str, list[Superblock]]:
    done = subprocess.run([build("cost_loops", *FILES), str(model)],
                          stdout=subprocess.PIPE, check=True, universal_newlines=True)
    return {
        line.split()[0]: [Superblock(*map(int, word.split(":")))
                          for word in line.split()[1:]]
        for line in done.stdout.splitlines()
    }


def cost(name: str, model: int = ZEN3) -> int:
    return sum(superblock.cost for superblock in loops(model)[name])


@unittest.skipUnless(platform.machine() == "x86_64", "the tables are those of x86-64")
class Loops(unittest.TestCase):
    def test_a_chain_costs_its_latency(self) -> None:
        self.assertEqual(cost("multiplies"), 300)

    def test_what_is_apart_costs_its_units(self) -> None:
        self.assertEqual(cost("multiplies_apart"), 300)    # there is one multiplier
        self.assertLess(cost("adds_apart"), 200)           # four adders, and the counter

    def test_what_needs_neither_costs_the_width(self) -> None:
        self.assertEqual(cost("nops", HASWELL), 750)       # 30 instructions, 4 a cycle

    def test_a_taken_branch_costs_a_cycle(self) -> None:
        self.assertEqual(cost("empty"), 100)

    def test_a_chain_is_seen_over_several_superblocks(self) -> None:
        self.assertEqual([block.cost for block in loops(ZEN3)["over_blocks"]], [300, 300])

    def test_a_chain_is_seen_past_a_call(self) -> None:
        self.assertEqual(loops(ZEN3)["through_call"][0].cost, 300)

    def test_a_zero_breaks_a_chain(self) -> None:
        self.assertLessEqual(cost("broken_by_zero"), 125)

    def test_a_load_waits_for_the_store_to_its_place(self) -> None:
        for model in (HASWELL, ZEN3):
            self.assertGreaterEqual(cost("through_memory", model), 600)
            self.assertGreaterEqual(cost("through_stack", model), 600)
            self.assertLessEqual(cost("other_places", model), 150)

    def test_a_miss_that_others_wait_for_costs_its_latency(self) -> None:
        self.assertEqual(loops(ZEN3)["chased"], [Superblock(500, 2300, 28000)])

    def test_a_miss_that_is_fetched_ahead_does_not(self) -> None:
        (streamed,) = loops(ZEN3)["streamed"]
        self.assertLess(streamed.near, 500)
        self.assertLess(streamed.far, 2800)

    def test_a_division_blocks_its_unit(self) -> None:
        self.assertGreaterEqual(cost("divides"), 1700)

    def test_without_a_way_back_code_follows_itself(self) -> None:
        self.assertEqual(cost("no_loop"), 300)


if __name__ == "__main__":
    unittest.main()
