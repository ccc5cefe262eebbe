# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests agreement.py and what bench.py makes of it: numbers that can be told by hand.

"""How well rows of numbers agree."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from tests.bench.cycles.agreement import common_scale, errors, rank_correlation, ranks
from tests.bench.cycles.bench import EVENTS, Row, last_level, model_of, report
from tests.bench.cycles.scatter import scatter_plot


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

    def test_every_point_is_in_the_plot(self) -> None:
        text = scatter_plot([("a", "x", 1.0, 100.0), ("b", "y", 0.01, 2.0)])
        self.assertIn("<title>a</title>", text)
        self.assertIn("<title>b</title>", text)


def row(name: str, seconds: float, instructions: float, cycles: float) -> Row:
    events = dict.fromkeys(EVENTS, instructions)
    return Row(name, "program" if name == "p" else "x", seconds, {**events, "Cy": cycles})


class Reports(unittest.TestCase):
    def test_turns_and_instructions_are_ranked_apart(self) -> None:
        lines = report([row("a", 1, 10, 100), row("b", 2, 40, 200), row("c", 3, 20, 300),
                        row("p", 1, 90, 900)])
        words = [[cell.strip() for cell in line.split("|")] for line in lines[2:]]
        cells = {row[1]: row[2:4] for row in words}
        self.assertEqual(cells["`Cy`"], ["1.000", "1.000"])    # programs are not ranked
        self.assertEqual(cells["`Ir`"], ["0.500", "0.000"])


class Machine(unittest.TestCase):
    def test_the_model_is_that_of_the_processor(self) -> None:
        form = "vendor_id\t: {}\ncpu family\t: {}\nmodel\t\t: {}\nmodel name\t: A 9\n"
        for vendor, family, kind, model in (
                ("AuthenticAMD", 25, 1, "znver3"), ("AuthenticAMD", 25, 17, "znver4"),
                ("AuthenticAMD", 25, 97, "znver4"), ("AuthenticAMD", 23, 49, None),
                ("GenuineIntel", 6, 63, "haswell"), ("GenuineIntel", 6, 85, "skylake"),
                ("GenuineIntel", 6, 106, "icelake-server"), ("GenuineIntel", 6, 1, None)):
            self.assertEqual(model_of(form.format(vendor, family, kind)), model)
        self.assertIsNone(model_of("CPU part\t: 0xd0c\n"))

    def test_the_last_level_is_the_highest(self) -> None:
        with tempfile.TemporaryDirectory() as made:
            self.assertIsNone(last_level(Path(made)))
            for i, (level, size) in enumerate(((1, 32), (3, 32768), (2, 1024))):
                cache = Path(made, f"index{i}")
                cache.mkdir()
                for name, value in (("level", level), ("size", f"{size}K"),
                                    ("ways_of_associativity", 16),
                                    ("coherency_line_size", 64)):
                    (cache / name).write_text(f"{value}\n")
            self.assertEqual(last_level(Path(made)), "33554432,16,64")
            Path(made, "index1", "size").write_text("49152K\n")
            self.assertEqual(last_level(Path(made)), "33554432,16,64")


if __name__ == "__main__":
    unittest.main()
