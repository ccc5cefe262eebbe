# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares two profiles of the same run, part by part and number by number.
#
# Owns: what is compared (totals; self cost per function, line and instruction; every
# arc, over all of its call sites and at each; jumps), how an item is named in a report,
# and the one difference that is allowed without being listed: the last superblock.
# Relies on callgrind/report/profile_file.py.
#
# The last superblock.  A profiler that counts a superblock when it is entered has
# counted the block with the system call that ends the process as a whole; one that
# counts on the way through has counted it up to the call.  So the totals may differ by
# the instructions of one block, in the one function that ran last and in the inclusive
# cost of the arcs that lead to it.  Every superblock that the core makes has 50
# instructions or fewer unless --vex-guest-max-insns says otherwise (its default is 50).

"""Compare two callgrind profiles of the same run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Callable, Iterator, Optional

from profile_model import (
    NO_ADDRESS,
    UNKNOWN,
    FunctionKey,
    Part,
    Position,
    Profile,
    Vector,
)

LAST_SUPERBLOCK = 50
# From coarse to fine, which is the order in which differences are worth reading.
CATEGORIES = ("total", "function", "arc", "line", "site", "instruction", "jump")

Table = dict[str, Vector]


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


def _place(file: str, position: Position) -> str:
    address = "" if position.address == NO_ADDRESS else f"/{position.address:#x}"
    return f"{file}:{position.line}{address}"


class _Tables:
    """Everything that one part says, as tables from a readable name to numbers."""

    def __init__(self, part: Part) -> None:
        self.tables: dict[str, Table] = {category: {} for category in CATEGORIES}
        self._add("total", "totals", part.sum_of_self_costs())
        for function in part.functions.values():
            name = function_name(function.key)
            self._add("function", name, function.self_cost)
            for (file, line), cost in function.by_line().items():
                self._add("line", f"{name} @ {file}:{line}", cost)
            for (file, address), cost in function.by_instruction().items():
                self._add("instruction", f"{name} @ {file}/{address:#x}", cost)
        self._add_arcs(part)
        self._add_jumps(part)

    def _add(self, category: str, name: str, numbers: Vector) -> None:
        known = self.tables[category].get(name)
        if known is None:
            self.tables[category][name] = list(numbers)
        else:
            self.tables[category][name] = [old + new for old, new in zip(known, numbers)]

    def _add_arcs(self, part: Part) -> None:
        for arc in part.arcs():
            caller, callee = function_name(arc.caller), function_name(arc.callee)
            numbers = [arc.count, *arc.inclusive]
            self._add("arc", f"{caller} -> {callee}", numbers)
            site = _place(arc.source.file, arc.site)
            self._add("site", f"{caller} @ {site} -> {callee}", numbers)

    def _add_jumps(self, part: Part) -> None:
        for function in part.functions.values():
            for jump in function.jumps.values():
                name = (
                    f"{function_name(function.key)} @ "
                    f"{_place(jump.source.file, jump.site)} -> "
                    f"{_place(jump.target_file, jump.target)}"
                    f"{' if' if jump.conditional else ''}"
                )
                self._add("jump", name, [jump.executed, jump.followed])


def compare_parts(stock: Part, ours: Part, label: str = "") -> list[Difference]:
    """Every difference between two parts, the coarse ones first."""
    differences: list[Difference] = []
    events = (" ".join(stock.header.events), " ".join(ours.header.events))
    if events[0] != events[1]:
        return [Difference("total", f"events: {events[0]} / {events[1]}", (), (), label)]
    stock_tables, our_tables = _Tables(stock).tables, _Tables(ours).tables
    for category in CATEGORIES:
        differences += _compare_tables(
            category, stock_tables[category], our_tables[category], label
        )
    return differences


def _compare_tables(
    category: str, stock: Table, ours: Table, label: str
) -> Iterator[Difference]:
    found = []
    for name in {**stock, **ours}:
        left, right = stock.get(name), ours.get(name)
        if left == right or not any(left or ()) and not any(right or ()):
            continue  # what never ran is the same as what is not there
        found.append(
            Difference(
                category,
                name,
                None if left is None else tuple(left),
                None if right is None else tuple(right),
                label,
            )
        )
    found.sort(key=lambda difference: -difference.largest)
    return iter(found)


def without_last_superblock(differences: list[Difference]) -> list[Difference]:
    """Drop what the last superblock explains; see the head of the file."""
    totals = [item for item in differences if item.category == "total"]
    if len(totals) != 1 or not 0 < totals[0].largest <= LAST_SUPERBLOCK:
        return differences
    change = totals[0].change()
    # A block that ran has instructions, and at most so many other events.
    if any(abs(events) > abs(change[0]) for events in change):
        return differences
    functions = [item for item in differences if item.category == "function"]
    if len(functions) != 1 or functions[0].change() != change:
        return differences
    leading = _names_leading_to(functions[0].name, change, differences)

    def explained(item: Difference) -> bool:
        if item.category in ("total", "function"):
            return True
        if item.category in ("line", "instruction"):
            return item.name.startswith(functions[0].name + " @ ") and all(
                abs(part) <= abs(whole) for part, whole in zip(item.change(), change)
            )
        return (
            item.category in ("arc", "site")
            and item.change() == (0, *change)
            and item.name.rpartition(" -> ")[2] in leading
        )

    return [item for item in differences if not explained(item)]


def _names_leading_to(
    last: str, change: tuple[int, ...], differences: list[Difference]
) -> set[str]:
    """The function that ran last and its callers, by arcs that changed as the totals."""
    callers: dict[str, list[str]] = {}
    for item in differences:
        if item.category == "arc" and item.change() == (0, *change):
            caller, _, callee = item.name.rpartition(" -> ")
            callers.setdefault(callee, []).append(caller)
    leading, waiting = {last}, [last]
    while waiting:
        for caller in callers.get(waiting.pop(), ()):
            if caller not in leading:
                leading.add(caller)
                waiting.append(caller)
    return leading


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


def compare_profiles(stock: Profile, ours: Profile) -> tuple[list[Difference], list[str]]:
    """Differences beyond the last superblock, and what is wrong with the files' shape."""
    errors = consistency_errors(ours)
    label: Callable[[Part], str] = part_label
    shapes = [[label(part) for part in side.parts] for side in (stock, ours)]
    if shapes[0] != shapes[1]:
        errors.append(
            f"parts differ: stock {', '.join(shapes[0])}; ours " f"{', '.join(shapes[1])}"
        )
    differences: list[Difference] = []
    for left, right in zip(stock.parts, ours.parts):
        name = label(left) if len(stock.parts) > 1 else ""
        differences += without_last_superblock(compare_parts(left, right, name))
    return differences, errors
