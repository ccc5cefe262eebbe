# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of callgrind_export on a tree of samples: units, and no more digits than the
# samples justify.

from __future__ import annotations

from callgrind.report.tests.page_case import InBrowser
from tests.format.tree_examples import example
from tests.format.tree_maker import Maker

PERIOD = 1_003_009  # nanoseconds: 997 samples a second
WALL = (("wall", "nanoseconds", "all time"), ("on-cpu", "nanoseconds", "worked"),
        ("off-cpu", "nanoseconds", "waited"), ("samples", "count", ""),
        ("waits", "count", ""))
EVENTS = (("cpu-clock", "nanoseconds", "time"), ("samples", "count", "samples"))


def samples(*counts: int, longest: int = 0) -> bytes:
    """main, which calls a function of so many samples each; itself it has none.
    `longest` is what the file says that a sample may stand for."""
    maker = Maker(events=EVENTS, costs="sampled")
    thread = maker.thread(1, "")
    names = [maker.function(name) for name in ("main", "f", "g", "h")]
    maker.part(1)
    maker.tree(thread)
    main = maker.node(0, names[0], 0)
    for name, count in zip(names[1:], counts):
        maker.node(main, name, 0, count * PERIOD, count)
    maker.total()
    made = maker.end()
    said = b"desc Longest period: %d\n" % longest if longest else b""
    return made.replace(b"\npart ", b"\n" + said + b"part ", 1)


def waiting() -> bytes:
    """f works for 100 samples, g waits for two seconds, h does both."""
    maker = Maker(events=WALL, costs="sampled")
    thread = maker.thread(1, "")
    names = [maker.function(name) for name in ("main", "f", "g", "h")]
    maker.part(1)
    maker.tree(thread)
    main = maker.node(0, names[0], 0)
    on = 100 * PERIOD
    maker.node(main, names[1], 0, on, on, 0, 100)
    maker.node(main, names[2], 0, 2_000_000_000, 0, 2_000_000_000, 0, 1)
    maker.node(main, names[3], 0, on + 5_000_000, on, 5_000_000, 100, 3)
    maker.total()
    return maker.end()


class Sampled(InBrowser):
    def test_time_on_a_processor_and_off_it_in_one_page(self) -> None:
        """What was measured has no interval; of both, each row has that of its own
        samples.  g only waits; of 100 samples, it is 19.66 ms."""
        shown = {}
        for event in ("wall", "on-cpu", "off-cpu"):
            self.open([waiting()], at=f"#tab=functions&event={event}")
            shown[event] = self.shown_table("functions")[:3]
            self.assertIn("sampled: 200 samples; ± holds", self.text("#summary"))
        self.assertEqual(shown["wall"], [["2,000.000 ms", "91%", "g"],
                                         ["105 ms ±20", "5%", "h"],
                                         ["100 ms ±20", "5%", "f"]])
        self.assertEqual({tuple(row) for row in shown["on-cpu"][:2]},
                         {("100 ms ±20", "50%", "f"), ("100 ms ±20", "50%", "h")})
        self.assertEqual(shown["off-cpu"][:2], [["2,000.000 ms", "99.75%", "g"],
                                                ["5.000 ms", "0.25%", "h"]])

    def test_frames_and_callees_have_the_intervals_of_their_own_samples(self) -> None:
        costs = {}
        for node, name in enumerate(["main", "f", "g", "h"], 1):
            self.open([waiting()], at="#event=wall")
            self.assertEqual(self.text("#total"), "2,210 ms ±30")
            self.assertGreater(self.browser.count(f"g.frame[data-node='{node}']"), 0)
            self.browser.click(f"g.frame[data-node='{node}']")
            self.assertEqual(self.text("#frame h2"), name)
            costs[name] = self.shown_table("costs")[0]
        self.assertEqual(costs["main"], ["wall", "0", "0%", "2,210 ms ±30", "100%"])
        self.assertEqual(costs["f"][3], "100 ms ±20")
        self.assertEqual(costs["g"][1:4], ["2,000.000 ms", "91%", "2,000.000 ms"])
        self.assertEqual(costs["h"][3], "105 ms ±20")
        self.assertIn("105 ms ±20 wall, 5% · h", self.text("#status"))

    def test_a_function_and_its_callees_have_those_of_their_own_samples(self) -> None:
        self.open([waiting()], at="#tab=functions&event=wall")
        self.browser.click("table.functions tr:last-child button")
        self.assertEqual(self.shown_table("costs"),
                         [["wall", "0", "0%", "2,210 ms ±30", "100%"]])
        self.assertEqual([row[0] for row in self.shown_table("callees")],
                         ["2,000.000 ms", "105 ms ±20", "100 ms ±20"])

    def test_times_are_in_milliseconds_with_their_intervals(self) -> None:
        # Of n samples the interval is twice 1.96 times the root of n wide.
        self.open([samples(10_000, 100, 1)], at="#tab=functions")
        self.assertEqual(
            self.shown_table("functions"),
            [
                # 10,030.09 ms ± 196.6; 100.3 ± 19.7; 1.003 ± 1.97
                ["10,030 ms ±200", "99.0%", "f"],
                ["100 ms ±20", "1.0%", "g"],
                ["1.0 ms ±2.0", "0.0%", "h"],
                ["0", "0.0%", "main"],
            ],
        )
        self.assertEqual(self.text("#total"), "10,130 ms ±200")
        self.assertIn("sampled: 10,101 samples", self.text("#summary"))

    def test_of_several_rates_the_lowest_has_the_intervals(self) -> None:
        """Which samples were of which is not known, so that no interval is too narrow."""
        self.open([samples(10_000, 100, longest=4 * PERIOD)], at="#tab=functions")
        self.assertEqual(self.shown_table("functions")[:2],
                         [["10,000 ms ±400", "99%", "f"], ["100 ms ±40", "1%", "g"]])

    def test_few_samples_have_few_digits(self) -> None:
        self.open([samples(3, 1)], at="#tab=functions")
        self.assertEqual(
            self.shown_table("functions")[:2],
            [["3 ms ±3", "75%", "f"], ["1.0 ms ±2.0", "25%", "g"]],
        )

    def test_the_number_of_samples_is_exact(self) -> None:
        self.open([samples(10_000, 100, 1)], at="#tab=functions&event=samples")
        rows = self.shown_table("functions")
        self.assertEqual([row[0] for row in rows], ["10,000", "100", "1", "0"])

    def test_what_was_counted_is_said_to_be(self) -> None:
        self.open([example()])
        self.assertIn("counted", self.text("#summary"))
        self.assertNotIn("±", self.text("#summary") + self.text("#frame"))
