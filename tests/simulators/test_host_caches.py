# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which caches are found on made-up processors, and on this one.  What is expected of the
# made-up ones is what the distribution's callgrind said when a debugger gave it the same
# answers of CPUID; of this one, what it says here and now.  Where there is no CPUID, the
# kernel's files are read: those of made-up processors, and of this one.

"""The caches of hosts."""

from __future__ import annotations

import ctypes
import re
import tempfile
import unittest
from pathlib import Path
from typing import Optional

from tests.simulators import stock
from tests.simulators.native import CacheGeometry, HostCaches, MadeUpAnswer, library

Shape = tuple[int, int, int]

DEFAULTS = [(65536, 2, 64), (65536, 2, 64), (262144, 8, 64)]
BASE = [(32768, 8, 64), (32768, 8, 64), (262144, 8, 64)]


def intel(leaf_2: str, *leaf_4: str, highest: int = 13) -> str:
    rows = [f"0 0 {highest:x} 756e6547 6c65746e 49656e69", f"2 0 {leaf_2}"]
    return "\n".join(rows + [f"4 {number} {row}" for number, row in enumerate(leaf_4)])


def amd(l1: str = "300c0140 20080140", others: str = "04008140 0c009140",
        signature: str = "00b00f21", highest: str = "80000021") -> str:
    return "\n".join([
        "0 0 1c 68747541 444d4163 69746e65", f"1 0 {signature} 0 0 0",
        f"80000000 0 {highest} 0 0 0",
        f"80000005 0 0 0 {l1}", f"80000006 0 0 0 {others}"])


def shape(geometry: CacheGeometry) -> Shape:
    return geometry.size, geometry.ways, geometry.line_size


def find(answers: Optional[str]) -> HostCaches:
    """On a processor that gives these answers: a line each, hexadecimal."""
    found = HostCaches()
    if answers is None:
        library().replay_host_caches(None, ctypes.c_size_t(0), ctypes.byref(found))
        return found
    rows = [[int(word, 16) for word in line.split()] for line in answers.splitlines()]
    table = (MadeUpAnswer * len(rows))(*[MadeUpAnswer(*row) for row in rows])
    library().replay_host_caches(table, ctypes.c_size_t(len(rows)), ctypes.byref(found))
    return found


def shapes(found: HostCaches) -> list[Shape]:
    return [shape(found.i1), shape(found.d1), shape(found.ll)]


L1D, L1I = "1c004121 01c0003f 3f 0", "1c004122 01c0003f 3f 0"
L2 = "1c004143 01c0003f 1ff 0"


