# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of conservation.py, on profiles small enough to be added up by eye.

"""Tests of the conservation law on small profiles."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Callable

from profile_file.reader import read_profile
from profile_file.model import FunctionKey, Part
from tests.groundtruth.conservation import (
    Violation,
    base_name,
    flows,
    violations,
    violations_by_levels,
)

HERE = Path(__file__).resolve().parent

PROFILES = HERE / "profiles"


def no_root(_: str) -> bool:
    return False


def main_is_root(name: str) -> bool:
    return name == "main"


def part_of(name: str) -> Part:
    (part,) = read_profile(PROFILES / name).parts
    return part


def brief(found: list[Violation]) -> list[tuple[str, str, int]]:
    return [(each.function.name, each.event, each.missing) for each in found]


def check(
    name: str, is_root: Callable[[str], bool] = main_is_root, merge_levels: bool = True
) -> list[tuple[str, str, int]]:
    return brief(violations(part_of(name), is_root, merge_levels))


class NameTests(unittest.TestCase):
    def test_levels_are_cut_off(self) -> None:
        for name, base in (
            ("f'2", "f"),
            ("f'3", "f"),
            ("f'10", "f"),
            ("operator()'12", "operator()"),
        ):
            self.assertEqual(base_name(name), base)

    def test_what_is_no_level_stays(self) -> None:
        for name in ("f", "f'", "f'0", "f'1", "f'2b", "f'02", "f'lambda'(int)"):
            self.assertEqual(base_name(name), name)


class LawTests(unittest.TestCase):
    def test_a_sound_profile_has_one_root(self) -> None:
        self.assertEqual(check("tree.out"), [])
        self.assertEqual(check("tree.out", no_root), [("main", "Ir", 110)])

    def test_levels_apart_and_merged(self) -> None:
        self.assertEqual(check("recursion.out"), [])
        self.assertEqual(check("recursion.out", merge_levels=False), [])

    def test_a_breach_between_levels_is_seen_only_with_levels_apart(self) -> None:
        # Two instructions of f'2 were booked as f's: the sum over both is right.
        self.assertEqual(check("levels_mixed.out"), [])
        self.assertEqual(
            check("levels_mixed.out", merge_levels=False),
            [("f", "Ir", 2), ("f'2", "Ir", -2)],
        )

    def test_each_breach_is_told_once_with_the_levels_that_show_it(self) -> None:
        told = [
            (levels, violation.function.name)
            for levels, violation in violations_by_levels(part_of("levels_mixed.out"))
        ]
        self.assertEqual(
            told,
            [("levels merged", "main"), ("levels apart", "f"), ("levels apart", "f'2")],
        )

    def test_same_name_in_other_files_is_another_function(self) -> None:
        # `step` of one object lost 5 and that of the other gained 5.
        found = violations(part_of("namesakes.out"), main_is_root)
        self.assertEqual(
            [(each.function, each.missing) for each in found],
            [
                (FunctionKey("one.so", "one.c", "step"), 5),
                (FunctionKey("two.so", "two.c", "step"), -5),
            ],
        )

    def test_a_root_may_not_be_given_more_than_it_spends(self) -> None:
        found = violations(part_of("too_much.out"), lambda name: True)
        self.assertEqual(brief(found), [("leaf", "Ir", -7)])
        (violation,) = found
        self.assertEqual(
            (violation.incoming, violation.self_cost, violation.outgoing), (27, 20, 0)
        )

    def test_each_event_has_its_own_balance(self) -> None:
        self.assertEqual(
            check("two_events.out"), [("leaf", "Dr", 3)]  # and Ir is in balance
        )

    def test_a_callee_without_a_record_of_its_own(self) -> None:
        # Cost that arrives where nothing was spent.
        self.assertEqual(check("vanished.out"), [("gone", "Ir", -9)])

    def test_the_gravest_comes_first(self) -> None:
        self.assertEqual(
            check("several.out"),
            [("large", "Ir", 30), ("middle", "Ir", -20), ("small", "Ir", 1)],
        )

    def test_the_text_of_a_violation(self) -> None:
        (violation,) = violations(part_of("too_much.out"), lambda name: True)
        self.assertEqual(
            str(violation),
            "leaf (prog, prog.c): Ir: in 27, self 20 + out 0 = 20 (in +7)",
        )

    def test_flows_are_sums_over_sites(self) -> None:
        flow = flows(part_of("tree.out"))[FunctionKey("prog", "prog.c", "leaf")]
        through = (flow.incoming, flow.self_cost, flow.outgoing)
        self.assertEqual(through, ([60], [60], [0]))
