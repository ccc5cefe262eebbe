# SPDX-License-Identifier: GPL-2.0-or-later
#
# What each function costs, over several files and parts: self, inclusive, and by call.
#
# Owns: the sums, what "inclusive cost of a function" means when functions recurse, and
# the merging of functions into groups.  Relies on profile_file/model.py.
#
# Inclusive cost.  A profile holds inclusive costs per arc, not per function, and the
# arcs of a recursion count the cost of inner levels again.  So the inclusive cost of a
# function is its self cost plus that of its outgoing arcs, without arcs to itself.  It is
# limited to
#   - the inclusive cost of the call cycle that the function belongs to: the self costs of
#     its members, plus the arcs that leave the cycle.  This is a true upper bound;
#   - the total.
# For a function outside all cycles the result is exact.  In a cycle it may be too high,
# and is marked as not exact.
#
# Recursion levels (name'2) are functions of their own.  All levels but the last one are
# active at most once at a time; so is a function without further levels, in a profile
# that has levels.  So their sums are exact, even if calls made at different times form a
# cycle.  (Nothing in a profile says that a function was excepted from separation.)
#
# When levels are merged, the function is often part of a cycle again.  Then its inclusive
# cost is that of the outermost level, because all others run inside it.  What is added
# are activations that no call entered, because they had begun before counting did.
#
# The cost of a call is limited too: no call costs more than its caller or its callee.

