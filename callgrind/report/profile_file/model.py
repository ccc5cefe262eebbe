# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a callgrind profile is once it has been read: parts, functions, costs, arcs, jumps.
#
# Owns: the data classes that every script of the project works on, and sums over one of
# them: cost per source line, per instruction, per inlined function.  Knows nothing of
# files and text: reader.py fills these in.

"""The data classes of a callgrind profile."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from operator import add
from pathlib import Path
from typing import Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence

# One number per event, in the order of the part's `events:` line; never shortened.
Vector = list[int]

# The name of what the file leaves out or callgrind did not know.
UNKNOWN = "???"

# The address of a position in a part whose `positions:` has neither instr nor bb.
NO_ADDRESS = -1


class FunctionKey(NamedTuple):
    """What makes a function one function: the name alone is not enough."""

    object_file: str
    source_file: str
    name: str


class SourceKey(NamedTuple):
    """Where cost lines belong: the file of the last fl/fi/fe, and the cfni, or ''."""

    file: str
    inlined: str


class Position(NamedTuple):
    """A position column set: address is NO_ADDRESS where the part has none."""

    address: int
    line: int


class ArcKey(NamedTuple):
    """One call site and one callee, within the caller that holds it."""

    callee: FunctionKey
    source: SourceKey
    site: Position


def new_vector(length: int) -> Vector:
    return [0] * length


def add_vector(target: Vector, addend: Vector) -> None:
    """Adds to the first elements of `target`, which is no shorter.

    Most of the time of reading a profile of many events goes here."""
    target[: len(addend)] = map(add, target, addend)


@dataclass
class Arc:
    """All calls from one call site to one callee."""

    # There may be millions: without a dictionary each takes half the memory.
    __slots__ = ("caller", "callee", "source", "site", "target", "count", "inclusive")

    caller: FunctionKey
    callee: FunctionKey
    source: SourceKey
    site: Position
    target: Position
    count: int
    inclusive: Vector


@dataclass
class Jump:
    """A jump of --collect-jumps=yes; executed equals followed if it is unconditional."""

    function: FunctionKey
    source: SourceKey
    site: Position
    target_function: FunctionKey
    target_file: str
    target: Position
    conditional: bool
    executed: int
    followed: int


JumpKey = tuple[SourceKey, Position, FunctionKey, str, Position, bool]


def add_arc(arcs: dict[ArcKey, Arc], arc: Arc) -> None:
    """Put an arc where its key says, or add it to the one that is there."""
    known = arcs.setdefault(ArcKey(arc.callee, arc.source, arc.site), arc)
    if known is not arc:
        known.count += arc.count
        add_vector(known.inclusive, arc.inclusive)


def add_jump(jumps: dict[JumpKey, Jump], jump: Jump) -> None:
    """As add_arc()."""
    key = (jump.source, jump.site, jump.target_function, jump.target_file, jump.target,
           jump.conditional)  # fmt: skip
    known = jumps.setdefault(key, jump)
    if known is not jump:
        known.executed += jump.executed
        known.followed += jump.followed


class Calls(NamedTuple):
    """The calls of a function, of which there may be very many: in sequences.  The costs
    of a call lie side by side."""

    callees: Sequence[FunctionKey]
    counts: Sequence[int]
    costs: Sequence[int]


@dataclass
class FunctionProfile:
    """A function's own costs, and the arcs and jumps that start in it."""

    key: FunctionKey
    self_cost: Vector
    sources: dict[SourceKey, dict[tuple[int, int], Vector]] = field(default_factory=dict)
    arcs: dict[ArcKey, Arc] = field(default_factory=dict)
    jumps: dict[JumpKey, Jump] = field(default_factory=dict)

    def calls(self, events: Sequence[int]) -> Calls:
        """Arcs' callees, counts, and inclusive costs of events by their places.  A callee
        may come several times."""
        arcs = self.arcs.values()
        return Calls(
            [arc.callee for arc in arcs],
            [arc.count for arc in arcs],
            [arc.inclusive[event] for arc in arcs for event in events],
        )

    def source_sums(self, events: Sequence[int]) -> Iterator[tuple[SourceKey, Vector]]:
        """Self cost of events by their places, per source; also of one without any."""
        for source, costs in self.sources.items():
            sums = [sum(cost[event] for cost in costs.values()) for event in events]
            yield source, sums

    def lines(self) -> Iterator[tuple[str, int, Vector]]:
        """Files and lines with their self cost; one may come several times."""
        return self.lines_in({source.file for source in self.sources})

    def lines_in(self, files: set[str]) -> Iterator[tuple[str, int, Vector]]:
        """As lines(), of these files."""
        for source, costs in self.sources.items():
            if source.file in files:
                for position, cost in costs.items():
                    yield source.file, position[1], cost

    def has_cost_below_zero(self) -> bool:
        """Of any line or call."""
        own = (cost for costs in self.sources.values() for cost in costs.values())
        calls = (arc.inclusive for arc in self.arcs.values())
        return any(number < 0 for cost in chain(own, calls) for number in cost)

    def calling_files(self) -> set[str]:
        """The files that calls stand in."""
        return {arc.source.file for arc in self.arcs.values()}

    def _costs_by(self, events: int, choice: int) -> dict[tuple[str, int], Vector]:
        sums: dict[tuple[str, int], Vector] = {}
        for source, costs in self.sources.items():
            for position, cost in costs.items():
                place = (source.file, position[choice])
                add_vector(sums.setdefault(place, new_vector(events)), cost)
        return sums

    def by_line(self) -> dict[tuple[str, int], Vector]:
        """Self cost per (file, line); empty when read with Detail.FUNCTIONS."""
        return self._costs_by(len(self.self_cost), 1)

    def by_instruction(self) -> dict[tuple[str, int], Vector]:
        """Self cost per (file, address); empty unless read with Detail.INSTRUCTIONS."""
        sums = self._costs_by(len(self.self_cost), 0)
        return {place: cost for place, cost in sums.items() if place[1] != NO_ADDRESS}

    def by_inlined(self) -> dict[str, Vector]:
        """Self cost per inlined function (`cfni=`), '' being the function's own code."""
        sums: dict[str, Vector] = {}
        for source, costs in self.sources.items():
            total = sums.setdefault(source.inlined, new_vector(len(self.self_cost)))
            for cost in costs.values():
                add_vector(total, cost)
        return sums


