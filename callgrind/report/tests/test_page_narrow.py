# SPDX-License-Identifier: GPL-2.0-or-later
#
# Frames of the page that are too narrow for a label: they are drawn together, those of
# one colour as one element, and are to be found, marked and taken along like all others.

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

from callgrind.report.tests.page_case import InBrowser, number
from tests.format.tree_maker import Maker

NARROW = 200  # frames that have 2 or 3 pixels each
ONE = 100  # of them, by its place
MOST_ELEMENTS = 60
MATCH = "hsl(312 85% 78%)"


def comb() -> bytes:
    """Beside a wide frame many narrow ones, whose costs differ."""
    maker = Maker()
    thread = maker.thread(1)
    main, wide, *narrow = (maker.function(found, "/bin/prog")
                           for found in ("main", "wide", *map(name, range(NARROW))))
    maker.part(1)
    maker.tree(thread)
    top = maker.node(0, main, 1)
    maker.node(top, wide, 1, 100_000)
    for place, function in enumerate(narrow):
        maker.node(top, function, 1, cost(place))
    maker.total()
    return maker.end()


def name(place: int) -> str:
    return f"{'odd' if place % 2 else 'even'}_{place}"


def cost(place: int) -> int:
    return 400 - place // 2


class NarrowFrames(InBrowser):
    def setUp(self) -> None:
        super().setUp()
        self.open([comb()], at="#layout=icicle&order=called")

    def places(self) -> dict[str, dict[str, Any]]:
        """Where frames are meant to be, in the window, by the names of functions."""
        found: dict[str, dict[str, Any]] = self.browser.evaluate("""(() => {
          const { left, top } = graph.svg.getBoundingClientRect();
          const [view] = state.views;
          return Object.fromEntries([...graph.places.values()].map((place) =>
            [profile.functionName(view.functions[place.frame]),
              { x: left + place.x, y: top + place.y, width: place.width }]));
        })()""")
        return found

    def outlines(self) -> list[tuple[str, list[list[float]]]]:
        """Of each element that has narrow frames its colour; of them x, y and width."""
        found = self.browser.evaluate("""[...document.querySelectorAll(".narrow path")]
          .map((path) => [path.getAttribute("fill"),
            [...path.getAttribute("d").matchAll(/M([\\d.]+) ([\\d.]+)h([\\d.]+)v19h/g)]
              .map((found) => found.slice(1).map(Number))])""")
        return [(fill, frames) for fill, frames in found]

    def middle(self, place: int) -> tuple[float, float]:
        found = self.places()[name(place)]
        return found["x"] + found["width"] / 2, found["y"] + 8

    def selected(self) -> dict[str, float]:
        (box,) = self.browser.boxes("g.selected rect")
        return {key: box[key] for key in ("x", "y", "width")}

    def assert_same_place(self, found: dict[str, Any], wanted: dict[str, Any]) -> None:
        for key in ("x", "y", "width"):
            self.assertAlmostEqual(found[key], wanted[key], delta=0.02)

    def test_all_are_drawn_by_few_elements(self) -> None:
        places = self.places()
        self.assertEqual(len(places), NARROW + 3)
        self.assertLess(max(places[name(place)]["width"] for place in range(NARROW)), 4)
        (graph,) = self.browser.boxes("#graph svg")
        drawn = sorted(frame for _, frames in self.outlines() for frame in frames)
        wanted = sorted(
            [found["x"] - graph["x"], found["y"] - graph["y"], found["width"]]
            for key, found in places.items() if key not in ("all", "main", "wide"))
        self.assertEqual(len(drawn), len(wanted))
        for one, other in zip(drawn, wanted):
            for value, right in zip(one, other):
                self.assertAlmostEqual(value, right, delta=0.01)
        self.assertEqual(self.browser.count("g.frame"), 3)
        self.picture("narrow-frames")

    def test_many_of_one_colour_are_one_element(self) -> None:
        self.browser.fill("#search", "o")  # odd; and no other
        found = dict(self.outlines())
        self.assertEqual(len(found[MATCH]), NARROW // 2)
        self.browser.fill("#search", "/odd|even/")
        ((fill, frames),) = self.outlines()
        self.assertEqual((fill, len(frames)), (MATCH, NARROW))
        self.assertLess(self.browser.count("#graph svg *"), MOST_ELEMENTS)
        self.browser.fill("#search", "")
        self.assertGreater(len(self.outlines()), 20)
        self.assertNotIn(MATCH, dict(self.outlines()))

    def test_the_mouse_finds_them(self) -> None:
        wanted = self.places()[name(ONE)]
        self.browser.move_to(*self.middle(ONE))
        self.assertTrue(self.text("#tip").startswith(f"{cost(ONE)} Ir"))
        self.assertTrue(self.text("#tip").endswith(name(ONE)))
        (outline,) = self.browser.boxes("#graph .pointed")
        self.assert_same_place(outline, wanted)
        self.assertEqual(self.browser.style("#graph .pointed", "visibility"), "visible")
        self.browser.move_to(*self.middle(ONE + 1))
        self.assertIn(name(ONE + 1), self.text("#tip"))
        self.browser.move_to(700, 10)  # the title
        self.assertEqual(self.browser.style("#graph .pointed", "visibility"), "hidden")
        self.browser.click_at(*self.middle(ONE))
        self.assertEqual(self.text("#frame h2"), name(ONE))
        self.assertEqual(self.browser.texts("g.frame text"), ["all", "main", name(ONE)])
        # The mouse is where it was, and what it pointed to is not there any more.
        self.assertEqual(self.browser.style("#graph .pointed", "visibility"), "hidden")

    def test_keys_go_from_one_to_the_next(self) -> None:
        places = self.places()
        self.browser.focus("#graph")
        for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
            self.browser.press(key)
        for place in range(3):
            self.assertEqual(self.text("#frame h2"), name(place))
            self.assert_same_place(self.selected(), places[name(place)])
            self.assertEqual(self.browser.count("g.frame"), 4)  # those that were are not
            self.browser.press("ArrowRight")
        self.browser.press("Enter")
        self.assertEqual(self.cost("inclusive", "Ir"), cost(3))

    def test_matches_are_gone_to(self) -> None:
        places = self.places()
        self.browser.fill("#search", "odd")
        self.browser.press("Enter")
        self.assert_same_place(self.selected(), places[name(1)])
        rect = "g.selected rect"
        self.assertEqual(self.browser.attributes(rect, "fill"), [MATCH])

    def test_a_function_is_marked_where_it_is(self) -> None:
        self.browser.click("#tab-functions")
        self.browser.click(f"#functions td.name button:text-is('{name(5)}')")
        self.assertEqual(self.browser.count("g.match"), 1)
        (box,) = self.browser.boxes("g.match rect")
        self.assert_same_place(box, self.places()[name(5)])
        self.assertEqual(number(self.text("#frame td[data-cost=calls]")), 1)

    def test_each_is_in_the_graph_as_a_file(self) -> None:
        path = self.folder / "graph.svg"
        self.browser.move_to(*self.middle(ONE))
        self.browser.download("#save", str(path))
        root = ElementTree.parse(path).getroot()
        space = "{http://www.w3.org/2000/svg}"
        places = self.places()
        frames = list(root.iter(space + "g"))
        self.assertEqual(len(frames), len(places))
        for frame in frames:
            title = frame.findtext(space + "title")
            rect = frame.find(space + "rect")
            assert title is not None and rect is not None
            self.assertAlmostEqual(float(rect.attrib["width"]), places[title]["width"],
                                   delta=0.01)
        self.assertEqual(len(list(root.iter(space + "rect"))), len(places) + 1)

    def test_colours_change_where_they_are(self) -> None:
        before = self.outlines()
        self.browser.press("t")
        self.browser.press("t")
        dark = self.outlines()
        self.assertEqual(sum(len(frames) for _, frames in dark), NARROW)
        self.assertFalse({fill for fill, _ in before} & {fill for fill, _ in dark})