"""Costs of functions and of calls between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import compress
from typing import Callable, Iterable, Iterator, Optional, Sequence

from analysis.call_cycles import components
from analysis.call_rows import CallRows
from analysis.estimates import Estimates
from profile_file.model import (
    Calls,
    FunctionKey,
    Part,
    Profile,
    Vector,
    add_vector,
    new_vector,
    unique,
)

# name'2 or name'2'caller; what follows an apostrophe otherwise is a caller's name.
LEVEL_MARK = "'"
RECURSION_LEVEL = re.compile(r"'([0-9]+)(?=$|')")

Renaming = Callable[[FunctionKey], FunctionKey]


class CostError(Exception):
    """The profiles are readable, but they do not have what was asked for."""


@dataclass(frozen=True, order=True)
class CallCost:
    """All calls from one function to another."""

    caller: FunctionKey
    callee: FunctionKey
    count: int
    inclusive: Vector  # as in the file; in a recursion inner levels count again


@dataclass
class FunctionCost:
    """One function, summed over every file and part."""

    key: FunctionKey
    self_cost: Vector
    inclusive: Vector
    exact: bool = True  # False: the inclusive cost is an upper bound
    single: bool = True  # it is never active twice at a time
    cycle: int = 0  # the number of its call cycle; most functions have one alone
    calls: int = 0
    callees: dict[FunctionKey, int] = field(default_factory=dict)  # their rows


class FunctionCosts:
    """The functions of several profiles, for some events; the first is the main one."""

    def __init__(self, events: Sequence[str], besides: Sequence[str] = ()) -> None:
        """`besides` are events that are added up, and not shown."""
        self.events = list(events)
        self.added_up = [*events, *besides]
        self.total = new_vector(len(self.added_up))
        self.functions: dict[FunctionKey, FunctionCost] = {}
        self.estimates = Estimates(())
        self._is_inclusive = False
        self._rows = CallRows(len(self.added_up))
        self._callers: Optional[dict[FunctionKey, list[FunctionKey]]] = None

    # --- Adding up ----------------------------------------------------------------------

    def _function(self, key: FunctionKey) -> FunctionCost:
        function = self.functions.get(key)
        if function is None:
            size = len(self.added_up)
            function = FunctionCost(key, new_vector(size), new_vector(size))
            self.functions[key] = function
        return function

    def _add_self(self, key: FunctionKey, cost: Vector) -> None:
        add_vector(self._function(key).self_cost, cost)
        add_vector(self.total, cost)

    def _add_calls(self, calling: FunctionCost, calls: Calls) -> None:
        """Rows of a function are in ascending order, as their calls come."""
        first, count = len(self._rows), len(calls.callees)
        self._callers = None
        made = dict(zip(calls.callees, range(first, first + count)))
        if not calling.callees and len(made) == count:
            calling.callees = made
            self._rows.append(calls, range(count))
        else:
            self._add_repeated(calling.callees, calls)
        if not calling.callees.keys() <= self.functions.keys():
            for callee in calls.callees:
                if callee not in self.functions:
                    self._function(callee)

    def _add_repeated(self, rows: dict[FunctionKey, int], calls: Calls) -> None:
        """Calls of which some have rows, or the callee of others."""
        first = len(self._rows)
        new: list[int] = []
        again: list[tuple[int, int]] = []
        for place, callee in enumerate(calls.callees):
            row = rows.setdefault(callee, first + len(new))
            if row == first + len(new):
                new.append(place)
            else:
                again.append((row, place))
        self._rows.append(calls, new)
        for row, place in again:
            self._rows.add(row, calls, place)

    def add_part(self, part: Part) -> None:
        chosen = [part.header.events.index(event) for event in self.added_up]
        for key, profile in part.functions.items():
            self._add_self(key, [profile.self_cost[index] for index in chosen])
            self._add_calls(self.functions[key], profile.calls(chosen))

    # --- Calls --------------------------------------------------------------------------

    def call(self, caller: FunctionKey, callee: FunctionKey) -> CallCost:
        row = self.functions[caller].callees[callee]
        return CallCost(caller, callee, self._rows.counts[row], self._rows.cost(row))

    def calls_from(self, caller: FunctionKey) -> Iterator[CallCost]:
        return (self.call(caller, callee) for callee in self.functions[caller].callees)

    def calls_to(self, callee: FunctionKey) -> Iterator[CallCost]:
        return (self.call(caller, callee) for caller in self._callers_of(callee))

    def _callers_of(self, callee: FunctionKey) -> list[FunctionKey]:
        """Few ask for them: so they are found for all functions when somebody does."""
        if self._callers is None:
            self._callers = {}
            for key, function in self.functions.items():
                for called in function.callees:
                    self._callers.setdefault(called, []).append(key)
        return self._callers.get(callee, [])

    # --- Inclusive cost; see the head of the file ---------------------------------------

    def compute_inclusive(self) -> None:
        self._is_inclusive = True
        self._count_calls()
        separated = separated_levels(self.functions)
        found = components(self.functions, self._costly_callees)
        for number, cycle in enumerate(found):
            members = set(cycle)
            bound = self.total
            if len(cycle) > 1:
                whole = new_vector(len(self.added_up))
                for key in cycle:
                    add_vector(whole, self._cost_without(key, members))
                bound = smaller(bound, whole)
            for key in cycle:
                function = self.functions[key]
                function.inclusive = smaller(bound, self._cost_without(key, {key}))
                function.cycle = number
                function.exact = len(cycle) == 1 or key in separated
                itself = function.callees.get(key)
                calls_itself = itself is not None and any(self._rows.cost(itself))
                function.single = function.exact and not calls_itself
        for key, function in self.functions.items():
            if not function.exact:
                self._bound_by_outermost(key, function)

    def _count_calls(self) -> None:
        counts = self._rows.counts
        for function in self.functions.values():
            function.calls = 0
        for function in self.functions.values():
            for callee, row in function.callees.items():
                self.functions[callee].calls += counts[row]

    def _bound_by_outermost(self, key: FunctionKey, function: FunctionCost) -> None:
        """A level runs inside the outermost one, or had begun before counting did."""
        outermost = self.functions.get(outermost_level(key))
        if outermost is not None and outermost.exact:
            bound = self.entered_by_no_call(key)
            add_vector(bound, outermost.inclusive)
            function.inclusive = smaller(function.inclusive, bound)

    def _costly_callees(self, key: FunctionKey) -> Iterable[FunctionKey]:
        """Without calls that cost nothing: no activation can be inside one of these."""
        callees = self.functions[key].callees
        return list(compress(callees, self._rows.costly(list(callees.values()))))

    def _cost_without(self, key: FunctionKey, excluded: set[FunctionKey]) -> Vector:
        function = self.functions[key]
        cost = list(function.self_cost)
        add_vector(cost, self._rows.sums(list(function.callees.values())))
        for callee in excluded & function.callees.keys():
            cost = less(cost, self._rows.cost(function.callees[callee]))
        return cost

    def entered_by_no_call(self, key: FunctionKey) -> Vector:
        """The cost of activations that no arc entered, such as a thread's start."""
        cost = self._cost_without(key, set())
        for call in self.calls_to(key):
            cost = less(cost, call.inclusive)
        return [max(0, value) for value in cost]

    def call_cost(self, call: CallCost) -> tuple[Vector, bool]:
        """The cost of these calls, and whether it is exact: none is inside another."""
        caller, callee = self.functions[call.caller], self.functions[call.callee]
        cost = smaller(smaller(caller.inclusive, callee.inclusive), call.inclusive)
        apart = caller.cycle != callee.cycle or caller.single or callee.single
        return cost, apart and cost == call.inclusive

    # --- Groups -------------------------------------------------------------------------

    def grouped(self, group_of: Renaming) -> FunctionCosts:
        """These costs, with all functions of a group as one.  Inclusive costs are not
        needed for it."""
        groups = FunctionCosts(self.events, self.added_up[len(self.events):])
        groups.estimates = self.estimates
        # Once for each function: there are many more calls.
        group_by_key = {key: group_of(key) for key in self.functions}
        members: dict[FunctionKey, list[FunctionKey]] = {}
        for key, function in self.functions.items():
            group = group_by_key[key]
            members.setdefault(group, []).append(key)
            groups._add_self(group, function.self_cost)
            callees = [group_by_key[callee] for callee in function.callees]
            numbers = self._rows.taken(list(function.callees.values()))
            groups._add_calls(groups.functions[group], Calls(callees, *numbers))
        groups.compute_inclusive()
        bounded = [group for group in members if not groups.functions[group].exact]
        if bounded and not self._is_inclusive:
            self.compute_inclusive()
        for group in bounded:
            self._use_outermost_level(groups.functions[group], members[group])
        return groups

    def _use_outermost_level(self, group: FunctionCost, keys: list[FunctionKey]) -> None:
        """Better than the bound of the cycle: what the outermost level costs."""
        outermost = [key for key in keys if outermost_level(key) == key]
        if len(outermost) != 1 or not self.functions[outermost[0]].exact:
            return
        if any(outermost_level(key) != outermost[0] for key in keys):
            return
        cost = list(self.functions[outermost[0]].inclusive)
        for key in keys:
            if key != outermost[0]:
                add_vector(cost, self.entered_by_no_call(key))
        group.exact = cost == self.functions[outermost[0]].inclusive
        group.inclusive = smaller(group.inclusive, cost)


