# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of paths.py: a tree that agrees with the truth and with the profile passes, and
# each way in which it can be wrong is found.  Files are small texts, changed in one
# place.

"""Tests of the comparison of a call tree with the truth."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from profile_file.reader import read_profile
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.measuring import parse_truth
from tests.groundtruth.paths import check_tree
from tree_file.reader import read_forest

HERE = Path(__file__).resolve().parent

# main calls f twice and sorts once; f calls itself once each time; qsort calls less.
TREE = """\
callgrind-tree 1
creator test
costs counted
event Ir count instructions
process 1 1 0 program
thread 1 1 1 main
part 1
function 1 0 0 0 main
function 2 0 0 0 f
function 3 0 0 0 qsort
function 4 0 0 0 less
tree 1
0 1 1 10
1 2 2 20
1 2 2 20
3 3 1 5
1 4 3 6
total 5 9 61
end 1 5 61
"""
PROFILE = """\
events: Ir

fn=main
1 10

fn=f
2 20

fn=f'2
2 20

fn=qsort
3 5

fn=less
4 6
totals: 61
"""
TRUTH = """\
path\t7\t0\tmain\t1
path\t3\t9\tf\t2
path\t9\t7\tf\t2
path\t4\t0\tless\t3
"""


def problems(
    tree: str = TREE,
    profile: str = PROFILE,
    truth: str = TRUTH,
    why: str = "",
    is_flat: bool = False,
) -> list[str]:
    case = Case("test", 0, {}, ["main", "f", "less"], rules=Rules(uncounted_paths=why))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tree").write_text(tree, encoding="utf-8")
        (Path(folder) / "profile").write_text(profile, encoding="utf-8")
        forest = read_forest([Path(folder) / "tree"])
        parts = read_profile(Path(folder) / "profile").parts
    return check_tree(case, parse_truth(truth), parts, forest, is_flat)


class Trees(unittest.TestCase):
    def test_agreement(self) -> None:
        self.assertEqual(problems(), [])

    def test_calls_of_a_path(self) -> None:
        self.assertEqual(
            problems(truth=TRUTH.replace("f\t2\npath\t9", "f\t1\npath\t9")),
            ["path main > f > f: tree 2, truth 1"],
        )

    def test_path_that_was_not_taken(self) -> None:
        self.assertCountEqual(
            problems(truth=TRUTH.replace("4\t0", "4\t7")),
            ["path less: tree 3, truth 0", "path main > less: tree 0, truth 3"],
        )

    def test_path_by_another_parent(self) -> None:
        """The inner calls of f as calls by main: arcs alone would not tell f > f."""
        found = problems(tree=TREE.replace("1 2 2 20\n1 2 2 20", "1 2 2 20\n2 2 2 20"))
        self.assertIn("path main > f > f: tree 0, truth 2", found)
        self.assertIn("path main > f: tree 4, truth 2", found)
        self.assertIn("tree: 2 nodes of f below node 1", found)

    def test_costs(self) -> None:
        self.assertEqual(
            problems(profile=PROFILE.replace("3 5", "3 4")),
            ["cost of qsort: the tree has [1] more than the profile"],
        )

    def test_part_of_another_program(self) -> None:
        other = TREE.replace("part 1", "part 7")
        self.assertEqual(problems(tree=other + TREE), [])
        self.assertNotEqual(problems(tree=other), [])

    def test_what_was_not_counted(self) -> None:
        nothing = TRUTH.splitlines()[0] + "\n"
        self.assertEqual(problems(truth=nothing, why="it cannot"), [])
        self.assertEqual(problems(truth=nothing + "lost\tpath\n"), [])
        self.assertNotEqual(problems(truth=nothing), [])

    def test_flat_tail_calls(self) -> None:
        """Judged by the paths in which they are flat, and by these alone."""
        flat = TRUTH.replace("path", "flat")
        self.assertEqual(problems(truth=flat, is_flat=True), [])
        self.assertEqual(
            problems(truth=TRUTH + flat.replace("less\t3", "less\t2"), is_flat=True),
            ["path less: tree 3, truth 2"],
        )
        self.assertNotEqual(problems(truth=TRUTH, is_flat=True), [])
        self.assertEqual(problems(truth="lost\tflat\n", is_flat=True), [])
        self.assertEqual(problems(truth="", why="it cannot", is_flat=True), [])
