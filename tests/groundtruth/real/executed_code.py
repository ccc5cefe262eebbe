# SPDX-License-Identifier: GPL-2.0-or-later
#
# A profile with addresses, seen from the code: what was executed, whose it is, and what
# the instructions are, as the objects' files say.
#
# Owns: the tables by place.  Recursion levels are merged.
# Relies on tests/differential (code_map.py, elf_object.py, machine_code.py) for files and
# instructions, on conservation.py for whose records are one function's.

"""Executed instructions, their owners, and the arcs that leave and reach them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from pathlib import Path
from typing import Optional

from profile_file.model import Arc, FunctionKey, Part, UNKNOWN
from tests.differential.code_map import CodeMap, Place
from tests.differential.machine_code import (
    Flow,
    Instruction,
    LONGEST,
    PREFIXES,
    REX,
    decode,
)
from tests.groundtruth.conservation import base_key
from tests.groundtruth.real.plt_stubs import PltStubs, target_of

# First bytes of what may leave straight code, or repeat; any REX stands before them.
MAY_LEAVE = PREFIXES | {
    *range(0x70, 0x80), *range(0xE0, 0xE4), 0xE8, 0xE9, 0xEB, 0x0F, 0xFF,
    0xC2, 0xC3, 0xCA, 0xCB, *REX,
}  # fmt: skip
RUNS_ON = Instruction(Flow.ONWARD)


class ExecutedCode:
    """One part of a profile with addresses; recursion levels are merged."""

    def __init__(self, part: Part, files: CodeMap) -> None:
        self.files = files
        self.cost: dict[Place, int] = defaultdict(int)
        self.owner: dict[Place, FunctionKey] = {}
        self.arcs_from: dict[Place, list[Arc]] = defaultdict(list)
        self.calls_to: dict[Place, int] = defaultdict(int)
        event = part.header.events.index("Ir")
        for function in part.functions.values():
            owner = base_key(function.key)
            for (_, address), cost in function.by_instruction().items():
                place = Place(owner.object_file, address)
                self.cost[place] += cost[event]
                self.owner[place] = owner
            for arc in function.arcs.values():
                self.arcs_from[Place(owner.object_file, arc.site.address)].append(arc)
                if arc.count:
                    self.calls_to[target_of(arc)] += arc.count
        self.stubs = PltStubs(files, {place.object_file for place in self.cost})
        self._addresses: dict[str, list[int]] = defaultdict(list)
        for place in sorted(self.cost):
            self._addresses[place.object_file].append(place.address)
        self.readable: set[Place] = set()
        self._leaving: dict[Place, Instruction] = {}
        for path, addresses in self._addresses.items():
            self._read_instructions(path, addresses)
        self.jumps_within: set[Place] = set()
        # How often a function jumped indirectly: to its own start, for all we know.
        self.indirect_jumps: dict[FunctionKey, int] = defaultdict(int)
        self._find_jumps_within()

    def _read_instructions(self, path: str, addresses: list[int]) -> None:
        """Find what is in a file, and of that, what does not simply run on."""
        if path == UNKNOWN:
            return
        elf = self.files.object(path)
        section, code = None, b""
        for address in addresses:
            if section is None or address >= section.address + section.size:
                section = elf.section_at(address)
                if section is None:
                    continue
                code = elf.bytes_at(section.address, section.size)
            place = Place(path, address)
            self.readable.add(place)
            at = address - section.address
            first = code[at + 1] if code[at] in REX else code[at]
            if first in MAY_LEAVE:
                instruction = decode(code[at : at + LONGEST], address)
                if instruction.flow is not Flow.ONWARD:
                    self._leaving[place] = instruction

    def instruction(self, place: Place) -> Instruction:
        """What an executed instruction does, if it is readable."""
        return self._leaving.get(place, RUNS_ON)

    def starts(self) -> list[Place]:
        """Executed instructions with which a function begins, as the files say."""
        found = []
        for path, addresses in self._addresses.items():
            if path == UNKNOWN:
                continue
            elf = self.files.object(path)
            known = {extent.start for extent in elf.symbols.names}
            known |= {extent.start for extent in elf.frames.names}
            places = [Place(path, address) for address in addresses if address in known]
            found += [place for place in places if self.start_of(place) == place.address]
        return found

    def target(self, place: Place) -> Optional[Place]:
        """Where a direct branch goes."""
        address = self.instruction(place).target
        return None if address is None else Place(place.object_file, address)

    def start_of(self, place: Place) -> Optional[int]:
        """Where the function begins that a place is in, if the files say one start."""
        symbols = self.files.object(place.object_file).symbols.at(place.address)
        starts = {extent.start for extent in symbols}
        if not starts:
            frame = self.files.frame(place)
            starts = set() if frame is None else {frame.start}
        return starts.pop() if len(starts) == 1 else None

    def before(self, place: Place) -> Optional[Place]:
        """The last executed instruction in front of a place, if it may run on into it."""
        addresses = self._addresses[place.object_file]
        index = bisect_left(addresses, place.address) - 1
        if index < 0 or place.address - addresses[index] > LONGEST:
            return None
        found = Place(place.object_file, addresses[index])
        ends = (Flow.JUMP, Flow.INDIRECT, Flow.RETURN)
        return None if self.instruction(found).flow in ends else found

    def functions_at(self, place: Place) -> set[FunctionKey]:
        """Whose the executed code is in the function that holds a place.

        The files have mangled names, so names are not compared.
        """
        extents = self.files.object(place.object_file).symbols.at(place.address)
        frame = self.files.frame(place)
        if not extents and frame is not None:
            extents = [frame]
        addresses = self._addresses[place.object_file]
        return {
            self.owner[Place(place.object_file, address)]
            for extent in extents
            for address in addresses[
                bisect_left(addresses, extent.start) : bisect_left(addresses, extent.end)
            ]
        }

    def _find_jumps_within(self) -> None:
        """Find every place to which its own function jumps directly, or may jump."""
        for place, owner in self.owner.items():
            flow = self.instruction(place).flow
            if flow in (Flow.JUMP, Flow.CONDITIONAL):
                goal = self.target(place)
                if goal is not None and self.owner.get(goal) == owner:
                    self.jumps_within.add(goal)
            elif flow is Flow.INDIRECT:
                self.indirect_jumps[owner] += self.cost[place]


def spot(place: Place) -> str:
    return f"{Path(place.object_file).name}+{place.address:#x}"
