# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares two profiles of the same run, part by part and number by number.
#
# Owns: what is compared (totals; self cost per function, line and instruction; every
# arc, over all of its call sites and at each; jumps), how an item is named in a report,
# and which events cannot be compared.  Where one profile has fewer positions (no
# addresses, no lines), only what both have is compared: so the same run written in two
# ways must be equal.  Relies on callgrind/report/profile_file/model.py.

"""Compare two callgrind profiles of the same run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from operator import add
from typing import Any, Iterator, Optional

from profile_file.model import (
    NO_ADDRESS,
    UNKNOWN,
    FunctionKey,
    Part,
    Position,
    Profile,
    Vector,
)

# From coarse to fine, which is the order in which differences are worth reading.
TABLES = ("total", "function", "arc", "line", "site", "instruction", "jump")
# And what explaining.py finds: code in the wrong function, arcs by jumps, recursion
# levels, and inclusive costs that do not add up.
CATEGORIES = (*TABLES, "owner", "jump-arc", "level", "balance")

# What no two runs have in common.
TIMES = ("sysTime", "sysCpuTime")
# Booked when a line makes room, on who brought it in: no part of any inclusive cost.
LINE_USE = ("AcCost1", "SpLoss1", "AcCost2", "SpLoss2")

# What tells an item from others of its table; its name is made where it differs.
Key = tuple[Any, ...]
Table = dict[Key, Vector]


@dataclass(frozen=True)
class Difference:
    """One item that is not the same on both sides; None where a side lacks it."""

    category: str
    name: str
    stock: Optional[tuple[int, ...]]
    ours: Optional[tuple[int, ...]]
    part: str = ""

    def __str__(self) -> str:
        place = f" [{self.part}]" if self.part else ""
        return (
            f"{self.category:<11} {self.name}{place}: "
            f"stock {_numbers(self.stock)}, ours {_numbers(self.ours)}"
        )

    @property
    def largest(self) -> int:
        """The largest deviation of a number, what is missing counting as 0."""
        return max((abs(value) for value in self.change()), default=0)

    def change(self) -> tuple[int, ...]:
        length = max(len(self.stock or ()), len(self.ours or ()))
        stock = self.stock or (0,) * length
        ours = self.ours or (0,) * length
        return tuple(new - old for old, new in zip(stock, ours))


def _numbers(values: Optional[tuple[int, ...]]) -> str:
    return "-" if values is None else " ".join(f"{value:,}" for value in values)


def function_name(key: FunctionKey) -> str:
    file = "" if key.source_file == UNKNOWN else f" ({key.source_file})"
    return f"{os.path.basename(key.object_file)}:{key.name}{file}"


@dataclass(frozen=True)
class Columns:
    """The positions that are compared."""

    lines: bool
    addresses: bool

    @classmethod
    def of(cls, *parts: Part) -> Columns:
        """What all of these have."""
        return cls(
            all("line" in part.header.positions for part in parts),
            all("instr" in part.header.positions for part in parts),
        )

    def place(self, file: str, position: Position) -> Key:
        return (
            file if self.lines else "",
            position.line if self.lines else 0,
            position.address if self.addresses else NO_ADDRESS,
        )


def _place_name(file: str, line: int, address: int) -> str:
    """A place of Columns.place(); without lines the file says nothing, and is empty."""
    where = f"{file}:{line}" if file else ""
    return where if address == NO_ADDRESS else f"{where}/{address:#x}"


class _Tables:
    """Everything that one part says, as tables from what an item is to numbers."""

    def __init__(self, part: Part, columns: Columns) -> None:
        self.tables: dict[str, Table] = {category: {} for category in TABLES}
        self.columns = columns
        self.tables["total"][()] = part.sum_of_self_costs()
        for function in part.functions.values():
            key = function.key
            self.tables["function"][key] = function.self_cost
            for source, costs in function.sources.items():
                for (address, line), cost in costs.items():
                    if columns.lines:
                        self._add("line", (key, source.file, line), cost)
                    if columns.addresses:
                        self._add("instruction", (key, address), cost)
        self._add_arcs(part)
        self._add_jumps(part)

    def _add(self, category: str, key: Key, numbers: Vector) -> None:
        table = self.tables[category]
        known = table.get(key)
        if known is None:
            table[key] = numbers
        else:
            table[key] = list(map(add, known, numbers))

    def _add_arcs(self, part: Part) -> None:
        place = self.columns.place
        for arc in part.arcs():
            numbers = [arc.count, *arc.inclusive]
            self._add("arc", (arc.caller, arc.callee), numbers)
            site = place(arc.source.file, arc.site)
            self._add("site", (arc.caller, site, arc.callee), numbers)

    def _add_jumps(self, part: Part) -> None:
        place = self.columns.place
        for function in part.functions.values():
            for jump in function.jumps.values():
                unknown = jump.site.line == 0 == jump.target.line
                if unknown and not self.columns.addresses:
                    continue  # only written with addresses
                key = (
                    function.key,
                    place(jump.source.file, jump.site),
                    place(jump.target_file, jump.target),
                    jump.conditional,
                )
                self._add("jump", key, [jump.executed, jump.followed])


def _item_name(category: str, key: Key) -> str:
    """An item as reports and deviations.ini have it."""
    if category == "total":
        return "totals"
    if category == "function":
        return function_name(FunctionKey(*key))
    function = function_name(key[0])
    if category == "line":
        return f"{function} @ {key[1]}:{key[2]}"
    if category == "instruction":
        return f"{function} @ {key[1]:#x}"
    if category == "arc":
        return f"{function} -> {function_name(key[1])}"
    if category == "site":
        return f"{function} @ {_place_name(*key[1])} -> {function_name(key[2])}"
    way = f"{_place_name(*key[1])} -> {_place_name(*key[2])}"
    return f"{function} @ {way}{' if' if key[3] else ''}"


def compare_parts(stock: Part, ours: Part, label: str = "") -> list[Difference]:
    """Every difference between two parts, the coarse ones first."""
    differences: list[Difference] = []
    events = (" ".join(stock.header.events), " ".join(ours.header.events))
    if events[0] != events[1]:
        return [Difference("total", f"events: {events[0]} / {events[1]}", (), (), label)]
    columns = Columns.of(stock, ours)
    stock_tables = _Tables(stock, columns).tables
    our_tables = _Tables(ours, columns).tables
    for category in TABLES:
        differences += _compare_tables(
            category, stock_tables[category], our_tables[category], label
        )
    return differences


def _compare_tables(
    category: str, stock: Table, ours: Table, label: str
) -> Iterator[Difference]:
    found = []
    if stock == ours:
        return iter(())
    for key in {**stock, **ours}:
        left, right = stock.get(key), ours.get(key)
        if left == right or not any(left or ()) and not any(right or ()):
            continue  # what never ran is the same as what is not there
        found.append(
            Difference(
                category,
                _item_name(category, key),
                None if left is None else tuple(left),
                None if right is None else tuple(right),
                label,
            )
        )
    found.sort(key=lambda difference: -difference.largest)
    return iter(found)


def blank_times(profile: Profile) -> None:
    """Set the events that are times to zero, wherever they are counted."""
    for part in profile.parts:
        times = [part.header.events.index(e) for e in TIMES if e in part.header.events]
        if times:
            for vector in _vectors(part):
                for index in times:
                    if index < len(vector):
                        vector[index] = 0


def _vectors(part: Part) -> Iterator[Vector]:
    """Every vector of costs in a part."""
    yield part.header.summary or []
    yield part.header.totals or []
    for function in part.functions.values():
        yield function.self_cost
        for costs in function.sources.values():
            yield from costs.values()
        for arc in function.arcs.values():
            yield arc.inclusive


def consistency_errors(profile: Profile) -> list[str]:
    """What a profile says of its own sum: summary = totals = sum of the self costs."""
    errors = []
    for number, part in enumerate(profile.parts, 1):
        counted = part.sum_of_self_costs()
        for name, claimed in (
            ("summary", part.header.summary),
            ("totals", part.header.totals),
        ):
            if claimed is None:
                errors.append(f"{profile.path}: part {number}: no {name}: line")
            elif claimed + [0] * (len(counted) - len(claimed)) != counted:
                errors.append(
                    f"{profile.path}: part {number}: {name}: {claimed}, "
                    f"but self costs add up to {counted}"
                )
    return errors


def part_label(part: Part) -> str:
    header = part.header
    thread = "" if header.thread is None else f" thread {header.thread}"
    return f"part {header.part}{thread}"


def shape_errors(
    left: Profile, right: Profile, names: tuple[str, str] = ("stock", "ours")
) -> list[str]:
    """Where two profiles do not have the same parts; `names` say what they are."""
    shapes = [", ".join(map(part_label, side.parts)) for side in (left, right)]
    if shapes[0] == shapes[1]:
        return []
    return [f"parts differ: {names[0]} {shapes[0]}; {names[1]} {shapes[1]}"]


def compare_profiles(stock: Profile, ours: Profile) -> tuple[list[Difference], list[str]]:
    """Differences, and what is wrong with the shape of the files."""
    errors = consistency_errors(ours) + shape_errors(stock, ours)
    differences: list[Difference] = []
    for left, right in zip(stock.parts, ours.parts):
        name = part_label(left) if len(stock.parts) > 1 else ""
        differences += compare_parts(left, right, name)
    return differences, errors
