# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that the rules for single options explain what they are for, and nothing else:
# callers in names, collection that is switched, parts that are added up, times.  As
# test_explaining.py does, whose program this describes.

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Iterable

from profile_file.reader import Detail, read_profile
from tests.differential.code_map import Place
from tests.differential.code_map import callers_named, split_context, with_context
from tests.differential.comparison import blank_times, compare_profiles
from tests.differential.explaining import explain
from tests.differential.fake_program import ArcRow, Cost, PROGRAM, Rules, flat, key
from tests.differential.flat_profile import Flat, Flattener, Leap

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent.parent / "callgrind" / "report"

PARTS = REPORT / "tests" / "data" / "combined.out"


def with_jump(made: Flat, name: str, executed: int, followed: int) -> Flat:
    site, target = Place(PROGRAM, 0x10A0), Place(PROGRAM, 0x10A8)
    made.leaps[Leap(key(name), site, target, True)] = [executed, followed]
    return made


class Names(unittest.TestCase):
    def test_taking_apart(self) -> None:
        rows: list[tuple[str, str, str, list[str]]] = [
            ("leaf", "leaf", "", []),
            ("leaf'2", "leaf", "2", []),
            ("leaf'middle'(below main)", "leaf", "middle'(below main)", ["middle"]),
            ("leaf'12'middle'x.0", "leaf", "12'middle'x.0", ["middle", "x.0"]),
        ]
        for name, function, context, callers in rows:
            with self.subTest(name=name):
                base, found = split_context(key(name))
                self.assertEqual((base.name, found), (function, context))
                self.assertEqual(with_context(base, found), key(name))
                self.assertEqual(callers_named(key(name))[: len(callers)], callers)


class Contexts(Rules):
    """outer calls again twice, and main calls it once."""

    COSTS: list[Cost] = [
        (0x1020, "main", 1),
        (0x1044, "outer", 2),
        (0x10A4, "again'outer", 8),
        (0x10A4, "again'main", 3),
    ]
    ARCS: list[ArcRow] = [
        ("main", 0x1004, "outer", 1, 10),
        ("main", 0x1020, "again'main", 1, 3),
    ]

    def test_equal(self) -> None:
        same = flat(self.COSTS, self.ARCS), flat(self.COSTS, self.ARCS)
        self.assertNotIn("level", self.found(*same))

    def test_cost_of_another_caller(self) -> None:
        moved = [*self.COSTS[:2], (0x10A4, "again'outer", 7), (0x10A4, "again'main", 4)]
        found = self.found(flat(self.COSTS, self.ARCS), flat(moved, self.ARCS))
        self.assertIn("level", found)

    def test_call_of_another_context(self) -> None:
        arcs = [self.ARCS[0], ("main", 0x1020, "again'outer", 1, 3)]
        found = self.found(flat(self.COSTS, self.ARCS), flat(self.COSTS, arcs))
        self.assertIn("level", found)

    def test_caller_that_is_called_otherwise_here(self) -> None:
        there = [*self.COSTS[:2], (0x10A4, "again'0x1", 8), self.COSTS[3]]
        stock, ours = flat(there, self.ARCS), flat(self.COSTS, self.ARCS)
        self.assertIn("level", self.found(stock, ours))
        stock = flat(there, self.ARCS)
        stock.old_names.add("0x1")
        self.assertNotIn("level", self.found(stock, ours))

    def test_but_not_other_costs(self) -> None:
        there = [*self.COSTS[:2], (0x10A4, "again'0x1", 9), self.COSTS[3]]
        stock = flat(there, self.ARCS)
        stock.old_names.add("0x1")
        self.assertIn("instruction", self.found(stock, flat(self.COSTS, self.ARCS)))


class JumpsOfSeveral(Rules):
    """A jump that one of two contexts of the same name, or one of two parts, followed."""

    COSTS: list[Cost] = [(0x10A0, "again'outer", 10), (0x10A8, "again'outer", 3)]

    def jumps(self, executed: int, more: Iterable[Cost] = (), parts: int = 1) -> set[str]:
        stock, ours = (flat([*self.COSTS, *more], []) for _ in range(2))
        stock.parts = ours.parts = parts
        with_jump(stock, "again'outer", 10, 3)
        with_jump(ours, "again'outer", executed, 3)
        return {d.category for d in explain(stock, ours, self.code).differences}

    def test_one_context_of_one_part_has_them_all(self) -> None:
        self.assertNotIn("jump", self.jumps(10))
        self.assertIn("jump", self.jumps(9))

    def test_callers_of_one_name(self) -> None:
        outer = key("outer")._replace(source_file="q.c")
        sides = [flat([*self.COSTS, (0x1044, "outer", 1)], []) for _ in range(2)]
        for made in sides:
            (spot,) = [spot for spot in made.costs if spot.place.address == 0x1044]
            made.add_cost(spot._replace(line=1), outer, [1])
        with_jump(sides[0], "again'outer", 10, 3)
        with_jump(sides[1], "again'outer", 9, 3)
        differences = explain(sides[0], sides[1], self.code).differences
        self.assertNotIn("jump", {found.category for found in differences})

    def test_parts(self) -> None:
        self.assertNotIn("jump", self.jumps(9, parts=2))
        self.assertIn("jump", self.jumps(11, parts=2))


