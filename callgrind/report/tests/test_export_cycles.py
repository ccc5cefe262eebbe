# SPDX-License-Identifier: GPL-2.0-or-later
#
# Hundredths of a cycle in formats that have whole numbers: cycles, and no path is wrong
# by a whole one.

from __future__ import annotations

import json
import random

from callgrind.report.tests.export_case import ExportCase, read_folded
from callgrind.report.tests.test_export_pprof import Pprof
from callgrind.report.tests.test_export_speedscope import read_speedscope
from tests.format.tree_maker import Maker

EVENTS = (("Ir", "count", ""), ("Cy", "centicycles", "Cycles"))


class Cycles(ExportCase):
    """A tree of 300 nodes with two functions at each depth."""

    def setUp(self) -> None:
        super().setUp()
        draw = random.Random(1)
        maker = Maker(events=EVENTS)
        functions = [maker.function(f"f{number}") for number in range(40)]
        maker.part(1)
        maker.tree(maker.thread(1))
        self.exact: dict[tuple[str, ...], int] = {}
        open_nodes: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        for _ in range(300):
            parent, path = draw.choice(open_nodes[-12:])
            number = (2 * len(path) + draw.randrange(2)) % 40
            path = (*path, f"f{number}")
            if path in self.exact:
                continue
            self.exact[path] = draw.choice((0, 1, 49, 50, 99, 100, 12345))
            node = maker.node(parent, functions[number], 1, 7, self.exact[path])
            open_nodes.append((node, path))
        maker.total()
        self.tree = self.file(maker.end())

    def assert_near(self, found: dict[tuple[str, ...], int]) -> None:
        """The cost of each path, with all below it."""
        self.assertGreater(len(self.exact), 100)
        for path in [(), *self.exact]:
            size = len(path)
            exact = sum(c for p, c in self.exact.items() if p[:size] == path)
            told = sum(c for p, c in found.items() if p[:size] == path)
            self.assertLess(abs(100 * told - exact), 100, path)

    def export(self, form: str) -> bytes:
        return self.exported("--to", form, "--event", "Cy", self.tree)

    def test_folded(self) -> None:
        self.assert_near(read_folded(self.export("folded")))

    def test_speedscope(self) -> None:
        self.assert_near(read_speedscope(json.loads(self.export("speedscope")))["Cy"])

    def test_pprof_names_the_unit(self) -> None:
        profile = Pprof(self.export("pprof"))
        self.assertEqual(profile.events(), [("Cy", "cycles")])
        self.assert_near(profile.costs(0))

    def test_the_format_of_callgrind_keeps_hundredths(self) -> None:
        text = self.export("callgrind").decode()
        self.assertIn(f"totals: {sum(self.exact.values())}\n", text)
        self.assertIn("event: Cy : Cycles", text)
