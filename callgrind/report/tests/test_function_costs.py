# SPDX-License-Identifier: GPL-2.0-or-later
#
# What functions cost: adding up, inclusive cost under recursion, merging of levels.

from __future__ import annotations

import random
import tempfile
import unittest
from pathlib import Path
from typing import Optional

from analysis.function_costs import (
    FunctionCosts,
    chosen_events,
    function_costs,
    outermost_level,
)
from profile_file.model import FunctionKey
from profile_file.reader import Detail, read_profile

DATA = Path(__file__).resolve().parent / "data"


def costs_of(
    *names: str, event: Optional[str] = None, merge: bool = False
) -> FunctionCosts:
    profiles = [read_profile(DATA / name, Detail.FUNCTIONS) for name in names]
    return function_costs(profiles, chosen_events(profiles, event), merge)


def read_costs(text: str, merge: bool = False) -> FunctionCosts:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.out"
        path.write_text(text, "utf-8")
        return function_costs([read_profile(path, Detail.FUNCTIONS)], ["Ir"], merge)


def costs_of_text(body: str, merge: bool = False) -> dict[str, tuple[int, int, int]]:
    return numbers(read_costs("events: Ir\nfl=a.c\n" + body, merge))


def numbers(costs: FunctionCosts) -> dict[str, tuple[int, int, int]]:
    return {
        key.name: (function.self_cost[0], function.inclusive[0], function.calls)
        for key, function in costs.functions.items()
    }


def exact(costs: FunctionCosts) -> dict[str, bool]:
    return {key.name: function.exact for key, function in costs.functions.items()}


class Costs(unittest.TestCase):
    def test_self_inclusive_and_calls(self) -> None:
        found = numbers(costs_of("tiny_default.out"))
        self.assertEqual(found["main_part"], (56, 275, 1))
        self.assertEqual(found["(below main)"], (4, 279, 0))
        self.assertEqual(found["factorial"], (42, 153, 3))

    def test_arcs_to_itself_do_not_count_twice(self) -> None:
        """factorial'2 calls itself for 110; its own 111 hold all of that."""
        self.assertEqual(
            numbers(costs_of("tiny_default.out"))["factorial'2"], (111, 111, 9)
        )
        self.assertEqual(numbers(costs_of("tiny_recs1.out"))["factorial"], (153, 153, 12))

    def test_cycle_is_bounded_by_what_it_costs_as_a_whole(self) -> None:
        found = costs_of_text(
            "fn=main\n1 10\ncfn=a\ncalls=1 1\n1 65\n"
            "fn=a\n2 20\ncfn=b\ncalls=9 1\n2 300\n"
            "fn=b\n3 40\ncfn=a\ncalls=8 1\n3 280\n"
            "cfn=leaf\ncalls=1 1\n3 5\nfn=leaf\n4 5\n"
        )
        self.assertEqual(
            found,
            {"main": (10, 75, 0), "a": (20, 65, 9), "b": (40, 65, 9), "leaf": (5, 5, 1)},
        )

    def test_never_above_the_total(self) -> None:
        found = costs_of_text("fn=main\n1 10\ncfn=f\ncalls=1 1\n1 500\nfn=f\n2 20\n")
        self.assertEqual(found["main"][1], 30)

    def test_files_and_parts_add_up(self) -> None:
        one, two = costs_of("tiny_default.out"), costs_of(
            "tiny_default.out", "tiny_default.out"
        )
        self.assertEqual(two.total, [2 * cost for cost in one.total])
        self.assertEqual(
            numbers(two),
            {
                name: (2 * own, 2 * inclusive, 2 * calls)
                for name, (own, inclusive, calls) in numbers(one).items()
            },
        )
        self.assertEqual(numbers(costs_of("combined.out"))["run'2"], (112, 112, 4))

    def test_other_event(self) -> None:
        found = numbers(costs_of("tiny_cache.out", event="Dr"))
        self.assertEqual(sum(own for own, _, _ in found.values()), 93)

    def test_equal_names_in_other_objects_stay_apart(self) -> None:
        costs = read_costs("events: Ir\nob=x\nfl=a\nfn=f\n1 1\nob=y\nfl=a\nfn=f\n1 2\n")
        self.assertEqual([key.object_file for key in costs.functions], ["x", "y"])

    def test_long_call_chain(self) -> None:
        """Deeper than Python's own stack."""
        count = 5000
        body = (
            "".join(
                f"fn=f{i}\n1 1\ncfn=f{i + 1}\ncalls=1 1\n1 {count - i - 1}\n"
                for i in range(count - 1)
            )
            + f"fn=f{count - 1}\n1 1\n"
        )
        self.assertEqual(costs_of_text(body)["f0"], (1, count, 0))

    def test_several_events_at_once(self) -> None:
        costs = costs_of("tiny_cache.out", event="Dw,Ir")
        found = {key.name: function for key, function in costs.functions.items()}
        self.assertEqual(costs.total, [66, 279])
        self.assertEqual(found["factorial"].self_cost, [9, 42])
        self.assertEqual(found["factorial"].inclusive, [33, 153])

    def test_callers_are_callees_seen_from_below(self) -> None:
        costs = costs_of("tiny_default.out")
        calls = [call for key in costs.functions for call in costs.calls_from(key)]
        seen = [call for key in costs.functions for call in costs.calls_to(key)]
        self.assertEqual(len(calls), 7)
        self.assertEqual(sorted(seen), sorted(calls))


