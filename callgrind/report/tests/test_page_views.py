# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of callgrind_export in a browser: its views, the address that says what is
# shown, the search from match to match, and what can be taken out of the page.

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from typing import Callable

from callgrind.report.tests.page_case import (
    InBrowser,
    nodes_of,
    number,
    page_numbers,
    two_threads,
)
from callgrind.report.tests.tree_reading import read
from tests.format.tree_examples import example
from tests.format.tree_maker import Maker, program
from tree_file.model import Forest, Nodes


class Graphs(InBrowser):
    """Frames by name, as they are drawn."""

    def widths(self, pane: int = 0) -> dict[str, float]:
        """The share of the graph's width, by label; of labels that are seen once."""
        frames = f"g.frame[data-pane='{pane}']"
        names = self.browser.texts(f"{frames}:has(text)")
        boxes = self.browser.boxes(f"{frames}:has(text) rect")
        (whole,) = self.browser.boxes("#graph svg")
        return {
            name: box["width"] / whole["width"]
            for name, box in zip(names, boxes)
            if names.count(name) == 1
        }

    def click_name(self, name: str) -> None:
        names = self.browser.texts("g.frame:has(text)")
        self.browser.click(f"g.frame:has(text) >> nth={names.index(name)}")

    def shown(self) -> str:
        return self.text("[role=tabpanel]:not([hidden]) h2")


def chains(forest: Forest, nodes: Nodes) -> dict[tuple[str, ...], int]:
    """The self cost of each function, and of it by its callers: chains from it up."""
    found: defaultdict[tuple[str, ...], int] = defaultdict(int)
    for node, cost in enumerate(nodes.costs[0]):
        chain: tuple[str, ...] = ()
        above = node
        while above >= 0:
            chain += (forest.functions[nodes.functions[above]].name,)
            found[chain] += cost
            above = nodes.parents[above]
    return found