def less(first: Vector, second: Vector) -> Vector:
    return [one - other for one, other in zip(first, second)]


def smaller(first: Vector, second: Vector) -> Vector:
    return [min(pair) for pair in zip(first, second)]


def outermost_level(key: FunctionKey) -> FunctionKey:
    """The function that a recursion level belongs to."""
    if LEVEL_MARK not in key.name:  # as in most
        return key
    return key._replace(name=RECURSION_LEVEL.sub("", key.name, count=1))


def separated_levels(keys: Iterable[FunctionKey]) -> set[FunctionKey]:
    """Functions that are active once at a time; see the head of the file."""
    outermost: set[FunctionKey] = set()
    below_another: set[FunctionKey] = set()
    for key in keys:
        match = RECURSION_LEVEL.search(key.name)
        if match is None:
            outermost.add(key)
            continue
        level = int(match.group(1)) - 1
        start, end = match.span()
        lower = key.name[:start] + (f"'{level}" if level > 1 else "") + key.name[end:]
        below_another.add(key._replace(name=lower))
    return below_another | outermost if below_another else set()


def chosen_events(profiles: Sequence[Profile], wanted: Optional[str]) -> list[str]:
    """Events by name, separated by commas; `all` that every part has; or the first."""
    known = unique(name for profile in profiles for name in profile.events)
    if wanted is None:
        return known[:1]
    if wanted == "all":
        parts = [part for profile in profiles for part in profile.parts]
        return [
            name for name in known if all(name in part.header.events for part in parts)
        ] or known[:1]
    events = unique(name.strip() for name in wanted.split(","))
    for event in events:
        if event not in known:
            raise CostError(f"no event {event!r} here; there is {', '.join(known)}")
    return events


def function_costs(
    profiles: Sequence[Profile],
    events: Sequence[str],
    merge_recursion: bool = False,
    besides: Sequence[str] = (),
    with_inclusive: bool = True,
) -> FunctionCosts:
    """Add up profiles.  Inclusive costs are left out for what will be grouped."""
    costs = FunctionCosts(events, besides)
    for profile in profiles:
        for part in profile.parts:
            for event in events:
                if event not in part.header.events:
                    raise CostError(
                        f"{profile.path}: has no event {event!r}, but "
                        f"{', '.join(part.header.events)}"
                    )
            costs.add_part(part)
    if merge_recursion:
        costs = costs.grouped(outermost_level)
    elif with_inclusive:
        costs.compute_inclusive()
    costs.estimates = Estimates(profiles)
    return costs
