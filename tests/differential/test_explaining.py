# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that each rule explains what it is for, and nothing else: a small program is
# described twice, as the distribution's callgrind sees it and as ours does, and then one
# number, owner or arc is made wrong.

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Iterable, Optional

from profile_file.model import (
    Arc,
    ArcKey,
    FunctionKey,
    FunctionProfile,
    Part,
    PartHeader,
    Position,
    SourceKey,
)
from tests.differential.code_map import CodeMap, Place, load_addresses, nameless_name
from tests.differential.elf_object import ElfObject, Extents, SHF_EXECINSTR, Section
from tests.differential.explaining import Outcome, RULES, explain
from tests.differential.flat_profile import Call, Flat, Flattener, Leap, Spot
from tests.differential.machine_code import Flow, decode

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent.parent / "callgrind" / "report"

PROGRAM = "/x/program"
SYMBOLS = {
    "main": (0x1000, 0x1040),
    "outer": (0x1040, 0x1060),
    "inner": (0x1060, 0x1080),
    "leave": (0x1080, 0x10A0),
    "again": (0x10A0, 0x10C0),
}
# Two functions without symbols, one of them without call frame information either.
FRAMES = {"framed": (0x10C0, 0x10E0)}
STUB, STUBS = 0x2000, (0x2000, 0x2010)


def code_bytes() -> bytes:
    """main calls outer and a stub; outer and inner jump to each other."""
    code = bytearray(b"\x90" * 0x200)

    def branch(opcode: int, address: int, target: int) -> None:
        offset = (target - address - 5).to_bytes(4, "little", signed=True)
        code[address - 0x1000 : address - 0x1000 + 5] = bytes((opcode,)) + offset

    branch(0xE8, 0x1004, 0x1040)  # main -> outer
    branch(0xE8, 0x1010, STUB)  # main -> stub
    branch(0xE8, 0x1018, STUB)
    branch(0xE8, 0x1020, 0x10A0)  # main -> again
    branch(0xE8, 0x1028, 0x1080)  # main -> leave
    branch(0xE9, 0x1044, 0x1064)  # outer -> middle of inner
    branch(0xE9, 0x1068, 0x1050)  # inner -> back into outer
    branch(0xE8, 0x10A4, 0x10A0)  # again -> again
    code[0x84:0x86] = b"\x0f\x05"
    code[0x8A:0x8C] = b"\xff\xd0"  # leave -> what a register says
    return bytes(code)


class FakeObject(ElfObject):
    """An object file that exists in this test only."""

    def __init__(self, path: Path) -> None:
        super().__init__(Path("/nonexistent"))
        if str(path) != PROGRAM:
            return
        self._bytes = code_bytes()
        self.sections = [
            Section(".text", 1, SHF_EXECINSTR, 0x1000, 0, 0x200, 0),
            Section(".plt.got", 1, SHF_EXECINSTR, STUB, 0x1F0, 0x10, 0),
        ]
        for name, (start, end) in SYMBOLS.items():
            self.symbols.add(start, end, name)
        for start, end in FRAMES.values():
            self.frames.add(start, end)


def key(name: str) -> FunctionKey:
    return FunctionKey(PROGRAM, "p.c" if not name.startswith("0x") else "???", name)


def spot(address: int) -> Spot:
    return Spot(Place(PROGRAM, address), "p.c", address & 0xFF)


Cost = tuple[int, str, int]  # address, function, Ir
ArcRow = tuple[str, int, str, int, int]  # caller, site, callee, calls, inclusive


def flat(costs: Iterable[Cost], arcs: Iterable[ArcRow]) -> Flat:
    made = Flat(1)
    for address, function, cost in costs:
        made.add_cost(spot(address), key(function), [cost])
    for caller, site, callee, calls, inclusive in arcs:
        made.add_arc(Call(key(caller), spot(site), key(callee)), [calls, inclusive])
    return made


class Rules(unittest.TestCase):
    def setUp(self) -> None:
        self.code = CodeMap({PROGRAM: 0x100000}, FakeObject)

    def outcome(
        self,
        stock: Flat,
        ours: Flat,
        jumps: Optional[dict[tuple[int, int], int]] = None,
    ) -> Outcome:
        for (site, target), count in (jumps or {}).items():
            stock.jumps[Place(PROGRAM, site), Place(PROGRAM, target)] = count
        return explain(stock, ours, self.code)

    def found(self, *parts: object) -> set[str]:
        outcome = self.outcome(*parts)  # type: ignore[arg-type]
        return {difference.category for difference in outcome.differences}


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


