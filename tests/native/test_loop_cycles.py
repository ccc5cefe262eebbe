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
    "loop_cycles", "pipeline", "prepare", "processor_facts", "x86_instruction",
    "x86_operands", "x86_decode",
    "form_table", "forms_x86", "model_haswell", "model_skylake", "model_icelake_server",
    "model_sapphirerapids", "model_znver3", "model_znver4"))
HASWELL, SKYLAKE, ICELAKE, SAPPHIRE, GRANITE, ZEN3, ZEN4 = MODELS = range(7)


class Superblock(NamedTuple):
    """Its cost; what its first load costs besides if caches and translation buffers have
    not got it; and its last branch, if it is mispredicted; in hundredths of a cycle."""

    cost: int
    second: int
    third: int
    memory: int
    walk: int
    mispredicted: int


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
        self.assertEqual(cost("nops", HASWELL), 725)   # 28, and a fused pair; 4 a cycle

    def test_a_taken_branch_costs_a_cycle(self) -> None:
        self.assertEqual(cost("empty"), 100)

    def test_a_chain_is_seen_over_several_superblocks(self) -> None:
        self.assertEqual([block.cost for block in loops(ZEN3)["over_blocks"]], [300, 300])

    def test_a_chain_is_seen_past_a_call(self) -> None:
        self.assertGreaterEqual(loops(ZEN3)["through_call"][0].cost, 280)
        self.assertEqual(cost("through_call", SKYLAKE), 300)

    def test_a_zero_breaks_a_chain(self) -> None:
        self.assertLessEqual(cost("broken_by_zero"), 125)

    def test_a_load_waits_for_the_store_to_its_place(self) -> None:
        for model in (HASWELL, ZEN3):
            self.assertGreaterEqual(cost("through_memory", model), 600)
            self.assertGreaterEqual(cost("through_stack", model), 600)
            self.assertLessEqual(cost("other_places", model), 150)

    def test_where_memory_is_renamed_it_does_not(self) -> None:
        self.assertEqual(cost("through_memory", ZEN4), 100)
        self.assertEqual(cost("through_stack", ZEN4), 100)
        self.assertEqual(cost("indexed", ZEN4), 800)    # the index is not followed

    def test_a_miss_that_others_wait_for_costs_its_latency(self) -> None:
        self.assertEqual(loops(ZEN3)["chased"][0][:5], (500, 800, 3400, 33000, 2500))

    def test_a_miss_that_is_fetched_ahead_does_not(self) -> None:
        # In eight turns, from line to line, the bus is busy for 2, 2 and 14 cycles.
        self.assertEqual(loops(ZEN3)["streamed"][0][:5], (100, 0, 0, 1000, 0))

    def test_a_branch_that_is_mispredicted_costs_what_it_waits_for_as_well(self) -> None:
        misses = [loops(model)["decides"][0].mispredicted for model in (HASWELL, ZEN3)]
        self.assertGreaterEqual(misses[0], 1600 + 500)    # the load
        self.assertGreaterEqual(misses[1], 1300 + 400)

    def test_but_nothing_of_it_while_a_chain_goes_on(self) -> None:
        self.assertLess(loops(HASWELL)["decides_beside"][0].mispredicted, 300)

    def test_stores_to_one_line_go_two_by_two(self) -> None:
        self.assertEqual([cost("stores_apart", model) for model in (ICELAKE, SAPPHIRE)],
                         [200, 200])
        together = [cost("stores_together", model) for model in (ICELAKE, SAPPHIRE)]
        self.assertEqual(together, [100, 100])

    def test_a_repetition_costs_the_bytes_that_it_moves(self) -> None:
        self.assertEqual([cost("repeats", model) for model in (ICELAKE, ZEN3)], [2, 3])

    def test_a_rotation_takes_a_cycle(self) -> None:
        self.assertEqual({cost("rotates", model) for model in MODELS}, {200})

    def test_a_division_blocks_its_unit(self) -> None:
        self.assertEqual([cost("divides", model) for model in MODELS],
                         [2400, 2400, 1000, 1000, 1000, 700, 700])
        self.assertEqual([cost("divides_32", model) for model in MODELS],
                         [1000, 600, 600, 600, 600, 600, 600])

    def test_without_a_way_back_code_follows_itself(self) -> None:
        self.assertEqual(cost("no_loop"), 300)

    def test_but_not_with_the_values_of_registers_that_need_not_be_kept(self) -> None:
        self.assertEqual(cost("other_values"), 200)    # the return

    def test_a_comparison_and_its_branch_are_one_operation(self) -> None:
        first = loops(ZEN3)["compares"][0].cost + loops(ZEN3)["compares"][1].cost
        self.assertLessEqual(first, 125)

    def test_an_address_of_three_parts_takes_longer(self) -> None:
        self.assertEqual([cost(name, ZEN3) for name in ("shorter", "scaled", "three")],
                         [100, 200, 200])
        self.assertEqual([cost(name, HASWELL) for name in ("shorter", "scaled", "three")],
                         [100, 100, 300])

    def test_conversions_go_from_unit_to_unit(self) -> None:
        self.assertEqual(cost("converts", ZEN4), 1200)

    def test_a_gather_takes_as_long_as_its_elements(self) -> None:
        self.assertGreaterEqual(cost("gathers", ZEN4), 800)

    def test_atomic_instructions_wait_for_each_other(self) -> None:
        self.assertEqual([cost("atomic", model) for model in (HASWELL, SKYLAKE, ZEN4)],
                         [1900, 1800, 800])

    def test_moves_of_registers_take_no_time_where_they_are_renamed(self) -> None:
        self.assertEqual([cost("moved", model) for model in (SKYLAKE, ICELAKE, SAPPHIRE)],
                         [300, 500, 300])

    def test_nor_do_small_steps(self) -> None:
        self.assertEqual([cost("stepped", model) for model in (ICELAKE, SAPPHIRE)],
                         [600, 300])
        self.assertEqual(cost("stepped_far", SAPPHIRE), 600)

    def test_an_addition_of_floats_follows_another_sooner(self) -> None:
        self.assertEqual([cost("sums", model) for model in (ICELAKE, SAPPHIRE)],
                         [1600, 800])
        self.assertEqual([cost("sums_of_products", model)
                          for model in (SAPPHIRE, GRANITE)], [700, 600])

    def test_a_load_waits_if_it_is_not_as_wide_as_the_store(self) -> None:
        self.assertEqual([cost(name, GRANITE) for name in
                          ("stored_whole", "stored_wider", "stored_vector")],
                         [100, 600, 600])

    def test_or_if_it_is_one_operation_with_an_addition(self) -> None:
        self.assertEqual([cost("stored_added", model) for model in (SAPPHIRE, GRANITE)],
                         [200, 700])
        self.assertEqual([cost("through_memory", model) for model in (SAPPHIRE, GRANITE)],
                         [100, 600])

    def test_a_small_loop_is_repeated_from_its_buffer(self) -> None:
        self.assertEqual(cost("calls", SKYLAKE), 300)
        self.assertLessEqual(cost("calls", GRANITE), 100)

    def test_what_streams_waits_for_less(self) -> None:
        streamed, strided = loops(GRANITE)["streamed"][0], loops(GRANITE)["strided"][0]
        self.assertLessEqual(streamed.third + streamed.memory, 400)
        self.assertGreater(strided.third + strided.memory, 2500)

    def test_returns_and_jumps_keep_the_front_end(self) -> None:
        self.assertEqual([cost("returns", model) for model in (SKYLAKE, ZEN4)],
                         [100, 200])
        self.assertEqual(cost("jumps", ZEN4), 200)


if __name__ == "__main__":
    unittest.main()
