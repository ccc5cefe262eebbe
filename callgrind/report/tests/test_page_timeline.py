# SPDX-License-Identifier: GPL-2.0-or-later
#
# The timeline on the page of callgrind_export, in a browser: where calls are drawn, what
# is told of them, and that hands and the address lead to them.

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

from callgrind.report.tests.page_case import InBrowser, number, two_threads
from callgrind.report.tests.timeline_examples import TIMELINE, WITH_HELD, hostile_timeline
from callgrind.report.tests.tree_reading import read
from tests.format.tree_examples import HOSTILE, example
from tree_file.escape import unicode_text

PHONE = {"viewport": {"width": 390, "height": 780}, "hasTouch": True, "isMobile": True}
MAIN, PARSE_FIRST, PARSE_SECOND, OTHER_MAIN = range(4)  # the calls of TIMELINE


def many_calls(count: int) -> bytes:
    """Calls of 3 instructions in one of main's, and at last one of 10,000."""
    time = 10 * count + 10_000
    lines = [
        "callgrind-timeline 1",
        "creator a test",
        "process 1 1 0 ./x",
        "limit 1",
        "function 1 0 0 0 short",
        "function 2 0 0 0 long",
        "function 3 0 0 0 main",
        f"thread 1 1 1 0 0 {time}",
        f"calls {count + 2}",
        *["1 3 10"] * count,
        f"2 9999 {time - 10 * count}",
        f"3 {time} 0",
        f"end {count + 2} 0 0",
    ]
    return "\n".join([*lines, ""]).encode()


class OnLanes(InBrowser):
    def show(
        self, content: bytes = TIMELINE.encode(), at: str = "", **settings: Any
    ) -> None:
        path = self.folder / "a.timeline"
        path.write_bytes(content)
        at = f"#view=timeline{at}"
        self.open([example()], "--timeline", str(path), at=at, **settings)

    def ask(self, script: str) -> Any:
        return self.browser.evaluate(script)

    def chosen(self) -> int:
        return int(self.ask("moments.call"))

    def span(self) -> list[int]:
        return [round(time) for time in self.ask("moments.span")]

    def middle(self, call: int) -> dict[str, float]:
        found: dict[str, float] = self.ask(f"moments.lanes.middleOf({call})")
        return found

    def pixel(self, x: float, y: float) -> list[int]:
        """The colour on the canvas at a place of the window."""
        found: list[int] = self.ask(
            "(() => { const c = document.querySelector('#lanes canvas');"
            " const b = c.getBoundingClientRect(), r = window.devicePixelRatio;"
            f" return [...c.getContext('2d').getImageData(({x} - b.left) * r,"
            f" ({y} - b.top) * r, 1, 1).data]; }})()"
        )
        return found

    def click(self, call: int) -> None:
        place = self.middle(call)
        self.browser.click_at(place["x"], place["y"])


