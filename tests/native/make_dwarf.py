# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes ELF files with debug information by hand: two functions of a class and a lambda,
# inlined into each other and into a function.  It may be split into two files.  One of
# them is made by a template of a pointer to the lambda.

"""Small debug information, of version 4 or 5, of which each byte is known."""

from __future__ import annotations

import struct
import zlib

CODE_START = 0x1000

# Tags, attributes and forms that are used.
COMPILE_UNIT, NAMESPACE, STRUCTURE, SUBPROGRAM, INLINED = 0x11, 0x39, 0x13, 0x2E, 0x1D
NAME, STMT_LIST, LOW, HIGH, COMP_DIR = 0x03, 0x10, 0x11, 0x12, 0x1B
ORIGIN, DECL_FILE, DECL_LINE, SPECIFICATION, RANGES = 0x31, 0x3A, 0x3B, 0x47, 0x55
LINKAGE, STR_OFFSETS_BASE, ADDR_BASE, RNGLISTS_BASE = 0x6E, 0x72, 0x73, 0x74
ADDR, DATA8, STRING, DATA1, STRP, REF4, SEC_OFFSET = 1, 7, 8, 0x0B, 0x0E, 0x13, 0x17
STRX1, ADDRX, RNGLISTX, LINE_STRP, IMPLICIT = 0x25, 0x1B, 0x23, 0x1F, 0x21
TEMPLATE_TYPE, POINTER, TYPE = 0x2F, 0x0F, 0x49
# Of split units; those of GNU are for version 4.
SKELETON_UNIT, DWO_NAME = 0x4A, 0x76
GNU_DWO_NAME, GNU_DWO_ID, GNU_RANGES_BASE, GNU_ADDR_BASE = 0x2130, 0x2131, 0x2132, 0x2133
GNU_ADDR_INDEX, GNU_STR_INDEX = 0x1F01, 0x1F02
UNIT_PLAIN, UNIT_SKELETON, UNIT_SPLIT = 1, 4, 5

TEMPLATE = b"get<space::<lambda()>*>"
TEXTS = (b"space", TEMPLATE, b"_ZN5space3BoxC4Ei", b"operator()", b"/folder", b"main",
         b"split.dwo", b"half")
SPLIT_ID = 0x0123456789ABCDEF
PACKAGED = (b"info", b"abbrev", b"str_offsets", b"rnglists")
COLUMNS = {b"info": 1, b"abbrev": 3, b"str_offsets": 6, b"rnglists": 8}


def leb128(value: int) -> bytes:
    """A number of variable length."""
    found = b""
    while value >= 0x80:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def text_at(name: bytes) -> int:
    return sum(len(text) + 1 for text in TEXTS[:TEXTS.index(name)])


class Entries:
    """The section of entries, and that of their abbreviations."""

    def __init__(self, version: int, kind: int = UNIT_PLAIN) -> None:
        self.version = version
        self.kind = kind
        self.abbreviations = b""
        self.count = 0
        self.header = 11 if version == 4 else 12 if kind == UNIT_PLAIN else 20
        self.body = b""

    def add(self, tag: int, children: bool, *fields: tuple[int, int, int]) -> int:
        """Attributes with forms and values; returns where the entry is in the unit."""
        self.count += 1
        self.abbreviations += bytes([self.count, tag, children])
        at = self.header + len(self.body)
        self.body += bytes([self.count])
        for attribute, form, value in fields:
            self.abbreviations += leb128(attribute) + leb128(form)
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
            identity = struct.pack("<Q", SPLIT_ID) if self.kind != UNIT_PLAIN else b""
            rest = struct.pack("<HBBI", 5, self.kind, 8, 0) + identity + self.body
        else:
            rest = struct.pack("<HIB", 4, 0, 8) + self.body
        return struct.pack("<I", len(rest)) + rest


def entries(version: int, is_split: bool = False) -> Entries:
    """All of a unit, or what of it lies in another file."""
    made = Entries(version, UNIT_SPLIT if is_split else UNIT_PLAIN)
    new = version == 5

    def text(name: bytes) -> tuple[int, int]:
        if new or is_split:
            return STRX1 if new else GNU_STR_INDEX, TEXTS.index(name)
        return STRP, text_at(name)

    low = (ADDR, CODE_START)
    if new or is_split:
        low = (ADDRX if new else GNU_ADDR_INDEX, 0)
    root = [(LOW, *low), (HIGH, DATA8, 0x40), (STMT_LIST, SEC_OFFSET, 0),
            (COMP_DIR, *text(b"/folder"))]
    if is_split:
        root = [] if new else [(GNU_DWO_ID, DATA8, SPLIT_ID)]
    elif new:
        root += [(STR_OFFSETS_BASE, SEC_OFFSET, 8), (ADDR_BASE, SEC_OFFSET, 8),
                 (RNGLISTS_BASE, SEC_OFFSET, 12)]
    made.add(COMPILE_UNIT, True, *root)
    made.add(NAMESPACE, True, (NAME, *text(b"space")))
    closure = made.add(STRUCTURE, True, (DECL_FILE, DATA1, 1), (DECL_LINE, DATA1, 30))
    lambda_call = made.add(SUBPROGRAM, False, (NAME, *text(b"operator()")))
    made.end_children()
    box = made.add(SUBPROGRAM, False, (LINKAGE, *text(b"_ZN5space3BoxC4Ei")))
    pointer = made.add(POINTER, False, (TYPE, REF4, closure))
    get = made.add(SUBPROGRAM, True, (NAME, *text(TEMPLATE)), (DECL_FILE, DATA1, 1),
                   (DECL_LINE, IMPLICIT if new else DATA1, 20))
    made.add(TEMPLATE_TYPE, False, (TYPE, REF4, pointer))
    made.end_children()
    half = made.add(SUBPROGRAM, False, (NAME, *text(b"half")), (DECL_FILE, DATA1, 1))
    made.end_children()
    defined = made.add(SUBPROGRAM, False, (SPECIFICATION, REF4, get),
                       (DECL_LINE, DATA1, 21))
    main = made.add(SUBPROGRAM, False, (NAME, *text(b"main")), (DECL_FILE, DATA1, 1),
                    (DECL_LINE, DATA1, 40))
    made.add(SUBPROGRAM, True, (ORIGIN, REF4, main), (LOW, *low), (HIGH, DATA8, 0x40))
    made.add(INLINED, True, (ORIGIN, REF4, defined),
             (RANGES, RNGLISTX if new else SEC_OFFSET, 0))
    made.add(INLINED, False, (ORIGIN, REF4, lambda_call),
             (LOW, ADDR, CODE_START + 0x18), (HIGH, DATA8, 8))
    made.end_children()
    made.add(INLINED, False, (ORIGIN, REF4, box), (LOW, ADDR, CODE_START + 0x38),
             (HIGH, DATA8, 4))
    made.add(INLINED, False, (ORIGIN, REF4, half), (LOW, ADDR, CODE_START + 0x3C),
             (HIGH, DATA8, 4))
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