class Views(Graphs):
    def test_inverted_shows_what_functions_cost_and_who_called_them(self) -> None:
        content = program("c", 3000)
        forest, nodes = nodes_of(content)
        wanted = chains(forest, nodes)
        self.open([content], at="#view=inverted")
        total = forest.totals()[0]
        first = sorted(
            ((cost, chain) for chain, cost in wanted.items() if len(chain) == 1),
            reverse=True,
        )
        # A step up is the costliest function, then to the right.
        self.browser.focus("#graph")
        for step, (cost, (name,)) in enumerate(first[:3]):
            self.browser.press("ArrowRight" if step else "ArrowUp")
            self.assertEqual(self.text("#frame h2"), name)
            self.assertEqual(self.cost("inclusive", "Ir"), cost, name)
        self.browser.press("Escape")
        self.browser.press("ArrowUp")
        self.browser.press("Enter")
        name = first[0][1][0]
        (frame,) = self.browser.boxes("g.selected rect")
        (whole,) = self.browser.boxes("#graph svg")
        self.assertAlmostEqual(frame["width"] / whole["width"], 1, 2)
        self.picture("inverted")
        self.check_callers(name, wanted, total)

    def check_callers(
        self, name: str, wanted: dict[tuple[str, ...], int], total: int
    ) -> None:
        """Up one caller after the other, always the costliest; keys lead there."""
        chain: tuple[str, ...] = (name,)
        self.browser.focus("#graph")
        for _ in range(4):
            callers = {
                longer: cost
                for longer, cost in wanted.items()
                if longer[:-1] == chain and cost
            }
            if not callers:
                break
            chain = max(callers, key=lambda longer: callers[longer])
            self.browser.press("ArrowUp")
            self.assertEqual(self.text("#frame h2"), chain[-1])
            self.assertEqual(self.cost("inclusive", "Ir"), callers[chain])
            share = f"{100 * callers[chain] / total:.2f}%"
            self.assertIn(share, self.text("#status"))

    def test_a_sandwich_has_callers_above_and_callees_below(self) -> None:
        self.open([two_callers()])
        self.browser.click("#tab-functions")
        names = self.browser.texts("#functions td.name")
        self.browser.click(f"#functions td.name button >> nth={names.index('shared')}")
        self.browser.click("#frame .actions button:has-text('Sandwich')")
        # shared costs 100 from one, 300 from other; of that, 40 and 160 in below.
        above, below = self.widths(0), self.widths(1)
        self.assertEqual(set(above), {"one", "other", "main"} - set_of_twice(above))
        self.assertAlmostEqual(above["other"], 0.75, 2)
        self.assertAlmostEqual(above["one"], 0.25, 2)
        self.assertAlmostEqual(below["below"], 0.5, 2)
        self.assertAlmostEqual(below["shared"], 1, 2)
        self.assertEqual(self.cost("inclusive", "Ir"), 400)
        self.picture("sandwich")
        self.click_name("below")  # and now of this function
        self.assertEqual(self.text("#frame h2"), "below")
        self.assertAlmostEqual(self.widths(0)["shared"], 1, 2)
        self.browser.press("Escape")
        self.assertEqual(self.browser.evaluate("state.view"), "calls")

    def test_recursion_counts_once_in_a_sandwich(self) -> None:
        maker = Maker()
        thread = maker.thread(1, "main")
        main, again, leaf = (maker.function(name) for name in ("main", "again", "leaf"))
        maker.part(1)
        maker.tree(thread)
        node = maker.node(0, main, 1, 10)
        for _ in range(5):
            node = maker.node(node, again, 1, 20)
        maker.node(node, leaf, 1, 100)
        maker.total()
        self.open([maker.end()], at="#view=sandwich&fn=0")
        self.assertEqual(self.text("#frame h2"), "again")
        self.assertEqual(self.cost("inclusive", "Ir"), 200)
        self.assertAlmostEqual(self.widths(1)["leaf"], 0.5, 2)

    def test_orders(self) -> None:
        self.open([two_callers()])

        def left_to_right() -> list[str]:
            names = self.browser.texts("g.frame:has(text)")
            boxes = self.browser.boxes("g.frame:has(text) rect")
            wanted = {"one", "other", "after"}
            return [n for _, n in sorted(zip((b["x"] for b in boxes), names))
                    if n in wanted]

        self.assertEqual(left_to_right(), ["after", "other", "one"])
        self.browser.choose("#order", "first called left")
        self.assertEqual(left_to_right(), ["one", "other", "after"])
        self.browser.choose("#order", "by name")
        self.assertEqual(left_to_right(), ["after", "one", "other"])

    def test_all_threads_are_shown_first(self) -> None:
        content = two_threads(["f", "g", "h"])
        self.open([content])
        self.assertIn("all 2 parts, 2 threads together", self.text("#summary"))
        self.assertEqual(number(self.text("#total")), read(content).totals()[0])

    def test_colours_by_object_and_by_file(self) -> None:
        """Each group has a hue of its own, from which names differ a little."""
        content = program("c", 3000)
        forest, nodes = nodes_of(content)
        functions = dict(zip(page_numbers(nodes),
                             (forest.functions[f] for f in nodes.functions)))
        self.open([content])
        choices = (("by object", "object", 2), ("by source file", "source", 10))
        for choice, key, groups in choices:
            self.browser.choose("#colour", choice)
            hues: defaultdict[object, list[float]] = defaultdict(list)
            for node, colour in self.browser.evaluate(
                "[...document.querySelectorAll('g.frame')].map((frame) => [+frame.dataset"
                ".node, frame.querySelector('rect').getAttribute('fill')])"
            ):
                if node:
                    found = re.match(r"hsl\(([-\d.]+) ", colour)
                    assert found is not None, colour
                    hues[getattr(functions[node], key)].append(float(found[1]))
            self.assertGreater(len(hues), groups - 1)
            for group, found_hues in hues.items():
                self.assertLessEqual(max(found_hues) - min(found_hues), 16, group)
            middles = {round(sum(each) / len(each) / 20) for each in hues.values()}
            self.assertGreaterEqual(len(middles), min(groups, 7))

    def test_what_stands_there_is_not_drawn_again(self) -> None:
        """It would be most of what a click takes; colours are changed where they are."""
        self.open([program("c", 3000)])

        def is_kept(act: Callable[[], object]) -> bool:
            self.browser.evaluate("document.querySelector('g.frame').isMarked = true")
            act()
            return bool(self.browser.evaluate(
                "Boolean(document.querySelector('g.frame').isMarked)"))

        def fills() -> list[object]:
            return list(self.browser.attributes("g.frame rect, .narrow path", "fill"))

        def redrawn() -> list[object]:
            self.browser.evaluate("graph.isWhole = false; redrawGraph()")
            return fills()

        for action, has_new_colours in (
            (lambda: self.browser.click("#tab-functions"), False),
            (lambda: self.browser.click("#tab-objects"), False),
            (lambda: self.browser.press("t"), False),  # from auto to light
            (lambda: self.browser.press("t"), True),  # to dark
            (lambda: self.browser.fill("#search", "hash"), True),
            (lambda: self.browser.choose("#colour", "by source file"), True),
        ):
            before = fills()
            self.assertTrue(is_kept(action))
            after = fills()
            self.assertEqual(after != before, has_new_colours)
            self.assertEqual(after, redrawn())
        for act in (
            lambda: self.browser.press("l"),
            lambda: self.browser.press("o"),
            lambda: self.browser.click("g.frame:has(text) >> nth=5"),
            lambda: self.browser.choose("#event", "sysTime"),
        ):
            self.browser.focus("#graph")
            self.assertFalse(is_kept(act))

    def test_objects_and_files(self) -> None:
        content = program("c", 3000)
        forest, nodes = nodes_of(content)
        for tab, key in (
            ("objects", lambda f: f.object.path if f.object else "(no object)"),
            ("files", lambda f: f.source or "(file not known)"),
        ):
            sums: defaultdict[str, int] = defaultdict(int)
            for function, cost in zip(nodes.functions, nodes.costs[0]):
                sums[key(forest.functions[function])] += cost
            self.open([content], at=f"#tab={tab}")
            rows = self.shown_table(tab)
            self.assertEqual({row[2]: number(row[0]) for row in rows}, dict(sums))
            costs = [number(row[0]) for row in rows]
            self.assertEqual(costs, sorted(costs, reverse=True))

    def test_a_remainder_is_never_on_top(self) -> None:
        """And of no object's or file's cost, but a row of its own."""
        content = program("c", 3000)
        for tab in ("functions", "objects", "files"):
            self.open([content], "--max-frames", "20", at=f"#tab={tab}")
            rows = self.shown_table(tab)
            self.assertEqual(rows[-1][2], "(bundled)")
            self.assertGreater(number(rows[-1][0]), number(rows[-2][0]))
            self.assertEqual([row[2] for row in rows].count("(bundled)"), 1)


