# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of callgrind_export in a browser: parts, threads, and two executions compared.

from __future__ import annotations

import re
from typing import Iterable

from callgrind.report.tests.page_case import (
    InBrowser,
    number,
    two_threads,
)
from callgrind.report.tests.tree_reading import read
from tests.format.tree_examples import HOSTILE
from tests.format.tree_maker import Maker, program
from tree_file.escape import unicode_text


class Choices(InBrowser):
    def test_parts_and_threads(self) -> None:
        content = two_threads(["f", "g", "h"])
        forest = read(content)
        self.open([content])
        trees = forest.trees
        wanted = {
            "all": forest.totals()[0],
            "part 1: trigger 1": sum(sum(t.nodes.costs[0]) for t in trees[:2]),
            "part 2: trigger 2": sum(sum(t.nodes.costs[0]) for t in trees[2:]),
            "thread 1: main": sum(sum(t.nodes.costs[0]) for t in trees[::2]),
            "thread 2: worker": sum(sum(t.nodes.costs[0]) for t in trees[1::2]),
        }
        self.assertEqual(self.browser.texts("#trees option"), list(wanted))
        for label, total in wanted.items():
            self.browser.choose("#trees", label)
            self.assertEqual(number(self.text("#total")), total, label)

    def test_a_thread_has_the_name_that_it_had_last(self) -> None:
        content = two_threads(["f"])
        lines = content.decode().splitlines()
        self.assertIn("thread 1 1 1 main", lines)
        renamed = content.replace(b"thread 1 1 1 main", b"thread 1 1 1 ")
        # Of a second document, which a program has appended.
        self.open([renamed + content])
        self.assertIn("thread 1: main", self.browser.texts("#trees option"))

    def test_the_header_says_what_is_added_up(self) -> None:
        self.open([two_threads(["f"])])
        self.assertIn("all 2 parts, 2 threads together", self.text("#summary"))
        self.browser.choose("#trees", "thread 2: worker")
        self.assertIn("thread 2: worker alone", self.text("#summary"))
        self.assertNotIn("together", self.text("#summary"))

    def test_two_runs(self) -> None:
        old, new = two_threads(["f", "g", "h"]), two_threads(["f", "g", "h"], 3)
        self.open([old, new])
        forests = read(old), read(new)
        totals = [forest.totals()[0] for forest in forests]
        self.assertEqual(number(self.text("#total")), totals[1])
        self.assertEqual(self.cost("inclusive", "Ir", "old"), totals[0])
        self.assertEqual(self.cost("inclusive", "Ir", "new"), totals[1])
        grown = 100 * (totals[1] - totals[0]) / totals[0]
        self.assertIn(f"+{grown:.2f}%", self.text("#summary"))
        widths = {}
        for label, column in (("old run", 0), ("new run", 1)):
            self.browser.choose("#width", label)
            whole, frame = (
                self.browser.boxes(f"g.frame[data-node='{node}'] rect")[0]["width"]
                for node in (0, 3)
            )
            costs = [
                sum(tree.nodes.inclusive(0)[2] for tree in forest.trees)
                for forest in forests
            ]
            widths[label] = frame / whole
            self.assertAlmostEqual(frame / whole, costs[column] / totals[column], 2)
        self.assertNotEqual(*widths.values())
        self.browser.click("g.frame[data-node='2']")
        for run, forest in zip(("old", "new"), forests):
            wanted = sum(tree.nodes.costs[0][1] for tree in forest.trees)
            self.assertEqual(self.cost("self", "Ir", run), wanted)

    def test_what_changed_most_by_function_and_by_path(self) -> None:
        content = program("c", 3000, 1)
        self.open([content, changed(content)])
        forest, new = read(content), read(changed(content))
        nodes, other = forest.trees[0].nodes, new.trees[0].nodes
        by_path = [new - old for old, new in zip(nodes.costs[0], other.costs[0])]
        by_function: dict[str, int] = {}
        for function, change in zip(nodes.functions, by_path):
            name = forest.functions[function].name
            by_function[name] = by_function.get(name, 0) + change

        def largest(changes: Iterable[int]) -> list[int]:
            return sorted((abs(change) for change in changes), reverse=True)[:15]

        rows = self.shown_table("functions")
        self.assertEqual({row[3]: number(row[1]) for row in rows},
                         {row[3]: by_function[row[3]] for row in rows})
        self.assertEqual([abs(number(row[1])) for row in rows],
                         largest(by_function.values()))
        rows = self.shown_table("paths")
        self.assertEqual([abs(number(row[1])) for row in rows], largest(by_path))
        self.browser.click("#frame .paths button")
        path = [row for row in rows[0][3].split(" < ")]
        self.assertEqual(self.text("#frame h2"), path[0])
        self.browser.press("Escape")
        self.browser.click("#tab-functions")
        self.browser.choose("#functions .sort", "change of self")
        rows = self.shown_table("functions")
        self.assertEqual([abs(number(row[1])) for row in rows[:15]],
                         largest(by_function.values()))

    def test_a_remainder_is_no_path_that_changed(self) -> None:
        content = program("c", 3000, 1)
        self.open([content, changed(content)], "--max-frames", "20")
        paths = [row[3].split(" < ")[0] for row in self.shown_table("paths")]
        self.assertTrue(paths)
        self.assertNotIn("(bundled)", paths)

    def test_unchanged_frames_are_grey(self) -> None:
        content = two_threads(["f", "g", "h"])
        self.open([content, content])
        fills = set(self.browser.attributes("g.frame rect", "fill"))
        self.assertTrue(all(re.fullmatch(r"hsl\(220 \d+% \d+%\)", f) for f in fills))

    def test_functions_are_the_same_as_the_options_say(self) -> None:
        old, new = two_threads(["f", "g"]), two_threads(["f_v2", "g_v2"])
        self.open([old, new])
        self.assertIn("gone", self.browser.texts("#frame .functions td"))
        self.open([old, new], "--map-name", "s/_v2$//")
        self.assertNotIn("gone", self.browser.texts("#frame .functions td"))

    def test_programs_of_other_names_are_the_same_if_asked_for(self) -> None:
        old = two_threads(["f", "g"])
        new = old.replace(b"/bin/prog", b"/bin/copy")
        self.open([old, new])
        self.assertIn("gone", self.browser.texts("#frame .functions td"))
        self.open([old, new], "--match=name")
        self.assertNotIn("gone", self.browser.texts("#frame .functions td"))

    def test_a_comparison_of_programs_looks_well(self) -> None:
        self.open([program("c", 3000, 1), changed(program("c", 3000, 1))])
        self.assertIn("3,000 frames", self.text("#summary"))  # of both: all are matched
        self.picture("comparison")
        self.browser.click("g.frame[data-node='2']")
        self.picture("comparison-zoomed")

    def test_hostile_names_are_text(self) -> None:
        self.open([two_threads([*HOSTILE, "<img src=x onerror=window.broken=1>"])])
        self.browser.click("#tab-functions")
        shown = set(self.browser.texts("#functions td.name"))
        for name in HOSTILE:
            self.assertIn(unicode_text(name), shown)
        self.assertIsNone(self.browser.evaluate("window.broken ?? null"))
        self.assertEqual(self.browser.count("img"), 0)


def changed(content: bytes) -> bytes:
    """Another build: the same paths, of some functions more cost, of some less."""
    maker = Maker()
    forest = read(content)
    nodes = forest.trees[0].nodes
    thread = maker.thread(1, "main")
    ids = [
        maker.function(
            each.name, each.object.path if each.object else "", each.source, each.line
        )
        for each in forest.functions
    ]
    maker.part(1)
    maker.tree(thread)
    for node, parent in enumerate(nodes.parents):
        function = nodes.functions[node]
        factor = (10, 10, 10, 14, 7, 20)[function % 6]
        costs = [column[node] for column in nodes.costs]
        kind = chr(nodes.kinds[node]).replace("c", "")
        costs[0] = costs[0] * factor // 10
        maker.node(parent + 1, ids[function], nodes.calls[node], *costs, kind=kind)
    maker.total()
    return maker.end()
