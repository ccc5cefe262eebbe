# SPDX-License-Identifier: GPL-2.0-or-later
#
# What code is, whoever profiled it: where an address lies, and which function owns it.
#
# Owns: the places of code, the load addresses of objects, the names of functions and
# their contexts, and the rule by which code has one owner.  Relies on elf_object.py
# for what the files say and on machine_code.py for what an instruction does.

"""Places, names and owners of code."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from profile_file.model import FunctionKey, UNKNOWN
from tests.differential.elf_object import ElfObject, Extent
from tests.differential.machine_code import (
    REQUEST,
    Flow,
    Instruction,
    Masked,
    decode,
    masked,
)

PLT_SECTIONS = (".plt", ".plt.got", ".plt.sec", ".iplt")
PLT_ENTRY = 16
SYSCALL_BYTES = b"\x0f\x05"
PLT_SUFFIX = " [PLT]"
BELOW_MAIN = "(below main)"
# What the core calls so; it has the list from the C libraries it knows.
BELOW_MAIN_NAMES = frozenset(
    ("_start", "__libc_start_main", "__libc_start_call_main", "generic_start_main")
)
# A recursion level, callers, or both: leaf'2'middle'main.
CONTEXT = re.compile(r"^([^']+)'(.+)$")
NAMELESS = re.compile(r"^0x([0-9a-f]{16})( \[PLT\])?$")
TEXT_LINE = re.compile(r"^--[0-9]+-- Reading syms from (.+)$")
BIAS_LINE = re.compile(r"^--[0-9]+--    svma (0x[0-9a-f]+), avma (0x[0-9a-f]+)$")


class Place(NamedTuple):
    """An address as the object's own file counts it."""

    object_file: str
    address: int

    def __str__(self) -> str:
        return f"{Path(self.object_file).name}+{self.address:#x}"


@lru_cache(maxsize=None)  # asked a hundred times for each function
def split_context(key: FunctionKey) -> tuple[FunctionKey, str]:
    """A function, and the recursion level and callers that its name tells; or ''."""
    match = CONTEXT.match(key.name)
    if match is None:
        return key, ""
    return key._replace(name=match[1]), match[2]


def with_context(key: FunctionKey, context: str) -> FunctionKey:
    return key._replace(name=f"{key.name}'{context}") if context else key


def callers_named(key: FunctionKey) -> list[str]:
    """The callers in a function's name, the innermost first."""
    return [name for name in split_context(key)[1].split("'") if not name.isdigit()]


def nameless_name(address: int, suffix: str = "") -> str:
    return f"0x{address:016x}{suffix}"


def load_addresses(messages: str) -> dict[str, int]:
    """How far from its own addresses the core found each object (its -v -v output)."""
    found: dict[str, int] = {}
    path = ""
    for line in messages.splitlines():
        named = TEXT_LINE.match(line)
        moved = BIAS_LINE.match(line)
        if named is not None:
            path = named[1]
        elif moved is not None and path:
            found[path] = int(moved[2], 16) - int(moved[1], 16)
            path = ""
    return found