class Addresses(Graphs):
    def test_an_address_shows_the_same_again(self) -> None:
        content = program("c", 3000)
        _, nodes = nodes_of(content)
        inclusive = nodes.inclusive(0)
        children = [n for n, parent in enumerate(nodes.parents) if parent == 0]
        child = max(children, key=lambda node: inclusive[node])
        self.open([content])
        self.browser.click(f"g.frame[data-node='{page_numbers(nodes)[child]}']")
        self.browser.choose("#event", "sysCount")
        self.browser.press("l")
        self.browser.choose("#order", "by name")
        self.browser.fill("#search", "a&b=c #ü")
        self.browser.fill("#search", "/hash_(find|insert)/")
        self.browser.click("#tab-objects")
        before = self.what_is_seen()
        self.browser.reload()
        self.assertEqual(self.what_is_seen(), before)

    def what_is_seen(self) -> list[object]:
        frames = list(zip(self.browser.texts("g.frame"), self.browser.boxes("g.frame")))
        values = self.browser.evaluate(
            "[...document.querySelectorAll('select, #search')].map((e) => e.value)"
        )
        tables = self.browser.texts("[role=tabpanel]:not([hidden])")
        return [frames, values, tables, self.browser.texts("#matched, #path")]

    def test_back_and_forward(self) -> None:
        self.open([example()])
        self.click_name("parse")
        self.browser.press("s")
        self.browser.press("v")  # from the sandwich to the first view again
        seen = []
        for go in ("back", "back", "back", "forward"):
            self.browser.ask(go)
            seen.append(self.browser.evaluate("[state.view, state.zoom !== '']"))
        sandwich, zoomed, whole = ["sandwich", False], ["calls", True], ["calls", False]
        self.assertEqual(seen, [sandwich, zoomed, whole, zoomed])
        self.assertEqual(self.shown(), "parse")

    def test_a_wrong_address_shows_the_page_as_at_first(self) -> None:
        at = "#view=no&zoom=99999&fn=-7&event=no&trees=no&tab=no&layout=no&order=no"
        self.open([example()], at=at)
        self.assertEqual(self.shown(), "all")
        self.assertEqual(number(self.text("#total")), 1120)


