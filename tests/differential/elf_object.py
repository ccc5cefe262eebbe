# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an ELF file itself says of its code: sections, function symbols, the extents of
# call frame information, and the bytes.  It is the judge between two profiles that book
# the same code on different functions, so it asks neither of them.
#
# Owns: the reading of ELF files (64 bit, little endian) and of their separate debug
# files.  Relies on nothing of the project.

"""Sections, symbols, frame extents and bytes of an ELF file."""

from __future__ import annotations

import struct
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, NamedTuple, Optional

DEBUG_FOLDER = Path("/usr/lib/debug/.build-id")

SHT_SYMTAB, SHT_NOBITS, SHT_DYNSYM = 2, 8, 11
SHF_EXECINSTR = 4
# Functions, resolvers of indirect functions, and what assembler left untyped.
CODE_SYMBOL_TYPES = (0, 2, 10)

# DW_EH_PE_...: the low four bits are the format; what is relative is relative to where
# it stands.
PE_FORMATS = {
    0x00: "<Q", 0x02: "<H", 0x03: "<I", 0x04: "<Q", 0x0A: "<h", 0x0B: "<i", 0x0C: "<q",
}  # fmt: skip
PE_RELATIVE_TO_PLACE = 0x10


class Section(NamedTuple):
    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


class Extent(NamedTuple):
    start: int
    end: int


@dataclass
class Extents:
    """Half-open ranges that may overlap, and what they are called."""

    names: dict[Extent, set[str]] = field(default_factory=dict)
    _order: list[Extent] = field(default_factory=list)
    _reach: list[int] = field(default_factory=list)  # the largest end up to here

    def add(self, start: int, end: int, name: str = "") -> None:
        self.names.setdefault(Extent(start, end), set()).add(name)
        self._order = []

    def at(self, address: int) -> list[Extent]:
        """Every range that holds the address."""
        if not self._order and self.names:
            self._order, self._reach = sorted(self.names), []
            for extent in self._order:
                self._reach.append(max([extent.end, *self._reach[-1:]]))
        found = []
        index = bisect_right(self._order, Extent(address, 1 << 64)) - 1
        while index >= 0 and self._reach[index] > address:
            if self._order[index].end > address:
                found.append(self._order[index])
            index -= 1
        return found


def _text(table: bytes, offset: int) -> str:
    return table[offset : table.index(b"\0", offset)].decode("utf-8", "replace")


class ElfObject:
    """One ELF file.  A file that is none has no sections, symbols or frames."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._bytes = path.read_bytes()
        except OSError:
            self._bytes = b""
        self.sections = self._read_sections(self._bytes)
        self._last: Optional[Section] = None  # that an address was found in
        self.symbols = Extents()
        self.frames = Extents()
        self._read_symbols(self._bytes, self.sections)
        debug = self._debug_file()
        if debug is not None:
            image = debug.read_bytes()
            self._read_symbols(image, self._read_sections(image))
        for section in self.sections:
            if section.name == ".eh_frame" and section.kind != SHT_NOBITS:
                for start, end in self._frames(section):
                    self.frames.add(start, end)

    # --- Sections -------------------------------------------------------------------

    @staticmethod
    def _read_sections(image: bytes) -> list[Section]:
        if image[:6] != b"\x7fELF\x02\x01":
            return []
        (table,) = struct.unpack_from("<Q", image, 40)
        size, count, names_index = struct.unpack_from("<HHH", image, 58)
        if size != 64 or table + count * size > len(image) or names_index >= count:
            return []
        raw = [
            struct.unpack_from("<IIQQQQII", image, table + i * 64) for i in range(count)
        ]
        _, _, _, _, offset, length, _, _ = raw[names_index]
        names = image[offset : offset + length]
        return [
            Section(_text(names, name), kind, flags, address, place, length, link)
            for name, kind, flags, address, place, length, link, _ in raw
        ]

    def section_at(self, address: int) -> Optional[Section]:
        """The section of code that holds the address: mostly the one of last time."""
        last = self._last
        if last is not None and last.address <= address < last.address + last.size:
            return last
        for section in self.sections:
            if section.flags & SHF_EXECINSTR and (
                section.address <= address < section.address + section.size
            ):
                self._last = section
                return section
        return None

    def bytes_at(self, address: int, count: int) -> bytes:
        section = self.section_at(address)
        if section is None or section.kind == SHT_NOBITS:
            return b""
        start = section.offset + address - section.address
        return self._bytes[start : min(start + count, section.offset + section.size)]

    def _debug_file(self) -> Optional[Path]:
        for section in self.sections:
            if section.name == ".note.gnu.build-id":
                note = self._bytes[section.offset : section.offset + section.size]
                identity = note[16:].hex()
                path = DEBUG_FOLDER / identity[:2] / f"{identity[2:]}.debug"
                return path if path.is_file() else None
        return None

    # --- Symbols --------------------------------------------------------------------

    def _read_symbols(self, image: bytes, sections: list[Section]) -> None:
        code = {
            i for i, section in enumerate(sections) if section.flags & SHF_EXECINSTR
        }
        for section in sections:
            if section.kind not in (SHT_SYMTAB, SHT_DYNSYM) or not section.size:
                continue
            names = sections[section.link]
            table = image[names.offset : names.offset + names.size]
            for place in range(section.offset, section.offset + section.size, 24):
                name, info, _, index, value, size = struct.unpack_from(
                    "<IBBHQQ", image, place
                )
                if info & 15 in CODE_SYMBOL_TYPES and index in code and size:
                    self.symbols.add(value, value + size, _text(table, name))

    # --- Call frame information -----------------------------------------------------

    def _frames(self, section: Section) -> Iterator[Extent]:
        """The code of each frame description entry (LSB, "Exception Frames")."""
        data = self._bytes[section.offset : section.offset + section.size]
        encodings: dict[int, int] = {}
        at = 0
        while at + 8 <= len(data):
            length, identity = struct.unpack_from("<II", data, at)
            if length in (0, 0xFFFFFFFF):
                break
            if identity == 0:
                encodings[at] = _pointer_encoding(data, at + 8)
            else:
                encoding = encodings.get(at + 4 - identity, 0xFF)
                form = PE_FORMATS.get(encoding & 15)
                if form is not None and encoding & 0xE0 == 0:
                    (start,) = struct.unpack_from(form, data, at + 8)
                    if encoding & PE_RELATIVE_TO_PLACE:
                        start += section.address + at + 8
                    size_at = at + 8 + struct.calcsize(form)
                    (size,) = struct.unpack_from(form.upper(), data, size_at)
                    if start and size:
                        yield Extent(start, start + size)
            at += 4 + length


def _pointer_encoding(data: bytes, at: int) -> int:
    """How a common information entry says that its functions' addresses are written."""
    version, at = data[at], at + 1
    augmentation = _text(data, at)
    at += len(augmentation) + 1
    if not augmentation.startswith("z"):
        return 0xFF if augmentation else 0
    for _ in range(2):  # code and data alignment
        at = _after_leb128(data, at)
    at = at + 1 if version == 1 else _after_leb128(data, at)  # return address register
    at = _after_leb128(data, at)  # length of what follows
    for letter in augmentation[1:]:
        if letter == "R":
            return data[at]
        if letter == "L":
            at += 1
        elif letter == "P":
            at += 1 + struct.calcsize(PE_FORMATS.get(data[at] & 15, "<Q"))
    return 0


def _after_leb128(data: bytes, at: int) -> int:
    while data[at] & 0x80:
        at += 1
    return at + 1
