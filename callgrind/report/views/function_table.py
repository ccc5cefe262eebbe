# SPDX-License-Identifier: GPL-2.0-or-later
#
# The costliest functions of callgrind profiles, as a table for the terminal.
#
# Owns: the layout.  Relies on analysis/selection.py for which functions there are.

"""The table of the costliest functions."""

from __future__ import annotations

from typing import Sequence

from analysis.function_costs import FunctionCost
from analysis.selection import FunctionList
from console.text_layout import (
    Cell,
    Painter,
    headings,
    heat,
    number,
    table_lines,
    upper_bound,
)
from views.cost_text import CostText
from views.labels import UPPER_BOUND_NOTE, display_name, display_object


def format_function_table(found: FunctionList, painter: Painter) -> list[str]:
    """The lines of the table, and what is left out of it."""
    costs = found.costs
    texts = CostText(costs.estimates, costs.added_up)
    total = costs.total[0]
    titles = ["self", "share", "inclusive", "share"] + further_columns(costs.events)
    titles += [] if texts.is_sampled else ["calls"]
    rows = [headings([*titles, "object", "function"], words=2)]
    for function in found.shown:
        own, whole = function.self_cost[0], function.inclusive[0]
        rows.append(
            [
                Cell(texts.cost(function.self_cost)),
                Cell(texts.share(own, costs.total), heat(own, total)),
                Cell(upper_bound(texts.cost(function.inclusive), function.exact)),
                Cell(texts.share(whole, costs.total), heat(whole, total)),
                *further_cells(function, costs.events, texts),
                *([] if texts.is_sampled else [Cell(number(function.calls))]),
                Cell(display_object(function.key), words=True),
                Cell(display_name(function.key, painter), words=True),
            ]
        )
    lines = table_lines(rows, painter)
    if found.left_out:
        plural = "s" if found.left_out > 1 else ""
        lines.append(
            f"... and {found.left_out:,} more function{plural}, "
            f"{texts.share(found.left_out_self, costs.total)} of self cost"
        )
    if not all(function.exact for function in found.shown):
        lines.append(UPPER_BOUND_NOTE)
    return lines


def further_columns(events: Sequence[str]) -> list[str]:
    """The titles of what is shown of events beside the main one."""
    return [title for event in events[1:] for title in (event, f"{event} incl.")]


def further_cells(
    function: FunctionCost, events: Sequence[str], texts: CostText
) -> list[Cell]:
    """What belongs under the titles of further_columns()."""
    cells = []
    for place in range(1, len(events)):
        whole = texts.cost(function.inclusive, place)
        cells.append(Cell(texts.cost(function.self_cost, place)))
        cells.append(Cell(upper_bound(whole, function.exact)))
    return cells