class Searching(Graphs):
    def test_from_match_to_match(self) -> None:
        content = two_callers()
        self.open([content])
        self.browser.fill("#search", "/^(one|other)$/")
        self.browser.press("Enter")
        self.assertEqual((self.shown(), self.text("#match-place")), ("other", "1 of 2"))
        self.assertEqual(self.browser.focused(), "search")
        self.browser.press("Enter")
        self.assertEqual((self.shown(), self.text("#match-place")), ("one", "2 of 2"))
        self.browser.focus("#graph")
        self.browser.press("n")
        self.assertEqual((self.shown(), self.text("#match-place")), ("other", "1 of 2"))
        self.browser.press("p")
        self.assertEqual((self.shown(), self.text("#match-place")), ("one", "2 of 2"))

    def test_the_costliest_of_many(self) -> None:
        """Of those that cost the same, the first; what costs nothing is none of them."""
        self.open([two_threads(["f", "g"])])
        for most, largest in ((30, 50), (30, 5), (500, 1e6), (5000, 50)):
            found, wanted = self.browser.evaluate(f"""(() => {{
              let seed = 7;
              const costs = Array.from({{ length: 2000 }}, () =>
                (seed = (seed * 16807) % 2147483647) % {largest});
              const costliest = new Costliest({most});
              costs.forEach((cost, i) => costliest.add(i, cost));
              const sorted = costs.map((_, i) => i).filter((i) => costs[i])
                .sort((one, other) => costs[other] - costs[one] || one - other);
              return [costliest.all(), sorted.slice(0, {most})];
            }})()""")
            self.assertGreaterEqual(len(found), 30)
            self.assertEqual(found, wanted, (most, largest))

    def test_what_is_found_moves_nothing(self) -> None:
        """It is told above the graph, where there is room; also on a phone."""
        for width in (1440, 390):
            self.open([two_callers()], viewport={"width": width, "height": 800})
            things = ".toolbar, .toolbar *, #graph, .above"
            before = self.browser.boxes(things)
            self.browser.fill("#search", "/^(one|other)$/")
            self.browser.press("Enter")
            self.assertEqual(self.text("#match-place"), "1 of 2")
            (found,) = self.browser.boxes(".found")
            (above,) = self.browser.boxes(".above")
            self.assertGreater(found["width"], 0)
            self.assertLessEqual(found["x"] + found["width"], above["x"] + above["width"])
            self.assertEqual(self.browser.boxes(things), before)

    def test_an_address_is_found_as_it_is_shown_and_as_it_is(self) -> None:
        """It is shown without the zeros at its front, and copied with them."""
        full, short = "0x00000000004fee40", "0x4fee40"
        maker = Maker()
        thread = maker.thread(1, "main")
        function = maker.function(full)
        maker.part(1)
        maker.tree(thread)
        maker.node(0, function, 1, 10)
        maker.total()
        self.open([maker.end()], permissions=["clipboard-read", "clipboard-write"])
        self.assertIn(short, self.browser.texts("g.frame:has(text) text"))
        for searched in (short, full, f"/^{short}$/"):
            self.browser.fill("#search", searched)
            self.assertEqual(self.text("#matched"), "1 function, 100.00%", searched)
        self.click_name(short)
        self.assertEqual(self.shown(), short)
        self.browser.press("c")
        self.browser.appears("#status", f"Copied: {full}")

    def test_a_match_too_narrow_to_be_drawn_is_zoomed(self) -> None:
        maker = Maker()
        thread = maker.thread(1, "main")
        main, broad, narrow = (maker.function(name) for name in ("main", "wide", "thin"))
        maker.part(1)
        maker.tree(thread)
        top = maker.node(0, main, 1, 10)
        maker.node(top, broad, 1, 10_000_000)
        maker.node(top, narrow, 1, 3)
        maker.total()
        self.open([maker.end()])
        self.browser.fill("#search", "thin")
        self.browser.press("Enter")
        self.assertEqual(self.browser.texts("#path button"), ["all", "main", "thin"])
        self.assertEqual(self.cost("inclusive", "Ir"), 3)


