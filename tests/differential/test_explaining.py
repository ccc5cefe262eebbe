# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that each rule explains what it is for, and nothing else: a small program is
# described twice, as the distribution's callgrind sees it and as ours does, and then one
# number, owner or arc is made wrong.

from __future__ import annotations

from typing import Iterable, Optional

from tests.differential.code_map import Place, nameless_name
from tests.differential.explaining import Outcome, RULES
from tests.differential.fake_program import (
    ArcRow,
    Cost,
    PROGRAM,
    Rules,
    STUB,
    flat,
    key,
    spot,
)
from tests.differential.flat_profile import Call, Flat, Leap


class JumpsWithin(Rules):
    """main runs 10 times and jumps forward 4 times; then it repeats an instruction."""

    COSTS = [
        (0x1030, "main", 10),
        (0x1034, "main", 10),
        (0x1038, "main", 7),
        (0x1050, "outer", 1),
    ]
    FORWARD, REPEATED = (0x1030, 0x1034, True), (0x1038, 0x1038, True)
    OURS = {FORWARD: [10, 4], REPEATED: [7, 6]}

    def judged(
        self,
        stock: dict[tuple[int, int, bool], list[int]],
        ours: Optional[dict[tuple[int, int, bool], list[int]]] = None,
        arcs: Iterable[ArcRow] = (),
    ) -> Outcome:
        flats = flat(self.COSTS, arcs), flat(self.COSTS, [])
        for side, leaps in zip(flats, (stock, self.OURS if ours is None else ours)):
            for (site, target, conditional), counts in leaps.items():
                places = Place(PROGRAM, site), Place(PROGRAM, target)
                side.leaps[Leap(key("main"), *places, conditional)] = counts
        return self.outcome(*flats)

    def categories(self, *parts: object) -> set[str]:
        outcome = self.judged(*parts)  # type: ignore[arg-type]
        return {difference.category for difference in outcome.differences}

    def test_equal(self) -> None:
        outcome = self.judged(dict(self.OURS))
        self.assertFalse(outcome.differences)
        self.assertFalse(outcome.explained["jump executed"])

    def test_superblocks_left_out(self) -> None:
        outcome = self.judged({**self.OURS, self.FORWARD: [6, 4]})
        self.assertFalse(outcome.differences)
        self.assertEqual(outcome.explained["jump executed"], 1)

    def test_number_of_repetitions_known(self) -> None:
        there = {
            self.FORWARD: [10, 4],
            self.REPEATED: [6, 5],
            (0x1038, 0x1038, False): [1, 1],
        }
        outcome = self.judged(there)
        self.assertFalse(outcome.differences)
        self.assertEqual(outcome.explained["repeated"], 1)

    def test_wrong_follows(self) -> None:
        self.assertEqual(self.categories({**self.OURS, self.FORWARD: [10, 5]}), {"jump"})

    def test_more_executions_there(self) -> None:
        self.assertEqual(self.categories({**self.OURS, self.FORWARD: [11, 4]}), {"jump"})

    def test_wrong_executions_here(self) -> None:
        wrong = {**self.OURS, self.FORWARD: [9, 4]}
        self.assertEqual(
            self.categories({**self.OURS, self.FORWARD: [6, 4]}, wrong), {"jump"}
        )

    def test_missing_and_invented(self) -> None:
        less = {self.REPEATED: self.OURS[self.REPEATED]}
        self.assertEqual(self.categories(self.OURS, less), {"jump"})
        self.assertEqual(self.categories(less, self.OURS), {"jump"})

    def test_other_kind(self) -> None:
        there = {self.REPEATED: [7, 6], (0x1030, 0x1034, False): [4, 4]}
        self.assertEqual(self.categories(there), {"jump"})

    def test_unconditional_repetition_here(self) -> None:
        here = {self.FORWARD: [10, 4], (0x1038, 0x1038, False): [6, 6]}
        self.assertEqual(self.categories(self.OURS, here), {"jump"})

    def test_more_follows_than_executions(self) -> None:
        both = {**self.OURS, (0x1034, 0x1030, False): [11, 11]}
        self.assertEqual(self.categories(both, both), {"jump"})

    def test_leaving_its_function(self) -> None:
        both = {**self.OURS, (0x1030, 0x1050, True): [10, 1]}
        self.assertIn("jump", self.categories(self.OURS, both))
        self.assertIn("jump", self.categories(both, both))

    def test_jump_to_the_start_of_its_function(self) -> None:
        less = {self.REPEATED: self.OURS[self.REPEATED]}
        arcs = [("main", 0x1030, "main'2", 4, 0)]
        self.assertFalse(self.categories(less, self.OURS, arcs))
        arcs = [("main", 0x1030, "main'2", 3, 0)]
        self.assertEqual(self.categories(less, self.OURS, arcs), {"jump"})


