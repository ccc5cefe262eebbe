# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the page of callgrind_export comes to its numbers: in a worker, without one where
# the browser gives it none, and what it says when some are missing.

from __future__ import annotations

import re
from unittest import mock

from callgrind.report.tests.page_case import InBrowser, export, nodes_of, page_numbers
from callgrind.report.tests.tree_reading import read
from tests.format.tree_maker import Maker, program

NARROW_FUNCTIONS = 1 << 15  # so many have numbers of 16 bits


class WhereNumbersAreUnpacked(InBrowser):
    def changed(self, old: str, new: str) -> str:
        """A page with one thing in it that is another."""
        self.content = program("c", 3000)
        page = export(self.folder, [self.content])
        text = page.read_text("utf-8")
        self.assertEqual(len(re.findall(old, text)), 1)
        page.write_text(re.sub(old, lambda _: new, text), "utf-8")
        return str(page)

    def check_numbers(self) -> None:
        self.assertEqual(self.browser.texts("html[data-state=ready] #total"),
                         [f"{read(self.content).totals()[0]:,}"])
        for event, total in enumerate(read(self.content).totals()):
            self.assertEqual(
                self.browser.evaluate(f"state.tree.total(0, {event})"), total)

    def test_in_a_worker(self) -> None:
        self.browser.open(self.changed(r"unpackHere\(block\) {",
                                       "unpackHere(block) { throw new Error('here');"))
        self.check_numbers()
        self.assertEqual(self.browser.problems(), [])

    def test_a_browser_that_has_no_workers(self) -> None:
        self.browser.open(self.changed(r"new Worker\(url\)", "new NoSuchWorker(url)"))
        self.check_numbers()
        self.assertEqual(self.browser.problems(), [])

    def test_a_browser_that_starts_none_for_this_page(self) -> None:
        """It says so once the worker is made, and in its console."""
        self.browser.open(self.changed("worker-src blob:", "worker-src 'none'"))
        self.check_numbers()
        self.assertTrue(all("orker" in each for each in self.browser.problems()))

    def test_what_the_first_view_needs_is_unpacked_first(self) -> None:
        """Other events are not begun before it stands, and are there in the end."""
        self.browser.open(self.changed(
            r'performance\.mark\("drawn"\)',
            "globalThis.begunFirst = [...blocks.found]"
            ".filter(([, { isBegun }]) => isBegun).map(([name]) => name)"))
        self.assertEqual(sorted(self.browser.evaluate("begunFirst")),
                         ["0", "calls", "functions", "shape"])
        self.check_numbers()

    def test_what_the_address_asks_for_is_unpacked_first(self) -> None:
        page = self.changed(
            r'performance\.mark\("drawn"\)',
            "globalThis.shown = byId('total').textContent")
        event = read(self.content).events[1].name
        self.browser.open(page, {}, f"#event={event}")
        total = read(self.content).totals()[1]
        self.assertTrue(self.browser.evaluate("shown").startswith(f"{total:,}"))

    def test_a_page_is_seen_when_it_has_its_numbers(self) -> None:
        page = self.changed(
            r"const profile = new Profile",
            "globalThis.wasHidden = !document.body.checkVisibility();\n"
            "const profile = new Profile")
        # What is hidden until then is seen in the end, however long it takes.
        self.browser.open(page)
        self.assertTrue(self.browser.evaluate("wasHidden"))
        self.assertEqual(self.browser.count("#graph:visible"), 1)

    def test_a_page_that_is_cut_off(self) -> None:
        for block in ("shape", "calls", "0"):
            page = self.changed(rf'<script>blockArrived\("{block}", "\w+"\)</script>', "")
            self.browser.open_until(page, {}, "", "a part of its numbers is missing")

    def test_a_page_that_is_cut_off_before_its_own_script(self) -> None:
        page = self.changed(r'(?s)<script id="data".*', "")
        self.browser.open_until(page, {}, "", "a part of its numbers is missing")

    def test_a_block_that_is_damaged(self) -> None:
        """What the worker says of it reaches the reader."""
        page = self.changed(
            '<script data-block="shape" type="application/octet-stream">',
            '<script data-block="shape" type="application/octet-stream">AAAA')
        self.browser.open_until(page, {}, "", "This page cannot be shown")


class InPieces(WhereNumbersAreUnpacked):
    """All of the above, with blocks that arrive in many pieces."""

    def setUp(self) -> None:
        super().setUp()
        small = mock.patch("export.html_page.PIECE", 400)
        small.start()
        self.addCleanup(small.stop)

    def test_a_block_that_is_damaged(self) -> None:
        """The rest of it arrives when the worker has given up."""
        page = self.changed(
            r'(?<=</noscript>\n)'
            '<script data-block="shape" type="application/octet-stream">',
            '<script data-block="shape" type="application/octet-stream">AAAA')
        self.browser.open_until(page, {}, "", "This page cannot be shown")

    def test_a_block_whose_end_is_damaged(self) -> None:
        page = self.changed(
            r'<script data-block="shape" type="application/octet-stream">'
            r'(?=[^<]*</script><script>blockArrived\("shape", )',  # the last piece
            '<script data-block="shape" type="application/octet-stream">AAAA')
        self.browser.open_until(page, {}, "", "This page cannot be shown")


class WhatTheyBecome(InBrowser):
    def test_numbers_of_every_width(self) -> None:
        """Each array is as narrow as its numbers; here some have the widest."""
        maker = Maker()
        costs = [5, 254, 255, 70_000, (1 << 32) - 2, 1 << 32, 1 << 40]
        costs += [1] * NARROW_FUNCTIONS
        of_32_bits = [min(cost, (1 << 32) - 2) for cost in costs]  # but not their sum
        functions = [maker.function(f"f{place}") for place in range(len(costs))]
        thread = maker.thread(1, "main")
        maker.part(1)
        maker.tree(thread)
        for function, cost, narrow in zip(functions, costs, of_32_bits):
            maker.node(0, function, cost, cost, narrow)
        maker.total()
        self.open([maker.end()])
        tree = "state.tree"
        self.assertEqual(
            self.browser.evaluate(f"Array.from({tree}.functions)"),
            [-1, *range(len(costs))])
        for what, expected in (
            ("selfCost(0, 0, i + 1)", costs),
            ("inclusiveCost(0, 0, i + 1)", costs),
            ("selfCost(0, 1, i + 1)", of_32_bits),
            ("calls(0, i + 1)", costs),
        ):
            self.assertEqual(
                self.browser.evaluate(f"Array.from({tree}.functions).slice(1)"
                                      f".map((_, i) => {tree}.{what})"),
                expected, what)
        self.assertEqual(self.cost("inclusive", "Ir"), sum(costs))

    def test_paths_and_their_parents(self) -> None:
        content = program("c", 3000)
        _, nodes = nodes_of(content)
        numbers = page_numbers(nodes)
        parents = [-1] * (len(nodes) + 1)
        for node, parent in enumerate(nodes.parents):
            parents[numbers[node]] = numbers[parent] if parent >= 0 else 0
        self.open([content])
        self.assertEqual(self.browser.evaluate("Array.from(state.tree.parents)"), parents)
        # Asked for while they are still being made.
        self.assertEqual(self.browser.evaluate(
            "state.tree.parentsFound = null, state.tree.addParents(1234),"
            "Array.from(state.tree.parents)"), parents)
        paths = self.browser.evaluate(
            "Array.from(state.tree.parents).map((_, node) => state.tree.pathTo(node))")
        for node, path in enumerate(paths):
            self.assertEqual(path[-1], node)
            self.assertEqual([parents[each] for each in path], [-1, *path[:-1]])
