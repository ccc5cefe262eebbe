#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The HTML page of callgrind_export, in a browser: every number that it shows is compared
# with the tree that it was made from.  Screenshots stay in page-screenshots/ of the build
# folder.

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Optional
from unittest import mock

REPORT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPORT))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from browser_session import Browser  # noqa: E402
from callgrind_export import main  # noqa: E402
from flame_graph_library import FOLDER_VARIABLE, LICENCES, SCRIPTS  # noqa: E402
from npm_packages import BUILD, Absent  # noqa: E402
from test_tree_file import HOSTILE, example, read  # noqa: E402
from tree_maker import Maker, program  # noqa: E402
from tree_model import Forest, Nodes  # noqa: E402
from tree_words import unicode_text  # noqa: E402

LIBRARY = Path(os.environ.get(FOLDER_VARIABLE) or BUILD / "flame_graph")
SCREENSHOTS = BUILD / "page-screenshots"
EVENTS = ["Ir", "sysCount", "sysTime"]
SYSTEM_PYTHON = shutil.which("/usr/bin/python3") or sys.executable


def setUpModule() -> None:
    missing = [name for name in (*SCRIPTS, *LICENCES) if not (LIBRARY / name).is_file()]
    if missing:
        raise unittest.SkipTest(f"the flame graph library is not in {LIBRARY}")


def export(folder: Path, contents: list[bytes], *options: str) -> Path:
    """The page made of tree files."""
    paths = [folder / f"{number}.tree" for number in range(len(contents))]
    for path, content in zip(paths, contents):
        path.write_bytes(content)
    page = folder / "page.html"
    trees = ["--diff", *map(str, paths)] if len(paths) == 2 else [str(paths[0])]
    with mock.patch.dict(os.environ, {FOLDER_VARIABLE: str(LIBRARY)}):
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            status = main(["--to", "html", "-o", str(page), *options, *trees])
    assert (status, errors.getvalue()) == (0, ""), errors.getvalue()
    return page


def number(text: str) -> int:
    """A number as the page writes it, with or without its unit."""
    return int(re.sub(r"[^0-9-]", "", text.replace("−", "-")))


def two_threads(names: list[str], factor: int = 1) -> bytes:
    """Two parts, two threads; the cost of a name is its place times the rest."""
    maker = Maker()
    threads = [maker.thread(1, "main"), maker.thread(2, "worker")]
    functions = [maker.function(name, "/bin/prog", f"{name[:20]}.c") for name in names]
    for part in (1, 2):
        maker.part(part, f"trigger {part}")
        for thread in threads:
            maker.tree(thread)
            parent = 0
            for place, function in enumerate(functions, 1):
                cost = place * part * thread * 100 * (factor if place % 2 else 1)
                parent = maker.node(parent, function, place, cost)
            maker.total()
    return maker.end()


# --- Without a browser ----------------------------------------------------------------