class Drawn(OnLanes):
    def test_it_fits_a_sheet_of_paper(self) -> None:
        self.show()
        self.browser.media("print")
        width, height = self.browser.evaluate("""(() => {
          document.body.style.width = "500px";
          const { width, height } =
            document.querySelector("#lanes canvas").getBoundingClientRect();
          return [width, height];
        })()""")
        self.assertLessEqual(width, 500)
        self.assertGreater(height, 50)

    def test_calls_have_the_colour_of_their_function_where_they_are(self) -> None:
        self.show()
        ground = self.pixel(self.ask("moments.lanes.xOf(2)"), self.middle(MAIN)["y"])
        colours = []
        for call in (MAIN, PARSE_FIRST, PARSE_SECOND, OTHER_MAIN):
            place = self.middle(call)
            # Below the name.
            colours.append(self.pixel(place["x"], place["y"] + 7))
        self.assertEqual(colours[MAIN], colours[OTHER_MAIN])
        self.assertEqual(colours[PARSE_FIRST], colours[PARSE_SECOND])
        self.assertEqual(len({tuple(c) for c in [ground, *colours[:2]]}), 3)
        # The axis is that of the first thread: the second begins at 50, and ends at 170.
        box = self.browser.boxes("#lanes")[0]
        per_instruction = box["width"] / 170
        second = self.middle(OTHER_MAIN)
        self.assertAlmostEqual(second["x"] - box["x"], 60 * per_instruction, delta=1)
        self.assertGreater(second["y"], self.middle(PARSE_FIRST)["y"])
        self.picture("timeline")

    def test_held_bytes_are_a_curve_above_the_calls(self) -> None:
        self.show(WITH_HELD.encode())
        box = self.browser.boxes("#lanes")[0]
        top = self.ask("moments.lanes.placed[0].held") + box["y"]

        def told(time: int) -> str:
            at = box["x"] + self.ask(f"moments.lanes.xOf({time})")
            self.browser.move_to(at, top + 35)
            is_shown = self.browser.style("#tip", "display") != "none"
            return self.text("#tip") if is_shown else ""

        # Nothing is known before the first stretch.
        times = (10, 30, 50, 70, 90)
        shown = ["", "500 bytes held", "200 bytes held", "700 bytes held", "0 bytes held"]
        self.assertEqual([told(time) for time in times], shown)

        def is_filled(time: int, height: int) -> bool:
            at = box["x"] + self.ask(f"moments.lanes.xOf({time})")
            return self.pixel(at, top + 38 - height) != self.pixel(at, top + 1)

        # The highest, 700 bytes, is 36 pixels high.
        heights = [[is_filled(time, height) for height in (5, 20, 33)] for time in times]
        self.assertEqual(heights, [
            [False, False, False], [True, True, False], [True, False, False],
            [True, True, True], [False, False, False]])  # fmt: skip
        self.assertIn("at most 700 bytes held", self.ask(
            "moments.lanes.titleOf(moments.timeline.threads[0])"))  # fmt: skip
        self.picture("timeline-held")

    def test_what_shares_a_pixel_hides_no_longer_call(self) -> None:
        """Ten thousand short ones, and a long one that begins on their last pixel."""
        self.show(many_calls(10_000))
        self.browser.press("Escape")
        long = self.ask("moments.timeline.size") - 1
        place = self.middle(long)
        drawn = self.pixel(place["x"], place["y"] + 7)
        ground = self.pixel(place["x"], place["y"] + 40)
        self.assertNotEqual(drawn, ground)
        rows = self.ask("moments.timeline.threads[0].rows.map((row) => row.length)")
        self.assertEqual(rows, [1, 10_001])

    def test_names_of_all_kinds(self) -> None:
        self.show(hostile_timeline())
        for call, name in enumerate(HOSTILE):
            shown = self.ask(f"moments.nameOf({call})")
            self.assertEqual(shown, unicode_text(name))
        self.browser.focus("#lanes")
        self.browser.press("ArrowDown")
        for name in HOSTILE[1:]:
            self.browser.press("ArrowDown")
            self.assertEqual(self.text("#frame h2"), unicode_text(name))
        self.browser.press("PageUp")
        self.assertEqual(self.chosen(), 0)

    def test_a_page_without_one_has_no_such_view(self) -> None:
        self.open([example()], at="#view=timeline")
        self.assertEqual(self.ask("state.view"), "calls")
        self.assertEqual(self.browser.attributes("#view-timeline", "hidden"), [""])
        self.browser.focus("#graph")
        for _ in range(3):
            self.browser.press("v")
        self.assertEqual(self.ask("state.view"), "calls")


