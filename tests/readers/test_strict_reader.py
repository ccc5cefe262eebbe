# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of the strict readers themselves: what they take, and what they stop at.

"""What the strict readers stop at."""

from __future__ import annotations

import unittest

from tests.readers.strict_reader import (
    StrictError,
    strict_benchmark,
    strict_flame_graph,
)

HEADER = """\
# callgrind format
version: 1
creator: somebody
pid: 1
cmd:  prog
part: 1

desc: Trigger: Program termination

positions: line
events: Ir Dr
summary: 33 1
"""
BODY = """
fl=(1) a.c
fn=(1) main
1 3 1
cfn=(2) leaf
calls=2 7
+1 20

fn=(2)
7 30
"""
TOTALS = "\ntotals: 33 1\n"
SOUND = HEADER + BODY + TOTALS


class StrictReaders(unittest.TestCase):
    def test_both_read_a_sound_file(self) -> None:
        for reader in (strict_benchmark, strict_flame_graph):
            with self.subTest(reader=reader.__name__):
                costs = reader(SOUND)
                self.assertEqual(costs.events, ["Ir", "Dr"])
                self.assertEqual(costs.self_costs, {"main": 3, "leaf": 30})
                self.assertEqual(costs.calls, {("main", "leaf"): 2})
                self.assertEqual(costs.total, 33)

    def test_what_both_stop_at(self) -> None:
        for wrong, why in (
            (SOUND.replace("fn=(2)\n7", "fn=(3)\n7"), "not defined"),
            (SOUND.replace("+1 20\n", ""), "not followed"),
            (SOUND.replace("7 30", "7 30 1 1"), "more or fewer"),
            (SOUND.replace("7 30", "seven 30"), "neither"),
            (SOUND.replace("fn=(1) main\n", ""), "outside"),
            (SOUND.replace("calls=2 7", "cfni=x\ncalls=2 7"), "unknown key cfni"),
            (SOUND.partition("+1 20")[0], "last line"),
        ):
            for reader in (strict_benchmark, strict_flame_graph):
                with self.subTest(why=why, reader=reader.__name__):
                    with self.assertRaisesRegex(StrictError, why):
                        reader(wrong)

    def test_one_header_per_file(self) -> None:
        two = SOUND + "\npart: 2\n" + BODY + TOTALS
        self.assertEqual(strict_flame_graph(two).total, 66)
        with self.assertRaisesRegex(StrictError, "a second part"):
            strict_benchmark(two)

    def test_known_events_and_headers_only(self) -> None:
        with self.assertRaisesRegex(StrictError, "unknown event Cx"):
            strict_benchmark(SOUND.replace("Ir Dr", "Ir Cx"))
        with self.assertRaisesRegex(StrictError, "unknown header event"):
            strict_benchmark(SOUND.replace("events:", "event: L1m = I1mr\nevents:"))
        with self.assertRaisesRegex(StrictError, "first line"):
            strict_benchmark(SOUND.partition("\n")[2])

    def test_jumps_are_for_the_benchmark_reader_only(self) -> None:
        jumps = SOUND.replace("7 30\n", "7 30\njcnd=1/2 +3\n7\n")
        self.assertEqual(strict_benchmark(jumps).self_costs["leaf"], 30)
        with self.assertRaisesRegex(StrictError, "unknown key jcnd"):
            strict_flame_graph(jumps)
