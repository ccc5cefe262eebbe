# SPDX-License-Identifier: GPL-2.0-or-later
#
# The numbers beside the graph of the page: how wide they are, and that long names leave
# them in sight.

from __future__ import annotations

from callgrind.report.tests.page_case import InBrowser
from tests.format.tree_examples import example
from tests.format.tree_maker import Maker

LONG = "std::vector<" + "std::pair<int, std::basic_string<char> >, " * 200 + "int>::f()"
WIDTH = 1440  # of the window


def tree(*names: str, cost: int = 100) -> bytes:
    """One path for each name, below main."""
    maker = Maker()
    thread = maker.thread(1)
    main = maker.function("main", "/bin/prog", "main.c")
    functions = [maker.function(name) for name in names]
    maker.part(1)
    maker.tree(thread)
    top = maker.node(0, main, 1, 0)
    for function in functions:
        maker.node(top, function, 1, cost)
    maker.total()
    return maker.end()


class Panel(InBrowser):
    def width(self, selector: str = "aside") -> int:
        (box,) = self.browser.boxes(selector)
        return round(box["width"])

    def told(self) -> int:
        (value,) = self.browser.attributes("#splitter", "aria-valuenow")
        return int(value)


class Wider(Panel):
    def test_arrows_make_it_wider_and_narrower(self) -> None:
        self.open([example()])
        first, graph = self.width(), self.width("#graph svg")
        self.assertEqual(self.told(), first)
        self.browser.focus("#splitter")
        self.browser.press("ArrowLeft")
        self.browser.press("ArrowLeft")
        wider = self.width()
        self.assertGreater(wider, first)
        self.assertEqual(self.told(), wider)
        self.assertEqual(self.width("#graph svg"), graph - (wider - first))
        self.browser.press("ArrowRight")
        self.assertLess(self.width(), wider)
        self.browser.press("Home")
        self.assertGreater(self.width("#graph"), 200)  # some of the graph is left
        self.browser.press("End")
        self.assertLess(self.width(), first)
        self.assertGreaterEqual(self.width(), 240)
        self.browser.press("Enter")
        self.assertEqual((self.width(), self.told()), (first, first))
        self.assertEqual(self.browser.violations(), [])

    def test_it_is_dragged(self) -> None:
        self.open([example()])
        first = self.width()
        (bar,) = self.browser.boxes("#splitter")
        middle = bar["x"] + bar["width"] / 2
        self.browser.drag(middle, 400, 600, 400)
        self.assertAlmostEqual(self.width(), first + middle - 600, delta=1)
        svg, graph = self.width("#graph svg"), self.width("#graph")
        self.assertAlmostEqual(svg, graph, delta=4)  # and the graph is drawn to its width
        self.browser.click_at(600, 400)  # which moves nothing
        self.assertAlmostEqual(self.width(), first + middle - 600, delta=1)
        self.browser.double_click_at(600, 400)
        self.assertEqual(self.width(), first)

    def test_the_address_holds_its_width(self) -> None:
        self.open([example()], at="#panel=700")
        self.assertEqual(self.width(), 700)
        self.browser.reload()
        self.assertEqual(self.width(), 700)
        for wrong in ("no", "-5", "1e9"):
            self.open([example()], at=f"#panel={wrong}")
            self.assertEqual(self.width(), 490, wrong)
        self.open([example()], at="#panel=99999999")
        self.assertLess(self.width(), WIDTH - 200)

    def test_on_a_narrow_screen_there_is_nothing_to_drag(self) -> None:
        self.open([example()], at="#panel=700", viewport={"width": 700, "height": 900})
        self.assertEqual(self.browser.boxes("#splitter")[0]["width"], 0)
        self.assertEqual(self.width(), 700)  # of the screen


class LongNames(Panel):
    def test_costs_are_in_sight_below_a_long_name(self) -> None:
        self.open([tree(LONG)], at="#fn=0")
        self.browser.click("g.frame[data-node='2']")
        self.assertEqual(self.text("#frame h2"), LONG)
        (costs,) = self.browser.boxes("#frame table.costs")
        self.assertLess(costs["y"] + costs["height"], 400)

    def test_numbers_come_first_where_a_line_is_cut(self) -> None:
        self.open([tree(LONG)])
        self.browser.focus("#graph")
        self.browser.press("ArrowUp")
        self.browser.press("ArrowUp")
        self.assertTrue(self.text("#status").startswith("100 Ir, 100.00% · std::vector<"))
        self.browser.hover("g.frame[data-node='2'] rect")
        self.assertTrue(self.text("#tip").startswith("100 Ir, 100.00%std::vector<"))

    def test_numbers_of_tables_stand_in_front_of_names(self) -> None:
        self.open([tree(LONG)])
        self.browser.click("#tab-functions")
        for column in (1, 2):
            for box in self.browser.boxes(f"#functions tbody td:nth-child({column})"):
                self.assertLess(box["x"] + box["width"], WIDTH)
        for name in self.browser.boxes("#functions tbody td.name"):
            self.assertLessEqual(name["x"] + name["width"], WIDTH)


