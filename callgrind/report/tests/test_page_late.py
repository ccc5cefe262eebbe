# SPDX-License-Identifier: GPL-2.0-or-later
#
# What of the page has to be loaded may come when its reader has gone on: it takes nobody
# away from what was asked for later.

from __future__ import annotations

from callgrind.report.tests.page_case import InBrowser
from callgrind.report.tests.test_page_lines import PROFILE
from callgrind.report.tests.timeline_examples import TIMELINE
from tests.format.tree_examples import example

# What is loaded from now on comes when a test says so.
HOLD = "void (%s.loading = new Promise((done) => { globalThis.arrive = done; }))"
HOLD_EVENT = """(() => {
  const held = new Promise((done) => { globalThis.arrive = done; });
  const load = state.tree.loadEvent;
  state.tree.loadEvent = function (event) {
    return event === 1 ? held : load.call(this, event);
  };
})()"""
ARRIVE = "(arrive(), new Promise((done) => setTimeout(done)))"


class Late(InBrowser):
    def setUp(self) -> None:
        super().setUp()
        for name, content in (("profile", PROFILE), ("timeline", TIMELINE)):
            (self.folder / name).write_text(content, "ascii")
        self.open([example()], "--lines", str(self.folder / "profile"),
                  "--timeline", str(self.folder / "timeline"))

    def hold(self, what: str) -> None:
        self.browser.evaluate(HOLD_EVENT if what == "event" else HOLD % what)

    def arrives(self) -> None:
        self.browser.evaluate(ARRIVE)

    def state(self, name: str) -> object:
        return self.browser.evaluate(f"state.{name}")

    def tab(self) -> str:
        return self.text("[role=tab][aria-selected=true]")

    def test_it_is_shown_when_it_comes(self) -> None:
        self.hold("sourceLines")
        self.browser.click("#tab-lines")
        self.assertEqual(self.tab(), "Frame")
        self.arrives()
        self.assertEqual(self.tab(), "Lines")
        self.hold("moments")
        self.browser.choose("#view", "timeline")
        self.assertEqual(self.state("view"), "calls")
        self.arrives()
        self.assertEqual(self.state("view"), "timeline")
        self.browser.choose("#view", "callers to callees")
        self.hold("event")
        self.browser.choose("#event", "sysTime")
        self.assertEqual(self.state("event"), 0)
        self.arrives()
        self.assertEqual(self.state("event"), 1)
        self.assertEqual(self.tab(), "Lines")

    def test_another_tab_that_was_chosen_since(self) -> None:
        for other in ("Functions", "Frame", "Objects"):
            self.browser.click("#tab-objects")
            self.hold("sourceLines")
            self.browser.click("#tab-lines")
            self.browser.click(f"#tab-{other.lower()}")
            self.arrives()
            self.assertEqual(self.tab(), other)

    def test_a_frame_that_was_chosen_since(self) -> None:
        self.browser.click("#tab-objects")
        self.hold("sourceLines")
        self.browser.click("#tab-lines")
        self.browser.focus("#graph")
        self.browser.press("ArrowUp")
        name = self.text("#frame h2")
        self.assertNotEqual(name, "all")
        self.arrives()
        self.assertEqual((self.tab(), self.text("#frame h2")), ("Frame", name))
        self.assertNotIn("tab=", self.browser.url())

    def test_what_else_was_done_since_stays(self) -> None:
        """It is no reason to forget the tab."""
        self.hold("sourceLines")
        self.browser.click("#tab-lines")
        self.browser.fill("#search", "parse")
        self.browser.press("Tab")
        self.browser.choose("#order", "by name")
        self.arrives()
        self.assertEqual(self.tab(), "Lines")
        self.assertEqual((self.state("search"), self.state("order")), ("parse", "name"))

    def test_keys_in_the_row_of_tabs(self) -> None:
        self.hold("sourceLines")
        self.browser.click("#tab-files")
        self.browser.press("ArrowRight")
        self.browser.click("#tab-functions")
        self.arrives()
        self.assertEqual((self.tab(), self.browser.focused()),
                         ("Functions", "tab-functions"))
        self.browser.click("#tab-files")
        self.browser.press("ArrowRight")
        self.assertEqual((self.tab(), self.browser.focused()), ("Lines", "tab-lines"))

    def test_another_view_that_was_chosen_since(self) -> None:
        for view, label in (("inverted", "inverted: to callers"),
                            ("calls", "callers to callees")):
            self.hold("moments")
            self.browser.choose("#view", "timeline")
            self.browser.choose("#view", label)
            self.arrives()
            self.assertEqual(self.state("view"), view)
            self.assertEqual(self.browser.count("#lanes:visible"), 0)

    def test_another_event_that_was_chosen_since(self) -> None:
        self.hold("event")
        self.browser.choose("#event", "sysTime")
        self.browser.choose("#event", "Ir")
        self.arrives()
        self.assertEqual(self.state("event"), 0)

    def test_going_back_further(self) -> None:
        self.browser.click("#tab-lines")
        self.browser.click("#tab-functions")
        self.hold("sourceLines")
        self.browser.evaluate("location.hash = '#tab=lines'")
        self.browser.evaluate("location.hash = '#tab=files&order=name'")
        self.browser.appears("[role=tab][aria-selected=true]", "Files")
        self.arrives()
        self.assertEqual((self.tab(), self.state("order")), ("Files", "name"))
