# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes line tables by hand.

"""Line tables (.debug_line), of which each byte is known."""

from __future__ import annotations

import struct
from typing import Sequence

FOLDERS = (b"/folder", b"inner")
FILES = ((b"here.c", 0), (b"there.h", 1), (b"/whole.c", 0))
OPERANDS = bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])  # of operations 1 to 12
FIRST_SPECIAL, LINE_BASE, LINE_RANGE = 13, -5, 14
COPY, ADVANCE_ADDRESS, ADVANCE_LINE, SET_FILE = 1, 2, 3, 4
ADD_LONGEST, ADVANCE_FIXED = 8, 9
END_SEQUENCE, SET_ADDRESS = 1, 2


def unsigned(value: int) -> bytes:
    found = b""
    while value >= 0x80:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def signed(value: int) -> bytes:
    found = b""
    while not -0x40 <= value < 0x40:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value & 0x7F])


def extended(operation: int, operands: bytes = b"") -> bytes:
    return b"\0" + unsigned(len(operands) + 1) + bytes([operation]) + operands


def begin(address: int) -> bytes:
    return extended(SET_ADDRESS, struct.pack("<Q", address))


def finish(distance: int) -> bytes:
    """The end of a sequence, so far behind its last row."""
    return bytes([ADVANCE_ADDRESS]) + unsigned(distance) + extended(END_SEQUENCE)


def special(distance: int, lines: int) -> bytes:
    """A row so many bytes, and so many lines, behind the last one."""
    return bytes([FIRST_SPECIAL + (lines - LINE_BASE) + LINE_RANGE * distance])


def row(distance: int, lines: int, file: int = 0) -> bytes:
    """As special(), for any number of them."""
    return (bytes([ADVANCE_ADDRESS]) + unsigned(distance) + bytes([ADVANCE_LINE])
            + signed(lines) + bytes([SET_FILE]) + unsigned(file) + bytes([COPY]))


def sequence(start: int, *rows: tuple[int, ...], end: int) -> bytes:
    """It has a row of line 1 at its start, and others: bytes, lines, the file."""
    first = begin(start) + row(0, 0)
    return first + b"".join(row(*each) for each in rows) + finish(end)


def table(programs: Sequence[bytes], version: int = 5) -> bytes:
    """The table of a unit."""
    lists = b"\x01\x01\x08" + bytes([len(FOLDERS)])
    lists += b"".join(folder + b"\0" for folder in FOLDERS)
    lists += b"\x02\x01\x1f\x02\x0b" + bytes([len(FILES)])  # path in .debug_line_str
    at = 0
    for name, folder in FILES:
        lists += struct.pack("<IB", at, folder)
        at += len(name) + 1
    codes = struct.pack("<BBBbBB", 1, 1, 1, LINE_BASE, LINE_RANGE, FIRST_SPECIAL)
    header = codes + OPERANDS + lists
    rest = struct.pack("<HBBI", version, 8, 0, len(header)) + header + b"".join(programs)
    return struct.pack("<I", len(rest)) + rest


def sections(tables: Sequence[bytes]) -> dict[bytes, bytes]:
    return {b".debug_line": b"".join(tables),
            b".debug_line_str": b"".join(name + b"\0" for name, _ in FILES)}