class Cycles(unittest.TestCase):
    CIRCLE = (
        "fn=main\n1 10\ncfn=a\ncalls=1 1\n1 65\n"
        "fn=a\n2 20\ncfn=b\ncalls=9 1\n2 300\n"
        "fn=b\n3 40\ncfn=a\ncalls=8 1\n3 280\n"
        "cfn=leaf\ncalls=1 1\n3 5\nfn=leaf\n4 5\n"
    )

    def test_members_are_upper_bounds_and_others_are_exact(self) -> None:
        costs = read_costs("events: Ir\nfl=a.c\n" + self.CIRCLE)
        self.assertEqual(
            exact(costs), {"main": True, "a": False, "b": False, "leaf": True}
        )

    def test_calls_inside_a_circle_cost_no_more_than_who_takes_part(self) -> None:
        costs = read_costs("events: Ir\nfl=a.c\n" + self.CIRCLE)
        found = {
            (call.caller.name, call.callee.name): costs.call_cost(call)
            for caller in costs.functions
            for call in costs.calls_from(caller)
        }
        self.assertEqual(found["a", "b"], ([65], False))
        self.assertEqual(found["main", "a"], ([65], True))
        self.assertEqual(found["b", "leaf"], ([5], True))

    def test_an_arc_without_cost_makes_no_circle(self) -> None:
        """A jump back among tail calls counts as a call, and nothing runs inside it."""
        costs = read_costs(
            "events: Ir\nfl=a.c\nfn=a\n1 5\ncfn=b\ncalls=1 1\n1 7\n"
            "fn=b\n2 7\ncfn=a\ncalls=1 1\n2 0\n"
        )
        self.assertEqual(numbers(costs), {"a": (5, 12, 1), "b": (7, 7, 1)})
        self.assertEqual(exact(costs), {"a": True, "b": True})

    def test_levels_are_exact_though_calls_form_a_circle(self) -> None:
        """main calls a, which calls b; later b, which calls a: nobody recurses."""
        body = (
            "fn=main\n1 1\ncfn=a\ncalls=1 1\n1 30\ncfn=b\ncalls=1 1\n1 50\n"
            "cfn=r\ncalls=1 1\n1 9\n"
            "fn=a\n2 20\ncfn=b\ncalls=1 1\n2 20\n"
            "fn=b\n3 30\ncfn=a\ncalls=1 1\n3 10\nfn=r\n1 4\n"
        )
        alone = read_costs("events: Ir\nfl=a.c\n" + body + "1 5\n")
        self.assertFalse(exact(alone)["a"])
        levels = body + "cfn=r'2\ncalls=1 1\n1 5\nfn=r'2\n1 5\n"
        costs = read_costs("events: Ir\nfl=a.c\n" + levels)
        self.assertTrue(exact(costs)["a"])
        self.assertEqual(numbers(costs)["a"][1], 40)
        self.assertEqual(numbers(costs)["b"][1], 40)