class OwnerAndJump(Rules):
    """outer jumps into the middle of inner, twice of three times back again."""

    JUMPS = {(0x1044, 0x1064): 3, (0x1068, 0x1050): 2}
    STOCK_COSTS = [
        (0x1004, "main", 3),
        (0x1044, "outer", 3),
        (0x1050, "outer", 2),
        (0x1064, "outer", 3),
        (0x1068, "outer", 3),
    ]
    OUR_COSTS = [*STOCK_COSTS[:3], (0x1064, "inner", 3), (0x1068, "inner", 3)]
    STOCK_ARCS = [("main", 0x1004, "outer", 3, 11)]
    OUR_ARCS = [*STOCK_ARCS, ("outer", 0x1044, "inner", 3, 6)]

    def judged(
        self,
        costs: Optional[list[Cost]] = None,
        arcs: Optional[list[ArcRow]] = None,
        jumps: Optional[dict[tuple[int, int], int]] = None,
    ) -> set[str]:
        return self.found(
            flat(self.STOCK_COSTS, self.STOCK_ARCS),
            flat(costs or self.OUR_COSTS, arcs or self.OUR_ARCS),
            jumps or self.JUMPS,
        )

    def test_explained(self) -> None:
        outcome = self.outcome(
            flat(self.STOCK_COSTS, self.STOCK_ARCS),
            flat(self.OUR_COSTS, self.OUR_ARCS),
            self.JUMPS,
        )
        self.assertEqual(outcome.differences, [])
        for rule in ("owner", "jump", "jump back", "level"):
            self.assertGreater(outcome.explained[rule], 0, rule)
        self.assertLessEqual(set(outcome.explained), set(RULES))

    def test_wrong_count_at_an_instruction(self) -> None:
        costs = [*self.OUR_COSTS[:-1], (0x1068, "inner", 4)]
        self.assertIn("instruction", self.judged(costs))

    def test_cost_at_another_line(self) -> None:
        ours = flat(self.OUR_COSTS, self.OUR_ARCS)
        moved = ours.costs.pop(spot(0x1064))
        ours.costs[spot(0x1064)._replace(line=1)] = moved
        stock = flat(self.STOCK_COSTS, self.STOCK_ARCS)
        self.assertEqual(self.found(stock, ours, self.JUMPS), {"instruction"})

    def test_cost_moved_to_a_function_that_does_not_cover_it(self) -> None:
        costs = [*self.OUR_COSTS[:3], (0x1064, "leave", 3), (0x1068, "inner", 3)]
        self.assertIn("owner", self.judged(costs))

    def test_as_the_distribution_books_it(self) -> None:
        self.assertIn("owner", self.judged(self.STOCK_COSTS, self.STOCK_ARCS))

    def test_missing_jump_arc(self) -> None:
        self.assertEqual(self.judged(arcs=self.STOCK_ARCS), {"jump-arc", "balance"})

    def test_wrong_number_of_jumps(self) -> None:
        for count in (2, 4):
            arcs = [*self.STOCK_ARCS, ("outer", 0x1044, "inner", count, 6)]
            self.assertEqual(self.judged(arcs=arcs), {"jump-arc"}, count)

    def test_jump_that_nobody_made(self) -> None:
        arcs = [*self.OUR_ARCS, ("inner", 0x1064, "leave", 1, 0)]
        self.assertEqual(self.judged(arcs=arcs), {"jump-arc"})

    def test_missing_call(self) -> None:
        self.assertIn("arc", self.judged(arcs=self.OUR_ARCS[1:]))

    def test_invented_call(self) -> None:
        arcs = [*self.OUR_ARCS, ("main", 0x1020, "inner", 1, 0)]
        self.assertEqual(self.judged(arcs=arcs), {"arc"})

    def test_call_count_and_inclusive_cost(self) -> None:
        for count, inclusive in ((4, 11), (3, 12)):
            arcs = [("main", 0x1004, "outer", count, inclusive), self.OUR_ARCS[1]]
            self.assertIn("arc", self.judged(arcs=arcs))

    def test_inclusive_cost_of_a_jump(self) -> None:
        arcs = [*self.STOCK_ARCS, ("outer", 0x1044, "inner", 3, 7)]
        self.assertEqual(self.judged(arcs=arcs), {"balance"})

    def test_more_returns_than_entries(self) -> None:
        jumps = {**self.JUMPS, (0x1068, 0x1050): 4}
        self.assertEqual(self.judged(jumps=jumps), {"jump-arc"})

    def test_return_to_a_function_that_did_not_jump_there(self) -> None:
        stock = flat(self.STOCK_COSTS, [("main", 0x1004, "inner", 3, 11)])
        ours = flat(self.OUR_COSTS, [("main", 0x1004, "inner", 3, 11)])
        self.assertIn("jump-arc", self.found(stock, ours, {(0x1068, 0x1050): 2}))

    def test_return_from_an_arc_of_both(self) -> None:
        """As from a cold part to its function: there the rest costs in the cold part."""
        costs = [
            *self.STOCK_COSTS[:2],
            *((at, "inner", cost) for at, _, cost in self.STOCK_COSTS[2:]),
        ]
        back = {(0x1068, 0x1050): 2}
        for here, expected in ((6, set()), (9, {"arc", "balance"})):
            stock = flat(costs, [*self.STOCK_ARCS, ("outer", 0x1044, "inner", 3, 8)])
            arcs = [*self.STOCK_ARCS, ("outer", 0x1044, "inner", 3, here)]
            ours = flat(self.OUR_COSTS, arcs)
            self.assertEqual(self.found(stock, ours, back), expected)
        stock = flat(costs, [*self.STOCK_ARCS, ("outer", 0x1044, "inner", 3, 8)])
        self.assertIn("arc", self.found(stock, flat(self.OUR_COSTS, self.OUR_ARCS)))

    def test_other_source_file(self) -> None:
        ours = flat(self.OUR_COSTS, self.OUR_ARCS)
        (function,) = ours.costs[spot(0x1004)]
        cost = ours.costs[spot(0x1004)].pop(function)
        ours.add_cost(spot(0x1004), function._replace(source_file="q.c"), cost)
        stock = flat(self.STOCK_COSTS, self.STOCK_ARCS)
        self.assertIn("function", self.found(stock, ours, self.JUMPS))


