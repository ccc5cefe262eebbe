# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions of two builds of a program are matched.

from __future__ import annotations

import unittest

from export.matching import match_functions
from tree_file.model import Forest, Function, Object

OLD, NEW = Object("/old/demo", "aa"), Object("/new/demo", "bb")
OTHER = Object("/new/libc.so", "")


class Match(unittest.TestCase):
    def matched(self, old: Function, *new: Function) -> int:
        """Which of the new ones the old one is; -1 for none."""
        forests = Forest(functions=[old]), Forest(functions=list(new))
        match_functions(*forests)
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