class CodeMap:
    """Answers from the objects' files, never from a profile."""

    def __init__(
        self, biases: dict[str, int], load: Callable[[Path], ElfObject] = ElfObject
    ) -> None:
        self.biases = biases
        self._load = load
        self._objects: dict[str, ElfObject] = {}
        self.place_of = lru_cache(maxsize=None)(self._place_of)
        self.instruction = lru_cache(maxsize=None)(self._instruction)
        self.section = lru_cache(maxsize=None)(self._section)
        self.is_described = lru_cache(maxsize=None)(self._is_described)
        self.symbol_names = lru_cache(maxsize=None)(self._symbol_names)
        self.misplaced = lru_cache(maxsize=None)(self._misplaced)
        self._bytes_at = lru_cache(maxsize=None)(self._read_bytes)
        self._names_of: dict[tuple[str, tuple[Extent, ...]], frozenset[str]] = {}

    def object(self, path: str) -> ElfObject:
        if path not in self._objects:
            self._objects[path] = self._load(Path(path))
        return self._objects[path]

    def _place_of(self, absolute: int) -> Place:
        """The place of an address of the running program."""
        for path, bias in self.biases.items():
            if self.object(path).section_at(absolute - bias) is not None:
                return Place(path, absolute - bias)
        return Place(UNKNOWN, absolute)

    def _section(self, place: Place) -> str:
        if place.object_file == UNKNOWN:
            return ""
        section = self.object(place.object_file).section_at(place.address)
        return "" if section is None else section.name

    def is_stub(self, place: Place) -> bool:
        return self.section(place) in PLT_SECTIONS

    def _instruction(self, place: Place) -> Instruction:
        return decode(self._bytes_at(place), place.address)

    def masked(self, place: Place) -> Optional[Masked]:
        return masked(self._bytes_at(place))

    def is_system_call(self, place: Place) -> bool:
        """Whether the instruction is `syscall`; most others are not even decoded."""
        return SYSCALL_BYTES in self._bytes_at(place) and (
            self.instruction(place).flow is Flow.SYSCALL
        )

    def _read_bytes(self, place: Place) -> bytes:
        return self.object(place.object_file).bytes_at(place.address, len(REQUEST))

    # --- Owners ---------------------------------------------------------------------

    def frame(self, place: Place) -> Optional[Extent]:
        if place.object_file == UNKNOWN:
            return None
        frames = self.object(place.object_file).frames.at(place.address)
        return min(frames, key=lambda extent: extent.start) if frames else None

    def _symbol_names(self, place: Place) -> frozenset[str]:
        """Every name of every symbol whose extent holds the place, and versionless."""
        if place.object_file == UNKNOWN:
            return frozenset()
        symbols = self.object(place.object_file).symbols
        extents = tuple(symbols.at(place.address))
        key = place.object_file, extents
        known = self._names_of.get(key)
        if known is None:  # once for all instructions of a function
            names = {name for extent in extents for name in symbols.names[extent]}
            known = frozenset(names | {name.partition("@")[0] for name in names})
            self._names_of[key] = known
        return known

    def _misplaced(self, function: FunctionKey, place: Place) -> Optional[str]:
        """Why code at `place` does not belong to `function`; None if it does, or may."""
        if function.object_file != place.object_file:
            return f"{place} is in another object"
        if not self.is_described(place):
            return None
        nameless = NAMELESS.match(function.name)
        if self.is_stub(place):
            return self._misplaced_stub(nameless, place)
        names = self.symbol_names(place)
        if nameless is None:
            plain = function.name.partition("@")[0]
            if plain in names or (plain == BELOW_MAIN and names & BELOW_MAIN_NAMES):
                return None
            return f"no symbol of that name covers {place}"
        if names:
            return f"{place} belongs to {min(names)}"
        start = int(nameless[1], 16)
        frame = self.frame(place)
        if frame is None or start == frame.start:
            return None
        return f"{place} belongs to {nameless_name(frame.start)}"

    @staticmethod
    def _misplaced_stub(nameless: Optional[re.Match[str]], place: Place) -> Optional[str]:
        if nameless is None or nameless[2] is None:
            return f"{place} is a stub of the procedure linkage table"
        if 0 <= place.address - int(nameless[1], 16) < PLT_ENTRY:
            return None
        return f"{place} is another stub"

    def _is_described(self, place: Place) -> bool:
        """Whether the files say whose code it is."""
        return bool(
            self.is_stub(place) or self.symbol_names(place) or self.frame(place)
        )

    def owner_of_nameless(self, function: FunctionKey) -> FunctionKey:
        """The name by extent of a nameless function that is named by its entry."""
        nameless = NAMELESS.match(function.name)
        if nameless is None or nameless[2] is not None:
            return function
        frame = self.frame(Place(function.object_file, int(nameless[1], 16)))
        if frame is None:
            return function
        return function._replace(name=nameless_name(frame.start))
