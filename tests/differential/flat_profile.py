# SPDX-License-Identifier: GPL-2.0-or-later
#
# A part of a profile as flat tables whose keys mean the same on both sides.
#
# Owns: the flat form; and two of the differences between the distribution's callgrind
# and ours that are differences of naming only, which are settled while the
# distribution's profile is flattened (never ours, which has to be right as it is):
#   object    code outside .text has the object ??? and an absolute address there, the
#             real object and its own address here
#   nameless  a function without symbol is named by the place that was called there, by
#             the start of its call frame information here
# Relies on code_map.py for places and names.

"""Flat tables of a profile with addresses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from profile_file.model import (
    Arc,
    FunctionKey,
    Part,
    UNKNOWN,
    Vector,
    add_vector,
    new_vector,
)
from tests.differential.code_map import (
    CodeMap,
    NAMELESS,
    PLT_SUFFIX,
    Place,
    nameless_name,
)
from tests.differential.code_map import split_context, with_context


class Spot(NamedTuple):
    """A place and the source line there."""

    place: Place
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.place} ({self.file}:{self.line})"


class Call(NamedTuple):
    """An arc: functions with their contexts."""

    caller: FunctionKey
    site: Spot
    callee: FunctionKey


class Leap(NamedTuple):
    """A jump of a function with its context."""

    function: FunctionKey
    site: Place
    target: Place
    conditional: bool


@dataclass
class Flat:
    """Costs per spot and function; arcs as [count, inclusive...]; jumps as counts, and
    leaps as [executed, followed]."""

    events: int
    parts: int = 1  # that were added up
    names: tuple[str, ...] = ()  # of the events, where rules need them
    costs: dict[Spot, dict[FunctionKey, Vector]] = field(default_factory=dict)
    arcs: dict[Call, Vector] = field(default_factory=dict)
    jumps: dict[tuple[Place, Place], int] = field(default_factory=dict)
    leaps: dict[Leap, Vector] = field(default_factory=dict)
    renamed: Counter[str] = field(default_factory=Counter)
    old_names: set[str] = field(default_factory=set)  # of what is called otherwise now

    def add_cost(self, spot: Spot, function: FunctionKey, cost: Vector) -> None:
        """Nearly every spot is one function's, and is added once: that way is short."""
        known = self.costs.get(spot)
        if known is None:
            self.costs[spot] = {function: list(cost)}
        elif function in known:
            add_vector(known[function], cost)
        else:
            known[function] = list(cost)

    def add_arc(self, call: Call, numbers: Vector) -> None:
        known = self.arcs.get(call)
        if known is None:
            self.arcs[call] = list(numbers)
        else:
            add_vector(known, numbers)

    def sum_at(self, spot: Spot) -> Vector:
        """What all functions spent there; not to be changed."""
        known = self.costs.get(spot)
        if known is not None and len(known) == 1:
            (only,) = known.values()
            return only
        total = new_vector(self.events)
        for cost in self.costs.get(spot, {}).values():
            add_vector(total, cost)
        return total

    def executions(self) -> dict[Place, int]:
        """How often each instruction ran: its first event is Ir."""
        counts: dict[Place, int] = {}
        for spot, functions in self.costs.items():
            ran = sum(cost[0] for cost in functions.values())
            counts[spot.place] = counts.get(spot.place, 0) + ran
        return counts


class Flattener:
    """Turns parts into flat tables."""

    def __init__(self, code: CodeMap, settle_names: bool) -> None:
        self.code = code
        self.settle_names = settle_names
        self._names: dict[FunctionKey, tuple[FunctionKey, str]] = {}

    def flatten(self, *parts: Part) -> Flat:
        """The parts as one; they have the same events."""
        events = tuple(parts[0].header.events)
        flat = Flat(len(events), len(parts), events)
        for part in parts:
            self._add_part(part, flat)
        return flat

    def _add_part(self, part: Part, flat: Flat) -> None:
        place_of = self._place
        for function in part.functions.values():
            name = self._name(function.key, flat)
            for source, costs in function.sources.items():
                file = source.file
                for (address, line), cost in costs.items():
                    spot = Spot(place_of(function.key, address), file, line)
                    flat.add_cost(spot, name, cost)
            for arc in function.arcs.values():
                site = Spot(
                    self._place(arc.caller, arc.site.address),
                    arc.source.file,
                    arc.site.line,
                )
                callee = self._name(arc.callee, flat)
                flat.add_arc(Call(name, site, callee), _numbers(arc))
            for jump in function.jumps.values():
                pair = (
                    self._place(function.key, jump.site.address),
                    self._place(function.key, jump.target.address),
                )
                flat.jumps[pair] = flat.jumps.get(pair, 0) + jump.followed
                leap = Leap(name, *pair, jump.conditional)
                counts = [jump.executed, jump.followed]
                add_vector(flat.leaps.setdefault(leap, new_vector(2)), counts)

    def _place(self, function: FunctionKey, address: int) -> Place:
        if function.object_file == UNKNOWN and self.settle_names:
            return self.code.place_of(address)
        return Place(function.object_file, address)

    def _name(self, key: FunctionKey, flat: Flat) -> FunctionKey:
        if key not in self._names:
            function, context = split_context(key)
            settled, why = self._settle(function) if self.settle_names else (function, "")
            self._names[key] = with_context(settled, context), why
        name, why = self._names[key]
        if why:
            flat.renamed[why] += 1
            flat.old_names.add(split_context(key)[0].name)
        return name

    def _settle(self, function: FunctionKey) -> tuple[FunctionKey, str]:
        """The function as we name it, and which difference of naming it was."""
        nameless = NAMELESS.match(function.name)
        if nameless is None:
            return function, ""
        why = ""
        if function.object_file == UNKNOWN:
            place = self.code.place_of(int(nameless[1], 16))
            if place.object_file == UNKNOWN:
                return function, ""
            suffix = PLT_SUFFIX if self.code.is_stub(place) else ""
            name = nameless_name(place.address, suffix)
            function, why = FunctionKey(place.object_file, UNKNOWN, name), "object"
        owner = self.code.owner_of_nameless(function)
        return owner, why or ("nameless" if owner != function else "")


def _numbers(arc: Arc) -> Vector:
    return [arc.count, *arc.inclusive]
