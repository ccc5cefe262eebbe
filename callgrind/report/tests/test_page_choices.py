# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of callgrind_export in a browser: parts, threads, and two executions compared.

from __future__ import annotations

from callgrind.report.tests.page_case import (
    InBrowser,
    number,
    require_library,
    two_threads,
)
from callgrind.report.tests.tree_reading import read
from tests.format.tree_examples import HOSTILE
from tests.format.tree_maker import Maker, program
from tree_file.escape import unicode_text

setUpModule = require_library


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