class Told(OnLanes):
    def numbers(self) -> list[int]:
        return [number(row[1]) for row in self.shown_table("costs")]

    def test_a_call(self) -> None:
        self.show()
        self.click(PARSE_SECOND)
        self.assertEqual(self.text("#frame h2"), "parse")
        # Lasted, began, ended; all its calls, their number.
        self.assertEqual(self.numbers(), [60, 30, 90, 70, 2])
        self.assertEqual(self.browser.texts("#frame .path button"), ["main"])
        self.assertIn("30 to 90, thread 1", self.text("#status"))
        self.browser.click("#frame .path button")
        self.assertEqual(self.numbers(), [95, 5, 100, 115, 2])
        self.assertIn("not ended", self.text("#frame .place"))
        self.click(OTHER_MAIN)
        self.assertEqual(self.numbers(), [20, 0, 20, 115, 2])

    def test_threads_and_marks(self) -> None:
        self.show()
        threads = [[number(cell) for cell in row[:3]] + row[3:]
                   for row in self.shown_table("threads")]
        self.assertEqual(threads, [[100, 0, 3, "thread 1"], [120, 50, 1, "thread 2"]])
        marks = self.shown_table("marks")
        self.assertEqual(
            marks, [["30", "thread 1", "here"], ["40", "thread 1", "signal 10"]]
        )
        self.browser.click("table.marks button")
        begin, end = self.span()
        self.assertTrue(begin <= 30 <= end and end - begin < 20, (begin, end))

    def test_the_function_in_the_whole_run(self) -> None:
        self.show()
        self.click(PARSE_FIRST)
        self.browser.click("#frame .actions button:has-text('On all paths')")
        self.assertEqual(self.text("#frame h2"), "parse")
        self.assertIn("on all paths", self.text("#frame .place"))


class Hands(OnLanes):
    def test_keys(self) -> None:
        self.show()
        self.browser.focus("#lanes")
        seen = []
        for key in (
            "ArrowRight", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp",
        ):
            self.browser.press(key)
            seen.append(self.chosen())
        # At first the costliest thread's outermost call.
        self.assertEqual(seen[0], OTHER_MAIN)
        self.assertEqual(seen[1:], [OTHER_MAIN] * 4 + [MAIN])
        for key, call in (
            ("ArrowDown", PARSE_SECOND), ("ArrowLeft", PARSE_FIRST),
            ("ArrowRight", PARSE_SECOND), ("ArrowUp", MAIN),
        ):
            self.browser.press(key)
            self.assertEqual(self.chosen(), call)
        self.browser.press("ArrowDown")
        self.browser.press("Enter")
        self.assertEqual(self.span(), [29, 91])
        self.browser.press("-")
        self.assertEqual(self.span(), [0, 124])
        self.browser.press("+")
        begin, end = self.span()
        self.assertEqual(end - begin, 62)
        self.browser.press(">")
        self.assertGreater(self.span()[0], begin)
        self.browser.press("Backspace")
        self.assertEqual(self.chosen(), MAIN)
        self.browser.press("Escape")
        self.assertEqual((self.span(), self.chosen()), ([0, 170], -1))
        self.assertEqual(self.browser.focused(), "lanes")

    def test_mouse(self) -> None:
        self.show()
        place = self.middle(PARSE_SECOND)
        self.browser.move_to(place["x"], place["y"])
        self.assertIn("60 instructions, from 30 to 90", self.text("#tip"))
        mark = self.ask("moments.lanes.xOf(40) + moments.lanes.element.offsetLeft")
        self.browser.move_to(mark, self.middle(MAIN)["y"] - 17)
        self.assertEqual(self.text("#tip"), "signal 10")
        self.browser.double_click_at(place["x"], place["y"])
        self.assertEqual((self.chosen(), self.span()), (PARSE_SECOND, [29, 91]))
        self.browser.drag(place["x"], place["y"], place["x"] - 100, place["y"])
        begin, end = self.span()
        self.assertGreater(begin, 29)
        self.assertEqual((end - begin, self.chosen()), (62, PARSE_SECOND))

    def test_the_address_holds_what_is_seen(self) -> None:
        self.show()
        self.click(PARSE_FIRST)
        self.browser.press("Enter")
        before = (self.span(), self.chosen(), self.text("#frame"))
        self.browser.reload()
        self.assertEqual((self.span(), self.chosen(), self.text("#frame")), before)
        self.browser.back()
        self.assertEqual(self.span(), [0, 170])
        self.browser.forward()
        self.assertEqual(self.span(), before[0])

    def test_a_wrong_address_shows_all(self) -> None:
        self.show(at="&span=90-20&call=77")
        self.assertEqual((self.span(), self.chosen()), ([0, 170], -1))
        self.assertEqual(self.text("#frame h2"), "timeline")

    def test_from_match_to_match(self) -> None:
        self.show()
        self.browser.fill("#search", "parse")
        seen = []
        for _ in range(3):
            self.browser.press("Enter")
            seen.append((self.chosen(), self.text("#match-place")))
        first, second = (PARSE_FIRST, "1 of 2"), (PARSE_SECOND, "2 of 2")
        self.assertEqual(seen, [first, second, first])
        self.browser.focus("#lanes")
        self.browser.press("p")
        self.assertEqual((self.chosen(), self.text("#match-place")), second)

    def test_from_view_to_view(self) -> None:
        self.show()
        self.click(PARSE_FIRST)
        self.browser.press("s")
        self.assertEqual(self.ask("[state.view, state.fn !== -1]"), ["sandwich", True])
        self.browser.choose("#view", "timeline")
        self.assertEqual(self.browser.count("#lanes:visible"), 1)
        self.assertEqual(self.browser.count("#graph:visible"), 0)
        self.browser.press("v")


