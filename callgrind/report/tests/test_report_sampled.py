# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_report on trees of samples: times with units, no more digits than the samples
# justify, and 95 % intervals.

from __future__ import annotations

import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Sequence

from callgrind.report.tests.report_case import document, run
from tests.format.tree_maker import Maker

PERIOD = 1_003_009  # nanoseconds: 997 samples a second
CLOCK = [("cpu-clock", "nanoseconds", "time"), ("samples", "count", "")]
CYCLES = [("cycles", "cycles", "cycles"), ("samples", "count", "")]
WALL = [("wall", "nanoseconds", "all time"), ("on-cpu", "nanoseconds", "worked"),
        ("off-cpu", "nanoseconds", "waited"), ("samples", "count", ""),
        ("waits", "count", "")]


def tree(costs: Sequence[Sequence[int]], events: Sequence[tuple[str, str, str]],
         kind: str = "sampled") -> bytes:
    """main, which calls f, g, h, ... with these costs; itself it has none."""
    maker = Maker(events=events, costs=kind)
    thread = maker.thread(1, "")
    names = [maker.function(name) for name in ("main", "f", "g", "h", "i")]
    maker.part(1)
    maker.tree(thread)
    main = maker.node(0, names[0], 0)
    for name, own in zip(names[1:], costs):
        maker.node(main, name, 0, *own)
    maker.total()
    return maker.end()


def samples(*counts: int, period: int = PERIOD) -> list[list[int]]:
    return [[count * period, count] for count in counts]


class SampledTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, content: bytes, name: str = "tree") -> str:
        (self.folder / name).write_bytes(content)
        return str(self.folder / name)

    def report(self, content: bytes, *options: str) -> list[str]:
        status, output, errors = run(*options, self.write(content))
        self.assertEqual((status, errors), (0, ""))
        return output.splitlines()

    def rows(self, content: bytes, *options: str) -> list[list[str]]:
        """The words of the table."""
        lines = self.report(content, *options)
        return [line.split() for line in lines[lines.index("") + 1:]]


class Functions(SampledTest):
    def test_times_have_units_and_intervals(self) -> None:
        # 10,030.09 ms ± 196.6; 100.3 ± 19.7; 1.003 ± 1.97
        rows = self.rows(tree(samples(10_000, 100, 1), CLOCK))
        self.assertEqual(rows[0], "self share inclusive share object function".split())
        self.assertEqual([" ".join(row[:4]) for row in rows[1:]],
                         ["10,030 ms ±200 99.0%", "100 ms ±20 1.0%", "1.0 ms ±2.0 0.0%",
                          "0 0.0% 10,130 ms"])

    def test_the_heading_says_that_it_is_sampled(self) -> None:
        lines = self.report(tree(samples(10_000, 100, 1), CLOCK))
        self.assertIn("Total:   10,130 ms ±200", lines)
        self.assertIn("Costs:   sampled, 10,101 times; ± holds the true value in 95 of "
                      "100 runs", lines)

    def test_few_samples_have_few_digits(self) -> None:
        rows = self.rows(tree(samples(3, 1), CLOCK))
        self.assertEqual([" ".join(row[:4]) for row in rows[1:3]],
                         ["3 ms ±3 75%", "1.0 ms ±2.0 25%"])

    def test_cycles_have_no_unit(self) -> None:
        rows = self.rows(tree(samples(400, period=1_000_000), CYCLES))
        self.assertEqual(" ".join(rows[1][:3]), "400,000,000 ±40,000,000 100%")

    def test_callers_have_no_calls(self) -> None:
        rows = self.rows(tree(samples(400), CLOCK), "-f", "f")
        self.assertEqual(rows[0], "self inclusive share object function".split())
        self.assertEqual(" ".join(rows[1][:4]), "400 ms ±40 100%")

    def test_numbers_of_samples_are_exact(self) -> None:
        rows = self.rows(tree(samples(10_000, 100, 1), CLOCK), "-e", "samples")
        self.assertEqual([row[0] for row in rows[1:]], ["10,000", "100", "1", "0"])

    def test_what_was_counted_is_as_it_was(self) -> None:
        lines = self.report(tree(samples(400), CLOCK, "counted"))
        self.assertIn("Total:   401,203,600", lines)
        self.assertNotIn("±", "".join(lines))
        self.assertNotIn("sampled", "".join(lines))

    def test_json_says_it(self) -> None:
        found = document(self.write(tree(samples(400), CLOCK)))
        self.assertEqual((found["sampled"], found["samples"]), (True, 400))
        self.assertEqual(found["files"], [str(self.folder / "tree")])
        self.assertNotIn("sampled", document(self.write(tree([], CLOCK, "counted"))))

    def test_a_damaged_tree_is_refused(self) -> None:
        path = self.write(tree(samples(400), CLOCK)[:-9])
        status, output, errors = run(path)
        self.assertEqual((status, output), (2, ""))
        self.assertRegex(errors, r"^callgrind_report: .*tree:\d+: .*\n$")


