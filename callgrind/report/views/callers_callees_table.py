# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions between their callers and their callees, as tables for the terminal.
#
# Owns: the layout: callers (<-) above the function, callees (->) below it.  Relies on
# analysis/callers_callees.py for the numbers.

"""The tables of callers and callees."""

from __future__ import annotations

from typing import Sequence

from analysis.callers_callees import CallerOrCallee, CallersCallees
from analysis.function_costs import FunctionCosts
from console.text_layout import (
    Cell,
    Painter,
    Style,
    headings,
    heat,
    number,
    table_lines,
    upper_bound,
)
from views.cost_text import CostText
from views.labels import UPPER_BOUND_NOTE, display_name, display_object


def format_callers_callees(
    costs: FunctionCosts, found: Sequence[CallersCallees], painter: Painter
) -> list[str]:
    """A table for each function, with an empty line between two of them."""
    lines: list[str] = []
    for each in found:
        if lines:
            lines.append("")
        lines += _table(costs, each, painter)
    exact = all(
        each.function.exact and all(call.exact for call in each.callers + each.callees)
        for each in found
    )
    return lines if exact else [*lines, UPPER_BOUND_NOTE]


def _table(costs: FunctionCosts, each: CallersCallees, painter: Painter) -> list[str]:
    function, whole = each.function, each.function.inclusive[0]
    texts = CostText(costs.estimates, costs.added_up)
    own = texts.cost(function.self_cost)
    inclusive = upper_bound(texts.cost(function.inclusive), function.exact)
    calls = [] if texts.is_sampled else ["calls"]
    rows = [headings(["self", "inclusive", "share", *calls, "object", "function"], 2)]
    rows += [_call_row("<- ", caller, costs, painter) for caller in each.callers]
    rows.append(
        [
            Cell(own, Style.HEADING),
            Cell(inclusive, Style.HEADING),
            Cell(texts.share(whole, costs.total), heat(whole, costs.total[0])),
            *(Cell(number(function.calls), Style.HEADING) for _ in calls),
            Cell(display_object(function.key), Style.HEADING, words=True),
            Cell(display_name(function.key, painter), Style.HEADING, words=True),
        ]
    )
    rows += [_call_row("  -> ", callee, costs, painter) for callee in each.callees]
    return table_lines(rows, painter)


def _call_row(
    arrow: str, call: CallerOrCallee, costs: FunctionCosts, painter: Painter
) -> list[Cell]:
    cost = call.inclusive[0]
    texts = CostText(costs.estimates, costs.added_up)
    return [
        Cell(""),
        Cell(upper_bound(texts.cost(call.inclusive), call.exact)),
        Cell(texts.share(cost, costs.total), heat(cost, costs.total[0])),
        *([] if texts.is_sampled else [Cell(number(call.count))]),
        Cell(display_object(call.key), words=True),
        Cell(arrow + display_name(call.key, painter), words=True),
    ]
