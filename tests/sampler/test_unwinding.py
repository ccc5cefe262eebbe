# SPDX-License-Identifier: GPL-2.0-or-later
#
# The unwinder on fixtures: an object, a stack, registers, and the frames that gdb saw
# there.  make_fixtures.py makes them.

"""Unwinding, without the right to sample."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from driving import drive
from sampling import SamplerTest
from summary import run_suite

FIXTURES = Path(__file__).resolve().parent / "fixtures"


class UnwindingTest(SamplerTest):
    needs_sampling = False

    def unwind(self, name: str, size: int = 1 << 20, asked: int = 65528) -> list[str]:
        """Frames, and the end; libdw must not know better."""
        fixture = json.loads((FIXTURES / f"{name}.json").read_text())
        stack = self.folder / "stack"
        stack.write_bytes(bytes.fromhex(fixture["stack"])[:size])
        registers = " ".join(fixture["registers"].values())
        *lines, agreement = drive("unwind", FIXTURES / f"{name}.elf", registers, stack,
                                  str(asked)).splitlines()
        # libdw does not step over our handler's return.
        self.assertIn(agreement, ("libdw agrees", "libdw ends earlier")
                      if name == "signal" else ("libdw agrees",))
        return lines

    def expected(self, name: str) -> list[str]:
        return list(json.loads((FIXTURES / f"{name}.json").read_text())["frames"])

    def test_every_fixture(self) -> None:
        names = [path.stem for path in sorted(FIXTURES.glob("*.json"))]
        self.assertEqual(len(names), 6)
        for name in names:
            with self.subTest(name):
                self.assertEqual(self.unwind(name), [*self.expected(name), "whole"])

    def test_rules_that_were_kept_are_those_of_the_address(self) -> None:
        for path in sorted(FIXTURES.glob("*.elf")):
            copy = self.folder / "copy"
            shutil.copy(path, copy)
            with self.subTest(path.stem):
                self.assertRegex(drive("rows", path, copy), r"\A\d\d+ compared\n\Z")
        program = self.build("thrown.cpp")
        shutil.copy(program, copy)
        self.assertRegex(drive("rows", program, copy), r"\A\d{3,} compared\n\Z")

    def test_a_stack_that_is_cut_off(self) -> None:
        """Where the copy is as long as was asked for, the stack goes on behind it."""
        whole = self.expected("plain")
        *frames, end = self.unwind("plain", size=96, asked=96)
        self.assertEqual(end, "too deep")
        self.assertEqual(frames, whole[:len(frames)])
        self.assertTrue(2 <= len(frames) < len(whole))

    def test_a_stack_that_ends_too_early(self) -> None:
        *_, end = self.unwind("plain", size=96, asked=4096)
        self.assertEqual(end, "no rule")

    def test_every_length(self) -> None:
        """Whatever is missing, what is there comes out, and nothing else."""
        whole = self.expected("signal")
        stack = json.loads((FIXTURES / "signal.json").read_text())["stack"]
        for size in range(0, len(stack) // 2, 104):
            *frames, end = self.unwind("signal", size=size, asked=size)
            self.assertEqual(frames, whole[:len(frames)])
            self.assertIn(end, ("too deep", "whole"))


if __name__ == "__main__":
    sys.exit(run_suite())
