# SPDX-License-Identifier: GPL-2.0-or-later
#
# How far profiles of one program differ.
#
# Owns: what counts as the same function, and the sizes that docs/steady.md tells.

"""The spread of profiles that should be equal."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from profile_file.reader import Detail, read_profile

SHARE = 0.01  # of the total of an event: functions below are not looked at one by one

Function = tuple[str, str]
Costs = dict[Function, list[int]]


@dataclass(frozen=True)
class Measured:
    """The costs of a profile: what functions cost themselves, and calls by arcs."""

    events: tuple[str, ...]
    self_costs: Costs
    arcs: dict[tuple[Function, Function], list[int]]

    def total(self, event: int) -> int:
        return sum(cost[event] for cost in self.self_costs.values())


def measured(path: Path, program: str) -> Measured:
    """Read a profile.  The copy of the program is called so wherever it lies."""
    self_costs: Costs = {}
    arcs: dict[tuple[Function, Function], list[int]] = {}
    profile = read_profile(path, Detail.FUNCTIONS)

    def name(object_file: str, function: str) -> Function:
        base = os.path.basename(object_file)
        return ("PROGRAM" if base == program else base, function)

    for part in profile.parts:
        for key, function in part.functions.items():
            caller = name(key.object_file, key.name)
            _add(self_costs.setdefault(caller, []), function.self_cost)
            for arc in function.arcs.values():
                callee = name(arc.callee.object_file, arc.callee.name)
                costs = arcs.setdefault((caller, callee), [])
                _add(costs, [arc.count, *arc.inclusive])
    return Measured(tuple(profile.events), self_costs, arcs)


def _add(sums: list[int], costs: list[int]) -> None:
    sums.extend([0] * (len(costs) - len(sums)))
    for index, cost in enumerate(costs):
        sums[index] += cost


@dataclass
class Spread:
    """The largest differences from the first profile, each as a share."""

    total: float = 0.0  # of an event's total
    function: float = 0.0  # of the cost of a function with at least SHARE of the total
    who: str = ""

    def widen(self, total: float, function: float, who: str) -> None:
        self.total = max(self.total, total)
        if function > self.function:
            self.function, self.who = function, who


def are_equal(first: Measured, other: Measured) -> bool:
    """All events of all functions and calls."""
    return first == other


def spreads(first: Measured, others: list[Measured]) -> dict[str, Spread]:
    """By event."""
    found: dict[str, Spread] = {event: Spread() for event in first.events}
    for other in others:
        for index, event in enumerate(first.events):
            _widen(found[event], first, other, index)
    return found


def _widen(spread: Spread, first: Measured, other: Measured, index: int) -> None:
    total = first.total(index)
    if total == 0:
        return
    change = abs(other.total(index) - total) / total
    worst, who = 0.0, ""
    for function, costs in first.self_costs.items():
        cost = costs[index]
        if cost < SHARE * total:
            continue
        now = other.self_costs.get(function, [0] * len(costs))[index]
        if abs(now - cost) / cost > worst:
            worst, who = abs(now - cost) / cost, function[1]
    spread.widen(change, worst, who)
