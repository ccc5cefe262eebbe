# SPDX-License-Identifier: GPL-2.0-or-later
#
# Proves that the rules for simulated caches explain what they are for, and nothing else:
# masked moves, stubs whose calls do not all miss, and what runs before a stop.  As
# test_explaining.py does, to whose program this adds some instructions.

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Iterable

from profile_file.model import FunctionKey, Vector
from tests.differential.code_map import CodeMap
from tests.differential.fake_program import FakeObject, PROGRAM, Rules, STUB, key, spot
from tests.differential.flat_profile import Call, Flat
from tests.differential.machine_code import Flow, Masked, REQUEST, decode, masked

HERE = Path(__file__).resolve().parent

EVENTS = ("Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw", "ILmr", "DLmr", "DLmw")
MASKED_LOAD = bytes.fromhex("c4e2752d06")  # vmaskmovpd (%rsi),%ymm1,%ymm0
MASKED_STORE = bytes.fromhex("c4e2752f07")  # vmaskmovpd %ymm0,%ymm1,(%rdi)
LOAD, STORE, BEHIND = 0x1030, 0x1035, 0x103A
BEFORE_STOP, STOP = 0x10A9, 0x10AC


class CodeWithCaches(FakeObject):
    """main has two masked moves and one instruction behind; again asks to stop."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        if str(path) != PROGRAM:
            return
        code = bytearray(self._bytes)
        for address, words in (
            (LOAD, MASKED_LOAD),
            (STORE, MASKED_STORE),
            (STOP, REQUEST),
        ):
            code[address - 0x1000 : address - 0x1000 + len(words)] = words
        self._bytes = bytes(code)


Cost = tuple[int, str, Vector]
ArcRow = tuple[str, int, FunctionKey, Vector]


def flat(costs: Iterable[Cost], arcs: Iterable[ArcRow] = ()) -> Flat:
    made = Flat(len(EVENTS), 1, EVENTS)
    for address, function, cost in costs:
        made.add_cost(spot(address), key(function), list(cost))
    for caller, site, callee, numbers in arcs:
        made.add_arc(Call(key(caller), spot(site), callee), list(numbers))
    return made


class CacheRules(Rules):
    def setUp(self) -> None:
        self.code = CodeMap({PROGRAM: 0x100000}, CodeWithCaches)


class MaskedMoves(CacheRules):
    """Ten loads of which 6 are made, ten stores of which 4 are."""

    OURS: list[Cost] = [
        (LOAD, "main", [10, 6, 0, 1, 3, 0, 1, 2, 0]),
        (STORE, "main", [10, 0, 4, 0, 0, 2, 0, 0, 1]),
        (BEHIND, "main", [10, 0, 0, 1, 0, 0, 0, 0, 0]),
    ]
    STOCK: list[Cost] = [
        (LOAD, "main", [10, 0, 0, 1, 0, 0, 1, 0, 0]),
        (STORE, "main", [16, 0, 0, 3, 0, 0, 2, 0, 0]),
        (BEHIND, "main", [14, 0, 0, 3, 0, 0, 1, 0, 0]),
    ]

    def test_explained(self) -> None:
        outcome = self.outcome(flat(self.STOCK), flat(self.OURS))
        self.assertEqual((outcome.differences, outcome.explained["masked"]), ([], 2))

    def test_written_back(self) -> None:
        """One miss of each more had to wait until a changed line was written back."""
        names = (*EVENTS, "ILdmr", "DLdmr", "DLdmw")
        ours, stock = Flat(len(names), 1, names), Flat(len(names), 1, names)
        of_ours = {LOAD: [0, 1, 0], STORE: [0, 0, 1], BEHIND: [0, 0, 0]}
        of_stock = {LOAD: [0, 0, 0], STORE: [1, 0, 0], BEHIND: [1, 0, 0]}
        sides = ((ours, self.OURS, of_ours), (stock, self.STOCK, of_stock))
        for made, costs, more in sides:
            for address, function, cost in costs:
                made.add_cost(spot(address), key(function), [*cost, *more[address]])
        outcome = self.outcome(stock, ours)
        self.assertEqual((outcome.differences, outcome.explained["masked"]), ([], 2))

    def test_equal_on_both_sides(self) -> None:
        outcome = self.outcome(flat(self.OURS), flat(self.OURS))
        self.assertEqual((outcome.differences, outcome.explained["masked"]), ([], 0))

    def test_wrong_numbers(self) -> None:
        for spot_number in range(3):
            for event in range(len(EVENTS)):
                costs = [(a, f, list(c)) for a, f, c in self.OURS]
                costs[spot_number][2][event] += 1
                with self.subTest(spot=spot_number, event=EVENTS[event]):
                    found = self.found(flat(self.STOCK), flat(costs))
                    self.assertIn("instruction", found)

    def test_of_an_instruction_that_is_no_masked_move(self) -> None:
        ours = [(0x1008, "main", [10, 6, 0, 0, 0, 0, 0, 0, 0]), self.OURS[2]]
        stock = [
            (0x1008, "main", [10, 0, 0, 0, 0, 0, 0, 0, 0]),
            (BEHIND, "main", [16, 0, 0, 1, 0, 0, 0, 0, 0]),
        ]
        self.assertIn("instruction", self.found(flat(stock), flat(ours)))

    def test_decoding(self) -> None:
        self.assertIs(masked(MASKED_LOAD), Masked.LOAD)
        self.assertIs(masked(MASKED_STORE), Masked.STORE)
        for other in ("c4e2750006", "c4e3752d06", "c5f077", "0f2d", ""):
            self.assertIsNone(masked(bytes.fromhex(other)), other)


class StubThatMisses(CacheRules):
    """main calls leave through a stub from two sites, three times and once; two of the
    calls miss, one at each site."""

    NAME = FunctionKey(PROGRAM, "???", f"0x{STUB:016x} [PLT]")
    STOCK_COSTS: list[Cost] = [
        (0x1010, "main", [3, 0, 3, 0, 0, 0, 0, 0, 0]),
        (0x1018, "main", [1, 0, 1, 0, 0, 0, 0, 0, 0]),
        (0x1090, "leave", [4, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]
    OUR_COSTS: list[Cost] = [
        (0x1010, "main", [6, 3, 3, 1, 1, 0, 0, 0, 0]),
        (0x1018, "main", [2, 1, 1, 0, 1, 0, 0, 0, 0]),
        STOCK_COSTS[2],
    ]
    OUR_ARCS: list[ArcRow] = [
        ("main", 0x1010, key("leave"), [3, 3, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("main", 0x1018, key("leave"), [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]

    def stock(self) -> Flat:
        made = flat(
            self.STOCK_COSTS,
            [
                ("main", 0x1010, self.NAME, [3, 6, 3, 0, 1, 1, 0, 0, 0, 0]),
                ("main", 0x1018, self.NAME, [1, 2, 1, 0, 0, 1, 0, 0, 0, 0]),
            ],
        )
        made.add_cost(spot(STUB), self.NAME, [4, 4, 0, 1, 2, 0, 0, 0, 0])
        made.add_arc(
            Call(self.NAME, spot(STUB), key("leave")), [4, 4, 0, 0, 0, 0, 0, 0, 0, 0]
        )
        return made

    def test_explained(self) -> None:
        outcome = self.outcome(self.stock(), flat(self.OUR_COSTS, self.OUR_ARCS))
        self.assertEqual((outcome.differences, outcome.explained["stub"]), ([], 1))

    def test_misses_lost_invented_or_at_the_wrong_site(self) -> None:
        for moves in ([(1, -1)], [(1, 1)], [(0, -1), (1, 1)]):
            costs = [(a, f, list(c)) for a, f, c in self.OUR_COSTS]
            for site, more in moves:
                costs[site][2][4] += more
            with self.subTest(moves=moves):
                found = self.found(self.stock(), flat(costs, self.OUR_ARCS))
                self.assertTrue(found & {"instruction", "arc"}, found)


class BeforeStop(CacheRules):
    """again asks four times to stop: what runs before is lost there."""

    COSTS: list[Cost] = [(0x10A0, "again", [4, 0, 0, 1, 0, 0, 0, 0, 0])]
    BLOCK: list[Cost] = [
        (BEFORE_STOP, "again", [4, 0, 4, 0, 0, 2, 0, 0, 1]),
        (BEFORE_STOP + 1, "again", [4, 0, 0, 0, 0, 0, 0, 0, 0]),
        (STOP, "again", [4, 0, 0, 1, 0, 0, 1, 0, 0]),
    ]

    def test_explained(self) -> None:
        outcome = self.outcome(flat(self.COSTS), flat([*self.COSTS, *self.BLOCK]))
        self.assertEqual(outcome.differences, [])
        self.assertEqual(outcome.explained["last superblock"], 1)

    def test_not_without_the_request(self) -> None:
        ours = flat([*self.COSTS, *self.BLOCK[:2]])
        self.assertIn("instruction", self.found(flat(self.COSTS), ours))

    def test_not_as_often_as_the_request(self) -> None:
        block = [(BEFORE_STOP, "again", [5, 0, 0, 0, 0, 0, 0, 0, 0]), *self.BLOCK[1:]]
        ours = flat([*self.COSTS, *block])
        self.assertIn("instruction", self.found(flat(self.COSTS), ours))

    def test_not_if_stock_has_more_misses(self) -> None:
        stock = flat([*self.COSTS, (STOP, "again", [0, 0, 0, 2, 0, 0, 0, 0, 0])])
        ours = flat([*self.COSTS, *self.BLOCK])
        self.assertIn("instruction", self.found(stock, ours))

    def test_decoding(self) -> None:
        instruction = decode(REQUEST, 0x10)
        self.assertEqual((instruction.flow, instruction.after), (Flow.REQUEST, 0x23))
        self.assertIs(decode(REQUEST[:-1], 0x10).flow, Flow.ONWARD)


if __name__ == "__main__":
    unittest.main()
