# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of callgrind_export for those who use keys: where the focus is after each
# step, and which frame the arrows have come to, in each view and in the address.

from __future__ import annotations

from callgrind.report.tests.page_case import number
from callgrind.report.tests.test_page_views import Graphs, two_callers
from tests.format.tree_maker import program


class Focus(Graphs):
    def focused(self) -> str:
        return str(self.browser.evaluate(
            "(({ tagName, id, className }) => `${tagName} ${id || className}`)"
            "(document.activeElement)"
        ))

    def test_choosing_how_a_table_is_sorted(self) -> None:
        """The choice is made anew with the table; keys go on in it."""
        for tab in ("functions", "objects", "files"):
            self.open([two_callers()], at=f"#tab={tab}")
            self.browser.focus(f"#{tab} select")
            self.browser.press("ArrowDown")
            self.assertEqual(self.browser.evaluate("state.cost"), "inclusive")
            self.assertEqual(self.focused(), "SELECT sort")
            self.browser.press("ArrowUp")
            self.assertEqual(self.browser.evaluate("state.cost"), "self")

    def test_a_button_that_is_of_no_more_use(self) -> None:
        """All is shown, so nothing is left for the button to do."""
        self.open([two_callers()])
        self.click_name("one")
        self.browser.focus("#reset")
        self.browser.press("Enter")
        self.assertEqual(self.focused(), "H2 name")

    def test_from_match_to_match_while_the_focus_is_in_the_numbers(self) -> None:
        self.open([two_callers()])
        self.browser.fill("#search", "/^(one|other)$/")
        self.browser.focus("#frame td.name button >> nth=1")
        self.browser.press("n")
        self.assertEqual((self.shown(), self.focused()), ("other", "H2 name"))


class ForcedColours(Graphs):
    def test_what_is_chosen_is_seen(self) -> None:
        """Where the system has all pages in its own few colours."""
        self.open([two_callers()], forcedColors="active")
        for chosen, other in (
            ("input:checked + span", "input:not(:checked) + span"),
            ("[role=tab][aria-selected=true]", "[role=tab][aria-selected=false]"),
        ):
            self.assertNotEqual(self.browser.style(chosen, "backgroundColor"),
                                self.browser.style(other, "backgroundColor"))


class Selected(Graphs):
    def test_an_address_has_the_frame_that_arrows_came_to(self) -> None:
        for view in ("calls", "inverted"):
            self.open([program("c", 3000)], at=f"#view={view}")
            self.browser.focus("#graph")
            for key in ("ArrowUp", "ArrowUp", "ArrowRight"):
                self.browser.press(key)
            before = self.shown(), self.browser.texts("#frame")
            self.assertNotEqual(before[0], "all")
            self.browser.reload()
            self.assertEqual((self.shown(), self.browser.texts("#frame")), before)
            self.assertEqual(self.browser.count("g.selected"), 1)

    def test_it_stays_while_something_else_changes(self) -> None:
        """Until one zooms, or takes another view."""
        for view in ("calls", "inverted"):
            self.open([program("c", 3000)], at=f"#view={view}")
            self.browser.focus("#graph")
            self.browser.press("ArrowUp")
            chosen = self.shown()
            for key in ("l", "o", "e", "e", "e"):
                self.browser.press(key)
                self.browser.evaluate("new Promise((done) => setTimeout(done))")
                self.assertEqual(self.shown(), chosen, key)
            self.browser.click("#tab-functions")
            self.browser.click("#tab-frame")
            self.assertEqual(self.shown(), chosen)
            self.browser.press("Escape")
            self.assertEqual(self.shown(), "all")


class SandwichKeys(Graphs):
    def test_arrows_go_to_callers_above_and_callees_below(self) -> None:
        self.open([two_callers()])
        self.click_name("shared")
        self.browser.press("s")
        self.browser.focus("#graph")
        for key, wanted in (
            ("ArrowDown", "below"), ("ArrowUp", "shared"), ("ArrowUp", "other"),
            ("ArrowRight", "one"), ("ArrowLeft", "other"), ("ArrowUp", "main"),
            ("ArrowDown", "other"),
        ):
            self.browser.press(key)
            self.assertEqual(self.browser.texts("g.selected"), [wanted], key)
            self.assertTrue(self.text("#status").endswith(f" · {wanted}"))
            self.assertEqual(self.shown(), "shared")
        self.browser.press("Enter")
        self.assertEqual(self.shown(), "other")
        self.assertEqual(self.browser.texts("g.selected"), ["other"])

    def test_the_search_marks_where_it_is(self) -> None:
        self.open([two_callers()])
        self.click_name("shared")
        self.browser.press("s")
        self.browser.fill("#search", "/^(one|other)$/")
        for wanted in ("other", "one"):
            self.browser.press("Enter")
            self.assertEqual(self.browser.texts("g.selected"), [wanted])
        self.assertEqual(number(self.text("#match-place").split(" of ")[0]), 2)
