# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of callgrind_export in a browser: trees that the tool has written, odd shapes,
# and large ones.

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import unittest

from callgrind.report.tests.npm_packages import BUILD
from callgrind.report.tests.page_case import (
    InBrowser,
    nodes_of,
    number,
    page_numbers,
)
from tests.format.tree_maker import Maker, program

SYSTEM_PYTHON = shutil.which("/usr/bin/python3") or sys.executable

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
        self.check("real-c", "malloc", shutil.which("ls") or "ls", "-l", "/etc")

    def test_a_python_program(self) -> None:
        script = self.folder / "program.py"
        script.write_text(PYTHON_PROGRAM, "ascii")
        command = [SYSTEM_PYTHON, "-IS", str(script)]
        self.check("real-python", "PyObject_Vectorcall", *command)


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

    def draws_few(self) -> None:
        self.assertLess(self.browser.evaluate("graph.places.size"), 1600)
        self.assertLess(self.browser.count("#graph svg *"), 1600)
        self.assertGreater(self.browser.count("g.frame"), 1)

    def test_it_stays_quick(self) -> None:
        """One page, which takes long to open; each step leaves it as it was then."""
        content = program("python", 50_000)
        self.forest, self.nodes = nodes_of(content)
        self.open([content])
        self.assertIn("50,000 frames", self.text("#summary"))
        self.assertEqual(number(self.text("#total")), self.forest.totals()[0])
        self.draws_few()
        self.picture("fifty-thousand")
        self.check_that_it_zooms_in_and_out()
        self.check_that_the_roots_stay_in_sight_when_the_event_changes()
        self.check_that_it_searches()

    def check_that_it_zooms_in_and_out(self) -> None:
        inclusive = self.nodes.inclusive(0)
        numbers = page_numbers(self.nodes)
        node = -1
        for step in range(12):  # down the costliest path; 0 is the page's own root
            children = [
                child
                for child, parent in enumerate(self.nodes.parents)
                if parent == node and inclusive[child]
            ]
            if not children:
                break
            node = max(children, key=lambda child: inclusive[child])
            if step % 2 == 0:  # to a child, then to children of children
                continue
            self.browser.click(f"g.frame[data-node='{numbers[node]}']")
            self.assertEqual(self.cost("inclusive", "Ir"), inclusive[node])
            self.draws_few()
        (frame,) = self.browser.boxes(f"g.frame[data-node='{numbers[node]}'] rect")
        (graph,) = self.browser.boxes("#graph")
        self.assertGreater(frame["width"], graph["width"] * 0.9)
        self.browser.press("Escape")
        self.assertEqual(self.cost("inclusive", "Ir"), self.forest.totals()[0])
        self.draws_few()

    def check_that_it_searches(self) -> None:
        for wanted in ("PyObject", "Py", "list_append_7", "no such name"):
            self.browser.fill("#search", wanted)
            found = {
                index
                for index in self.nodes.functions
                if wanted.lower() in self.forest.functions[index].name.lower()
            }
            share = self.share_of(found)
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

    def check_that_the_roots_stay_in_sight_when_the_event_changes(self) -> None:
        for event in ("sysTime", "Ir", "sysCount", "Ir"):
            self.browser.choose("#event", event)
            self.draws_few()
            (frame,) = self.browser.boxes("g.frame[data-node='0'] rect")
            (graph,) = self.browser.boxes("#graph")
            self.assertGreaterEqual(frame["y"], graph["y"])
            bottom = graph["y"] + graph["height"]
            self.assertLessEqual(frame["y"] + frame["height"], bottom)
