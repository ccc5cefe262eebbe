# SPDX-License-Identifier: GPL-2.0-or-later
#
# One function between its callers and its callees.
#
# Owns: which functions a pattern on the command line means, and the table with callers
# above and callees below.  Relies on function_costs.py for the numbers.

"""Callers and callees of functions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Sequence

from function_costs import (
    CallCost,
    CostError,
    FunctionCost,
    FunctionCosts,
    outermost_level,
)
from function_table import (
    UPPER_BOUND_NOTE,
    display_name,
    display_object,
    is_above,
    rank_by,
)
from profile_model import FunctionKey
from text_layout import (
    Cell,
    Painter,
    Style,
    headings,
    heat,
    number,
    share,
    table_lines,
    upper_bound,
)

MOST_SUGGESTIONS = 5


@dataclass
class Neighbour:
    """A caller or callee, and what the calls between cost."""

    key: FunctionKey
    count: int
    inclusive: list[int]
    exact: bool


@dataclass
class Neighbourhood:
    """One function, its callers and its callees; the costliest calls first."""

    function: FunctionCost
    callers: list[Neighbour]
    callees: list[Neighbour]


def pattern_of(text: str) -> re.Pattern[str]:
    """* stands for any text and ? for one character, as in the tool's own options."""
    pieces = {"*": ".*", "?": "."}
    return re.compile(
        "".join(pieces.get(char, re.escape(char)) for char in text), re.DOTALL
    )


def matching_functions(
    costs: FunctionCosts, pattern: str, sort: str
) -> list[FunctionCost]:
    """Functions of that name, else those that the pattern meets, on all levels."""
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


def neighbourhood(
    costs: FunctionCosts, function: FunctionCost, limit: int, threshold: float
) -> Neighbourhood:
    """Calls that cost at least `threshold` per cent of the total, `limit` a side."""

    def chosen(calls: dict[FunctionKey, CallCost]) -> list[Neighbour]:
        found = []
        for key, call in calls.items():
            cost, exact = costs.call_cost(call)
            if is_above(cost[0], costs.total[0], threshold):
                found.append(Neighbour(key, call.count, cost, exact))
        found.sort(key=lambda each: (-each.inclusive[0], -each.count, each.key))
        return found[:limit] if limit else found

    return Neighbourhood(function, chosen(function.callers), chosen(function.callees))


def format_neighbourhoods(
    costs: FunctionCosts, found: Sequence[Neighbourhood], painter: Painter
) -> list[str]:
    """Each function in a block of its own: <- callers, the function, -> callees."""
    blocks: list[str] = []
    for each in found:
        if blocks:
            blocks.append("")
        blocks += _format_block(costs, each, painter)
    exact = all(
        each.function.exact and all(n.exact for n in each.callers + each.callees)
        for each in found
    )
    return blocks if exact else [*blocks, UPPER_BOUND_NOTE]


def _format_block(
    costs: FunctionCosts, each: Neighbourhood, painter: Painter
) -> list[str]:
    function, total = each.function, costs.total[0]
    own, whole = function.self_cost[0], function.inclusive[0]
    rows = [headings(["self", "inclusive", "share", "calls", "object", "function"], 2)]
    rows += [_neighbour_row("<- ", caller, total) for caller in each.callers]
    rows.append(
        [
            Cell(number(own), Style.HEADING),
            Cell(upper_bound(number(whole), function.exact), Style.HEADING),
            Cell(share(whole, total), heat(whole, total)),
            Cell(number(function.calls), Style.HEADING),
            Cell(display_object(function.key), Style.HEADING, words=True),
            Cell(display_name(function.key), Style.HEADING, words=True),
        ]
    )
    rows += [_neighbour_row("  -> ", callee, total) for callee in each.callees]
    return table_lines(rows, painter)


def _neighbour_row(arrow: str, neighbour: Neighbour, total: int) -> list[Cell]:
    cost = neighbour.inclusive[0]
    return [
        Cell(""),
        Cell(upper_bound(number(cost), neighbour.exact)),
        Cell(share(cost, total), heat(cost, total)),
        Cell(number(neighbour.count)),
        Cell(display_object(neighbour.key), words=True),
        Cell(arrow + display_name(neighbour.key), words=True),
    ]
