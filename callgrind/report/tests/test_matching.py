# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions of two builds of a program are matched.

from __future__ import annotations

import unittest

from analysis.profile_diff import Matching, substitution
from export.matching import match_functions
from tree_file.model import Forest, Function, Object

OLD, NEW = Object("/old/demo", "aa"), Object("/new/demo", "bb")
OTHER = Object("/new/libc.so", "")


class Match(unittest.TestCase):
    def matched(
        self, old: Function, *new: Function, by: Matching = Matching()
    ) -> int:
        """Which of the new ones the old one is; -1 for none."""
        forests = Forest(functions=[old]), Forest(functions=list(new))
        match_functions(*forests, by)
        found = forests[0].functions[0]
        return new.index(found) if found in new else -1

    def test_folders_lines_and_build_ids_do_not_count(self) -> None:
        old = Function("f", OLD, "/old/a.c", 3)
        new = Function("f", NEW, "/new/a.c", 4)
        self.assertEqual(self.matched(old, Function("g", NEW, "a.c", 3), new), 1)

    def test_the_object_counts(self) -> None:
        old = Function("f", OLD, "a.c", 3)
        self.assertEqual(self.matched(old, Function("f", OTHER, "a.c", 3)), -1)

    def test_of_two_in_an_object_the_source_file_decides(self) -> None:
        old = Function("f", OLD, "b.c", 3)
        new = [Function("f", NEW, source, 3) for source in ("a.c", "b.c")]
        self.assertEqual(self.matched(old, *new), 1)

    def test_a_function_that_moved_to_another_file(self) -> None:
        old = Function("f", OLD, "a.c", 3)
        self.assertEqual(self.matched(old, Function("f", NEW, "c.c", 3)), 0)
        new = [Function("f", NEW, source, 3) for source in ("c.c", "d.c")]
        self.assertEqual(self.matched(old, *new), -1)

    def test_by_name_alone(self) -> None:
        old, by = Function("f", OLD, "a.c", 3), Matching("name")
        self.assertEqual(self.matched(old, Function("f", OTHER, "b.c", 3), by=by), 0)
        two = [Function("f", owner, "b.c", 3) for owner in (OTHER, None)]
        self.assertEqual(self.matched(old, *two, by=by), -1)
        self.assertEqual(self.matched(old, *two, Function("f", NEW, "c.c", 1), by=by), 2)

    def test_with_the_whole_path_of_the_source_file(self) -> None:
        old, by = Function("f", OLD, "/x/a.c", 3), Matching("name+object+file")
        self.assertEqual(self.matched(old, Function("f", NEW, "/y/a.c", 3), by=by), -1)
        self.assertEqual(self.matched(old, Function("f", NEW, "/x/a.c", 9), by=by), 0)
        there = Matching("name+object+file", map_paths=(substitution("s|^/y|/x|"),))
        self.assertEqual(self.matched(old, Function("f", NEW, "/y/a.c", 3), by=there), 0)

    def test_names_are_rewritten_first(self) -> None:
        by = Matching(map_names=(substitution(r"s/::h[0-9a-f]{4}$//"),))
        old, new = (Function(f"f::h{end}", OLD, "a.rs", 1) for end in ("12ab", "34cd"))
        self.assertEqual(self.matched(old, new, by=by), 0)
        self.assertEqual(self.matched(old, new), -1)

    def test_hashes_of_a_build_do_not_count(self) -> None:
        program = [Object(f"/t/bench-{hash * 16}", "") for hash in "ab"]
        old = Function("x::f::h0123456789abcdef", program[0], "a.rs", 1)
        new = Function("x::f::hfedcba9876543210", program[1], "a.rs", 1)
        self.assertEqual(self.matched(old, Function("x::g", program[1], "", 0), new), 1)
        self.assertEqual(self.matched(old, new, by=Matching("name+object+file")), -1)
        self.assertEqual(self.matched(old, new._replace(object=OTHER)), -1)
        by = Matching("name")
        self.assertEqual(self.matched(old, new._replace(object=OTHER), by=by), 0)

    def test_copies_that_only_hashes_tell_apart(self) -> None:
        """As many: in their order; otherwise nobody knows."""
        old, new = (
            [Function(f"f::h{copy * 16}", OLD, "", 0) for copy in copies]
            for copies in ("ab", "cd")
        )
        forest = Forest(functions=[*old])
        match_functions(forest, Forest(functions=[*new]))
        self.assertEqual(forest.functions, new)
        self.assertEqual(self.matched(old[0], *new), -1)

    def test_javascript_that_has_moved(self) -> None:
        """What the interpreter runs is not what has been compiled."""
        old, new = (
            [Function(f"JS:{mark}f a.mjs:{line}:1", None, "", 0) for mark in "~*"]
            for line in (3, 23)
        )
        for order in (new, new[::-1]):
            forest = Forest(functions=[*old])
            match_functions(forest, Forest(functions=[*order]))
            self.assertEqual(forest.functions, new)
        self.assertEqual(self.matched(old[0], new[1]), 0)

    def test_no_function_stands_for_two(self) -> None:
        old = [Function("f", owner, "a.c", 1) for owner in (OLD, OTHER)]
        new = Function("f", NEW, "a.c", 1)
        forest = Forest(functions=[*old])
        match_functions(forest, Forest(functions=[new]), Matching("name"))
        self.assertEqual(forest.functions, [new, old[1]])
