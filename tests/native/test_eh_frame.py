# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/guest/elf/elf_functions.c: extents of functions, and sections that lie.

"""Reading .eh_frame, of which a profiled program may map any."""

from __future__ import annotations

import random
import struct
import subprocess
import unittest

from tests.native.building import build

ADDRESS = 0x1000
PC_RELATIVE_SDATA4 = 0x1B
ULEB128 = 0x01


def record(identity: int, body: bytes) -> bytes:
    return struct.pack("<II", len(body) + 4, identity) + body


def cie(encoding: int = PC_RELATIVE_SDATA4) -> bytes:
    """Version 1, "zR", alignments, the register, and one byte: the encoding."""
    return record(0, b"\x01zR\x00\x01\x78\x10\x01" + bytes([encoding]))


def fde(section: bytes, start: int, size: int) -> bytes:
    """What describes [start, start + size) behind `section`, whose CIE comes first."""
    place = ADDRESS + len(section) + 8
    return record(len(section) + 4, struct.pack("<iI", start - place, size))


def extents(section: bytes, *range_asked: str) -> list[str]:
    reader = build("read_eh_frame", "guest/elf/elf_functions.c", "base/cursor.c")
    done = subprocess.run(
        [reader, *range_asked], input=section, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode(errors="replace")[:2000])
    return done.stdout.decode().splitlines()


class EhFrame(unittest.TestCase):
    def test_extents_are_sorted(self) -> None:
        section = cie()
        section += fde(section, 0x5000, 0x30)
        section += fde(section, 0x4000, 0x10)
        self.assertEqual(extents(section + bytes(4)), ["0x4000 0x4010", "0x5000 0x5030"])

    def test_whether_a_range_has_any(self) -> None:
        section = cie()
        section += fde(section, 0x5000, 0x30)
        section += fde(section, 0x4000, 0x10)
        for first, last, expected in (
            ("0x3000", "0x3fff", "0"),
            ("0x3000", "0x4000", "1"),
            ("0x400f", "0x400f", "1"),
            ("0x4010", "0x4fff", "0"),
            ("0x4010", "0x6000", "1"),
            ("0x5030", "0x6000", "0"),
        ):
            with self.subTest(first=first, last=last):
                self.assertEqual(extents(section, first, last), [expected])

    def test_nothing_behind_the_end_mark_is_read(self) -> None:
        section = cie() + bytes(4)
        self.assertEqual(extents(section + fde(section, 0x5000, 0x30)), [])

    def test_a_record_shorter_than_its_id(self) -> None:
        """The id is not the record's own then, and the record's end lies before it."""
        for length in (1, 2, 3):
            for encoding in (PC_RELATIVE_SDATA4, ULEB128):
                with self.subTest(length=length, encoding=encoding):
                    section = cie(encoding)
                    at = len(section)
                    section += struct.pack("<II", length, at + 4)
                    # No byte of it ends a number of variable length.
                    self.assertEqual(extents(section + b"\xff" * 3), [])

    def test_a_cie_that_ends_before_its_encoding(self) -> None:
        short = struct.pack("<II", 6, 0) + b"\x01zR\x00\x01\x78\x10\x01\x1b"
        self.assertEqual(extents(short), [])

    def test_a_length_beyond_the_section(self) -> None:
        section = cie()
        section += struct.pack("<II", 1000, len(section) + 4)
        self.assertEqual(extents(section), [])

    def test_random_bytes_are_survived(self) -> None:
        choice = random.Random(17)
        section = cie()
        for start in range(0x4000, 0x4400, 0x40):
            section += fde(section, start, 0x40)
        for _ in range(150):
            broken = bytearray(section)
            for _ in range(choice.randrange(1, 8)):
                byte = choice.choice([0, 1, 3, 0x7F, 0xFF])
                broken[choice.randrange(len(broken))] = byte
            extents(bytes(broken[: choice.randrange(8, len(broken) + 1)]))
