# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of call_counts.py, executed_code.py and plt_stubs.py on a program of a few
# instructions: first it is sound, then one number is wrong, and the rule must say so.

"""Tests of the comparison of call counts with executed instructions."""

from __future__ import annotations

import struct
import unittest
from pathlib import Path
from typing import Optional, cast

from profile_file.model import (
    Arc,
    ArcKey,
    FunctionKey,
    FunctionProfile,
    Part,
    PartHeader,
    Position,
    SourceKey,
)
from tests.differential.code_map import CodeMap
from tests.differential.elf_object import ElfObject, Extents, Section
from tests.groundtruth.real.call_counts import compare_counts
from tests.groundtruth.real.executed_code import ExecutedCode

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[2]

OBJECT = "program"
TEXT, STUBS = 0x1000, 0x5000
MAIN, LEAF, TAIL, HELPER = 0x1000, 0x1040, 0x1080, 0x10C0
STUB = STUBS + 16
NOP, RETURN = b"\x90", b"\xc3"
SOURCE = SourceKey("program.c", "")


def call(at: int, target: int) -> bytes:
    return b"\xe8" + struct.pack("<i", target - at - 5)


def jump(at: int, target: int) -> bytes:
    return b"\xe9" + struct.pack("<i", target - at - 5)


# main: nop; call leaf; call leaf's stub; call *%rax; call tail; ret
CODE = {
    MAIN: NOP,
    MAIN + 1: call(MAIN + 1, LEAF),
    MAIN + 6: call(MAIN + 6, STUB),
    MAIN + 11: b"\xff\xd0",
    MAIN + 13: call(MAIN + 13, TAIL),
    MAIN + 18: RETURN,
    LEAF: NOP,
    LEAF + 1: RETURN,
    TAIL: NOP,
    TAIL + 1: jump(TAIL + 1, HELPER),
    HELPER: NOP,
    HELPER + 1: RETURN,
    STUB: b"\xff\x25\0\0\0\0",
}
EXTENTS = {"main": MAIN, "leaf": LEAF, "tail": TAIL, "helper": HELPER}


class FakeObject:
    """As much of an ELF file as the rules ask for."""

    def __init__(self) -> None:
        self.sections = [
            Section(".text", 1, 4, TEXT, 0, 0x1000, 0),
            Section(".plt", 1, 4, STUBS, 0, 0x100, 0),
        ]
        self.symbols, self.frames = Extents(), Extents()
        for name, start in EXTENTS.items():
            self.symbols.add(start, start + 0x40, name)

    def section_at(self, address: int) -> Optional[Section]:
        for section in self.sections:
            if section.address <= address < section.address + section.size:
                return section
        return None

    def bytes_at(self, address: int, count: int) -> bytes:
        memory = bytearray(count)
        for start, code in CODE.items():
            for offset, byte in enumerate(code, start - address):
                if 0 <= offset < count:
                    memory[offset] = byte
        return bytes(memory)


def key(name: str) -> FunctionKey:
    return FunctionKey(OBJECT, "program.c", name)


class Maker:
    """A part with all of the above executed once, which a test then spoils."""

    def __init__(self) -> None:
        self.costs = {address: 1 for address in CODE if address < STUBS}
        self.costs[MAIN + 6] = 2  # with the stub
        self.calls = {
            ("main", MAIN + 1, "leaf", LEAF): 1,
            ("main", MAIN + 6, "leaf", LEAF): 1,
            ("main", MAIN + 11, "leaf", LEAF): 1,
            ("main", MAIN + 13, "tail", TAIL): 1,
            ("tail", TAIL + 1, "helper", HELPER): 1,
            ("start", 0x10, "main", MAIN): 1,
        }
        self.costs[LEAF] = self.costs[LEAF + 1] = 3

    def part(self) -> Part:
        functions: dict[FunctionKey, FunctionProfile] = {}
        header = PartHeader(positions=["instr", "line"], events=["Ir"])
        part = Part(header, functions)
        for name, start in (*EXTENTS.items(), ("start", 0)):
            costs = {
                (address, 1): [cost]
                for address, cost in self.costs.items()
                if start <= address < start + 0x40
            }
            total = sum(cost for (cost,) in costs.values())
            functions[key(name)] = FunctionProfile(
                key(name), [total], {SOURCE: costs}
            )
        for (caller, site, callee, target), count in self.calls.items():
            at, to = Position(site, 1), Position(target, 1)
            part.functions[key(caller)].arcs[ArcKey(key(callee), SOURCE, at)] = Arc(
                key(caller), key(callee), SOURCE, at, to, count, [count]
            )
        return part

    def found(self) -> list[tuple[str, str]]:
        files = CodeMap({}, lambda path: cast(ElfObject, FakeObject()))
        differences = compare_counts(ExecutedCode(self.part(), files)).differences
        return [(each.rule, each.name) for each in differences]


