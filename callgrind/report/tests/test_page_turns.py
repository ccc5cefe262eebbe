# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the page of callgrind_export draws when not all of it can be found at once.

from __future__ import annotations

from callgrind.report.tests.page_case import InBrowser, export
from tests.format.tree_maker import program


class DrawnInTurns(InBrowser):
    """What takes long is drawn as far as that goes quickly, and then to its end."""

    PLACES = """[...graph.places.values()].map(({ pane, frame, x, width }) =>
        [pane, frame < NOBODY ? 'rest' : state.views[pane].keyOf(frame), x.toFixed(2),
         width.toFixed(2)]
        .join(" ")).sort()"""

    def places(self, steps: str, change: str) -> tuple[list[str], list[str]]:
        """Of the first drawing, and of the last one."""
        page = export(self.folder, [program("c", 3000)])
        text = page.read_text("utf-8")
        self.assertIn("STEPS_AT_ONCE = 16e3;", text)
        limit = f"STEPS_AT_ONCE = {steps};"
        page.write_text(text.replace("STEPS_AT_ONCE = 16e3;", limit), "utf-8")
        self.browser.open(str(page))
        first = self.browser.evaluate(f"update({change}), {self.PLACES}")
        last = self.browser.evaluate(
            "new Promise((done) => { const look = () => graph.unfinished"
            f" ? requestAnimationFrame(look) : done({self.PLACES}); look(); }})")
        self.assertEqual(self.browser.problems(), [])
        return first, last

    def test_an_inverted_graph(self) -> None:
        whole, _ = self.places("16e3", "{ view: 'inverted' }")
        first, last = self.places("20", "{ view: 'inverted' }")
        self.assertEqual(last, whole)
        self.assertLess(len(first), len(whole))
        self.assertGreater(len(first), 5)  # the functions that cost most, at least

    def test_a_sandwich(self) -> None:
        change = "{ view: 'sandwich', fn: costliestFunction() }"
        whole, _ = self.places("16e3", change)
        first, last = self.places("20", change)
        self.assertEqual(last, whole)
        self.assertLess(len(first), len(whole))
