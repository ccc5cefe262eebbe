# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which functions a report shows, and in what order.
#
# Owns: the sort orders, what `--threshold` leaves out, and what a name or a pattern on
# the command line stands for.  Relies on function_costs.py for the numbers.

"""Choose, sort and find functions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Sequence

from analysis.function_costs import (
    CostError,
    FunctionCost,
    FunctionCosts,
    outermost_level,
)

SORTS = ("self", "inclusive", "calls", "name")

MOST_SUGGESTIONS = 5


@dataclass
class FunctionList:
    """The functions to show, in order, and what is left out."""

    costs: FunctionCosts
    shown: list[FunctionCost]
    left_out: int
    left_out_self: int  # of the main event


def rank_by(sort: str) -> Callable[[FunctionCost], tuple[object, ...]]:
    """The sort key for an order.  No ties are left, so equal profiles read alike."""

    def by_self(function: FunctionCost) -> tuple[object, ...]:
        return (-function.self_cost[0], -function.inclusive[0], function.key)

    def by_inclusive(function: FunctionCost) -> tuple[object, ...]:
        return (-function.inclusive[0], -function.self_cost[0], function.key)

    def by_calls(function: FunctionCost) -> tuple[object, ...]:
        return (-function.calls, -function.self_cost[0], function.key)

    def by_name(function: FunctionCost) -> tuple[object, ...]:
        return (function.key.name, function.key)

    return dict(zip(SORTS, (by_self, by_inclusive, by_calls, by_name)))[sort]


def is_above(cost: int, total: int, threshold: float) -> bool:
    """Whether a cost is at least `threshold` per cent of the total."""
    return not threshold or 100 * abs(cost) >= threshold * total


def function_list(
    costs: FunctionCosts, sort: str, limit: int, threshold: float
) -> FunctionList:
    """Functions above the threshold, in the order of `sort`, at most `limit` if not 0."""
    ranked = sorted(costs.functions.values(), key=rank_by(sort))
    shown = []
    for function in ranked:
        cost = function.inclusive[0] if sort == "inclusive" else function.self_cost[0]
        if is_above(cost, costs.total[0], threshold):
            shown.append(function)
    shown = shown[:limit] if limit else shown
    shown_self = sum(function.self_cost[0] for function in shown)
    return FunctionList(
        costs, shown, len(ranked) - len(shown), costs.total[0] - shown_self
    )


# --- Names and patterns ---------------------------------------------------------------


def pattern_of(text: str) -> re.Pattern[str]:
    """* stands for any text and ? for one character, as in the tool's own options."""
    pieces = {"*": ".*", "?": "."}
    return re.compile(
        "".join(pieces.get(char, re.escape(char)) for char in text), re.DOTALL
    )


def matching_functions(
    costs: FunctionCosts, pattern: str, sort: str
) -> list[FunctionCost]:
    """Functions of that name, on all recursion levels; else those the pattern matches.

    CostError, with a few similar names, if there are none."""
    functions = sorted(costs.functions.values(), key=rank_by(sort))
    found = [
        function
        for function in functions
        if pattern in (function.key.name, outermost_level(function.key).name)
    ]
    if not found:
        expression = pattern_of(pattern)
        found = [f for f in functions if expression.fullmatch(f.key.name)]
    if not found:
        raise CostError(_no_function(pattern, functions))
    return found


def _no_function(pattern: str, functions: Sequence[FunctionCost]) -> str:
    word = pattern.strip("*?").lower()
    similar = [f.key.name for f in functions if word and word in f.key.name.lower()]
    if not similar:
        return f"no function is called {pattern!r}; * stands for any text"
    names = ", ".join(repr(name) for name in similar[:MOST_SUGGESTIONS])
    more = ", ..." if len(similar) > MOST_SUGGESTIONS else ""
    return f"no function is called {pattern!r}; there is {names}{more}"