class Intel(unittest.TestCase):
    def test_leaf_4(self) -> None:
        found = find(intel("76036301 00f0b6ff 0 00c10000", L1D, L1I, L2,
                           "1c03c163 03c0003f 1fff 6"))
        self.assertEqual(shapes(found), [*BASE[:2], (8388608, 16, 64)])
        self.assertTrue(found.ll_is_l3)
        self.assertFalse(found.is_unknown)

    def test_leaf_4_without_l3(self) -> None:
        found = find(intel("0000ff01 0 0 0", L1D, L1I, L2))
        self.assertEqual(shapes(found), BASE)
        self.assertFalse(found.ll_is_l3)

    def test_leaf_4_is_believed_alone(self) -> None:
        self.assertEqual(shapes(find(intel("302cff01 0 0 7a", L1D, L1I, L2))), BASE)
        self.assertEqual(shapes(find(intel("0023ff01 0 0 0", L1D, L1I, L2))), BASE)

    def test_leaf_4_with_partitions(self) -> None:
        found = find(intel("0000ff01 0 0 0", L1D, L1I, L2, "1c03c163 03c0103f 1fff 6"))
        self.assertEqual(shape(found.ll), (16777216, 16, 64))

    def test_last_level_with_sets_no_power_of_two(self) -> None:
        found = find(intel("00feff01 000000f0 0 0", L1D, L1I, "1c004143 04c0003f 7ff 0",
                           "1c03c163 04c0003f 5fff 6"))
        self.assertEqual(shape(found.ll_reported), (31457280, 20, 64))
        self.assertEqual(shape(found.ll), (31457280, 30, 64))

    def test_a_level_twice_or_missing_is_not_believed(self) -> None:
        for rows in ([L1D, L1I], [L1D, L1I, L1D, L2], [L1D, L2], [L1I, L2],
                     [L1D, L1D.replace("121", "123"), L2],
                     [L1D, L1I, L2.replace("143", "163")]):
            found = find(intel("0000ff01 0 0 0", *rows))
            self.assertEqual(shapes(found), DEFAULTS, rows)
            self.assertTrue(found.is_unknown)

    def test_an_unknown_type_is_passed_over(self) -> None:
        found = find(intel("0000ff01 0 0 0", L1D, L1I, "1c004124 01c0003f 7f 0", L2))
        self.assertEqual(shapes(found), BASE)

    def test_a_fourth_level_is_passed_over(self) -> None:
        found = find(intel("0000ff01 0 0 0", L1D, L1I, L2, "1c03c163 03c0003f 1fff 6",
                           "1c03c183 03c0003f 1ffff 6"))
        self.assertEqual(shape(found.ll), (8388608, 16, 64))

    def test_descriptors(self) -> None:
        for answers, expected in {
            "7a2c3001 0 0 0": BASE,
            "7a2c0601 0 0 0": [(8192, 4, 32), *BASE[1:]],
            "7a0e3001 0 0 0": [BASE[0], (24576, 6, 64), BASE[2]],
            "302c0001 7e 0 0": [*BASE[:2], (262144, 8, 128)],
            "7a2c3001 ba000023 0 0": [*BASE[:2], (1048576, 8, 64)],
            "a3302c01 22 ba 0000007a": [*BASE[:2], (524288, 4, 64)],
            "7a2c3001 eb 0 0": [*BASE[:2], (18874368, 36, 64)],
            "7a2c3001 80000023 0 0": DEFAULTS,
            "7a2c3001 30 0 0": DEFAULTS,
            "23302c01 0 0 0": DEFAULTS,
            "23302c01 0000227a 0 0": DEFAULTS,
            "7a2c3002 0 0 0": DEFAULTS,
        }.items():
            self.assertEqual(shapes(find(intel(answers, highest=2))), expected, answers)

    def test_pentium_4(self) -> None:
        found = find(intel("665b5001 0 0 007a7000", highest=2))
        self.assertEqual(shapes(found), [(16384, 8, 32), (8192, 4, 64), (262144, 8, 64)])
        self.assertEqual(found.trace_cache_kb, 12)

    def test_no_l2(self) -> None:
        found = find(intel("40302c01 0 0 0", highest=2))
        self.assertEqual(shapes(found), DEFAULTS)
        self.assertTrue(found.is_without_l2)

    def test_before_leaf_2(self) -> None:
        self.assertEqual(shapes(find(intel("7a2c3001 0 0 0", highest=1))), DEFAULTS)


class Amd(unittest.TestCase):
    FIRST = [(32768, 8, 64), (49152, 12, 64)]

    def test_l3(self) -> None:
        found = find(amd())
        self.assertEqual(shapes(found), [*self.FIRST, (536870912, 2, 64)])
        self.assertEqual(shape(found.ll_reported), (402653184, 1, 64))
        self.assertTrue(found.ll_is_l3)

    def test_l2(self) -> None:
        found = find(amd(others="02008140 0"))
        self.assertEqual(shapes(found), [*self.FIRST, (524288, 16, 64)])
        self.assertFalse(found.ll_is_l3)

    def test_codes_of_ways(self) -> None:
        ways = [1, 1, 2, 1, 4, 1, 8, 1, 16, 1, 32, 64, 64, 128, 128, 1]
        for code, expected in enumerate(ways):
            found = find(amd(others=f"0200{code:x}140 0"))
            self.assertEqual(shape(found.ll), (524288, expected, 64), f"code {code:x}")

    def test_old_processors(self) -> None:
        self.assertEqual(shapes(find(amd(highest="80000005"))), DEFAULTS)
        found = find(amd(others="00014120 0", signature="630"))
        self.assertEqual(shape(found.ll), (65536, 4, 32))
        found = find(amd(others="00014120 0", signature="20630"))
        self.assertEqual(shape(found.ll), (1024, 4, 32))

    def test_where_stock_ends_the_run(self) -> None:
        """A fully associative L1 or one whose sets are no power of two; no L2 at all."""
        found = find(amd(l1="28080140 40ff0140"))
        self.assertEqual(shape(found.d1), (40960, 10, 64))
        self.assertEqual(shape(found.i1), (65536, 256, 64))
        self.assertEqual(shape(found.i1_reported), (65536, 255, 64))
        self.assertEqual(shapes(find(amd(others="0 0"))), DEFAULTS)
        self.assertEqual(shapes(find(amd(l1="0 0"))), DEFAULTS)
        self.assertEqual(shapes(find(amd(l1="40000140 40020140"))), DEFAULTS)