def address_ranges(*ranges: tuple[int, int], unit: int = 0) -> bytes:
    """The section that says where the code of a unit is: addresses and sizes."""
    pairs = b"".join(struct.pack("<QQ", *pair) for pair in (*ranges, (0, 0)))
    rest = struct.pack("<HIBB", 2, unit, 8, 0) + bytes(4) + pairs
    return struct.pack("<I", len(rest)) + rest


def packed(content: bytes) -> bytes:
    """A section as .zdebug_... has it."""
    return b"ZLIB" + struct.pack(">Q", len(content)) + zlib.compress(content)


# --- In two files ---------------------------------------------------------------------


def skeleton(version: int) -> dict[bytes, bytes]:
    """The sections of the first file, which says where the other one is."""
    made = Entries(version, UNIT_SKELETON)
    root = [(LOW, ADDR, CODE_START), (HIGH, DATA8, 0x40), (STMT_LIST, SEC_OFFSET, 0),
            (COMP_DIR, STRP, text_at(b"/folder"))]
    if version == 5:
        root += [(DWO_NAME, STRP, text_at(b"split.dwo")), (ADDR_BASE, SEC_OFFSET, 8)]
    else:
        root += [(GNU_DWO_NAME, STRP, text_at(b"split.dwo")),
                 (GNU_DWO_ID, DATA8, SPLIT_ID), (GNU_ADDR_BASE, SEC_OFFSET, 8),
                 (GNU_RANGES_BASE, SEC_OFFSET, 16)]
    made.add(SKELETON_UNIT if version == 5 else COMPILE_UNIT, False, *root)
    whole = sections(version)
    found = {b".debug_info": made.section(), b".debug_abbrev": made.abbreviations + b"\0"}
    for name in (b".debug_str", b".debug_line", b".debug_line_str"):
        if name in whole:
            found[name] = whole[name]
    if version == 5:
        found[b".debug_addr"] = whole[b".debug_addr"]
    else:
        found[b".debug_addr"] = struct.pack("<QQ", 0, CODE_START)
        found[b".debug_ranges"] = bytes(16) + whole[b".debug_ranges"]
    return found


def split(version: int) -> dict[bytes, bytes]:
    """The sections of the other file."""
    made, whole = entries(version, True), sections(version)
    offsets = b"".join(struct.pack("<I", text_at(text)) for text in TEXTS)
    found = {b".debug_info.dwo": made.section(),
             b".debug_abbrev.dwo": made.abbreviations + b"\0",
             b".debug_str.dwo": whole[b".debug_str"],
             b".debug_str_offsets.dwo": offsets}
    if version == 5:
        found[b".debug_str_offsets.dwo"] = whole[b".debug_str_offsets"]
        found[b".debug_rnglists.dwo"] = whole[b".debug_rnglists"]
    return found


def package(version: int) -> dict[bytes, bytes]:
    """The sections of a package with that unit behind another one, of which only the id
    makes sense."""
    found = split(version)
    before = b"\xff" * 7
    names = [name for name in PACKAGED if b".debug_" + name + b".dwo" in found]
    sizes = []
    for name in names:
        section = b".debug_" + name + b".dwo"
        sizes.append(len(found[section]))
        found[section] = before + found[section] + before
    index = struct.pack("<4I", 5 if version == 5 else 2, len(names), 2, 4)
    # Both ids begin their search at the same slot; the step is 1 for the first.
    first, second = SPLIT_ID & 3, SPLIT_ID & 3 | 4
    ids, rows = [0, 0, 0, 0], [0, 0, 0, 0]
    ids[first], rows[first] = second, 1
    at = (first + (SPLIT_ID >> 32 & 3 | 1)) & 3
    ids[at], rows[at] = SPLIT_ID, 2
    index += struct.pack("<4Q4I", *ids, *rows)
    table = [COLUMNS[name] for name in names] + [0] * len(names)
    table += [len(before)] * len(names) + [len(before)] * len(names) + sizes
    index += struct.pack(f"<{len(table)}I", *table)
    return {**found, b".debug_cu_index": index}
