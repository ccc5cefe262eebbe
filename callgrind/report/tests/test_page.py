# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of callgrind_export in a browser: what it shows of one profile, and how it is
# operated.  Skipped, with the reason, where there is no browser.

from __future__ import annotations

from callgrind.report.tests.page_case import (
    InBrowser,
    nodes_of,
    number,
    page_numbers,
)
from callgrind.report.tests.tree_reading import read
from tests.format.tree_examples import example
from tests.format.tree_maker import program
from tree_file.model import Forest

EVENTS = ["Ir", "sysCount", "sysTime"]


def callers(forest: Forest, name: str) -> dict[str, tuple[int, int]]:
    """Inclusive cost and calls of a function by its callers, from the paths."""
    nodes = forest.trees[0].nodes
    inclusive = nodes.inclusive(0)
    names = [forest.functions[function].name for function in nodes.functions]

    def pair(node: int) -> tuple[str, str]:
        parent = nodes.parents[node]
        return names[node], names[parent] if parent >= 0 else ""

    found: dict[str, tuple[int, int]] = {}
    for node, own in enumerate(names):
        if own != name:
            continue
        _, caller = pair(node)
        cost, calls = found.get(caller, (0, 0))
        above = nodes.parents[node]
        while above >= 0 and pair(above) != pair(node):
            above = nodes.parents[above]
        cost += inclusive[node] if above < 0 else 0
        found[caller] = (cost, calls + nodes.calls[node])
    return found


class Programs(InBrowser):
    """What holds for every profile, on one like a C program and one like a Python one."""

    def test_like_a_c_program(self) -> None:
        self.check("c", program("c", 3000), "HASH")

    def test_like_a_python_program(self) -> None:
        self.check("python", program("python", 6000), "malloc")

    def check(self, like: str, content: bytes, searched: str) -> None:
        """On one page, which each step leaves as it was when it was opened."""
        self.open([content])
        self.check_totals_of_each_event(like, content)
        self.check_that_a_click_zooms_and_shows_the_frame(like, content)
        self.check_search(like, content, searched)

    def check_totals_of_each_event(self, like: str, content: bytes) -> None:
        self.assertEqual(self.browser.texts("#event option"), EVENTS)
        for event, total in zip(EVENTS, read(content).totals()):
            self.browser.choose("#event", event)
            self.assertEqual(number(self.text("#total")), total, (like, event))
            self.assertEqual(self.cost("inclusive", event), total)
        self.browser.press("e")
        self.assertEqual(number(self.text("#total")), read(content).totals()[0])
        self.picture(f"{like}-all")

    def check_that_a_click_zooms_and_shows_the_frame(
        self, like: str, content: bytes
    ) -> None:
        forest, nodes = nodes_of(content)
        # The page's node 0 is all; the widest child of main.
        inclusive = nodes.inclusive(0)
        child = max(
            (node for node, parent in enumerate(nodes.parents) if parent == 0),
            key=lambda node: inclusive[node],
        )
        number_on_page = page_numbers(nodes)[child]
        frame = f"g.frame[data-node='{number_on_page}']"
        whole = self.browser.boxes("g.frame[data-node='0'] rect")[0]["width"]
        before = self.browser.boxes(f"{frame} rect")[0]["width"]
        self.assertAlmostEqual(before / whole, inclusive[child] / inclusive[0], 2)
        self.browser.click(frame)
        after = self.browser.boxes(f"{frame} rect")[0]["width"]
        self.assertAlmostEqual(after, whole, 0)
        name = forest.functions[nodes.functions[child]].name
        self.assertEqual(self.text("#frame h2"), name)
        for index, event in enumerate(EVENTS):
            self.assertEqual(self.cost("self", event), nodes.costs[index][child])
            self.assertEqual(
                self.cost("inclusive", event), nodes.inclusive(index)[child]
            )
        self.assertEqual(self.cost("calls"), nodes.calls[child])
        wanted = callers(forest, name)
        rows = self.shown_table("callers")
        shown = {row[3]: (number(row[0]), number(row[2])) for row in rows}
        self.assertEqual(
            shown, dict(list(wanted.items())) if len(wanted) < 200 else shown
        )
        self.assertGreater(len(shown), 1)
        self.picture(f"{like}-zoomed")
        self.browser.press("Escape")
        self.assertEqual(self.text("#frame h2"), "all")

    def check_search(self, like: str, content: bytes, word: str) -> None:
        forest, nodes = nodes_of(content)
        matches = [word.lower() in each.name.lower() for each in forest.functions]
        inclusive = nodes.inclusive(0)
        cost, inside = 0, [False] * len(nodes)
        for node, parent in enumerate(nodes.parents):
            above = parent >= 0 and inside[parent]
            inside[node] = above or matches[nodes.functions[node]]
            cost += inclusive[node] if inside[node] and not above else 0
        self.browser.press("/")
        self.assertEqual(self.browser.focused(), "search")
        self.browser.fill("#search", word)
        met = {function for function in nodes.functions if matches[function]}
        listed = len(met)
        share = f"{100 * cost / inclusive[0]:.2f}%"
        self.assertEqual(self.text("#matched"), f"{listed} functions, {share}")
        self.browser.click("#tab-functions")
        names = [row[2] for row in self.shown_table("functions")]
        self.assertEqual(
            sorted(names), sorted(forest.functions[index].name for index in met)
        )
        self.picture(f"{like}-search")
        self.browser.fill("#search", "/^main$/")
        self.assertEqual(self.text("#matched"), "1 function, 100.00%")
        self.browser.fill("#search", "/(/")
        self.assertEqual(self.text("#matched"), "")
        self.browser.fill("#search", "no such name")
        self.assertEqual(self.text("#matched"), "nothing found")

    def test_the_list_of_functions(self) -> None:
        content = program("c", 3000)
        forest, nodes = nodes_of(content)
        sums: dict[str, int] = {}
        for function, cost in zip(nodes.functions, nodes.costs[0]):
            name = forest.functions[function].name
            sums[name] = sums.get(name, 0) + cost
        self.open([content])
        self.browser.click("#tab-functions")
        shown = {row[2]: number(row[0]) for row in self.shown_table("functions")[:25]}
        self.assertEqual(shown, {name: sums[name] for name in shown})
        self.assertEqual(list(shown.values()), sorted(sums.values(), reverse=True)[:25])
        self.browser.choose("#functions .sort", "inclusive")
        first = self.shown_table("functions")[0]
        self.assertEqual((first[2], number(first[0])), ("main", sum(nodes.costs[0])))
        self.browser.click("#functions td.name button >> nth=1")
        self.assertNotEqual(self.text("#frame h2"), "all")
        self.assertGreater(self.browser.count("g.frame.match"), 0)


