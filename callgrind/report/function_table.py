# SPDX-License-Identifier: GPL-2.0-or-later
#
# The costliest functions of callgrind profiles, as a table for the terminal.
#
# Owns: which functions are shown and in what order, the heading of every report, and how
# a function is called in a table.  Relies on function_costs.py for the numbers.

"""The table of the costliest functions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Callable, Sequence

from function_costs import FunctionCost, FunctionCosts
from profile_model import UNKNOWN, FunctionKey, Profile, unique
from text_layout import (
    Cell,
    Painter,
    Style,
    headings,
    heat,
    number,
    printable,
    share,
    table_lines,
    upper_bound,
)

SORTS = ("self", "inclusive", "calls", "name")

UPPER_BOUND_NOTE = "~ at most: the function is part of a cycle of calls"


@dataclass
class FunctionList:
    """The functions to show, in order, and what is left out."""

    costs: FunctionCosts
    shown: list[FunctionCost]
    left_out: int
    left_out_self: int  # of the main event


def rank_by(sort: str) -> Callable[[FunctionCost], tuple[object, ...]]:
    """What the costliest is; ties are settled, so that equal profiles read alike."""

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


def display_name(key: FunctionKey) -> str:
    name = printable(key.name)
    if key.source_file == UNKNOWN:
        return name
    return f"{name} ({printable(os.path.basename(key.source_file))})"


def display_object(key: FunctionKey) -> str:
    return printable(os.path.basename(key.object_file))


def heading_lines(
    costs: FunctionCosts, profiles: Sequence[Profile], reason: str, painter: Painter
) -> list[str]:
    """What every report begins with.  `reason` says why these files, if nobody did."""
    known = unique(name for profile in profiles for name in profile.events)
    event = costs.events[0]
    others = [name for name in known if name != event]
    lines = []
    if reason:
        names = ", ".join(printable(str(profile.path)) for profile in profiles)
        lines.append(("File", f"{names} ({reason})"))
    elif len(profiles) > 1:
        lines.append(("Files", f"{len(profiles)}, added up"))
    lines.append(("Event", event_title(event, profiles)))
    if others:
        lines.append(("Others", f"{', '.join(others)} (see --event)"))
    lines.append(("Total", number(costs.total[0])))
    for command in unique(
        part.header.command for profile in profiles for part in profile.parts
    ):
        if command:
            lines.append(("Command", printable(command)))
    return [
        painter.paint(f"{name + ':':<9}", Style.HEADING) + text for name, text in lines
    ]


def event_title(event: str, profiles: Sequence[Profile]) -> str:
    names = {"Ir": "instructions executed"}
    for profile in profiles:
        for part in profile.parts:
            names.update(part.header.event_names)
    return f"{event} ({names[event]})" if names.get(event) else event


def further_columns(events: Sequence[str]) -> list[str]:
    """The titles of what is shown of events beside the main one."""
    return [title for event in events[1:] for title in (event, f"{event} incl.")]


def further_cells(function: FunctionCost) -> list[Cell]:
    cells = []
    for own, whole in zip(function.self_cost[1:], function.inclusive[1:]):
        cells.append(Cell(number(own)))
        cells.append(Cell(upper_bound(number(whole), function.exact)))
    return cells


def format_function_table(found: FunctionList, painter: Painter) -> list[str]:
    costs = found.costs
    total = costs.total[0]
    titles = ["self", "share", "inclusive", "share"] + further_columns(costs.events)
    rows = [headings([*titles, "calls", "object", "function"], words=2)]
    for function in found.shown:
        own, whole = function.self_cost[0], function.inclusive[0]
        rows.append(
            [
                Cell(number(own)),
                Cell(share(own, total), heat(own, total)),
                Cell(upper_bound(number(whole), function.exact)),
                Cell(share(whole, total), heat(whole, total)),
                *further_cells(function),
                Cell(number(function.calls)),
                Cell(display_object(function.key), words=True),
                Cell(display_name(function.key), words=True),
            ]
        )
    lines = table_lines(rows, painter)
    if found.left_out:
        plural = "s" if found.left_out > 1 else ""
        lines.append(
            f"... and {found.left_out:,} more function{plural}, "
            f"{share(found.left_out_self, total)} of self cost"
        )
    if not all(function.exact for function in found.shown):
        lines.append(UPPER_BOUND_NOTE)
    return lines
