# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the page of callgrind_export comes to its numbers: in a worker, without one where
# the browser gives it none, and what it says when some are missing.

from __future__ import annotations

import re

from callgrind.report.tests.page_case import InBrowser, export
from callgrind.report.tests.tree_reading import read
from tests.format.tree_maker import program


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
            '<script id="block-shape" type="application/octet-stream">',
            '<script id="block-shape" type="application/octet-stream">AAAA')
        self.browser.open_until(page, {}, "", "This page cannot be shown")
