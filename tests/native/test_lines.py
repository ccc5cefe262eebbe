# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/dwarf/line_table.c on line tables that were written by hand
# (make_lines.py).  That it answers as the core does, where it answers, is tested with
# programs: tests/translation_cache/test_own_lines.py.

"""Source lines that are read without the core."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Sequence

from tests.native import make_lines
from tests.native.building import HERE, SOURCE, build_of
from tests.native.fuzzing import INLINED_READERS
from tests.native.make_corpus import BITS, CODE, EXECUTABLE, elf_of
from tests.native.make_lines import begin, finish, row, sequence, special, table

LEFT = ["left to the core"]


def lines_of(
    tables: Sequence[bytes], first: int = 0x1000, end: int = 0x1020
) -> list[str]:
    own = ("read_lines.c", "fake_core.c", "fake_tables.c", "faults.c")
    readers = (*INLINED_READERS, "callgrind/dwarf/line_table.c")
    program = build_of("read_lines", *(HERE / name for name in own),
                       *(SOURCE / name for name in readers))
    found = make_lines.sections(tables)
    content = elf_of([(b".text", BITS, EXECUTABLE, CODE),
                      *((name, BITS, 0, data) for name, data in found.items())])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(content)
        done = subprocess.run(
            [program, str(path), hex(first), hex(end)], capture_output=True, text=True,
            check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr[:2000])
    return done.stdout.splitlines()


class Lines(unittest.TestCase):
    def test_each_row_reaches_to_the_next_one(self) -> None:
        found = lines_of([table([sequence(0x1004, (2, 10), (4, -3), end=6)])])
        self.assertEqual(found, [
            "0x1000 -", "0x1004 /folder/here.c:1", "0x1006 /folder/here.c:11",
            "0x100a /folder/here.c:8", "0x1010 -"])

    def test_all_ways_to_go_on(self) -> None:
        """The file is number 1 until one is set."""
        longest = (255 - make_lines.FIRST_SPECIAL) // make_lines.LINE_RANGE
        self.assertEqual(longest, 17)
        program = (begin(0x1000) + special(0, 2) + special(3, -1)
                   + bytes([make_lines.ADVANCE_FIXED, 2, 0]) + special(0, 5)
                   + bytes([make_lines.ADD_LONGEST]) + special(0, 1) + finish(2))
        self.assertEqual(lines_of([table([program])]), [
            "0x1000 /folder/inner/there.h:3", "0x1003 /folder/inner/there.h:2",
            "0x1005 /folder/inner/there.h:7", "0x1016 /folder/inner/there.h:8",
            "0x1018 -"])

    def test_the_last_row_of_an_address_counts(self) -> None:
        found = lines_of([table([sequence(0x1000, (0, 1), (0, 1), end=32)])])
        self.assertEqual(found, ["0x1000 /folder/here.c:3"])

    def test_files_in_folders(self) -> None:
        """The core is asked for one whose name is a whole path, or that is not there."""
        found = lines_of([table([sequence(0x1000, (4, 1, 1), (4, 1, 2), (4, 1, 3),
                                          end=20)])])
        self.assertEqual(found, ["0x1000 /folder/here.c:1",
                                 "0x1004 /folder/inner/there.h:2", "0x1008 ?"])

    def test_rows_of_one_line_have_the_first_ones_file(self) -> None:
        found = lines_of([table([sequence(0x1000, (4, 0, 1), (4, 1, 1), end=24)])])
        self.assertEqual(found, ["0x1000 /folder/here.c:1",
                                 "0x1008 /folder/inner/there.h:2"])

    def test_sequences_in_any_order(self) -> None:
        tables = [table([sequence(0x1010, end=8), sequence(0x1000, (0, 4), end=8)]),
                  table([sequence(0x1008, (0, 2), end=4)])]
        self.assertEqual(lines_of(tables), [
            "0x1000 /folder/here.c:5", "0x1008 /folder/here.c:3", "0x100c -",
            "0x1010 /folder/here.c:1", "0x1018 -"])

    def test_the_core_is_asked_where_sequences_overlap(self) -> None:
        tables = [table([sequence(0x1000, end=8), sequence(0x1004, (0, 4), end=8)]),
                  table([sequence(0x1010, end=16)])]
        self.assertEqual(lines_of(tables), ["0x1000 ?", "0x1010 /folder/here.c:1"])

    def test_the_core_is_asked_where_it_may_join_sequences(self) -> None:
        tables = [table([sequence(0x1000, end=8), sequence(0x1008, (0, 0, 1), end=8)]),
                  table([sequence(0x1010, (0, 1), end=16)])]
        self.assertEqual(lines_of(tables), [
            "0x1000 /folder/here.c:1", "0x1008 ?", "0x1010 /folder/here.c:2"])

    def test_the_core_is_asked_for_what_it_has_no_room_for(self) -> None:
        rows = ((4, 1 << 20), (4, -(1 << 20)), (0x1000, 1), (4, 1), (4, -4))
        found = lines_of([table([sequence(0x1000, *rows, end=4)])], 0x1000, 0x2020)
        self.assertEqual(found, [
            "0x1000 /folder/here.c:1", "0x1004 ?", "0x2008 /folder/here.c:2",
            "0x200c /folder/here.c:3", "0x2010 ?", "0x2014 -"])

    def test_code_that_the_linker_has_left_out(self) -> None:
        """Its sequences begin at 0, and may overlap."""
        tables = [table([sequence(0, end=8), sequence(0, (4, 1), end=16),
                         sequence(0x1000, end=32)])]
        self.assertEqual(lines_of(tables), ["0x1000 /folder/here.c:1"])

    def test_what_is_left_to_the_core(self) -> None:
        good = table([sequence(0x1000, end=32)])
        backward = begin(0x1008) + row(0, 0) + begin(0x1000) + row(0, 0) + finish(4)
        self.assertEqual(lines_of([]), LEFT)
        for bad in (table([sequence(0x1000, end=32)], version=4), good[:-1], good[:-4],
                    table([begin(0x1000) + row(0, 0)]), table([backward]), b"\0" * 8,
                    good.replace(bytes([make_lines.LINE_RANGE, 13]), b"\0\x0d"),
                    good.replace(b"\x01\x01\x01\xfb", b"\x01\x04\x01\xfb")):
            self.assertNotEqual(bad, good)
            self.assertEqual(lines_of([bad]), LEFT)
            self.assertEqual(lines_of([good, bad]), LEFT)


if __name__ == "__main__":
    unittest.main()
