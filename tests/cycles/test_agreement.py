# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests agreement.py and processor.py: numbers that can be told by hand.

"""How well rows of numbers agree, and which processor this is."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from tests.cycles.agreement import (
    EVENTS,
    Row,
    common_scale,
    errors,
    rank_correlation,
    ranks,
    report,
)
from tests.cycles.processor import caches_of, last_level, model_of, share_of


class Agreement(unittest.TestCase):
    def test_equal_values_share_their_rank(self) -> None:
        self.assertEqual(ranks([5.0, 1.0, 5.0, 9.0]), [2.5, 1.0, 2.5, 4.0])

    def test_rank_correlation(self) -> None:
        self.assertAlmostEqual(rank_correlation([1, 2, 3], [10, 20, 900]), 1)
        self.assertAlmostEqual(rank_correlation([1, 2, 3], [3, 2, 1]), -1)
        self.assertAlmostEqual(rank_correlation([1, 2, 3, 4], [2, 1, 4, 3]), 0.6)
        self.assertEqual(rank_correlation([1, 1, 1], [1, 2, 3]), 0)

    def test_errors_after_one_scale(self) -> None:
        scale = common_scale([1, 2, 4], [10, 20, 80])
        self.assertEqual(scale, 10)
        self.assertEqual(errors([1, 2, 4], [10, 20, 80], scale), [0, 0, 0.5])

    def test_turns_and_instructions_are_ranked_apart(self) -> None:
        rows = [
            Row(name, "program" if name == "p" else "x", seconds,
                {**dict.fromkeys(EVENTS, instructions), "Cy": cycles})
            for name, seconds, instructions, cycles in (
                ("a", 1, 10, 100), ("b", 2, 40, 200), ("c", 3, 20, 300),
                ("p", 1, 90, 900))  # programs are not ranked
        ]
        cells = {row[1].strip(): [cell.strip() for cell in row[2:4]]
                 for row in (line.split("|") for line in report(rows).splitlines())}
        self.assertEqual(cells["`Cy`"], ["1.000", "1.000"])
        self.assertEqual(cells["`Ir`"], ["0.500", "0.000"])


class Processor(unittest.TestCase):
    def test_the_model_is_that_of_the_processor(self) -> None:
        form = "vendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\nmodel name\t: A 9\n"
        for vendor, family, kind, model in (
                ("AuthenticAMD", 25, 1, "znver3"), ("AuthenticAMD", 25, 17, "znver4"),
                ("AuthenticAMD", 25, 97, "znver4"), ("AuthenticAMD", 23, 49, None),
                ("GenuineIntel", 6, 63, "haswell"), ("GenuineIntel", 6, 85, "skylake"),
                ("GenuineIntel", 6, 106, "icelake-server"), ("GenuineIntel", 6, 1, None),
                ("GenuineIntel", 6, 143, "sapphirerapids"),
                ("GenuineIntel", 6, 207, "sapphirerapids"),
                ("GenuineIntel", 6, 173, "graniterapids"),
                ("GenuineIntel", 6, 167, "icelake-server")):
            self.assertEqual(model_of(form.format(vendor, family, kind)), model)
        self.assertIsNone(model_of("CPU part\t: 0xd0c\n"))

    def test_or_of_one_that_can_do_the_same(self) -> None:
        # Seen in a virtual machine: the number is that of Rocket Lake.
        text = ("vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 167\n"
                "flags\t\t: fpu hypervisor avx512f amx_bf16 amx_tile amx_int8\n")
        self.assertEqual(model_of(text, 32), "sapphirerapids")
        self.assertEqual(model_of(text, 64), "graniterapids")

    def test_a_virtual_machine_has_its_share_of_the_last_level(self) -> None:
        flags = "flags\t\t: fpu vme"
        self.assertIsNone(share_of(flags, "znver4"))
        cores = len(os.sched_getaffinity(0))
        self.assertEqual(share_of(flags + " hypervisor\n", "znver4"), 4096 * cores)
        caches = {"1Data": (48, 12, 64), "3Unified": (491520, 16, 64)}
        self.assertEqual(last_level(caches, 8192), "8388608,16,64")
        self.assertEqual(last_level(caches, 1 << 20), "268435456,16,64")

    def test_the_last_level_is_the_highest(self) -> None:
        with tempfile.TemporaryDirectory() as made:
            self.assertIsNone(last_level(caches_of(Path(made))))
            for i, (level, size) in enumerate(((1, 32), (3, 32768), (2, 1024))):
                cache = Path(made, f"index{i}")
                cache.mkdir()
                for name, value in (("level", level), ("size", f"{size}K"),
                                    ("type", "Unified"),
                                    ("ways_of_associativity", 16),
                                    ("coherency_line_size", 64)):
                    (cache / name).write_text(f"{value}\n")
            self.assertEqual(last_level(caches_of(Path(made))), "33554432,16,64")
            Path(made, "index1", "size").write_text("49152K\n")
            self.assertEqual(last_level(caches_of(Path(made))), "33554432,16,64")