class TakenOut(Graphs):
    def test_the_graph_as_a_file(self) -> None:
        self.open([example()])
        path = self.folder / "graph.svg"
        self.browser.download("#save", str(path))
        root = ElementTree.parse(path).getroot()
        space = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, space + "svg")
        labels = [found.text for found in root.iter(space + "text")]
        self.assertEqual(
            sorted(labels), sorted(self.browser.texts("g.frame:has(text) text"))
        )
        titles = {found.text for found in root.iter(space + "title")}
        self.assertTrue({"./demo --words 20", "parse", "read"} <= titles)
        self.assertNotIn("var(", path.read_text("utf-8"))

    def test_a_name_is_copied(self) -> None:
        self.open([example()], permissions=["clipboard-read", "clipboard-write"])
        self.click_name("parse")
        self.browser.press("c")
        self.browser.appears("#status", "Copied: parse")  # when the clipboard has it
        self.assertEqual(
            self.browser.evaluate("navigator.clipboard.readText()"), "parse"
        )

    def test_print_leaves_controls_out(self) -> None:
        self.open([example()])
        self.browser.media("print")
        self.assertEqual(self.browser.style(".toolbar", "display"), "none")
        (graph,) = self.browser.boxes("#graph svg")
        self.assertGreater(graph["width"], 600)
        self.picture("print")
        # A sheet is narrower than the window, and nothing is drawn for it anew.
        sheet, graph, frame = self.browser.evaluate("""(() => {
          document.body.style.width = "500px";
          return ["body", "#graph svg", "g.frame rect"].map((selector) => {
            const { right, bottom } = document.querySelector(selector)
              .getBoundingClientRect();
            return { right, bottom };
          });
        })()""")
        self.assertLessEqual(graph["right"], sheet["right"])
        self.assertLessEqual(frame["right"], graph["right"])
        self.assertLessEqual(frame["bottom"], graph["bottom"])
        self.browser.pdf(str(self.folder / "page.pdf"))
        self.assertTrue((self.folder / "page.pdf").read_bytes().startswith(b"%PDF"))


