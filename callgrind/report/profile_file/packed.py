# SPDX-License-Identifier: GPL-2.0-or-later
#
# Parts of large profiles, as arrays of numbers: an object for each function, call and
# line would take some ten times the memory, and most reports look at each once.
#
# Owns: what read_profile has written of a part (reader/tables/part.h says what each array
# is), and the classes of model.py made of it, one function at a time, whenever somebody
# asks: they are made anew each time, so nobody may change them.

"""The functions of a part, packed in arrays."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import cached_property
from typing import ItemsView, Iterator, Mapping, NamedTuple, Sequence, ValuesView

from profile_file.model import (
    NO_ADDRESS,
    Arc,
    ArcKey,
    Calls,
    FunctionKey,
    FunctionProfile,
    Jump,
    JumpKey,
    Position,
    SourceKey,
    Vector,
    add_arc,
    add_jump,
)

NO_SOURCE = SourceKey("", "")
NO_SITE = Position(NO_ADDRESS, 0)


class PackedJump(NamedTuple):
    """A JumpRecord of reader/packed/stream.h."""

    source: int
    function: int
    file: int
    is_conditional: int
    line: int
    target_line: int
    executed: int
    followed: int


@dataclass
class Tables:
    """What all parts of a file share; numbers in the arrays of parts stand for these."""

    names: list[str] = field(default_factory=list)
    keys: list[FunctionKey] = field(default_factory=list)
    sources: list[SourceKey] = field(default_factory=list)


def _numbers(code: str) -> "array[int]":
    return field(default_factory=lambda: array(code))


@dataclass
class Arrays:
    """A part.  What "ends" has, for each owner, how many elements all before it and it
    have together.  Costs have `events` numbers for each element."""

    events: int
    with_lines: bool
    functions: "array[int]" = _numbers("I")  # by function: its key
    self_costs: "array[int]" = _numbers("q")
    arc_ends: "array[int]" = _numbers("I")  # by function
    callees: "array[int]" = _numbers("I")  # by arc: a key
    counts: "array[int]" = _numbers("q")
    inclusive: "array[int]" = _numbers("q")
    # Empty where lines are not kept:
    block_ends: "array[int]" = _numbers("I")  # by function
    block_sources: "array[int]" = _numbers("I")  # by block
    line_ends: "array[int]" = _numbers("I")  # by block
    lines: "array[int]" = _numbers("q")
    line_costs: "array[int]" = _numbers("q")
    arc_sources: "array[int]" = _numbers("I")
    arc_lines: "array[int]" = _numbers("q")
    arc_targets: "array[int]" = _numbers("q")
    jump_ends: "array[int]" = _numbers("I")  # by function
    jumps: list[PackedJump] = field(default_factory=list)


def _range(ends: "array[int]", owner: int) -> range:
    """The elements of an owner."""
    return range(ends[owner - 1] if owner else 0, ends[owner])


class PackedFunctions(Mapping[FunctionKey, FunctionProfile]):
    """The functions of a part, each made when it is asked for."""

    def __init__(self, arrays: Arrays, tables: Tables) -> None:
        self.arrays = arrays
        self.tables = tables
        self.keys_by_number = tables.keys  # a copy where some are renamed
        self._numbers: dict[FunctionKey, int] = {}

    def rename(self, moved: Mapping[FunctionKey, FunctionKey]) -> None:
        """Have other keys for some functions, wherever they stand."""
        self.keys_by_number = [moved.get(key, key) for key in self.tables.keys]
        self._numbers = {}

    def __len__(self) -> int:
        return len(self.arrays.functions)

    def __iter__(self) -> Iterator[FunctionKey]:
        return map(self.keys_by_number.__getitem__, self.arrays.functions)

    def __getitem__(self, key: FunctionKey) -> FunctionProfile:
        if not self._numbers:
            self._numbers = {key: number for number, key in enumerate(self)}
        return self.function(self._numbers[key])

    def function(self, number: int) -> FunctionProfile:
        return PackedFunction(self, number)

    def items(self) -> ItemsView[FunctionKey, FunctionProfile]:
        return _Items(self)

    def values(self) -> ValuesView[FunctionProfile]:
        return _Values(self)


class _Items(ItemsView[FunctionKey, FunctionProfile]):
    """Without looking each function up."""

    def __init__(self, functions: PackedFunctions) -> None:
        super().__init__(functions)
        self._functions = functions

    def __iter__(self) -> Iterator[tuple[FunctionKey, FunctionProfile]]:
        for number, key in enumerate(self._functions):
            yield key, self._functions.function(number)


class _Values(ValuesView[FunctionProfile]):
    """Without looking each function up."""

    def __init__(self, functions: PackedFunctions) -> None:
        super().__init__(functions)
        self._functions = functions

    def __iter__(self) -> Iterator[FunctionProfile]:
        return map(self._functions.function, range(len(self._functions)))


class PackedFunction(FunctionProfile):
    """One function; its lines, arcs and jumps are made when they are asked for."""

    def __init__(self, owner: PackedFunctions, number: int) -> None:
        arrays = owner.arrays
        self._owner = owner
        self._number = number
        self.key = owner.keys_by_number[arrays.functions[number]]
        start = number * arrays.events
        self.self_cost = arrays.self_costs[start : start + arrays.events].tolist()

    @cached_property
    def sources(  # type: ignore[override]
        self
    ) -> dict[SourceKey, dict[tuple[int, int], Vector]]:
        return {source: self._lines(block) for block, source in self._blocks()}

    def _lines(self, block: int) -> dict[tuple[int, int], Vector]:
        return {
            Position(NO_ADDRESS, line): cost for line, cost in self._line_costs(block)
        }

    def _line_costs(self, block: int) -> Iterator[tuple[int, Vector]]:
        arrays, step = self._owner.arrays, self._owner.arrays.events
        found = _range(arrays.line_ends, block)
        lines = arrays.lines[found.start : found.stop]
        costs = arrays.line_costs[found.start * step : found.stop * step]
        return zip(lines, map(list, zip(*(costs[event::step] for event in range(step)))))

    def _blocks(self) -> Iterator[tuple[int, SourceKey]]:
        """The blocks of lines, and where they belong."""
        arrays, sources = self._owner.arrays, self._owner.tables.sources
        if arrays.with_lines:
            for block in _range(arrays.block_ends, self._number):
                yield block, sources[arrays.block_sources[block]]

    def source_sums(self, events: Sequence[int]) -> Iterator[tuple[SourceKey, Vector]]:
        """Without an object for each line."""
        arrays, step = self._owner.arrays, self._owner.arrays.events
        for block, source in self._blocks():
            found = _range(arrays.line_ends, block)
            costs = arrays.line_costs[found.start * step : found.stop * step]
            yield source, [sum(costs[event::step]) for event in events]

    def lines(self) -> Iterator[tuple[str, int, Vector]]:
        return self.lines_in({source.file for _, source in self._blocks()})

    def lines_in(self, files: set[str]) -> Iterator[tuple[str, int, Vector]]:
        """Without objects for the lines of other files."""
        for block, source in self._blocks():
            if source.file in files:
                for line, cost in self._line_costs(block):
                    yield source.file, line, cost

    def has_cost_below_zero(self) -> bool:
        """Without an object for each line."""
        arrays, step = self._owner.arrays, self._owner.arrays.events
        arcs = _range(arrays.arc_ends, self._number)
        costs = [arrays.inclusive[arcs.start * step : arcs.stop * step]]
        for block, _ in self._blocks():
            lines = _range(arrays.line_ends, block)
            costs.append(arrays.line_costs[lines.start * step : lines.stop * step])
        return any(min(numbers, default=0) < 0 for numbers in costs)

    def calling_files(self) -> set[str]:
        """Without the arcs."""
        arrays, sources = self._owner.arrays, self._owner.tables.sources
        if not arrays.with_lines:
            return {NO_SOURCE.file} if self.arcs else set()
        found = _range(arrays.arc_ends, self._number)
        return {sources[number].file
                for number in set(arrays.arc_sources[found.start : found.stop])}

    @cached_property
    def arcs(self) -> dict[ArcKey, Arc]:  # type: ignore[override]
        owner, arrays, events = self._owner, self._owner.arrays, self._owner.arrays.events
        keys, sources = owner.keys_by_number, owner.tables.sources
        arcs: dict[ArcKey, Arc] = {}
        source, site, target = NO_SOURCE, NO_SITE, NO_SITE
        for number in _range(arrays.arc_ends, self._number):
            if arrays.with_lines:
                source = sources[arrays.arc_sources[number]]
                site = Position(NO_ADDRESS, arrays.arc_lines[number])
                target = Position(NO_ADDRESS, arrays.arc_targets[number])
            start = number * events
            add_arc(arcs, Arc(
                self.key, keys[arrays.callees[number]], source, site, target,
                arrays.counts[number],
                arrays.inclusive[start : start + events].tolist(),
            ))  # fmt: skip
        return arcs

    def calls(self, events: Sequence[int]) -> Calls:
        """Without the arcs, of which there may be millions."""
        arrays = self._owner.arrays
        found, step = _range(arrays.arc_ends, self._number), arrays.events
        costs = arrays.inclusive[found.start * step : found.stop * step]
        if list(events) != list(range(step)):
            chosen = array("q", bytes(len(found) * len(events) * costs.itemsize))
            for place, event in enumerate(events):
                chosen[place :: len(events)] = costs[event::step]
            costs = chosen
        callees = arrays.callees[found.start : found.stop]
        return Calls(
            list(map(self._owner.keys_by_number.__getitem__, callees)),
            arrays.counts[found.start : found.stop],
            costs,
        )

    @cached_property
    def jumps(self) -> dict[JumpKey, Jump]:  # type: ignore[override]
        owner, arrays = self._owner, self._owner.arrays
        keys, tables = owner.keys_by_number, owner.tables
        jumps: dict[JumpKey, Jump] = {}
        if not arrays.with_lines:
            return jumps
        for number in _range(arrays.jump_ends, self._number):
            jump = arrays.jumps[number]
            add_jump(jumps, Jump(
                self.key, tables.sources[jump.source], Position(NO_ADDRESS, jump.line),
                keys[jump.function], tables.names[jump.file],
                Position(NO_ADDRESS, jump.target_line), bool(jump.is_conditional),
                jump.executed, jump.followed,
            ))  # fmt: skip
        return jumps