class Merging(unittest.TestCase):
    def test_levels_become_one_function(self) -> None:
        merged = costs_of("tiny_default.out", merge=True)
        self.assertEqual(
            numbers(merged),
            {
                "odd": (22, 31, 2),
                "even": (44, 66, 4),
                "factorial": (153, 153, 12),
                "main_part": (56, 275, 1),
                "(below main)": (4, 279, 0),
            },
        )
        # The file of the same run without levels says the same, as far as it can.
        without = numbers(costs_of("tiny_recs1.out"))
        self.assertEqual(without["factorial"], (153, 153, 12))
        self.assertEqual(without["even"][0], 44)

    def test_of_a_circle_the_outermost_level_is_exact(self) -> None:
        self.assertEqual(
            set(exact(costs_of("tiny_default.out", merge=True)).values()), {True}
        )

    def test_activations_that_no_call_entered_come_on_top(self) -> None:
        """f'2 was under way when counting began: no arc holds its cost."""
        body = (
            "fn=f\n1 10\nfn=f'2\n1 20\ncfn=g\ncalls=1 1\n1 30\n"
            "fn=g\n2 30\ncfn=f'2\ncalls=1 1\n2 0\n"
        )
        # Outside of a circle nothing has to be guessed.
        self.assertEqual(costs_of_text(body, True)["f"][1], 60)
        circle = body.replace(
            "fn=g\n2 30\ncfn=f'2\ncalls=1 1\n2 0\n",
            "fn=g\n2 25\ncfn=f'2\ncalls=1 1\n2 5\n",
        )
        costs = read_costs("events: Ir\nfl=a.c\n" + circle, True)
        found = {key.name: value for key, value in costs.functions.items()}
        # f: 10 itself; f'2: 20 + 30, of which 5 were entered by a call from g.
        self.assertEqual(found["f"].inclusive, [55])
        self.assertFalse(found["f"].exact)

    def test_names_of_levels(self) -> None:
        for name, outermost in (
            ("f", "f"),
            ("f'2", "f"),
            ("f'17", "f"),
            ("f'2'main", "f'main"),
            ("f'main", "f'main"),
            ("operator'2b", "operator'2b"),
            ("f(char)'2", "f(char)"),
        ):
            self.assertEqual(outermost_level(FunctionKey("o", "s", name)).name, outermost)

    def test_groups_keep_the_sums(self) -> None:
        costs = costs_of("tiny_default.out", "combined.out")
        whole = costs.grouped(lambda key: FunctionKey(key.object_file, "", ""))
        self.assertEqual(whole.total, costs.total)
        for function in whole.functions.values():
            self.assertLessEqual(function.inclusive[0], whole.total[0])


class CallTree:
    """A random run of recursive functions, with the truth and the profile of it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.own: dict[str, int] = {}
        self.arcs: dict[tuple[str, str], list[int]] = {}
        self.union: dict[
            str, int
        ] = {}  # cost while the function is anywhere on the stack
        self.budget = 300
        self.total = self.activation([], "main")

    def activation(self, stack: list[str], name: str) -> int:
        """Run one activation; its cost with all that it calls."""
        level = min(2, stack.count(name) + 1)
        shown = name if level == 1 else f"{name}'2"
        own = self.random.randrange(1, 20)
        self.own[shown] = self.own.get(shown, 0) + own
        cost = own
        for _ in range(self.random.randrange(0, 4)):
            if self.budget <= 0 or len(stack) > 12:
                break
            self.budget -= 1
            callee = self.random.choice("abcd")
            inside = [*stack, name]
            called = self.activation(inside, callee)
            callee_level = callee if callee not in inside else f"{callee}'2"
            arc = self.arcs.setdefault((shown, callee_level), [0, 0])
            arc[0] += 1
            arc[1] += called
            cost += called
        if level == 1:
            self.union[name] = self.union.get(name, 0) + cost
        return cost

    def text(self) -> str:
        lines = ["events: Ir", "fl=a.c"]
        for name, own in self.own.items():
            lines += [f"fn={name}", f"1 {own}"]
            for (caller, callee), (count, cost) in self.arcs.items():
                if caller == name:
                    lines += [f"cfn={callee}", f"calls={count} 1", f"1 {cost}"]
        return "\n".join(lines) + "\n"


class RandomRuns(unittest.TestCase):
    def test_inclusive_cost_is_the_time_on_the_stack(self) -> None:
        recursive = 0
        for seed in range(60):
            tree = CallTree(seed)
            plain, merged = read_costs(tree.text()), read_costs(tree.text(), True)
            recursive += any("'2" in name for name in tree.own)
            for name, cost in tree.union.items():
                key = FunctionKey("???", "a.c", name)
                for costs in (plain, merged):
                    function = costs.functions[key]
                    self.assertEqual(
                        (function.inclusive, function.exact),
                        ([cost], True),
                        f"seed {seed}, {name}",
                    )
            for costs in (plain, merged):
                self.assertEqual(costs.total, [tree.total])
                for key, function in costs.functions.items():
                    self.assertLessEqual(
                        function.inclusive[0], tree.union[outermost_level(key).name]
                    )
        self.assertGreater(recursive, 20)
