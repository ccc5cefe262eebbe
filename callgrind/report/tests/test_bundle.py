# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bundling: what is kept, and that every sum stays as it was.

from __future__ import annotations

import unittest

from callgrind.report.tests.tree_reading import paths, read
from export.bundle import bundle
from tests.format.tree_examples import example
from tests.format.tree_maker import Maker, program
from tree_file.model import Forest


def sums(forest: Forest) -> list[list[int]]:
    """Of each tree: its calls, and its costs."""
    return [[sum(tree.nodes.calls), *tree.nodes.totals()] for tree in forest.trees]


class Bundle(unittest.TestCase):
    def test_the_costliest_in_any_event_are_kept_and_the_rest_is_one_frame(self) -> None:
        forest = read(example())
        self.assertEqual(bundle([forest], [0, 1], 4), 1)
        self.assertEqual(
            paths(forest),
            {
                ("main",): (0, [120, 0]),
                ("main", "parse"): (3, [900, 0]),
                ("main", "parse", "read"): (3, [30, 4500]),
                ("main", "read"): (1, [10, 1500]),
                ("main", "parse", "(bundled) [b]"): (0, [60, 0]),
            },
        )

    def test_by_one_event_alone(self) -> None:
        forest = read(example())
        self.assertEqual(bundle([forest], [0], 3), 2)
        self.assertIn(("main", "parse", "skip_blanks [i]"), paths(forest))
        self.assertEqual(paths(forest)["main", "(bundled) [b]"], (1, [10, 1500]))

    def test_what_is_small_enough_stays_as_it_is(self) -> None:
        forest = read(example())
        before = paths(forest)
        self.assertEqual(bundle([forest], [0, 1], 5), 0)
        self.assertEqual(paths(forest), before)

    def test_sums_are_exact_and_nodes_few(self) -> None:
        for like in ("c", "python"):
            forest = read(program(like, 5000))
            before = sums(forest)
            self.assertEqual(bundle([forest], [0, 1, 2], 300), 4700)
            self.assertEqual(sums(forest), before)
            self.assertLessEqual(len(forest.trees[0].nodes), 600)
            parents = forest.trees[0].nodes.parents
            self.assertTrue(all(parent < node for node, parent in enumerate(parents)))

    def test_two_runs_keep_the_same_paths(self) -> None:
        def run(cost_of_b: int) -> Forest:
            maker = Maker()
            thread = maker.thread(1)
            functions = [maker.function(name) for name in "abc"]
            maker.part(1)
            maker.tree(thread)
            for function, cost in zip(functions, (50, cost_of_b, 10)):
                maker.node(0, function, 1, cost)
            maker.total()
            return read(maker.end())

        old, new = run(1), run(90)
        bundle([old, new], [0], 2)
        for forest, b in ((old, 1), (new, 90)):
            self.assertEqual(paths(forest)[("b",)], (1, [b, 0, 0]))
            self.assertEqual(paths(forest)[("(bundled) [b]",)], (1, [10, 0, 0]))