class File(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def data(self, page: Path) -> Any:
        text = page.read_text("utf-8")
        found = re.findall(
            r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL
        )
        self.assertEqual(len(found), 1)
        self.assertNotIn("<", found[0])
        return json.loads(found[0])

    def test_costs_are_those_of_the_tree(self) -> None:
        content = program("c", 3000)
        tree = self.data(export(self.folder, [content]))["runs"][0]["trees"][0]
        nodes = read(content).trees[0].nodes
        self.assertEqual(tree["costs"], [column.tolist() for column in nodes.costs])
        self.assertEqual(tree["calls"], nodes.calls.tolist())

    def test_a_large_tree_is_bundled_and_its_sums_stay(self) -> None:
        content = program("python", 30_000)
        data = self.data(export(self.folder, [content], "--max-frames", "2000"))
        tree = data["runs"][0]["trees"][0]
        self.assertEqual(data["leftOut"], 28_000)
        self.assertLessEqual(len(tree["parents"]), 4000)
        self.assertEqual(list(map(sum, tree["costs"])), read(content).totals())

    def test_licences_are_in_the_page_and_nothing_is_fetched(self) -> None:
        text = export(self.folder, [example()]).read_text("utf-8")
        for words in ("Mike Bostock", "Apache License"):
            self.assertIn(words, text)
        self.assertNotRegex(text, r"<(?:script|link|img)[^>]*(?:src|href)=")

    def test_names_cannot_leave_their_place(self) -> None:
        content = two_threads(HOSTILE)
        page = export(self.folder, [content], "--title", HOSTILE[9])
        names = [function[0] for function in self.data(page)["functions"]]
        self.assertEqual(names, list(map(unicode_text, HOSTILE)))
        self.assertIn("<title>&quot;quoted&quot; &lt;b&gt;", page.read_text("utf-8"))

    def test_without_the_library_it_says_what_to_do(self) -> None:
        tree = self.folder / "a.tree"
        tree.write_bytes(example())
        with mock.patch.dict(os.environ, {FOLDER_VARIABLE: str(self.folder)}):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                status = main(["--to", "html", str(tree)])
        self.assertEqual((status, errors.getvalue().count("\n")), (2, 1))
        self.assertIn("build again with npm", errors.getvalue())

    def test_runs_with_other_events_cannot_be_compared(self) -> None:
        other = example().replace(b"event Ir count", b"event Ge count")
        with self.assertRaisesRegex(AssertionError, "their events differ"):
            export(self.folder, [example(), other])


# --- In a browser ---------------------------------------------------------------------


class InBrowser(unittest.TestCase):
    """One browser for all tests of a class."""

    browser: Browser

    @classmethod
    def setUpClass(cls) -> None:
        try:
            cls.browser = Browser()
        except Absent as reason:
            raise unittest.SkipTest(str(reason)) from None
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.close()

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def open(self, contents: list[bytes], *options: str, **settings: Any) -> None:
        page = export(self.folder, contents, *options)
        self.browser.open(str(page), settings)
        self.addCleanup(self.no_problems)

    def no_problems(self) -> None:
        self.assertEqual(self.browser.problems(), [])

    def picture(self, name: str) -> None:
        self.browser.screenshot(str(SCREENSHOTS / f"{name}.png"))

    def text(self, selector: str) -> str:
        found = self.browser.texts(selector)
        self.assertEqual(len(found), 1, selector)
        return str(found[0])

    def cost(self, what: str, event: str = "", run: str = "") -> int:
        """From the table of the frame or function that is shown."""
        selector = f"#frame td[data-cost={what}]"
        selector += f"[data-event={event}]" if event else ""
        return number(self.text(selector + (f"[data-run={run}]" if run else "")))

    def shown_table(self, name: str) -> list[list[str]]:
        """The rows of a table in the panel that is open."""
        panel = "[role=tabpanel]:not([hidden])"
        cells = self.browser.texts(f"{panel} table.{name} tbody td")
        rows = self.browser.count(f"{panel} table.{name} tbody tr")
        width = len(cells) // rows if rows else 0
        return [cells[row * width : (row + 1) * width] for row in range(rows)]


def nodes_of(content: bytes) -> tuple[Forest, Nodes]:
    forest = read(content)
    return forest, forest.trees[0].nodes


def callers(forest: Forest, name: str) -> dict[str, tuple[int, int]]:
    """Inclusive cost and calls of a function by its callers, from the paths themselves."""
    nodes = forest.trees[0].nodes
    inclusive = nodes.inclusive(0)
    names = [forest.functions[function].name for function in nodes.functions]

    def pair(node: int) -> tuple[str, str]:
        parent = nodes.parents[node]
        return names[node], names[parent] if parent >= 0 else ""

    found: dict[str, tuple[int, int]] = {}
    for node, own in enumerate(names):
        if own != name:
            continue
        _, caller = pair(node)
        cost, calls = found.get(caller, (0, 0))
        above = nodes.parents[node]
        while above >= 0 and pair(above) != pair(node):
            above = nodes.parents[above]
        cost += inclusive[node] if above < 0 else 0
        found[caller] = (cost, calls + nodes.calls[node])
    return found


class Programs(InBrowser):
    """What holds for every profile, on one like a C program and one like a Python one."""

    def each(self) -> list[tuple[str, bytes]]:
        return [("c", program("c", 3000)), ("python", program("python", 6000))]

    def test_totals_of_each_event(self) -> None:
        for like, content in self.each():
            self.open([content])
            self.assertEqual(self.browser.texts("#event option"), EVENTS)
            for event, total in zip(EVENTS, read(content).totals()):
                self.browser.choose("#event", event)
                self.assertEqual(number(self.text("#total")), total, (like, event))
                self.assertEqual(self.cost("inclusive", event), total)
            self.browser.press("e")
            self.assertEqual(number(self.text("#total")), read(content).totals()[0])
            self.picture(f"{like}-all")

    def test_a_click_zooms_and_shows_the_frame_with_its_callers(self) -> None:
        for like, content in self.each():
            forest, nodes = nodes_of(content)
            self.open([content])
            # The page's node 0 is all; the widest child of main.
            inclusive = nodes.inclusive(0)
            child = max(
                (node for node, parent in enumerate(nodes.parents) if parent == 0),
                key=lambda node: inclusive[node],
            )
            whole = self.browser.boxes("g.frame[data-node='0'] rect")[0]["width"]
            before = self.browser.boxes(f"g.frame[data-node='{child + 1}'] rect")[0][
                "width"
            ]
            self.assertAlmostEqual(before / whole, inclusive[child] / inclusive[0], 2)
            self.browser.click(f"g.frame[data-node='{child + 1}']")
            after = self.browser.boxes(f"g.frame[data-node='{child + 1}'] rect")[0][
                "width"
            ]
            self.assertAlmostEqual(after, whole, 0)
            name = forest.functions[nodes.functions[child]].name
            self.assertEqual(self.text("#frame h2"), name)
            for index, event in enumerate(EVENTS):
                self.assertEqual(self.cost("self", event), nodes.costs[index][child])
                self.assertEqual(
                    self.cost("inclusive", event), nodes.inclusive(index)[child]
                )
            self.assertEqual(self.cost("calls"), nodes.calls[child])
            wanted = callers(forest, name)
            rows = self.shown_table("callers")
            shown = {row[3]: (number(row[0]), number(row[2])) for row in rows}
            self.assertEqual(
                shown, dict(list(wanted.items())) if len(wanted) < 200 else shown
            )
            self.assertGreater(len(shown), 1)
            self.picture(f"{like}-zoomed")
            self.browser.press("Escape")
            self.assertEqual(self.text("#frame h2"), "all")

    def test_search(self) -> None:
        for like, content in self.each():
            forest, nodes = nodes_of(content)
            self.open([content])
            word = {"c": "HASH", "python": "malloc"}[like]
            matches = [word.lower() in each.name.lower() for each in forest.functions]
            inclusive = nodes.inclusive(0)
            cost, inside = 0, [False] * len(nodes)
            for node, parent in enumerate(nodes.parents):
                above = parent >= 0 and inside[parent]
                inside[node] = above or matches[nodes.functions[node]]
                cost += inclusive[node] if inside[node] and not above else 0
            self.browser.press("/")
            self.assertEqual(self.browser.focused(), "search")
            self.browser.fill("#search", word)
            met = {function for function in nodes.functions if matches[function]}
            listed = sum(matches)
            self.assertGreaterEqual(listed, len(met))
            share = f"{100 * cost / inclusive[0]:.2f}%"
            self.assertEqual(self.text("#matched"), f"{listed} functions, {share}")
            self.browser.click("#tab-functions")
            names = self.browser.texts("#functions td.name")
            self.assertEqual(
                sorted(names), sorted(forest.functions[index].name for index in met)
            )
            self.picture(f"{like}-search")
            self.browser.fill("#search", "/^main$/")
            self.assertEqual(self.text("#matched"), "1 function, 100.00%")
            self.browser.fill("#search", "/(/")
            self.assertEqual(self.text("#matched"), "")
            self.browser.fill("#search", "no such name")
            self.assertEqual(self.text("#matched"), "nothing found")

    def test_the_list_of_functions(self) -> None:
        content = program("c", 3000)
        forest, nodes = nodes_of(content)
        sums: dict[str, int] = {}
        for function, cost in zip(nodes.functions, nodes.costs[0]):
            name = forest.functions[function].name
            sums[name] = sums.get(name, 0) + cost
        self.open([content])
        self.browser.click("#tab-functions")
        shown = {row[2]: number(row[0]) for row in self.shown_table("functions")[:25]}
        self.assertEqual(shown, {name: sums[name] for name in shown})
        self.assertEqual(list(shown.values()), sorted(sums.values(), reverse=True)[:25])
        self.browser.choose("#functions select", "inclusive")
        first = self.shown_table("functions")[0]
        self.assertEqual((first[2], number(first[0])), ("main", sum(nodes.costs[0])))
        self.browser.click("#functions td.name button >> nth=1")
        self.assertNotEqual(self.text("#frame h2"), "all")
        self.assertGreater(self.browser.count("g.frame.match"), 0)


class Layouts(InBrowser):
    def test_flame_grows_up_and_icicle_down(self) -> None:
        self.open([example()])

        def heights() -> list[float]:
            return [
                self.browser.boxes(f"g.frame[data-node='{node}']")[0]["y"]
                for node in (0, 1, 2)
            ]

        everything, main_frame, parse = heights()
        self.assertTrue(everything > main_frame > parse)
        self.browser.press("l")
        everything, main_frame, parse = heights()
        self.assertTrue(everything < main_frame < parse)
        self.picture("icicle")

    def test_dark_and_light(self) -> None:
        grounds = {}
        for scheme in ("light", "dark"):
            self.open([program("c", 3000)], colorScheme=scheme)
            grounds[scheme] = self.browser.style("body", "backgroundColor")
            self.picture(scheme)
        self.assertEqual(grounds["light"], "rgb(255, 255, 255)")
        self.assertNotEqual(grounds["dark"], grounds["light"])
        self.browser.click("#theme")  # from auto to light
        self.assertEqual(self.browser.style("body", "backgroundColor"), grounds["light"])
        self.browser.press("t")
        self.assertEqual(self.browser.style("body", "backgroundColor"), grounds["dark"])

    def test_all_is_reached_with_keys(self) -> None:
        self.open([example()])
        reached = []
        for _ in range(14):
            self.browser.press("Tab")
            reached.append(self.browser.focused())
        for control in (
            "event",
            "search",
            "theme",
            "graph",
            "tab-frame",
            "tab-functions",
        ):
            self.assertIn(control, reached)
        self.browser.focus("#graph")
        path = []
        for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown"):
            self.browser.press(key)
            path.append(self.text("#frame h2"))
        self.assertEqual(path, ["main", "parse", "skip_blanks", "read", "parse"])
        self.browser.press("Enter")
        self.assertEqual(self.browser.texts("#path button"), ["all", "main", "parse"])
        self.assertEqual(self.text("#status"), "parse: 990 Ir, 88.39%")
        self.browser.press("Backspace")
        self.assertEqual(self.browser.texts("#path button"), ["all", "main"])

    def test_the_tip_says_what_the_mouse_is_on(self) -> None:
        self.open([example()])
        self.browser.hover("g.frame[data-node='3'] rect")
        self.assertEqual(self.text("#tip"), "skip_blanks60 Ir, 5.36% · inlined")


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


PYTHON_PROGRAM = """
def leaf(n):
    return sorted(str(i) for i in range(n))
def middle(n):
    return [leaf(n) for _ in range(3)]
print(len(middle(200)))
"""


@unittest.skipUnless((BUILD / "vg-in-place").exists(), "nothing is built")
class RealPrograms(InBrowser):
    """Trees that the tool has written, of a C program and of a Python program."""

    def run_program(self, *command: str) -> tuple[bytes, list[str], list[int]]:
        """The tree; events and totals of the profile of the same run."""
        tree, profile = self.folder / "real.tree", self.folder / "real.out"
        options = ["-q", "--tool=callgrind", "--collect-systime=nsec", "--call-tree=yes"]
        options += [f"--call-tree-out-file={tree}", f"--callgrind-out-file={profile}"]
        subprocess.run(
            [str(BUILD / "vg-in-place"), *options, *command],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        text = profile.read_text("latin-1")
        events, totals = (
            re.search(rf"^{key}: (.*)$", text, re.MULTILINE)
            for key in ("events", "totals")
        )
        assert events is not None and totals is not None
        sums = [int(word) for word in totals.group(1).split()]
        return tree.read_bytes(), events.group(1).split(), sums

    def check(self, name: str, searched: str, *command: str) -> None:
        tree, events, totals = self.run_program(*command)
        self.open([tree])
        self.assertEqual(self.browser.texts("#event option"), events)
        for event, total in zip(events, totals):
            self.browser.choose("#event", event)
            self.assertEqual(number(self.text("#total")), total, event)
            self.assertEqual(self.cost("inclusive", event), total)
        self.browser.choose("#event", "Ir")
        self.browser.fill("#search", f"/^{searched}$/")
        self.assertRegex(self.text("#matched"), r"^[1-9]\d* functions?, [0-9.]+%$")
        self.browser.click("#tab-functions")
        forest, nodes = nodes_of(tree)
        wanted = [
            index for index, each in enumerate(forest.functions) if each.name == searched
        ]
        self_cost = sum(
            cost
            for index, cost in zip(nodes.functions, nodes.costs[0])
            if index in wanted
        )
        rows = self.shown_table("functions")
        self.assertEqual(sum(number(row[0]) for row in rows), self_cost)
        self.browser.click("#functions td.name button")
        self.assertEqual(self.text("#frame h2"), searched)
        self.assertGreater(len(self.shown_table("callers")), 0)
        self.browser.press("Escape")
        self.browser.fill("#search", "")
        self.picture(name)

    def test_a_c_program(self) -> None:
        self.check("real-c", "malloc", shutil.which("ls") or "ls", "-l", "/usr/bin")

    def test_a_python_program(self) -> None:
        script = self.folder / "program.py"
        script.write_text(PYTHON_PROGRAM)
        self.check("real-python", "PyObject_Vectorcall", SYSTEM_PYTHON, str(script))


class Shapes(InBrowser):
    def test_a_very_deep_path(self) -> None:
        maker = Maker()
        thread, functions = maker.thread(1), [maker.function(name) for name in "abc"]
        maker.part(1)
        maker.tree(thread)
        node = 0
        for depth in range(12_000):
            node = maker.node(node, functions[depth % 3], 1, 1)
        maker.total()
        self.open([maker.end()])
        self.assertEqual(number(self.text("#total")), 12_000)
        self.assertEqual(self.cost("inclusive", "Ir"), 12_000)
        self.browser.click("g.frame[data-node='1000']")
        self.assertEqual(self.cost("inclusive", "Ir"), 12_000 - 999)
        self.browser.click("g.frame[data-node='2000']")
        self.assertEqual(self.cost("inclusive", "Ir"), 12_000 - 1999)
        self.assertIn("… 1996 more", self.text("#path"))
        self.browser.click("#tab-functions")
        sums = [number(row[0]) for row in self.shown_table("functions")]
        self.assertEqual(sums, [4000, 4000, 4000])

    def test_without_any_cost(self) -> None:
        maker = Maker()
        thread, function = maker.thread(1), maker.function("f")
        maker.part(1)
        maker.tree(thread)
        maker.node(0, function, 1)
        maker.total()
        self.open([maker.end()])
        self.assertEqual(number(self.text("#total")), 0)
        self.browser.fill("#search", "f")
        self.assertEqual(self.text("#matched"), "1 function, –")


class FiftyThousandFrames(InBrowser):
    """What makes a page quick is that it never draws more than can be seen."""

    def setUp(self) -> None:
        super().setUp()
        self.content = program("python", 50_000)
        self.forest, self.nodes = nodes_of(self.content)
        self.open([self.content])

    def draws_few(self) -> None:
        self.assertLess(self.browser.count("g.frame"), 1600)
        self.assertGreater(self.browser.count("g.frame"), 1)

    def test_it_opens_with_all_of_them(self) -> None:
        self.assertIn("50,000 frames", self.text("#summary"))
        self.assertEqual(number(self.text("#total")), self.forest.totals()[0])
        self.draws_few()
        self.picture("fifty-thousand")

    def test_it_zooms_in_and_out(self) -> None:
        inclusive = self.nodes.inclusive(0)
        node = -1
        for _ in range(12):  # down the costliest path; 0 is the page's own root
            children = [
                child
                for child, parent in enumerate(self.nodes.parents)
                if parent == node and inclusive[child]
            ]
            if not children:
                break
            node = max(children, key=lambda child: inclusive[child])
            self.browser.click(f"g.frame[data-node='{node + 1}']")
            self.assertEqual(self.cost("inclusive", "Ir"), inclusive[node])
            self.draws_few()
        (frame,) = self.browser.boxes(f"g.frame[data-node='{node + 1}'] rect")
        (graph,) = self.browser.boxes("#graph")
        self.assertGreater(frame["width"], graph["width"] * 0.9)
        self.browser.press("Escape")
        self.assertEqual(self.cost("inclusive", "Ir"), self.forest.totals()[0])
        self.draws_few()

    def test_it_searches(self) -> None:
        for wanted in ("PyObject", "Py", "list_append_7", "no such name"):
            self.browser.fill("#search", wanted)
            found = [
                index
                for index, function in enumerate(self.forest.functions)
                if wanted.lower() in function.name.lower()
            ]
            share = self.share_of(set(found))
            said = f"{len(found)} functions, {share:.2%}" if found else "nothing found"
            said = said.replace("1 functions", "1 function") if len(found) == 1 else said
            self.assertEqual(self.text("#matched"), said)
            self.draws_few()

    def share_of(self, functions: set[int]) -> float:
        """Of the cost on paths with one of the functions."""
        inclusive, cost = self.nodes.inclusive(0), 0
        covered = bytearray(len(self.nodes))
        for node, parent in enumerate(self.nodes.parents):
            if parent >= 0 and covered[parent]:
                covered[node] = 1
            elif self.nodes.functions[node] in functions:
                covered[node] = 1
                cost += inclusive[node]
        return cost / self.forest.totals()[0]

    def test_the_roots_stay_in_sight_when_the_event_changes(self) -> None:
        for event in ("sysTime", "Ir", "sysCount", "Ir"):
            self.browser.choose("#event", event)
            self.draws_few()
            (frame,) = self.browser.boxes("g.frame[data-node='0'] rect")
            (graph,) = self.browser.boxes("#graph")
            self.assertGreaterEqual(frame["y"], graph["y"])
            bottom = graph["y"] + graph["height"]
            self.assertLessEqual(frame["y"] + frame["height"], bottom)


if __name__ == "__main__":
    unittest.main()