class Naming(Rules):
    """Rules of naming apply to the distribution's profile and never to ours."""

    def part(self, object_file: str, address: int, name: str) -> Part:
        header = PartHeader(positions=["instr", "line"], events=["Ir"])
        caller = FunctionProfile(key("main"), [0])
        callee = FunctionKey(object_file, "???", name)
        source, site = SourceKey("p.c", ""), Position(0x1020, 1)
        caller.arcs[ArcKey(callee, source, site)] = Arc(
            key("main"), callee, source, site, Position(address, 0), 1, [1]
        )
        function = FunctionProfile(callee, [1])
        function.sources[SourceKey("???", "")] = {(address, 0): [1]}
        return Part(header, {caller.key: caller, callee: function})

    def names(self, part: Part, settle: bool) -> tuple[set[str], dict[str, int]]:
        made = Flattener(self.code, settle).flatten(part)
        places = {f"{place}" for place, _, _ in made.costs}
        return places | {call.callee.name for call in made.arcs}, dict(made.renamed)

    def test_object(self) -> None:
        part = self.part("???", 0x1010E8, nameless_name(0x1010E8))
        found, why = self.names(part, settle=True)
        self.assertEqual(found, {"program+0x10e8", nameless_name(0x10E8)})
        self.assertEqual(why, {"object": 2})
        found, why = self.names(part, settle=False)
        self.assertEqual((found, why), ({"???+0x1010e8", nameless_name(0x1010E8)}, {}))

    def test_nameless(self) -> None:
        part = self.part(PROGRAM, 0x10C8, nameless_name(0x10C8))
        self.assertIn(nameless_name(0x10C0), self.names(part, settle=True)[0])
        self.assertIn(nameless_name(0x10C8), self.names(part, settle=False)[0])

    def test_owners(self) -> None:
        for name, address, right in (
            ("main", 0x1000, True),
            ("main", 0x103F, True),
            ("main", 0x1040, False),
            (nameless_name(0x1000), 0x1000, False),
            (nameless_name(0x10C0), 0x10C8, True),
            (nameless_name(0x10C8), 0x10C8, False),
            (nameless_name(STUB, " [PLT]"), STUB + 6, True),
            (nameless_name(STUB), STUB, False),
            ("main", STUB, False),
        ):
            why = self.code.misplaced(key(name), Place(PROGRAM, address))
            self.assertEqual(why is None, right, f"{name} {address:#x}: {why}")

    def test_code_that_nothing_describes(self) -> None:
        """There the distribution is the judge."""
        for there in (nameless_name(0x10F0), "main"):
            for here in (nameless_name(0x10F0), nameless_name(0x10F8), "main", "outer"):
                sides = [flat([(0x10F8, name, 1)], []) for name in (there, here)]
                expected = set() if here == there else {"owner"}
                self.assertEqual(self.found(*sides), expected, f"{there} {here}")


class Machine(unittest.TestCase):
    def test_branches(self) -> None:
        for code, flow, target in (
            ("e8 01000000", Flow.CALL, 0x1006),
            ("67 e8 00000000", Flow.CALL, 0x1006),
            ("ff d0", Flow.CALL, None),
            ("41 ff d4", Flow.CALL, None),
            ("ff 15 00000000", Flow.CALL, None),
            ("f2 ff 25 00000000", Flow.INDIRECT, None),
            ("3e ff e0", Flow.INDIRECT, None),
            ("eb fe", Flow.JUMP, 0x1000),
            ("e9 00000000", Flow.JUMP, 0x1005),
            ("74 02", Flow.CONDITIONAL, 0x1004),
            ("0f 85 faffffff", Flow.CONDITIONAL, 0x1000),
            ("f3 c3", Flow.RETURN, None),
            ("0f 05", Flow.SYSCALL, None),
            ("f3 48 a5", Flow.REPEATED, None),
            ("ff 30", Flow.ONWARD, None),  # push (%rax)
            ("48 89 e5", Flow.ONWARD, None),
        ):
            instruction = decode(bytes.fromhex(code), 0x1000)
            self.assertEqual((instruction.flow, instruction.target), (flow, target), code)


class Objects(unittest.TestCase):
    def test_extents_that_overlap(self) -> None:
        extents = Extents()
        for name, start, end in zip("abcd", (0, 10, 10, 30), (100, 20, 20, 40)):
            extents.add(start, end, name)
        self.assertEqual([extents.names[e] for e in extents.at(15)], [{"b", "c"}, {"a"}])
        self.assertEqual([extents.names[e] for e in extents.at(50)], [{"a"}])
        self.assertEqual(extents.at(100), [])

    def test_real_object(self) -> None:
        program = ElfObject(Path("/proc/self/exe").resolve())
        text = next(s for s in program.sections if s.name == ".text")
        self.assertTrue(program.frames.names)
        for start, end in program.frames.names:
            self.assertLess(start, end)
            self.assertIsNotNone(program.section_at(start))
        self.assertEqual(len(program.bytes_at(text.address, 15)), 15)

    def test_what_is_no_object(self) -> None:
        self.assertEqual(ElfObject(HERE / "run").sections, [])
        self.assertEqual(ElfObject(Path("/nonexistent")).sections, [])

    def test_load_addresses(self) -> None:
        said = (
            "--7-- Reading syms from /lib/a b.so\n"
            "--7--    svma 0x0000001060, avma 0x0004001060\n"
            "--7-- Reading syms from /lib/strange.so\n"
            "--7--    object doesn't have a symbol table\n"
        )
        self.assertEqual(load_addresses(said), {"/lib/a b.so": 0x4000000})


if __name__ == "__main__":
    unittest.main()