class Stub(Rules):
    NAME = nameless_name(STUB, " [PLT]")
    OUR_COSTS = [(0x1010, "main", 10), (0x1018, "main", 4), (0x1080, "leave", 7)]
    OUR_ARCS = [("main", 0x1010, "leave", 5, 5), ("main", 0x1018, "leave", 2, 2)]

    def stock(self) -> Flat:
        return flat(
            [(0x1010, "main", 5), (0x1018, "main", 2), (STUB, self.NAME, 7)]
            + [(0x1080, "leave", 7)],
            [
                ("main", 0x1010, self.NAME, 5, 10),
                ("main", 0x1018, self.NAME, 2, 4),
                (self.NAME, STUB, "leave", 7, 7),
            ],
        )

    def test_explained(self) -> None:
        outcome = self.outcome(self.stock(), flat(self.OUR_COSTS, self.OUR_ARCS))
        self.assertEqual(outcome.differences, [])
        self.assertEqual(outcome.explained["stub"], 1)

    def test_call_that_bound_it(self) -> None:
        """The first call took four instructions more, and the resolver ran."""
        resolver = "_dl_runtime_resolve_xsave"
        for extra, expected in ((4, set()), (3, {"instruction"})):
            stock = self.stock()
            stock.add_cost(spot(STUB), key(self.NAME), [4])
            call = Call(key("main"), spot(0x1018), key(self.NAME))
            stock.add_arc(call, [0, 4 + 20])
            stock.add_arc(Call(key(self.NAME), spot(STUB), key(resolver)), [1, 20])
            ours = flat(self.OUR_COSTS, self.OUR_ARCS)
            ours.add_cost(spot(0x1018), key("main"), [extra])
            ours.add_arc(Call(key("main"), spot(0x1018), key(resolver)), [1, 20])
            found = self.found(stock, ours) - {"balance"}  # the resolver has no code
            self.assertEqual(found & {"instruction", "arc"}, expected)

    def test_lost_cost(self) -> None:
        costs = [(0x1010, "main", 5), *self.OUR_COSTS[1:]]
        self.assertIn("instruction", self.found(self.stock(), flat(costs, self.OUR_ARCS)))

    def test_lost_call(self) -> None:
        arcs = [("main", 0x1010, "leave", 4, 5), self.OUR_ARCS[1]]
        self.assertEqual(self.found(self.stock(), flat(self.OUR_COSTS, arcs)), {"arc"})

    def test_shown_on_both_sides(self) -> None:
        outcome = self.outcome(self.stock(), self.stock())
        self.assertEqual((outcome.differences, outcome.explained["stub"]), ([], 0))


