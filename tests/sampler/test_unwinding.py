# SPDX-License-Identifier: GPL-2.0-or-later
#
# The unwinder on fixtures: an object, a stack, registers, and the frames that gdb saw
# there.  make_fixtures.py makes them.

"""Unwinding, without the right to sample."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path

from tests.sampler.driving import drive, fixtures
from tests.sampler.sampling import SamplerTest

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
        names = [path.stem for path in fixtures(".json")]
        self.assertEqual(len(names), 6)
        for name in names:
            with self.subTest(name):
                self.assertEqual(self.unwind(name), [*self.expected(name), "whole"])

    def test_rules_that_were_kept_are_those_of_the_address(self) -> None:
        for path in fixtures(".elf"):
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

    def test_a_frame_that_is_larger_than_the_copy(self) -> None:
        """Its pages may never have been touched, so the copy is short; yet it is clear
        that the stack goes on."""
        fixture = json.loads((FIXTURES / "plain.json").read_text())
        self.assertEqual(self.unwind("plain", size=16, asked=24)[-1], "too deep")
        self.assertEqual(self.unwind("plain", size=16, asked=len(fixture["stack"]))[-1],
                         "no rule")

    def test_a_function_that_is_left_by_a_jump(self) -> None:
        """As unwinders of exceptions are: to the very beginning of other code, with the
        address in a register.  Call frame information says so; it is behind no call."""
        program = self.folder / "jump"
        subprocess.run(["gcc", "-nostdlib", "-static", "-no-pie", "-x", "assembler", "-o",
                        program, "-"], check=True, input=b"""
            .globl _start, before, landing, leaving
            _start: .cfi_startproc
            .cfi_undefined rip
            call before
            .cfi_endproc
            .type before, @function
            before: .cfi_startproc
            .cfi_def_cfa rsp, 4000
            nop
            .cfi_endproc
            .size before, . - before
            .type landing, @function
            landing: .cfi_startproc
            .cfi_def_cfa rsp, 24
            nop
            .cfi_endproc
            .size landing, . - landing
            .type leaving, @function
            leaving: .cfi_startproc
            .cfi_def_cfa rsp, 0
            .cfi_register rip, rcx
            jmp *%rcx
            .cfi_endproc
            .size leaving, . - leaving
            .type _start, @function
            .size _start, before - _start
            """)
        symbols = subprocess.run(["nm", program], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
        at = {line.split()[2]: int(line.split()[0], 16) for line in symbols.splitlines()}
        registers = [0] * 17
        registers[2], registers[7] = at["landing"], 0x7000
        registers[16] = at["leaving"]
        stack = self.folder / "stack"
        stack.write_bytes(struct.pack("<4Q", 0, 0, at["_start"] + 5, 0))
        lines = drive("unwind", program, " ".join(f"{r:x}" for r in registers),
                      stack).splitlines()
        self.assertEqual(lines[:4], ["leaving", "landing", "_start", "whole"])

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