class Nameless(Panel):
    """Code of no file that is called by its address: made at run time."""

    def test_says_where_to_read_how_to_have_names(self) -> None:
        self.open([tree("0x000000000d046180")])
        self.assertIn("100.00% is code that was made at run time and has no names. "
                      "docs/runtimes.md", self.text("#frame .nameless"))
        self.browser.click("g.frame[data-node='2']")
        self.assertIn("has no name. docs/runtimes.md", self.text("#frame .nameless"))

    def test_code_that_has_a_name_or_a_file_is_not_meant(self) -> None:
        maker = Maker()
        thread = maker.thread(1)
        stripped = maker.function("0x0000000000001104", "/bin/prog")
        maker.part(1)
        maker.tree(thread)
        maker.node(0, stripped, 1, 100)
        maker.total()
        for content in (tree("f"), maker.end()):
            self.open([content])
            self.assertEqual(self.browser.count(".nameless"), 0)
            self.browser.click("g.frame[data-node='1']")
            self.assertEqual(self.browser.count(".nameless"), 0)


class Rest(Panel):
    """An inverted graph of many functions, each narrower than a pixel."""

    def open_many(self, count: int = 5000) -> None:
        names = ["wide", *(f"narrow_{number}" for number in range(count))]
        maker = Maker()
        thread = maker.thread(1)
        functions = [maker.function(name) for name in names]
        maker.part(1)
        maker.tree(thread)
        for place, function in enumerate(functions):
            maker.node(0, function, 1, 1 if place else 4 * count)
        maker.total()
        self.open([maker.end()], at="#view=inverted")

    def test_the_first_row_is_whole(self) -> None:
        self.open_many()
        widths = [width for row, width in self.browser.evaluate(
            "graph.drawn[0].map(({ row, width }) => [row, width])") if row == 1]
        (whole,) = self.browser.boxes("#graph svg")
        self.assertAlmostEqual(sum(widths), whole["width"], delta=2)
        self.assertEqual(self.text("g.rest text"), "(5,000 narrower ones)")
        self.picture("inverted-rest")

    def test_it_says_what_it_is_and_leads_to_the_table(self) -> None:
        self.open_many()
        self.browser.hover("g.rest rect")
        self.assertEqual(self.text("#tip"), "5,000 functions, each too narrow to be drawn"
                         "5,000 Ir, 20.00%")
        self.browser.click("g.rest")
        self.assertEqual(self.browser.count("#functions:not([hidden])"), 1)

    def test_it_is_in_what_is_saved(self) -> None:
        self.open_many()
        path = self.folder / "graph.svg"
        self.browser.download("#save", str(path))
        self.assertIn("<title>(5,000 narrower ones)</title>", path.read_text())

    def test_callers_that_are_too_narrow_have_one_as_well(self) -> None:
        maker = Maker()
        thread = maker.thread(1)
        leaf = maker.function("leaf")
        callers = [maker.function(f"caller_{number}") for number in range(3000)]
        maker.part(1)
        maker.tree(thread)
        for place, caller in enumerate(callers):
            node = maker.node(0, caller, 1, 0)
            maker.node(node, leaf, 1, 1 if place else 1000)
        maker.total()
        self.open([maker.end()], at="#view=inverted")
        self.assertEqual(self.text("g.rest text"), "(2,999 narrower ones)")
        self.browser.click("g.rest")
        self.assertEqual(self.text("#frame h2"), "leaf")  # which is zoomed now


class Search(Panel):
    def test_what_does_not_match_is_pale(self) -> None:
        self.open([tree("wanted", "other")])

        def colours() -> dict[str, list[float]]:
            return {name: [float(part.strip("%")) for part in fill[4:-1].split()]
                    for name, fill in zip(
                        self.browser.texts("g.frame text"),
                        self.browser.attributes("g.frame:has(text) rect", "fill"))}

        for theme, ground in (("light", 97), ("dark", 14)):
            self.browser.evaluate(f"chooseTheme('{theme}')")
            self.browser.fill("#search", "")
            before = colours()
            self.browser.fill("#search", "wanted")
            after = colours()
            self.assertEqual(after["wanted"][0], 312)
            for name in ("other", "main", "all"):
                self.assertEqual(after[name][0], before[name][0], name)
                self.assertLess(after[name][1], before[name][1] / 2, name)
                distances = [abs(found[name][2] - ground) for found in (after, before)]
                self.assertLess(distances[0], distances[1] / 2, name)
