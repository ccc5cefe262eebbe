# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the names of JIT code: those of the tool against a naive model, and that the work
# goes by the number of names and of bytes in the tool, in the sampler, and in the readers
# of files that serve both.

"""Names of JIT code."""

from __future__ import annotations

import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.native.work import LINEAR, build_plain, growth, instructions

FILES = (
    "callgrind/guest/jit/jit_names.c",
    "callgrind/guest/jit/tail_reader.c",
    "sampler/code/jit_table.c",
    "shared/jit/jitdump.c",
    "shared/jit/perf_map.c",
)
KINDS = ("lines", "replaced", "pages", "moved", "sampled", "sampled-moved")

# Headers and records of jitdumps that claim more than there is, and a kind of file that
# has no end of line.
HEADER = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 1, 0, 0)
UNFINISHED = {
    "map": b"1000 40 ",
    "header.dump": struct.pack("<III", 0x4A695444, 1, 0x7FFFFFFF),
    "record.dump": HEADER + struct.pack("<IIQ", 0, 50 << 20, 0),
}


class JitNames(unittest.TestCase):
    def setUp(self) -> None:
        self.program = build_plain("jit_names", *FILES)

    def said(self, *words: str) -> str:
        done = subprocess.run([self.program, *words], capture_output=True, text=True,
                              check=False)
        return done.stdout

    def test_the_last_name_of_each_byte_is_found(self) -> None:
        for seed in range(100):
            with self.subTest(seed=seed):
                self.assertEqual(self.said("random", str(seed)), "equal\n")

    def test_many_names(self) -> None:
        for kind in KINDS:
            with self.subTest(kind=kind):
                self.assertEqual(self.said(kind, "500"), "500 of 500 are right\n")
                self.assertLess(growth(self.program, kind, size=4000), LINEAR)

    def test_a_link_is_not_read(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            path, link = Path(name, "map"), Path(name, "link")
            path.touch()
            link.symlink_to("map")
            said = [self.said("file", str(which), "1") for which in (path, link)]
            self.assertRegex(said[0], "[1-9][0-9]* bytes taken\n$")
            self.assertTrue(said[1].endswith(", 0 bytes taken\n"), said[1])

    def test_what_is_not_finished_is_read_once(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            for kind, start in UNFINISHED.items():
                with self.subTest(kind=kind):
                    path = Path(name, kind)
                    counts = []
                    for n in (1000, 2000, 4000):
                        path.write_bytes(start)
                        counts.append(instructions(self.program, "file", str(path),
                                                   str(n)))
                    once, twice, four_times = counts
                    self.assertLess((four_times - twice) / (twice - once), LINEAR)
