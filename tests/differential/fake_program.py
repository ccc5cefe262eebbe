# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program of five functions that exists in tests only: its code, its symbols, and
# profiles of it, so that each rule of explaining.py can be tested number by number.

"""A program and its flat profiles, for tests of the rules."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Iterable, Optional

from profile_file.model import FunctionKey
from tests.differential.code_map import CodeMap, Place
from tests.differential.elf_object import ElfObject, SHF_EXECINSTR, Section
from tests.differential.explaining import Outcome, explain
from tests.differential.flat_profile import Call, Flat, Spot

PROGRAM = "/x/program"
SYMBOLS = {
    "main": (0x1000, 0x1040),
    "outer": (0x1040, 0x1060),
    "inner": (0x1060, 0x1080),
    "leave": (0x1080, 0x10A0),
    "again": (0x10A0, 0x10C0),
}
# Two functions without symbols, one of them without call frame information either.
FRAMES = {"framed": (0x10C0, 0x10E0)}
STUB, STUBS = 0x2000, (0x2000, 0x2010)


def code_bytes() -> bytes:
    """main calls outer and a stub; outer and inner jump to each other."""
    code = bytearray(b"\x90" * 0x200)

    def branch(opcode: int, address: int, target: int) -> None:
        offset = (target - address - 5).to_bytes(4, "little", signed=True)
        code[address - 0x1000 : address - 0x1000 + 5] = bytes((opcode,)) + offset

    branch(0xE8, 0x1004, 0x1040)  # main -> outer
    branch(0xE8, 0x1010, STUB)  # main -> stub
    branch(0xE8, 0x1018, STUB)
    branch(0xE8, 0x1020, 0x10A0)  # main -> again
    branch(0xE8, 0x1028, 0x1080)  # main -> leave
    branch(0xE9, 0x1044, 0x1064)  # outer -> middle of inner
    branch(0xE9, 0x1068, 0x1050)  # inner -> back into outer
    branch(0xE8, 0x10A4, 0x10A0)  # again -> again
    code[0x84:0x86] = b"\x0f\x05"
    code[0x8A:0x8C] = b"\xff\xd0"  # leave -> what a register says
    return bytes(code)


class FakeObject(ElfObject):
    """An object file that exists in this test only."""

    def __init__(self, path: Path) -> None:
        super().__init__(Path("/nonexistent"))
        if str(path) != PROGRAM:
            return
        self._bytes = code_bytes()
        self.sections = [
            Section(".text", 1, SHF_EXECINSTR, 0x1000, 0, 0x200, 0),
            Section(".plt.got", 1, SHF_EXECINSTR, STUB, 0x1F0, 0x10, 0),
        ]
        for name, (start, end) in SYMBOLS.items():
            self.symbols.add(start, end, name)
        for start, end in FRAMES.values():
            self.frames.add(start, end)


def key(name: str) -> FunctionKey:
    return FunctionKey(PROGRAM, "p.c" if not name.startswith("0x") else "???", name)


def spot(address: int) -> Spot:
    return Spot(Place(PROGRAM, address), "p.c", address & 0xFF)


Cost = tuple[int, str, int]  # address, function, Ir
ArcRow = tuple[str, int, str, int, int]  # caller, site, callee, calls, inclusive


def flat(costs: Iterable[Cost], arcs: Iterable[ArcRow]) -> Flat:
    made = Flat(1)
    for address, function, cost in costs:
        made.add_cost(spot(address), key(function), [cost])
    for caller, site, callee, calls, inclusive in arcs:
        made.add_arc(Call(key(caller), spot(site), key(callee)), [calls, inclusive])
    return made


class Rules(unittest.TestCase):
    def setUp(self) -> None:
        self.code = CodeMap({PROGRAM: 0x100000}, FakeObject)

    def outcome(
        self,
        stock: Flat,
        ours: Flat,
        jumps: Optional[dict[tuple[int, int], int]] = None,
    ) -> Outcome:
        for (site, target), count in (jumps or {}).items():
            stock.jumps[Place(PROGRAM, site), Place(PROGRAM, target)] = count
        return explain(stock, ours, self.code)

    def found(self, *parts: object) -> set[str]:
        outcome = self.outcome(*parts)  # type: ignore[arg-type]
        return {difference.category for difference in outcome.differences}
