# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the records of code that a program writes anew, as JIT compilers do: what is kept
# of them is found again or forgotten in time that does not grow with all there is.

"""Arcs, blocks and call sites of code that is rewritten."""

from __future__ import annotations

import subprocess
import unittest

from tests.native.work import LINEAR, build_plain, growth

FILES = ("callgrind/base/host_lines.c", "callgrind/base/table.c") + tuple(
    f"callgrind/model/{name}.c"
    for name in ("arc", "arc_targets", "block", "block_record", "callsite",
                 "counter_slots", "function_table")
)


class Rewriting(unittest.TestCase):
    def setUp(self) -> None:
        self.program = build_plain("rewrite_code", *FILES)

    def said(self, kind: str, n: int) -> str:
        done = subprocess.run([self.program, kind, str(n)], capture_output=True,
                              text=True, check=True)
        return done.stdout

    def test_arcs_forget_a_target_one_by_one(self) -> None:
        self.assertEqual(self.said("targets", 1000), "some: 1, fewer: 1, then: 0\n")
        self.assertLess(growth(self.program, "targets", size=5_000), LINEAR)

    def test_an_arc_may_go_to_many_targets(self) -> None:
        self.assertEqual(self.said("calls", 1000), "known: 0\n")
        self.assertLess(growth(self.program, "calls", size=5_000), LINEAR)

    def test_blocks_that_are_retired(self) -> None:
        self.assertEqual(self.said("blocks", 1000), "all retired: 1, all replaced: 1\n")
        self.assertLess(growth(self.program, "blocks", size=5_000), LINEAR)

    def test_call_sites_of_many_functions_at_one_address(self) -> None:
        self.assertEqual(self.said("sites", 1000), "all found again: 1\n")
        self.assertLess(growth(self.program, "sites", size=5_000), LINEAR)
