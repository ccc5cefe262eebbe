# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a benchmark cost, function by function, in one or in many surroundings.
#
# Owns: the numbers that are kept of several measurements: of each count the lowest, the
# middle and the highest; and their form as JSON.  Recursion levels are added up.
# Relies on analysis/function_costs.py for one measurement.

"""Counts of a benchmark, with their spread."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Optional, Sequence

from analysis.function_costs import function_costs, outermost_level
from gate.error import GateError
from profile_file.model import FunctionKey, Profile, Vector, add_vector, new_vector

SCHEMA = "callgrind_gate counts 1"
MOST_SURROUNDINGS = 10_000
MOST_COST = 1 << 160  # sums of what the reader of profiles takes

Renaming = Callable[[FunctionKey], FunctionKey]


class Spread(NamedTuple):
    """A count in several surroundings."""

    low: int
    middle: int  # the median, the lower of two
    high: int

    def __add__(self, other: object) -> "Spread":
        assert isinstance(other, Spread)
        return Spread(
            self.low + other.low, self.middle + other.middle, self.high + other.high
        )

    @property
    def width(self) -> int:
        return self.high - self.low


NOTHING = Spread(0, 0, 0)


def spread_of(values: Sequence[int]) -> Spread:
    ordered = sorted(values)
    return Spread(ordered[0], ordered[(len(ordered) - 1) // 2], ordered[-1])


@dataclass
class Costs:
    """One measurement: of each function its self and its inclusive cost."""

    events: list[str]
    total: Vector
    functions: dict[FunctionKey, tuple[Vector, Vector]]


@dataclass
class FunctionCounts:
    """One function; self cost and inclusive cost for each event."""

    own: list[Spread]
    inclusive: list[int]  # in the first surroundings


@dataclass
class Counts:
    """A whole benchmark."""

    events: list[str]
    surroundings: int
    total: list[Spread]
    functions: dict[FunctionKey, FunctionCounts] = field(default_factory=dict)

    def regrouped(self, key_of: Renaming) -> "Counts":
        """These counts, with all functions of a key as one.

        The sums of what is lowest and highest bound the true spread of a sum."""
        found = Counts(self.events, self.surroundings, self.total)
        for old_key, function in self.functions.items():
            key = key_of(old_key)
            group = found.functions.get(key)
            if group is None:
                found.functions[key] = FunctionCounts(
                    list(function.own), list(function.inclusive)
                )
                continue
            group.own = [a + b for a, b in zip(group.own, function.own)]
            group.inclusive = [
                min(a + b, whole.high)
                for a, b, whole in zip(group.inclusive, function.inclusive, self.total)
            ]
        return found


# --- Of profiles ------------------------------------------------------------------------


def measured_costs(profiles: Sequence[Profile], is_first: bool = True) -> Costs:
    """All events that every part of the profiles has.  Inclusive costs are kept of the
    first surroundings; of others they are 0."""
    first: Optional[list[str]] = None
    for profile in profiles:
        for part in profile.parts:
            events = part.header.events
            first = (
                events if first is None else [name for name in first if name in events]
            )
    if not first:
        raise GateError("the profiles of one run have no event in common")
    if not is_first:
        return _self_costs(profiles, first)
    found = function_costs(profiles, first, merge_recursion=True)
    functions = {
        key: (function.self_cost, function.inclusive)
        for key, function in found.functions.items()
    }
    return Costs(found.events, found.total, functions)


def _self_costs(profiles: Sequence[Profile], events: list[str]) -> Costs:
    total = new_vector(len(events))
    functions: dict[FunctionKey, tuple[Vector, Vector]] = {}
    for profile in profiles:
        for part in profile.parts:
            places = [part.header.events.index(event) for event in events]
            for key, function in part.functions.items():
                cost = [function.self_cost[place] for place in places]
                key = outermost_level(key)
                if key not in functions:
                    functions[key] = new_vector(len(events)), new_vector(len(events))
                add_vector(functions[key][0], cost)
                add_vector(total, cost)
    return Costs(events, total, functions)


def counts_of(runs: Sequence[Costs]) -> Counts:
    """Of one benchmark that was measured in several surroundings."""
    events = runs[0].events
    if any(run.events != events for run in runs):
        raise GateError("the runs of one benchmark have different events")
    keys = sorted({key for run in runs for key in run.functions})
    nothing = [0] * len(events), [0] * len(events)
    counts = Counts(
        events,
        len(runs),
        [spread_of(column) for column in zip(*(run.total for run in runs))],
    )
    for key in keys:
        found = [run.functions.get(key, nothing) for run in runs]
        first, inclusive = found[0]
        if all(costs == first for costs, _ in found):  # as of most functions
            own = [Spread(cost, cost, cost) for cost in first]
        else:
            own = [spread_of(column) for column in zip(*(costs for costs, _ in found))]
        counts.functions[key] = FunctionCounts(own, list(inclusive))
    return counts


# --- As JSON ----------------------------------------------------------------------------


def encode(counts: Counts) -> bytes:
    """Equal counts make equal bytes."""
    objects: dict[str, int] = {}
    files: dict[str, int] = {}
    rows = [
        [
            objects.setdefault(key.object_file, len(objects)),
            files.setdefault(key.source_file, len(files)),
            key.name,
            [_number(spread) for spread in function.own],
            function.inclusive,
        ]
        for key, function in sorted(counts.functions.items())
    ]
    document = {
        "schema": SCHEMA,
        "events": counts.events,
        "surroundings": counts.surroundings,
        "total": [_number(spread) for spread in counts.total],
        "objects": list(objects),
        "files": list(files),
        "functions": rows,
    }
    return json.dumps(document, separators=(",", ":")).encode("ascii")


def _number(spread: Spread) -> Any:
    """One number where all are the same."""
    return list(spread) if spread.width else spread.low


def decode(content: bytes) -> Counts:
    """Bytes that somebody may have made up; GateError if they are no counts."""
    try:
        document = json.loads(content)
        if document["schema"] != SCHEMA:
            raise ValueError
        events = [_text(name) for name in document["events"]]
        counts = Counts(
            events,
            _natural(document["surroundings"], MOST_SURROUNDINGS),
            _spreads(document["total"], len(events)),
        )
        objects, files = document["objects"], document["files"]
        for owner, file, name, own, inclusive in document["functions"]:
            key = FunctionKey(
                _text(objects[_natural(owner)]), _text(files[_natural(file)]), _text(name)
            )
            if len(inclusive) != len(events):
                raise ValueError
            counts.functions[key] = FunctionCounts(
                _spreads(own, len(events)), [_natural(cost) for cost in inclusive]
            )
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise GateError("counts that cannot be read: they are damaged") from None
    return counts


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _natural(value: Any, most: int = MOST_COST) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError
    return value


def _spreads(values: Any, size: int) -> list[Spread]:
    if not isinstance(values, list) or len(values) != size:
        raise ValueError
    found = []
    for value in values:
        low, middle, high = value if isinstance(value, list) else (value, value, value)
        if not _natural(low) <= _natural(middle) <= _natural(high):
            raise ValueError
        found.append(Spread(low, middle, high))
    return found