class RuleTests(unittest.TestCase):
    def setUp(self) -> None:
        self.maker = Maker()
        # Nothing is known of who calls main: its code is not in the object.
        self.maker.costs[0x10] = 1

    def expect(self, *expected: tuple[str, str]) -> None:
        self.assertEqual(sorted(self.maker.found()), sorted(expected))

    def test_a_sound_program(self) -> None:
        self.expect()

    def test_a_direct_call_that_no_arc_counts(self) -> None:
        self.maker.costs[MAIN + 1] = 2
        self.expect(("call", "main @ program+0x1001"))

    def test_an_arc_that_no_call_made(self) -> None:
        self.maker.calls["main", MAIN + 1, "leaf", LEAF] = 2
        self.expect(("call", "main @ program+0x1001"), ("start", "leaf @ program+0x1040"))

    def test_a_direct_call_goes_to_its_target(self) -> None:
        del self.maker.calls["main", MAIN + 1, "leaf", LEAF]
        self.maker.calls["main", MAIN + 1, "helper", HELPER] = 1
        self.expect(
            ("call", "main @ program+0x1001"),
            ("start", "leaf @ program+0x1040"),
            ("start", "helper @ program+0x10c0"),
        )

    def test_an_indirect_call(self) -> None:
        self.maker.costs[MAIN + 11] = 3
        self.expect(("call", "main @ program+0x100b"))

    def test_the_cost_of_a_stub(self) -> None:
        self.maker.costs[MAIN + 6] = 1
        self.expect(("call", "main @ program+0x1006"))

    def test_the_cost_of_binding(self) -> None:
        resolver = "_dl_runtime_resolve_xsave"
        self.maker.calls["main", MAIN + 6, resolver, 0x9000] = 1
        self.maker.costs[MAIN + 6] = 1 + 1 + 4
        self.expect()
        self.maker.costs[MAIN + 6] = 1 + 1 + 3
        self.expect(("call", "main @ program+0x1006"))

    def test_a_tail_call_that_no_arc_counts(self) -> None:
        del self.maker.calls["tail", TAIL + 1, "helper", HELPER]
        self.expect(
            ("jump", "tail @ program+0x1081"), ("start", "helper @ program+0x10c0")
        )

    def test_a_function_that_nobody_called(self) -> None:
        del self.maker.calls["start", 0x10, "main", MAIN]
        self.expect(("start", "main @ program+0x1000"))

    def test_levels_of_recursion_are_one_function(self) -> None:
        self.maker.calls["main", MAIN + 1, "leaf", LEAF] = 0
        self.maker.calls["main", MAIN + 1, "leaf'2", LEAF] = 1
        self.expect()

    def test_an_arc_from_an_instruction_that_leads_nowhere(self) -> None:
        self.maker.calls["leaf", LEAF + 1, "helper", HELPER] = 1
        self.expect(
            ("site", "leaf @ program+0x1041"), ("start", "helper @ program+0x10c0")
        )

    def test_an_arc_from_what_was_not_executed(self) -> None:
        self.maker.calls["leaf", LEAF + 9, "helper", HELPER] = 1
        self.expect(
            ("site", "leaf @ program+0x1049"), ("start", "helper @ program+0x10c0")
        )
