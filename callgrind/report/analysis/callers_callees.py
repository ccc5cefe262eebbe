# SPDX-License-Identifier: GPL-2.0-or-later
#
# One function with its callers and its callees.
#
# Owns: which calls are shown, and in what order.  Relies on function_costs.py for the
# numbers.

"""Callers and callees of functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable

from analysis.function_costs import CallCost, FunctionCost, FunctionCosts
from analysis.selection import is_above
from profile_file.model import FunctionKey, Vector


@dataclass
class CallerOrCallee:
    """A caller or a callee of a function, and what the calls between the two cost."""

    key: FunctionKey
    count: int
    inclusive: Vector
    exact: bool


@dataclass
class CallersCallees:
    """One function, its callers and its callees; the costliest calls first."""

    function: FunctionCost
    callers: list[CallerOrCallee]
    callees: list[CallerOrCallee]


def callers_callees(
    costs: FunctionCosts, function: FunctionCost, limit: int, threshold: float
) -> CallersCallees:
    """Calls that cost at least `threshold` per cent of the total, `limit` a side."""

    def chosen(calls: Iterable[tuple[FunctionKey, CallCost]]) -> list[CallerOrCallee]:
        found = []
        for key, call in calls:
            cost, exact = costs.call_cost(call)
            if is_above(cost[0], costs.total[0], threshold):
                found.append(CallerOrCallee(key, call.count, cost, exact))
        found.sort(key=lambda each: (-each.inclusive[0], -each.count, each.key))
        return found[:limit] if limit else found

    return CallersCallees(
        function,
        chosen((call.caller, call) for call in costs.calls_to(function.key)),
        chosen((call.callee, call) for call in costs.calls_from(function.key)),
    )
