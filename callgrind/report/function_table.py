#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Prints the costliest functions of callgrind profiles as a table for the terminal.
#
# Owns: what "inclusive cost of a function" means when functions recurse, the adding up of
# several files and parts, and the layout of the table.  Relies on profile_file.py.
#
# Inclusive cost.  A profile holds inclusive costs per arc, not per function, and the
# arcs of a recursion count each level anew.  So a function's inclusive cost is taken as
# its self cost plus that of its outgoing arcs, arcs to itself left out, and at most
#   - the inclusive cost of the whole cycle that it belongs to (functions that call each
#     other in a circle): their self costs and the arcs that leave the cycle; a true upper
#     bound;
#   - the total.
# For a function outside of every cycle this is exact; inside of one it may be too high,
# and never more than 100 %.  Recursion levels (name'2) are functions of their own.

"""Print a table of the costliest functions of callgrind profiles."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Sequence

from profile_file import Detail, ProfileError, read_profile
from profile_model import UNKNOWN, FunctionKey, Part, Profile, unique

DEFAULT_LIMIT = 25


class TableError(Exception):
    """The profiles are readable, but the table that was asked for cannot be made."""


@dataclass
class FunctionCost:
    """One function, summed over every file and part."""

    key: FunctionKey
    self_cost: int = 0
    inclusive: int = 0
    calls: int = 0
    callees: dict[FunctionKey, int] = field(default_factory=dict)  # -> inclusive cost


class FunctionCosts:
    """The functions of several profiles, for one event."""

    def __init__(self, event: str) -> None:
        self.event = event
        self.total = 0
        self.functions: dict[FunctionKey, FunctionCost] = {}

    def _function(self, key: FunctionKey) -> FunctionCost:
        function = self.functions.get(key)
        if function is None:
            self.functions[key] = function = FunctionCost(key)
        return function

    def add_part(self, part: Part) -> None:
        index = part.header.events.index(self.event)
        for key, profile in part.functions.items():
            function = self._function(key)
            function.self_cost += profile.self_cost[index]
            self.total += profile.self_cost[index]
            for arc in profile.arcs.values():
                inclusive = arc.inclusive[index]
                self._function(arc.callee).calls += arc.count
                function.callees[arc.callee] = (
                    function.callees.get(arc.callee, 0) + inclusive
                )

    def settle_inclusive(self) -> None:
        """Set `inclusive` of every function; see the head of the file."""
        for cycle in self.cycles():
            bound = self.total
            if len(cycle) > 1:
                members = set(cycle)
                bound = min(bound, sum(self._cost_without(key, members) for key in cycle))
            for key in cycle:
                function = self.functions[key]
                function.inclusive = min(bound, self._cost_without(key, {key}))

    def _cost_without(self, key: FunctionKey, excluded: set[FunctionKey]) -> int:
        function = self.functions[key]
        return function.self_cost + sum(
            cost for callee, cost in function.callees.items() if callee not in excluded
        )

    def cycles(self) -> list[list[FunctionKey]]:
        """The strongly connected components of the call graph (Tarjan, not recursive)."""
        order: dict[FunctionKey, int] = {}
        low: dict[FunctionKey, int] = {}
        open_keys: list[FunctionKey] = []
        is_open: set[FunctionKey] = set()
        components: list[list[FunctionKey]] = []
        for root in self.functions:
            if root in order:
                continue
            path = [(root, iter(self.functions[root].callees))]
            order[root] = low[root] = len(order)
            open_keys.append(root)
            is_open.add(root)
            while path:
                key, callees = path[-1]
                for callee in callees:
                    if callee not in order:
                        order[callee] = low[callee] = len(order)
                        open_keys.append(callee)
                        is_open.add(callee)
                        path.append((callee, iter(self.functions[callee].callees)))
                        break
                    if callee in is_open:
                        low[key] = min(low[key], order[callee])
                else:
                    path.pop()
                    if path:
                        caller = path[-1][0]
                        low[caller] = min(low[caller], low[key])
                    if low[key] == order[key]:
                        components.append(self._take_component(key, open_keys, is_open))
        return components

    @staticmethod
    def _take_component(
        root: FunctionKey, open_keys: list[FunctionKey], is_open: set[FunctionKey]
    ) -> list[FunctionKey]:
        component = []
        while True:
            key = open_keys.pop()
            is_open.discard(key)
            component.append(key)
            if key == root:
                return component


def function_costs(profiles: Sequence[Profile], event: Optional[str]) -> FunctionCosts:
    """Add up the profiles for one event, by default the first that they have."""
    events = unique(name for profile in profiles for name in profile.events)
    wanted = event or events[0]
    if wanted not in events:
        raise TableError(f"no event {wanted!r} here; there is {', '.join(events)}")
    costs = FunctionCosts(wanted)
    for profile in profiles:
        for part in profile.parts:
            if wanted not in part.header.events:
                raise TableError(
                    f"{profile.path}: has no event {wanted!r}, but "
                    f"{', '.join(part.header.events)}"
                )
            costs.add_part(part)
    costs.settle_inclusive()
    return costs


def share(cost: int, total: int) -> str:
    return f"{100 * cost / total:.2f}%" if total else "-"


def display_name(key: FunctionKey) -> str:
    if key.source_file == UNKNOWN:
        return key.name
    return f"{key.name} ({os.path.basename(key.source_file)})"


def format_table(
    costs: FunctionCosts, limit: int, by_inclusive: bool, profiles: Sequence[Profile]
) -> str:
    """The whole report.  Numbers are right-aligned, and names come last."""

    def rank(function: FunctionCost) -> tuple[int, int, FunctionKey]:
        first, second = function.self_cost, function.inclusive
        return (
            (-second, -first, function.key)
            if by_inclusive
            else (-first, -second, function.key)
        )

    ranked = sorted(costs.functions.values(), key=rank)
    shown = ranked[:limit] if limit else ranked
    rows = [["self", "share", "inclusive", "share", "calls", "object", "function"]]
    for function in shown:
        rows.append(
            [
                f"{function.self_cost:,}",
                share(function.self_cost, costs.total),
                f"{function.inclusive:,}",
                share(function.inclusive, costs.total),
                f"{function.calls:,}",
                os.path.basename(function.key.object_file),
                display_name(function.key),
            ]
        )
    lines = [_heading(costs, profiles), ""]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[:5], widths)]
        cells.append(row[5].ljust(widths[5]))
        lines.append("  ".join(cells + [row[6]]).rstrip())
    if len(shown) < len(ranked):
        rest = sum(function.self_cost for function in ranked[len(shown) :])
        lines.append(
            f"... and {len(ranked) - len(shown):,} more functions, "
            f"{share(rest, costs.total)} of self cost"
        )
    return "\n".join(lines)


def _heading(costs: FunctionCosts, profiles: Sequence[Profile]) -> str:
    header = profiles[0].parts[0].header
    long_name = header.event_names.get(costs.event) or {
        "Ir": "instructions executed"
    }.get(costs.event)
    event = f"{costs.event} ({long_name})" if long_name else costs.event
    commands = unique(
        part.header.command
        for profile in profiles
        for part in profile.parts
        if part.header.command
    )
    lines = [f"Event:   {event}", f"Total:   {costs.total:,}"]
    lines += [f"Command: {command}" for command in commands]
    return "\n".join(lines)


def parse_arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="profile files; their costs are added up",
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=DEFAULT_LIMIT,
        metavar="N",
        help="functions to print, 0 for all (default: %(default)s)",
    )
    parser.add_argument(
        "--event",
        metavar="EVENT",
        help="the event to show (default: the first of the file)",
    )
    parser.add_argument(
        "--sort",
        choices=("self", "inclusive"),
        default="self",
        help="what the costliest is (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    if options.limit < 0:
        parser.error("argument --limit: must not be negative")
    return options


def main(arguments: Optional[Sequence[str]] = None) -> int:
    options = parse_arguments(arguments)
    try:
        profiles = [read_profile(path, Detail.FUNCTIONS) for path in options.files]
        costs = function_costs(profiles, options.event)
        print(format_table(costs, options.limit, options.sort == "inclusive", profiles))
        sys.stdout.flush()
    except (ProfileError, TableError) as error:
        print(f"function_table: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of a pipe has seen enough; keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