class EverybodysHands(Graphs):
    def test_keys_are_listed_and_are_those_that_work(self) -> None:
        self.open([example()])
        self.browser.press("?")
        self.assertEqual(self.browser.count("dialog[open]"), 1)
        listed = {key.lower() for key in self.browser.texts("dialog dt kbd")}
        self.picture("keys")
        known = set(self.browser.evaluate("Object.keys(KEYS)")) - {"?"}
        self.assertEqual(known - listed, set())
        self.browser.press("Escape")
        self.assertEqual(self.browser.count("dialog[open]"), 0)

    def test_the_focus_is_never_lost(self) -> None:
        self.open([two_callers()])
        steps = [
            "#functions td.name button", "#frame .callers button",
            "#frame .actions button:has-text('Sandwich')", "#path button",
        ]
        self.browser.click("#tab-functions")
        for step in steps:
            self.browser.click(step)
            self.assertNotEqual(
                self.browser.evaluate("document.activeElement.tagName"), "BODY", step
            )

    def test_rows_beyond_the_first_come_when_they_are_asked_for(self) -> None:
        """All of them, in order, and the last click leaves the focus in the table."""
        maker = Maker()
        thread = maker.thread(1, "main")
        count = 700
        functions = [maker.function(f"f{place}") for place in range(count)]
        maker.part(1)
        maker.tree(thread)
        for place, function in enumerate(functions):
            maker.node(0, function, 1, 1000 - place)
        maker.total()
        self.open([maker.end()], at="#tab=functions")
        names = "#functions td.name"
        self.assertLess(self.browser.count(names), 100)
        before = self.browser.count(names)
        self.browser.click("#functions .more-rows")
        self.browser.click("#functions .more-rows")
        self.assertEqual(self.browser.texts(names), [f"f{n}" for n in range(count)])
        focused = self.browser.evaluate("document.activeElement.textContent")
        self.assertEqual(focused, f"f{before + 500}")
        self.assertFalse(self.browser.count("#functions .more-rows:not([hidden])"))

    def test_on_a_phone_the_graph_has_the_screen(self) -> None:
        self.open(
            [program("c", 3000)],
            viewport={"width": 390, "height": 780},
            hasTouch=True,
            isMobile=True,
        )
        (graph,) = self.browser.boxes("#graph")
        self.assertLess(graph["y"], 160)
        self.assertGreater(graph["height"], 400)
        width = self.browser.evaluate("document.documentElement.scrollWidth")
        self.assertEqual(width, 390)
        self.picture("phone")
        self.assertEqual(self.browser.style("#controls", "display"), "none")
        self.browser.click("#more")
        self.assertNotEqual(self.browser.style("#controls", "display"), "none")
        self.assertEqual(
            self.browser.evaluate("document.documentElement.scrollWidth"), 390
        )
        self.picture("phone-controls")

    def test_axe_finds_no_fault(self) -> None:
        """In each view, light and dark, on a desk and on a phone."""
        content = program("c", 300)
        sizes = ({"width": 1440, "height": 900}, {"width": 390, "height": 780})
        for scheme, size in (("light", sizes[0]), ("dark", sizes[0]), ("dark", sizes[1])):
            views = ("", "view=inverted", "view=sandwich", "tab=files&search=hash")
            for view in views if scheme == "light" else views[2:]:
                self.open([content], at=f"#{view}", colorScheme=scheme, viewport=size)
                self.assertEqual(self.browser.violations(), [], (scheme, size, view))
        self.browser.click("#more")
        self.assertEqual(self.browser.violations(), [])
        self.browser.press("?")
        self.assertEqual(self.browser.violations(), [])
        old, new = two_threads(["f", "g", "h"]), two_threads(["f", "g", "h"], 3)
        self.open([old, new])
        self.assertEqual(self.browser.violations(), [])

    def test_wide(self) -> None:
        self.open([program("c", 3000)], viewport={"width": 2560, "height": 1300})
        self.picture("wide")


def set_of_twice(names: dict[str, float]) -> set[str]:
    """main is above both callers, so its label may be seen twice."""
    return {"main"} - set(names)


def two_callers() -> bytes:
    """main calls one and other, which call shared, which calls below; and after."""
    maker = Maker()
    thread = maker.thread(1, "main")
    names = ("main", "one", "other", "shared", "below", "after")
    main, one, other, shared, below, after = map(maker.function, names)
    maker.part(1)
    maker.tree(thread)
    top = maker.node(0, main, 1, 5)
    for caller, own, deeper in ((one, 60, 40), (other, 140, 160)):
        path = maker.node(maker.node(top, caller, 1, 1), shared, 1, own)
        maker.node(path, below, 1, deeper)
    maker.node(top, after, 1, 500)
    maker.total()
    return maker.end()