class EverybodysHands(OnLanes):
    def test_axe_finds_no_fault(self) -> None:
        shown: list[tuple[str, dict[str, Any]]]
        shown = [("light", {}), ("dark", {}), ("dark", PHONE)]
        for scheme, settings in shown:
            self.show(at=f"&call={PARSE_FIRST}", colorScheme=scheme, **settings)
            self.assertEqual(self.browser.violations(), [], (scheme, settings))
            self.picture(f"timeline-{scheme}{'-phone' if settings else ''}")
        width = self.ask("document.documentElement.scrollWidth")
        self.assertEqual(width, 390)

    def test_a_thread_that_has_a_name(self) -> None:
        named = TIMELINE.replace("thread 2 1 2 1 50 120", "thread 2 1 2 1 50 120 a  name")
        path = self.folder / "named"
        path.write_text(named)
        self.open([example()], "--timeline", str(path), at="#view=timeline")
        titles = [row[3] for row in self.shown_table("threads")]
        self.assertEqual(titles, ["thread 1", "thread 2: a  name"])

    def test_beside_it_all_threads_are_counted_whichever_was_chosen(self) -> None:
        content = two_threads(["f", "g"])
        path = self.folder / "timeline"
        path.write_text(TIMELINE)
        self.open([content], "--timeline", str(path), at="#trees=thread+2%3A+worker")
        one = number(self.text("#total"))
        self.browser.choose("#view", "timeline")
        self.assertEqual(self.browser.evaluate("byId('trees').value"), "0")
        self.assertIn("together", self.text("#summary"))
        self.assertEqual(number(self.text("#total")), read(content).totals()[0])
        self.browser.choose("#view", "callers to callees")
        self.assertIn("thread 2: worker alone", self.text("#summary"))
        self.assertEqual(number(self.text("#total")), one)

    def test_as_a_file(self) -> None:
        self.show()
        path = self.folder / "graph.svg"
        self.browser.download("#save", str(path))
        root = ElementTree.parse(path).getroot()
        space = "{http://www.w3.org/2000/svg}"
        labels = [found.text for found in root.iter(space + "text")]
        self.assertEqual(labels.count("main"), 2)
        self.assertEqual(labels.count("parse"), 2)
        self.assertIn("thread 2 · 120 instructions", labels)
