# SPDX-License-Identifier: GPL-2.0-or-later
#
# What calls through the procedure linkage table cost, as the objects' files say.
#
# A profile has no stubs: what one executes is booked on the instruction that calls or
# jumps to it.  This file says how much that is, for each way to come through stubs:
#   - the instruction names a stub;
#   - the executable is not position-independent, and takes a function's address: then
#     its stub *is* the function's address in every object, and whoever calls the function
#     comes through that stub, after a stub of its own or without;
#   - an object takes the address of an indirect function (IFUNC) of its own: that is a
#     stub of that object, too;
#   - a slot is bound at the first call through it.
# Owns: the reading of stubs, and of the symbols that stand for such addresses.
# Relies on tests/differential (code_map.py, elf_object.py).

"""The costs of calls through PLT stubs."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import AbstractSet, Iterable, Optional

from profile_file.model import Arc
from tests.differential.code_map import CodeMap, PLT_SECTIONS, Place
from tests.differential.elf_object import SHT_DYNSYM

ENDBR64 = b"\xf3\x0f\x1e\xfa"
# The forms of `jmp *SLOT(%rip)`: without and with the bnd prefix.
STUB_JUMPS = (b"\xff\x25", b"\xf2\xff\x25")
# What the first call through a slot costs besides: push, jmp; push, jmp (of PLT0); and
# where stubs lie in .plt.sec, the endbr64 of .plt.
LAZY_COSTS = (4, 5)
SYMBOL_SIZE = 24
TYPE_FUNCTION, TYPE_INDIRECT = 2, 10
STUB_SIZE = 16


def target_of(arc: Arc) -> Place:
    return Place(arc.callee.object_file, arc.target.address)


def is_resolver(arc: Arc) -> bool:
    """The dynamic linker's function that binds a slot at the first call through it."""
    return arc.callee.name.startswith(("_dl_runtime_resolve", "_dl_runtime_profile"))


def _may_be(called: str, names: AbstractSet[str]) -> bool:
    """Whether a symbol may lead to a function: strcmp is found to be __strcmp_avx2."""
    return called in names or any(name.startswith(f"__{called}_") for name in names)


class PltStubs:
    """All stubs of the objects that a profile names."""

    def __init__(self, files: CodeMap, objects: Iterable[str]) -> None:
        self._files = files
        self._stubs_of_symbol: dict[str, set[Place]] = {}
        self._lengths: dict[Place, int] = {}  # by callee
        for path in sorted(set(objects)):
            self._read_addresses(path)

    def _read_addresses(self, path: str) -> None:
        """Stubs that are the address of a function."""
        sections = self._files.object(path).sections
        some_stub = None
        for section in sections:
            if section.name in PLT_SECTIONS and section.size > STUB_SIZE:
                some_stub = Place(path, section.address + STUB_SIZE)
        for section in sections:
            if section.kind != SHT_DYNSYM:
                continue
            image = Path(path).read_bytes()
            names = sections[section.link].offset
            for at in range(section.offset, section.offset + section.size, SYMBOL_SIZE):
                name, info, _, index, value, _ = struct.unpack_from("<IBBHQQ", image, at)
                is_address = index == 0 and value != 0 and info & 15 == TYPE_FUNCTION
                if is_address or (index != 0 and info & 15 == TYPE_INDIRECT):
                    end = image.index(b"\0", names + name)
                    text = image[names + name : end].decode("utf-8", "replace")
                    stub = Place(path, value) if is_address else some_stub
                    if stub is not None:
                        self._stubs_of_symbol.setdefault(text, set()).add(stub)

    def length(self, place: Place) -> Optional[int]:
        """How many instructions of a stub lead to the function once it is bound."""
        if not self._files.is_stub(place):
            return None
        elf = self._files.object(place.object_file)
        code = elf.bytes_at(place.address, STUB_SIZE)
        length = 1
        if code.startswith(ENDBR64):
            code, length = code[len(ENDBR64) :], 2
        return length if code.startswith(STUB_JUMPS) else None

    def _length_of_address(self, arc: Arc) -> int:
        """The length of the stub that is the address of an arc's callee, or 0."""
        place = target_of(arc)
        if place not in self._lengths:
            names = self._files.symbol_names(place)
            lengths = [
                self.length(stub) or 0
                for called, stubs in self._stubs_of_symbol.items()
                if _may_be(called, names)
                for stub in stubs
            ]
            self._lengths[place] = max(lengths, default=0)
        return self._lengths[place]

    def least_cost(self, goal: Optional[Place], arcs: list[Arc]) -> int:
        """What an instruction costs that was executed as often as its arcs count."""
        calls, bound, length = self._summed(goal, arcs)
        return calls * (1 + length) + bound * min(LAZY_COSTS)

    def may_cost(self, cost: int, goal: Optional[Place], arcs: list[Arc]) -> bool:
        """Whether an instruction of that cost was executed as often as its arcs count.

        `goal` is where it goes directly, if that is known.
        """
        calls, bound, length = self._summed(goal, arcs)
        rests = {cost - calls * (1 + length) - bound * lazy for lazy in LAZY_COSTS}
        if 0 in rests:
            return True
        # Slots may have been bound to another stub.
        sums = {0}
        for arc in arcs:
            step = 0 if is_resolver(arc) else arc.count * self._length_of_address(arc)
            sums |= {sum_so_far + step for sum_so_far in sums}
        return not sums.isdisjoint(rests)

    def _summed(self, goal: Optional[Place], arcs: list[Arc]) -> tuple[int, int, int]:
        """Calls of functions, calls that bound a slot, and the length of the stub."""
        bound = sum(arc.count for arc in arcs if is_resolver(arc))
        calls = sum(arc.count for arc in arcs) - bound
        return calls, bound, (self.length(goal) or 0) if goal is not None else 0