class Others(unittest.TestCase):
    def test_another_vendor(self) -> None:
        found = find("0 0 d 6f677948 656e6975 6e65476e")
        self.assertEqual(shapes(found), DEFAULTS)
        self.assertTrue(found.is_unknown)

    @unittest.skipIf(stock.missing(), str(stock.missing()))
    def test_this_host(self) -> None:
        run = stock.run(stock.with_data(""), ["--cache-sim=yes"])
        described = []
        for line in run.descriptions:
            match = re.match(r"(?:I1|D1|LL) cache: (\d+) B, (\d+) B, (.*)", line)
            if match:
                ways = re.match(r"(\d+)-way associative", match[3])
                described.append((int(match[1]), int(ways[1]) if ways else 1,
                                  int(match[2])))
        found = find(None)
        self.assertEqual(shapes(found), described)
        self.assertEqual(bool(found.ll_is_l3), "L3 cache found" in run.log)
        self.assertEqual(bool(found.is_unknown), "Cannot auto-detect" in run.log)
        self.assertEqual(shape(found.ll) != shape(found.ll_reported),
                         "warning: simulated LL cache" in run.log)


KERNELS = Path("/sys/devices/system/cpu/cpu0/cache")
NAMES = ("level", "type", "size", "ways_of_associativity", "coherency_line_size")
# A processor with L1 of its own for each core, and common L2 and L3.
L1_FILES = ["1 Data 64K 4 64", "1 Instruction 64K 4 64"]
L2_FILES, L3_FILES = "2 Unified 1024K 8 64", "3 Unified 32768K 16 64"


class Files(unittest.TestCase):
    """What the kernel says, where there is no CPUID."""

    def find(self, *rows: str) -> HostCaches:
        """A row for each cache: what its files hold, `-` for one that is missing."""
        folder = tempfile.TemporaryDirectory(prefix="host_caches.")
        self.addCleanup(folder.cleanup)
        for number, row in enumerate(rows):
            cache = Path(folder.name, f"index{number}")
            cache.mkdir()
            for name, text in zip(NAMES, row.split()):
                if text != "-":
                    (cache / name).write_text(f"{text}\n")
        return self.find_in(Path(folder.name))

    @staticmethod
    def find_in(folder: Path) -> HostCaches:
        found = HostCaches()
        library().replay_host_cache_files(str(folder).encode(), ctypes.byref(found))
        return found

    def test_l3_is_the_last_level(self) -> None:
        found = self.find(*L1_FILES, L2_FILES, L3_FILES)
        self.assertEqual(shapes(found),
                         [(65536, 4, 64), (65536, 4, 64), (33554432, 16, 64)])
        self.assertTrue(found.ll_is_l3)
        self.assertFalse(found.is_unknown)

    def test_without_l3(self) -> None:
        found = self.find(*L1_FILES, L2_FILES)
        self.assertEqual(shape(found.ll), (1048576, 8, 64))
        self.assertFalse(found.ll_is_l3)

    def test_sets_no_power_of_two(self) -> None:
        found = self.find(*L1_FILES, "2 Unified 1280K 10 64")
        self.assertEqual(shape(found.ll), (1310720, 10, 64))
        found = self.find(*L1_FILES, "2 Unified 1536K 8 64")
        self.assertEqual(shape(found.ll_reported), (1572864, 8, 64))
        self.assertNotEqual(shape(found.ll), shape(found.ll_reported))

    def test_what_is_missing_or_odd_is_not_believed(self) -> None:
        """Many virtual machines do not know sizes and ways."""
        for row in ("1 Data - - -", "1 Data 64K - 64", "1 Data - 4 64", "1 Data 64K 4 -",
                    "- Data 64K 4 64", "1 - 64K 4 64", "1 Data 64M 4 64",
                    "1 Data 64K 0 64", "1 Data K 4 64", "1 Data 64K 4 63",
                    "1 Data 9999999999999999999999K 4 64", "1 Data 999999999K 4 64",
                    "1 Data 64K 4 64" + "4" * 40):
            found = self.find(L1_FILES[1], row, L2_FILES)
            self.assertEqual(shapes(found), DEFAULTS, row)
            self.assertTrue(found.is_unknown)

    def test_nothing_at_all(self) -> None:
        self.assertTrue(self.find_in(Path("/nowhere")).is_unknown)

    def test_a_level_twice_is_not_believed(self) -> None:
        self.assertTrue(self.find(*L1_FILES, L2_FILES, L2_FILES).is_unknown)

    @unittest.skipUnless(
        (KERNELS / "index0" / "size").exists(), "the kernel does not say it here")
    def test_this_host(self) -> None:
        """As by CPUID, where the kernel and callgrind see the same of it."""
        by_cpuid, by_files = find(None), self.find_in(KERNELS)
        if by_cpuid.is_unknown or by_files.is_unknown:
            self.skipTest("the caches of this processor are not known")
        self.assertEqual(shapes(by_files)[:2], shapes(by_cpuid)[:2])