@dataclass
class PartHeader:
    """The header lines of one part, in the words of the file."""

    version: str = ""
    creator: str = ""
    pid: Optional[int] = None
    command: str = ""
    part: Optional[int] = None
    thread: Optional[int] = None
    descriptions: list[tuple[str, str]] = field(default_factory=list)
    positions: list[str] = field(default_factory=lambda: ["line"])
    events: list[str] = field(default_factory=list)
    event_names: dict[str, str] = field(default_factory=dict)
    summary: Optional[Vector] = None
    totals: Optional[Vector] = None

    def description(self, name: str) -> Optional[str]:
        """The value of the first `desc: name: value`, as in description("Trigger")."""
        for known, value in self.descriptions:
            if known == name:
                return value
        return None


@dataclass
class Part:
    """One dump of one thread (or of all of them).  Functions may be made anew each time
    that they are looked at (packed.py): nobody changes them."""

    header: PartHeader
    functions: Mapping[FunctionKey, FunctionProfile] = field(default_factory=dict)

    def sum_of_self_costs(self) -> Vector:
        total = new_vector(len(self.header.events))
        for function in self.functions.values():
            add_vector(total, function.self_cost)
        return total

    def arcs(self) -> Iterator[Arc]:
        for function in self.functions.values():
            yield from function.arcs.values()


@dataclass
class Profile:
    """A whole file."""

    path: Path
    parts: list[Part] = field(default_factory=list)

    @property
    def events(self) -> list[str]:
        """Every event of any part, in order of first appearance."""
        return unique(event for part in self.parts for event in part.header.events)


def unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
