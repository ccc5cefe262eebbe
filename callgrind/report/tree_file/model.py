# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a tree file is once it has been read: events, functions, threads, parts, trees.
#
# Owns: the data classes that all forms of callgrind_export work on, and what can be asked
# of one tree alone.  A tree may have millions of nodes, so it is a few columns of numbers
# and not an object per node.  Knows nothing of text: reader.py fills these in.

"""The data classes of calling-context trees."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from typing import Iterator, NamedTuple, Optional

# Kinds of nodes: the letter of the file, and b for what an export has put together.
CALL, INLINED, JIT, KERNEL = "c", "i", "j", "k"
SKIPPED, PRUNED, TRUNCATED, BUNDLED = "s", "p", "t", "b"
KIND_WORDS = {
    CALL: "call",
    INLINED: "inlined",
    JIT: "jit",
    KERNEL: "kernel",
    SKIPPED: "skipped",
    PRUNED: "pruned",
    TRUNCATED: "truncated",
    BUNDLED: "bundled",
}

NO_PARENT = -1
NUMBER = "Q"  # the type of counts in arrays: 64 bits, unsigned
INDEX = "i"


class Event(NamedTuple):
    """What is counted."""

    name: str
    unit: str  # a unit of docs/tree-format.md
    description: str


class Object(NamedTuple):
    """An executable or library."""

    path: str
    build_id: str  # '' where it is not known


class Function(NamedTuple):
    """What makes a function one function; equal in two files, it is the same."""

    name: str
    object: Optional[Object]
    source: str  # '' where it is not known
    line: int  # 0 where it is not known


class Mapping(NamedTuple):
    """Where an object lay in a process; addresses in bytes."""

    object: Object
    start: int
    size: int
    offset: int

    def address_of(self, offset: int) -> Optional[int]:
        """Where in memory a byte of the object's file lies; None: not in this mapping."""
        within = offset - self.offset
        return self.start + within if 0 <= within < self.size else None


@dataclass(frozen=True)
class Process:
    """A process of the run."""

    pid: int
    command: str
    parent: Optional[Process] = None
    mappings: list[Mapping] = field(default_factory=list, compare=False)


@dataclass(frozen=True)
class Thread:
    """A thread of a process."""

    process: Process
    number: int
    name: str


@dataclass
class Part:
    """What lies between two dumps, or what belongs to one benchmark."""

    number: int
    trigger: str = ""
    benchmark: str = ""
    descriptions: list[str] = field(default_factory=list)


class Nodes:
    """Nodes as columns; a parent comes before its children, the index is the node."""

    def __init__(self, events: int) -> None:
        self.parents = array(INDEX)  # NO_PARENT at the beginning of a path
        self.functions = array(INDEX)  # into the table of functions
        self.kinds = bytearray()
        self.calls = array(NUMBER)
        self.costs = [array(NUMBER) for _ in range(events)]  # self, one column per event

    def __len__(self) -> int:
        return len(self.parents)

    def inclusive(self, event: int) -> list[int]:
        """The inclusive cost of each node."""
        costs = self.costs[event].tolist()
        parents = self.parents
        for node in range(len(costs) - 1, -1, -1):
            parent = parents[node]
            if parent >= 0:
                costs[parent] += costs[node]
        return costs

    def totals(self) -> list[int]:
        return [sum(column) for column in self.costs]

    def walk(self) -> Iterator[tuple[int, int]]:
        """Each node with its depth (0: without a parent), parents before children.

        Depth first, children in the order of the file.
        """
        first, following, root = self._links()
        parents = self.parents
        node, depth = root, 0
        while node >= 0:
            yield node, depth
            if first[node] >= 0:
                node, depth = first[node], depth + 1
                continue
            while node >= 0 and following[node] < 0:
                node, depth = parents[node], depth - 1
            if node >= 0:
                node = following[node]

    def _links(self) -> tuple[array[int], array[int], int]:
        """First child and next sibling of each node, and the first without a parent."""
        none = array(INDEX, [NO_PARENT])
        first, following = none * len(self), none * len(self)
        root = NO_PARENT
        for node in range(len(self) - 1, -1, -1):
            parent = self.parents[node]
            if parent < 0:
                following[node], root = root, node
            else:
                following[node], first[parent] = first[parent], node
        return first, following, root


@dataclass
class Tree:
    """The tree of one thread in one part."""

    part: Part
    thread: Thread
    nodes: Nodes


@dataclass
class Forest:
    """All that one or several files hold; functions are shared by their trees."""

    events: list[Event] = field(default_factory=list)
    sampled: bool = False
    creators: list[str] = field(default_factory=list)
    descriptions: list[str] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    # Where functions begin in the files of their objects, by index; of some, not known.
    entries: dict[int, int] = field(default_factory=dict)
    trees: list[Tree] = field(default_factory=list)

    @property
    def kind_of_costs(self) -> str:
        return "sampled" if self.sampled else "counted"

    def longest_period(self) -> int:
        """What a sample stands for at most, where there were several rates; else 0."""
        found = [re.fullmatch(r"Longest period: (\d{1,15})", text)
                 for text in self.descriptions]
        return max([int(match[1]) for match in found if match], default=0)

    def totals(self) -> list[int]:
        columns = [tree.nodes.totals() for tree in self.trees]
        return [sum(column) for column in zip(*columns)] or [0] * len(self.events)

    def processes(self) -> list[Process]:
        """Those that have a tree, in the order of the files."""
        return list(dict.fromkeys(tree.thread.process for tree in self.trees))

    def mappings_of(self, owner: Object) -> list[Mapping]:
        """Where an object was in the first process that has it; none: not known."""
        for process in self.processes():
            found = [mapping for mapping in process.mappings if mapping.object == owner]
            if found:
                return list(dict.fromkeys(found))
        return []