class Wall(SampledTest):
    """f works for 100 samples, g waits for two seconds, h does both."""

    COSTS = [[100 * PERIOD, 100 * PERIOD, 0, 100],
             [2_000_000_000, 0, 2_000_000_000, 0, 1],
             [100 * PERIOD + 5_000_000, 100 * PERIOD, 5_000_000, 100, 3]]

    def test_measured_time_has_no_interval(self) -> None:
        rows = self.rows(tree(self.COSTS, WALL), "-e", "offcpu")
        self.assertEqual([" ".join(row[:3]) for row in rows[1:4]],
                         ["2,000.000 ms 99.75%", "5.000 ms 0.25%", "0 0.00% 2,005.000"])

    def test_each_row_has_the_interval_of_its_own_samples(self) -> None:
        """g only waits, which was measured.  Of 100 samples: 19.66 ms."""
        rows = self.rows(tree(self.COSTS, WALL))
        self.assertEqual([" ".join(row[:3]) for row in rows[1:4]],
                         ["2,000.000 ms 91%", "105 ms ±20", "100 ms ±20"])
        # main's inclusive time has all 200 samples: 27.8 ms.
        self.assertEqual(" ".join(rows[4][:5]), "0 0% 2,210 ms ±30")

    def test_a_table_of_one_event_is_that_of_several(self) -> None:
        alone, beside = (self.rows(tree(self.COSTS, WALL), "-e", events)
                         for events in ("wall", "wall,oncpu"))
        self.assertEqual([row[:3] for row in beside[1:]], [row[:3] for row in alone[1:]])
        self.assertEqual(beside[0], "self share inclusive share oncpu oncpu incl. object "
                                    "function".split())

    def test_callees(self) -> None:
        rows = self.rows(tree(self.COSTS, WALL), "-f", "main")
        self.assertEqual([" ".join(row[:3]) for row in rows[1:5]],
                         ["0 2,210 ms", "2,000.000 ms 91%", "105 ms ±20", "100 ms ±20"])

    def test_lines(self) -> None:
        lines = self.report(tree(self.COSTS, WALL), "--annotate")
        self.assertIn("2,210 ms ±30, 100% of wall", "".join(lines))

    def test_a_change_of_what_was_measured_is_exact(self) -> None:
        old = self.write(tree(self.COSTS, WALL), "old")
        longer = [self.COSTS[0], [2_500_000_000, 0, 2_500_000_000, 0, 1], self.COSTS[2]]
        new = self.write(tree(longer, WALL), "new")
        status, output, errors = run("--diff", old, new)
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("Total:   2,210 ms ±30 -> 2,710 ms ±30 wall, +500 ms ±40 (+23%)\n",
                      output)
        self.assertRegex(output, r"\n\+500\.000 ms +23% +\+25% +2,000\.000 ms +2,500\.")

    def test_other_forms_have_the_events_that_were_asked_for(self) -> None:
        path = self.write(tree(self.COSTS, WALL))
        found = document("-e", "wall", path)
        self.assertEqual(found["events"], ["wall"])
        self.assertEqual(found["functions"][0]["self"], {"wall": 2_000_000_000})
        _, output, _ = run("--csv", "-e", "wall", path)
        self.assertTrue(output.startswith("self wall,inclusive wall,exact,"), output)
        self.assertIn("\n2000000000,2000000000,yes,", output)

    def test_time_on_a_processor(self) -> None:
        rows = self.rows(tree(self.COSTS, WALL), "-e", "oncpu")
        self.assertEqual([" ".join(row[:4]) for row in rows[1:3]],
                         ["100 ms ±20 50%", "100 ms ±20 50%"])


class Changes(SampledTest):
    def test_a_change_is_as_uncertain_as_both_sides(self) -> None:
        old = self.write(tree(samples(100, 400), CLOCK), "old")
        new = self.write(tree(samples(200, 400), CLOCK), "new")
        status, output, errors = run("--diff", old, new)
        self.assertEqual((status, errors), (0, ""))
        # 19.6 and 27.7 together 34.0; of the totals, 43.8 and 48.0, 65.
        self.assertIn("Total:   500 ms ±40 -> 600 ms ±50 cpuclock, +100 ms ±70 (+20%)\n",
                      output)
        self.assertIn("Costs:   sampled, 500 and 600 times; ±", output)
        self.assertRegex(output, r"\n\+100 ms ±30 +20% +\+100% +100 ms ±20 +200 ms ±30 ")
