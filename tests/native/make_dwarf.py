# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes ELF files with debug information by hand: two functions of a class and a lambda,
# inlined into each other and into a function.

"""Small debug information, of version 4 or 5, of which each byte is known."""

from __future__ import annotations

import struct

CODE_START = 0x1000

# Tags, attributes and forms that are used.
COMPILE_UNIT, NAMESPACE, STRUCTURE, SUBPROGRAM, INLINED = 0x11, 0x39, 0x13, 0x2E, 0x1D
NAME, STMT_LIST, LOW, HIGH, COMP_DIR = 0x03, 0x10, 0x11, 0x12, 0x1B
ORIGIN, DECL_FILE, DECL_LINE, SPECIFICATION, RANGES = 0x31, 0x3A, 0x3B, 0x47, 0x55
LINKAGE, STR_OFFSETS_BASE, ADDR_BASE, RNGLISTS_BASE = 0x6E, 0x72, 0x73, 0x74
ADDR, DATA8, STRING, DATA1, STRP, REF4, SEC_OFFSET = 1, 7, 8, 0x0B, 0x0E, 0x13, 0x17
STRX1, ADDRX, RNGLISTX, LINE_STRP, IMPLICIT = 0x25, 0x1B, 0x23, 0x1F, 0x21

TEXTS = (b"space", b"get", b"_ZN5space3BoxC4Ei", b"operator()", b"/folder", b"main")


def text_at(name: bytes) -> int:
    return sum(len(text) + 1 for text in TEXTS[:TEXTS.index(name)])


class Entries:
    """The section of entries, and that of their abbreviations."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.abbreviations = b""
        self.count = 0
        self.header = 12 if version == 5 else 11
        self.body = b""

    def add(self, tag: int, children: bool, *fields: tuple[int, int, int]) -> int:
        """Attributes with forms and values; returns where the entry is in the unit."""
        self.count += 1
        self.abbreviations += bytes([self.count, tag, children])
        at = self.header + len(self.body)
        self.body += bytes([self.count])
        for attribute, form, value in fields:
            self.abbreviations += bytes([attribute, form])
            if form == IMPLICIT:
                self.abbreviations += bytes([value])
            elif form in (ADDR, DATA8):
                self.body += struct.pack("<Q", value)
            elif form in (STRP, REF4, SEC_OFFSET, LINE_STRP):
                self.body += struct.pack("<I", value)
            else:
                self.body += bytes([value])
        self.abbreviations += b"\0\0"
        return at

    def end_children(self) -> None:
        self.body += b"\0"

    def section(self) -> bytes:
        if self.version == 5:
            rest = struct.pack("<HBBI", 5, 1, 8, 0) + self.body
        else:
            rest = struct.pack("<HIB", 4, 0, 8) + self.body
        return struct.pack("<I", len(rest)) + rest


def entries(version: int) -> Entries:
    made = Entries(version)
    new = version == 5

    def text(name: bytes) -> tuple[int, int]:
        return (STRX1, TEXTS.index(name)) if new else (STRP, text_at(name))

    root = [(LOW, ADDRX if new else ADDR, 0 if new else CODE_START), (HIGH, DATA8, 0x40),
            (STMT_LIST, SEC_OFFSET, 0), (COMP_DIR, *text(b"/folder"))]
    if new:
        root += [(STR_OFFSETS_BASE, SEC_OFFSET, 8), (ADDR_BASE, SEC_OFFSET, 8),
                 (RNGLISTS_BASE, SEC_OFFSET, 12)]
    made.add(COMPILE_UNIT, True, *root)
    made.add(NAMESPACE, True, (NAME, *text(b"space")))
    made.add(STRUCTURE, True, (DECL_FILE, DATA1, 1), (DECL_LINE, DATA1, 30))
    lambda_call = made.add(SUBPROGRAM, False, (NAME, *text(b"operator()")))
    made.end_children()
    box = made.add(SUBPROGRAM, False, (LINKAGE, *text(b"_ZN5space3BoxC4Ei")))
    get = made.add(SUBPROGRAM, False, (NAME, *text(b"get")), (DECL_FILE, DATA1, 1),
                   (DECL_LINE, IMPLICIT if new else DATA1, 20))
    made.end_children()
    defined = made.add(SUBPROGRAM, False, (SPECIFICATION, REF4, get),
                       (DECL_LINE, DATA1, 21))
    made.add(SUBPROGRAM, True, (NAME, *text(b"main")),
             (LOW, ADDRX if new else ADDR, 0 if new else CODE_START), (HIGH, DATA8, 0x40))
    made.add(INLINED, True, (ORIGIN, REF4, defined),
             (RANGES, RNGLISTX if new else SEC_OFFSET, 0))
    made.add(INLINED, False, (ORIGIN, REF4, lambda_call),
             (LOW, ADDR, CODE_START + 0x18), (HIGH, DATA8, 8))
    made.end_children()
    made.add(INLINED, False, (ORIGIN, REF4, box), (LOW, ADDR, CODE_START + 0x38),
             (HIGH, DATA8, 8))
    made.end_children()
    made.end_children()
    return made


def lines(version: int) -> bytes:
    """A table of lines without a line: folders and files."""
    codes = b"\x0d" + bytes(12)
    if version == 5:
        files = b"\x01\x01\x08" + b"\x02/folder\0inner\0"
        files += b"\x02\x01\x1f\x02\x0b" + b"\x02" + 2 * (struct.pack("<I", 0) + b"\x01")
        rest = struct.pack("<HBBI", 5, 8, 0, 0)
    else:
        files = b"inner\0\0" + b"here.c\0\x01\0\0\0"
        rest = struct.pack("<HI", 4, 0)
    rest += b"\x01\x01\x01\xfb\x0e" + codes + files
    return struct.pack("<I", len(rest)) + rest


def sections(version: int) -> dict[bytes, bytes]:
    """The sections of debug information, by their names."""
    made = entries(version)
    found = {b".debug_info": made.section(), b".debug_abbrev": made.abbreviations + b"\0",
             b".debug_str": b"".join(text + b"\0" for text in TEXTS),
             b".debug_line": lines(version)}
    if version == 5:
        offsets = b"".join(struct.pack("<I", text_at(text)) for text in TEXTS)
        found[b".debug_str_offsets"] = (
            struct.pack("<IHH", len(offsets) + 4, 5, 0) + offsets)
        found[b".debug_addr"] = struct.pack("<IHBBQ", 12, 5, 8, 0, CODE_START)
        found[b".debug_line_str"] = b"here.c\0"
        # [0x10, 0x20) and [0x24, 0x28), relative to the unit's address.
        ranges = struct.pack("<I", 4) + b"\x04\x10\x20\x04\x24\x28\x00"
        found[b".debug_rnglists"] = struct.pack("<IHBBI", len(ranges) + 8, 5, 8, 0,
                                                1) + ranges
    else:
        found[b".debug_ranges"] = struct.pack("<6Q", 0x10, 0x20, 0x24, 0x28, 0, 0)
    return found
