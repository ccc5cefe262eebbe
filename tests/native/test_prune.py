# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests pruning of the call tree (callgrind/model/tree/tree_prune.c): nothing is lost, the
# limit is kept where it can be, and the work goes by the number of calls.

"""Call trees that are pruned."""

from __future__ import annotations

import re
import subprocess
import unittest

from tests.native.work import LINEAR, build_plain, growth

FILES = (
    "callgrind/base/host_lines.c", "callgrind/base/table.c", "callgrind/model/arc.c",
) + tuple(
    f"callgrind/model/tree/{name}.c"
    for name in ("calltree", "tree_prune", "tree_node", "tree_children", "child_table")
)


class Prune(unittest.TestCase):
    def setUp(self) -> None:
        self.program = build_plain("prune_tree", *FILES)

    def nodes_of(self, *words: str) -> int:
        done = subprocess.run([self.program, *words], capture_output=True, text=True,
                              check=True)
        said = re.fullmatch(r"(\d+) nodes, cost (\d+) of (\d+)\n", done.stdout)
        assert said, done.stdout
        self.assertEqual(said[2], said[3])  # every cost is in a node
        return int(said[1])

    def test_the_limit_is_kept(self) -> None:
        self.assertLessEqual(self.nodes_of("arcs", "1000", "20000"), 1000)

    def test_frames_may_need_more_than_the_limit(self) -> None:
        """A node for each of 10,000 frames, one for what was pruned below it, and a
        quarter of that."""
        self.assertLessEqual(self.nodes_of("recursion", "1000", "10000"), 26_000)

    def test_a_deep_recursion(self) -> None:
        self.assertLess(growth(self.program, "recursion", "1000", size=10_000), LINEAR)

    def test_new_paths_below_a_deep_stack(self) -> None:
        self.assertLess(growth(self.program, "folded", "20", size=10_000), LINEAR)

    def test_new_paths_beside_many_arcs(self) -> None:
        self.assertLess(growth(self.program, "arcs", "20", size=10_000), LINEAR)