class Uncollected(Rules):
    """main calls again four times, and collection is on for three of them."""

    COSTS: list[Cost] = [(0x1020, "main", 3), (0x10A8, "again", 6)]
    OURS: list[ArcRow] = [("main", 0x1020, "again", 3, 6)]
    STOCK: list[ArcRow] = [("main", 0x1020, "again", 4, 6)]

    def categories(
        self, stock: list[ArcRow], ours: list[ArcRow], *toggles: str
    ) -> set[str]:
        sides = flat(self.COSTS, stock), flat(self.COSTS, ours)
        outcome = explain(sides[0], sides[1], self.code, toggles)
        return {difference.category for difference in outcome.differences}

    def test_explained(self) -> None:
        self.assertFalse(self.categories(self.STOCK, self.OURS, "elsewhere"))

    def test_only_where_collection_is_switched(self) -> None:
        self.assertIn("arc", self.categories(self.STOCK, self.OURS))

    def test_other_cost(self) -> None:
        stock: list[ArcRow] = [("main", 0x1020, "again", 4, 7)]
        self.assertIn("arc", self.categories(stock, self.OURS, "elsewhere"))

    def test_more_calls_here(self) -> None:
        ours: list[ArcRow] = [("main", 0x1020, "again", 5, 6)]
        self.assertIn("arc", self.categories(self.STOCK, ours, "elsewhere"))

    def test_other_calls_than_were_collected(self) -> None:
        ours: list[ArcRow] = [("main", 0x1020, "again", 2, 6)]
        self.assertIn("arc", self.categories(self.STOCK, ours, "elsewhere"))

    def test_calls_in_which_collection_comes_on(self) -> None:
        same: list[ArcRow] = [("main", 0x1020, "again", 5, 6)]
        self.assertFalse(self.categories(same, same, "elsewhere"))
        self.assertIn("arc", self.categories(self.STOCK, same, "elsewhere"))

    def test_jumps(self) -> None:
        for followed, toggles, found in ((4, ("x",), False), (4, (), True)):
            costs = [(0x10A0, "again", 3), (0x10A8, "again", 3)]
            sides = [flat(costs, []) for _ in range(2)]
            with_jump(sides[0], "again", 3, followed)
            with_jump(sides[1], "again", 3, 3)
            differences = explain(sides[0], sides[1], self.code, toggles).differences
            self.assertEqual("jump" in {d.category for d in differences}, found)
            with_jump(sides[0], "again", 3, 2)
            differences = explain(sides[0], sides[1], self.code, toggles).differences
            self.assertIn("jump", {d.category for d in differences})


class OpenCalls(Rules):
    """A call of again by main was open when a part began."""

    COSTS: list[Cost] = [(0x10A8, "again", 6)]

    def differences(self, there: int, here: int, cost: int = 6, parts: int = 1) -> bool:
        sides = [
            flat(self.COSTS, [("main", 0x1020, "again", calls, spent)])
            for calls, spent in ((there, 6), (here, cost))
        ]
        sides[0].parts = sides[1].parts = parts
        return bool(explain(sides[0], sides[1], self.code).differences)

    def test_counts_here(self) -> None:
        self.assertFalse(self.differences(0, 1))

    def test_not_beside_others(self) -> None:
        self.assertTrue(self.differences(1, 2))

    def test_not_the_other_way_round(self) -> None:
        self.assertTrue(self.differences(1, 0))

    def test_other_cost(self) -> None:
        self.assertTrue(self.differences(0, 1, cost=7))

    def test_of_parts_that_are_added_up(self) -> None:
        self.assertFalse(self.differences(2, 6, parts=3))
        self.assertTrue(self.differences(2, 7, parts=3))


class PartsAddedUp(Rules):
    def test_sum(self) -> None:
        parts = read_profile(PARTS, Detail.INSTRUCTIONS).parts
        self.assertGreater(len(parts), 1)
        made = Flattener(self.code, False).flatten(*parts)
        self.assertEqual(made.parts, len(parts))
        costs = [v[0] for of in made.costs.values() for v in of.values()]
        self.assertEqual(sum(costs), sum(part.sum_of_self_costs()[0] for part in parts))


class Times(unittest.TestCase):
    def test_times_are_left_out_and_counts_are_not(self) -> None:
        sides = [read_profile(PARTS, Detail.INSTRUCTIONS) for _ in range(2)]
        for extra, side in enumerate(sides):
            for part in side.parts:
                part.header.events.append("sysTime")
                part.header.summary = part.header.totals = None
                for function in part.functions.values():
                    function.self_cost.append(5 + extra)
                    for arc in function.arcs.values():
                        arc.inclusive.append(7 + extra)
        self.assertTrue(compare_profiles(*sides)[0])
        for side in sides:
            blank_times(side)
        self.assertEqual(compare_profiles(*sides)[0], [])
        next(iter(sides[1].parts[0].functions.values())).self_cost[0] += 1
        self.assertTrue(compare_profiles(*sides)[0])


if __name__ == "__main__":
    unittest.main()