class LastSuperblock(Rules):
    """leave ends the process: 0x1080, 0x1081 and the system call at 0x1084."""

    COSTS = [(0x1028, "main", 1), (0x1079, "inner", 4)]
    BLOCK = [(0x1080, "leave", 1), (0x1082, "leave", 1), (0x1084, "leave", 1)]

    def judged(self, block: list[Cost], inclusive: int, calls: int = 1) -> set[str]:
        stock = flat(self.COSTS, [("main", 0x1028, "leave", 1, 0)])
        ours = flat([*self.COSTS, *block], [("main", 0x1028, "leave", calls, inclusive)])
        return self.found(stock, ours)

    def test_explained(self) -> None:
        self.assertEqual(self.judged(self.BLOCK, 3), set())

    def test_without_a_system_call(self) -> None:
        self.assertIn("instruction", self.judged(self.BLOCK[:2], 2))

    def test_counted_twice(self) -> None:
        twice = [(address, name, 2) for address, name, _ in self.BLOCK]
        self.assertIn("instruction", self.judged(twice, 6))

    def test_something_else_beside(self) -> None:
        self.assertIn("instruction", self.judged([*self.BLOCK, (0x1030, "main", 1)], 3))

    def test_inclusive_cost_that_is_not_the_block(self) -> None:
        self.assertIn("arc", self.judged(self.BLOCK, 4))

    def test_arc_that_does_not_lead_there(self) -> None:
        stock = flat(self.COSTS, [("main", 0x1020, "again", 1, 0)])
        ours = flat([*self.COSTS, *self.BLOCK], [("main", 0x1020, "again", 1, 3)])
        self.assertIn("arc", self.found(stock, ours))

    def test_call_count(self) -> None:
        self.assertIn("arc", self.judged(self.BLOCK, 3, calls=2))

    def test_block_in_a_function_that_goes_on(self) -> None:
        """Nobody who called it has the cost: so it did not end there."""
        arcs = [("main", 0x1028, "leave", 1, 0)]
        found = self.found(flat(self.COSTS, arcs), flat([*self.COSTS, *self.BLOCK], arcs))
        self.assertEqual(found, {"balance"})


class Threads(Rules):
    """leave makes threads, which begin in it by calling again: the second one is nested
    in the first by the distribution."""

    CALL = 0x108A  # in leave, behind its system call
    STOCK_COSTS = [
        (0x1084, "leave", 2),
        (CALL, "leave", 1),
        (CALL, "again", 1),
        (0x10B0, "again", 10),
        (0x10B0, "again'2", 20),
    ]
    OUR_COSTS = [(0x1084, "leave", 2), (CALL, "leave", 2), (0x10B0, "again", 30)]
    STOCK_ARCS = [
        ("main", 0x1028, "leave", 2, 2),
        ("leave", CALL, "again", 1, 31),
        ("again", CALL, "again'2", 1, 20),
    ]
    OUR_ARCS = [STOCK_ARCS[0], ("leave", CALL, "again", 2, 30)]

    def judged(self, *arcs: ArcRow) -> set[str]:
        stock = flat(self.STOCK_COSTS, self.STOCK_ARCS)
        return self.found(stock, flat(self.OUR_COSTS, arcs))

    def test_explained(self) -> None:
        self.assertEqual(self.judged(*self.OUR_ARCS), set())

    def test_nesting_and_other_numbers(self) -> None:
        for count, inclusive in ((2, 51), (2, 31), (2, 29), (1, 30), (3, 30)):
            arcs = [self.STOCK_ARCS[0], ("leave", self.CALL, "again", count, inclusive)]
            self.assertIn("arc", self.judged(*arcs))

    def test_lost_call(self) -> None:
        self.assertIn("arc", self.judged(self.OUR_ARCS[0]))


class Levels(Rules):
    COSTS = [(0x1020, "main", 1), (0x10A4, "again", 1), (0x10A4, "again'2", 4)]
    ARCS = [
        ("main", 0x1020, "again", 1, 5),
        ("again", 0x10A4, "again'2", 1, 4),
        ("again'2", 0x10A4, "again'2", 3, 6),
    ]

    def test_equal(self) -> None:
        same = flat(self.COSTS, self.ARCS), flat(self.COSTS, self.ARCS)
        self.assertEqual(self.found(*same), set())

    def test_cost_at_another_level(self) -> None:
        costs = [self.COSTS[0], (0x10A4, "again", 2), (0x10A4, "again'2", 3)]
        found = self.found(flat(self.COSTS, self.ARCS), flat(costs, self.ARCS))
        self.assertIn("level", found)

    def test_calls_at_another_level(self) -> None:
        arcs = [
            self.ARCS[0],
            ("again", 0x10A4, "again'2", 2, 4),
            ("again'2", 0x10A4, "again'2", 2, 6),
        ]
        found = self.found(flat(self.COSTS, self.ARCS), flat(self.COSTS, arcs))
        self.assertEqual(found, {"level"})
