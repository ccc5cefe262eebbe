# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/instrument/host/chains.c: where exits are led whose answer is known,
# that they are taken back, and which are left to VEX.

"""Jumps between superblocks, against the assembler."""

from __future__ import annotations

import platform
import subprocess
import unittest

from tests.native.building import HERE, SOURCE, build_of
from tests.native.test_patch_points import assembled

SOURCES = (
    *(HERE / f"{name}.c" for name in ("chain_exits", "fake_core", "fake_tables",
                                      "faults")),
    SOURCE / "callgrind/instrument/host/chains.c",
)
OBJECT = 0x51525354  # stands for the word that tells which function runs
RUNS = 1234  # the id that the target asks about
STORES = ("movq %r11, 0xb8(%rbp)", "movq $0x12345, 0xb8(%rbp)")
OTHER_STORES = ("movq %r10, 0xb8(%rbp)", "movl %r11d, 0xb8(%rbp)",
                "movq %r11, 0xc0(%rbp)", "nop; nop; nop; nop; nop; nop; nop")
EVENT_CHECK = "decl 8(%rbp); jns 5f; jmpq *0(%rbp); 5:"
EXIT, TARGET = 64, 256  # chain_exits.c


def guard(asked: int = OBJECT) -> str:
    return (f".byte 0x48, 0x81, 0x3c, 0x25; .long {asked}, {RUNS}; "
            ".byte 0x0f, 0x85; .long 40")


def jump(to: int) -> str:
    """A jump from the exit, without a check."""
    return f".byte 0xe9; .long {TARGET + to - (EXIT + 5)}; .fill 8, 1, 0xcc"


def checked_jump(to: int) -> str:
    return (f"decl 8(%rbp); .byte 0x0f, 0x89; .long {TARGET + to - (EXIT + 9)}; "
            "jmpq *0(%rbp); nop")


@unittest.skipUnless(platform.machine() == "x86_64", "on other hosts, all is left to VEX")
class Chains(unittest.TestCase):
    def chained(self, before: str, target: str, current: int = RUNS,
                checks: bool = False) -> str:
        store, code = assembled([before, target])
        done = subprocess.run(
            [build_of("chain_exits", *SOURCES, flags=("-no-pie", "-fno-pie"))],
            input=f"{current} {int(checks)} {store} {code}\n",
            capture_output=True, text=True, check=True,
        )
        return done.stdout.rstrip("\n")

    def test_the_guard_is_passed_where_the_function_runs(self) -> None:
        forward, backward = assembled([jump(18), checked_jump(8 + 18)])
        for store in STORES:
            self.assertEqual(self.chained(store, guard()), forward)
            self.assertEqual(self.chained(store, f"{EVENT_CHECK}; {guard()}"),
                             backward)

    def test_the_function_is_entered_at_once_where_another_runs(self) -> None:
        forward, backward = assembled([jump(18 + 40), checked_jump(8 + 18 + 40)])
        for current in (0, RUNS + 1, 1 << 32 | RUNS, 0x100DCAFEBABE):
            self.assertEqual(self.chained(STORES[0], guard(), current), forward)
            self.assertEqual(
                self.chained(STORES[1], f"{EVENT_CHECK}; {guard()}", current),
                backward)

    def test_other_exits_are_left_to_vex(self) -> None:
        for store in OTHER_STORES:
            self.assertEqual(self.chained(store, guard()), "VEX")

    def test_other_targets_are_left_to_vex(self) -> None:
        for target in ("nop", f"nop; {guard()}", guard(OBJECT + 8),
                       f"{EVENT_CHECK}; nop; {guard()}"):
            self.assertEqual(self.chained(STORES[0], target), "VEX")

    def test_with_all_checks_all_is_left_to_vex(self) -> None:
        self.assertEqual(self.chained(STORES[0], guard(), checks=True), "VEX")


if __name__ == "__main__":
    unittest.main()