class Layouts(InBrowser):
    def test_flame_grows_up_and_icicle_down(self) -> None:
        self.open([example()])

        def heights() -> list[float]:
            return [
                self.browser.boxes(f"g.frame[data-node='{node}']")[0]["y"]
                for node in (0, 1, 2)
            ]

        everything, main_frame, parse = heights()
        self.assertTrue(everything > main_frame > parse)
        self.browser.press("l")
        everything, main_frame, parse = heights()
        self.assertTrue(everything < main_frame < parse)
        self.picture("icicle")

    def test_dark_and_light(self) -> None:
        grounds = {}
        for scheme in ("light", "dark"):
            self.open([program("c", 3000)], colorScheme=scheme)
            grounds[scheme] = self.browser.style("body", "backgroundColor")
            self.picture(scheme)
        self.assertEqual(grounds["light"], "rgb(255, 255, 255)")
        self.assertNotEqual(grounds["dark"], grounds["light"])
        self.browser.click("#theme")  # from auto to light
        self.assertEqual(self.browser.style("body", "backgroundColor"), grounds["light"])
        self.browser.press("t")
        self.assertEqual(self.browser.style("body", "backgroundColor"), grounds["dark"])

    def test_all_is_reached_with_keys(self) -> None:
        self.open([example()])
        reached = []
        for _ in range(14):
            self.browser.press("Tab")
            reached.append(self.browser.focused())
        for control in ("search", "event", "view", "order", "theme", "graph", "help"):
            self.assertIn(control, reached)
        self.browser.focus("#tab-frame")
        self.browser.press("ArrowRight")  # a row of tabs is one stop
        self.assertEqual(self.browser.focused(), "tab-functions")
        self.assertEqual(self.browser.count("#functions:not([hidden])"), 1)
        self.browser.focus("#graph")
        path = []
        for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown"):
            self.browser.press(key)
            path.append(self.text("#frame h2"))
        self.assertEqual(path, ["main", "parse", "skip_blanks", "read", "parse"])
        self.browser.press("Enter")
        self.assertEqual(self.browser.texts("#path button"), ["all", "main", "parse"])
        self.assertEqual(self.text("#status"), "990 Ir, 88.39% · parse")
        self.browser.press("Backspace")
        self.assertEqual(self.browser.texts("#path button"), ["all", "main"])

    def test_one_click_shows_who_held_the_peak(self) -> None:
        with_peak = example().replace(
            b"sysTime nanoseconds time in system calls",
            b"peakSize bytes held at the peak",
        )
        self.open([with_peak], at="#view=sandwich&fn=main")
        self.browser.click("#peak")
        shown = self.browser.evaluate("[profile.events[state.event][0], state.view]")
        self.assertEqual(shown, ["peakSize", "calls"])
        self.assertEqual(self.cost("inclusive", "peakSize"), 6000)
        self.picture("peak")
        self.open([example()])
        self.assertEqual(self.browser.attributes("#peak", "hidden"), [""])

    def test_the_tip_says_what_the_mouse_is_on(self) -> None:
        self.open([example()])
        self.browser.hover("g.frame[data-node='3'] rect")
        self.assertEqual(self.text("#tip"), "60 Ir, 5.36% · inlinedskip_blanks")
        self.assertEqual(self.browser.violations(), [])
        self.browser.press("e")
        self.assertEqual(self.browser.style("#tip", "display"), "none")

    def test_a_comparison_of_programs_that_share_no_function(self) -> None:
        contents = [program("c", 2000), program("python", 2000)]
        for at in ("#view=calls&width=old", "#view=inverted", "#view=sandwich"):
            self.open(contents, at=at)
            self.assertGreater(self.browser.count("g.frame"), 2, at)
        self.open(contents, at="#tab=functions&cost=change")
        changes = {row[2] for row in self.shown_table("functions")}
        self.assertLessEqual({"gone", "new"}, changes)
