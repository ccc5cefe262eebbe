# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads tree files (docs/tree-format.md), strictly: a file that is cut off, damaged or of
# another kind is refused with the place.
#
# Owns: the way from lines to the data classes of model.py.  Several files, and
# several documents in a file, become one forest: their functions are shared, their trees
# stay apart.  Nearly all lines are nodes; these are read in one loop (_read_nodes).

"""Read tree files into the data classes of tree_file.model."""

from __future__ import annotations

import gc
import re
from io import FileIO
from pathlib import Path
from typing import Optional, Sequence, Union

from console.text_stream import lines_of
from tree_file.definitions import Definitions, TreeError
from tree_file.model import (
    CALL,
    NO_PARENT,
    Event,
    Forest,
    Function,
    Mapping,
    Nodes,
    Part,
    Thread,
    Tree,
)

__all__ = ["TreeError", "read_forest"]

VERSION_LINE = b"callgrind-tree 1\n"
UNITS = (
    "count",
    "nanoseconds",
    "microseconds",
    "milliseconds",
    "seconds",
    "bytes",
    "cycles",
    "centicycles",
)
# The first words of files that may be given by mistake.
_PROFILE = re.compile(
    rb"# callgrind format|(?:version|creator|pid|cmd|part|desc|thread|positions|events?|"
    rb"summary|totals) ?:|(?:fn|fl|ob)="
)
_NODE = re.compile(rb"([ijkspt]?)([0-9]+) ([0-9]+) ([0-9]+)((?: [0-9]+)*)\n")
_NODE_STARTS = frozenset(b"0123456789ijkspt")


def read_forest(paths: Sequence[Union[str, Path]]) -> Forest:
    """Read files and add their trees up to one forest; they have to agree in events."""
    collecting = gc.isenabled()
    gc.disable()  # nothing here makes reference cycles
    try:
        forest = Forest()
        indexes: dict[Function, int] = {}
        for path in paths:
            try:
                with FileIO(path) as stream:
                    _Reader(Path(path), forest, indexes).read(stream)
            except OSError as error:
                raise TreeError(path, 0, error.strerror or str(error)) from error
        return forest
    finally:
        if collecting:
            gc.enable()


class _Reader(Definitions):
    """The state of reading one file."""

    def __init__(self, path: Path, forest: Forest, indexes: dict[Function, int]) -> None:
        super().__init__(path, forest.functions, indexes)
        self._forest = forest
        self._handlers.update(
            thread=self._on_thread,
            map=self._on_map,
            entry=self._on_entry,
            part=self._on_part,
            trigger=self._on_trigger,
            benchmark=self._on_benchmark,
            desc=self._on_desc,
            tree=self._on_tree,
        )
        self._begin_document()

    def _begin_document(self) -> None:
        self._begin_definitions()
        self._threads: dict[int, Thread] = {}
        self._part: Optional[Part] = None
        self._part_threads: set[int] = set()  # that have a tree in this part
        self._sums = (0, 0, [0] * len(self._forest.events))  # trees, nodes, costs

    # --- Lines -------------------------------------------------------------------------

    def read(self, stream: FileIO) -> None:
        try:
            self._lines = enumerate(lines_of(stream), 1)
            if not self._next():
                raise ValueError("the file is empty")
            while self._line:
                self._read_document()
                self._next()
        except (ValueError, OverflowError) as error:
            raise TreeError(self._path, self._number, self._explain(error)) from None

    def _explain(self, error: Exception) -> str:
        ours = self._number > 1 or self._line.startswith(b"callgrind-tree ")
        if ours and self._line and not self._line.endswith(b"\n"):
            return "the file ends in the middle of a line: it was cut off"
        return str(error)

    def _text_after(self, keyword: bytes) -> str:
        """The text of a line of the header that has to come now."""
        if not self._line.startswith(keyword + b" "):
            if not self._line:
                raise ValueError("the file ends in its header: it was cut off")
            raise ValueError(f"expected '{keyword.decode()}', not {self._shown()}")
        return self._text(self._line[len(keyword) + 1 :])

    # --- The parts of a document -------------------------------------------------------

    def _read_document(self) -> None:
        self._read_version()
        self._read_header()
        self._begin_document()
        self._read_body()
        self._read_end()

    def _read_version(self) -> None:
        if self._line == VERSION_LINE:
            self._next()
            return
        if self._line.startswith(b"callgrind-tree "):
            version = self._shown()[len("'callgrind-tree ") : -1]
            raise ValueError(f"version {version} of the tree format; 1 is known here")
        if self._number == 1 and _PROFILE.match(self._line):
            raise ValueError(
                "this is a callgrind profile, which does not say which path a cost came "
                "by, so there is no flame graph in it; run with --call-tree=yes and give "
                "the tree file"
            )
        if self._number == 1:
            raise ValueError(f"not a tree file: it begins with {self._shown()}")
        raise ValueError(f"after 'end' there is {self._shown()}")

    def _read_header(self) -> None:
        forest = self._forest
        creator = self._text_after(b"creator")
        self._next()
        costs = self._text_after(b"costs")
        if costs not in ("counted", "sampled"):
            raise ValueError(f"'costs' is counted or sampled, not {self._shown()}")
        self._next()
        events: list[Event] = []
        while self._line.startswith(b"event ") or not events:
            events.append(self._event(self._text_after(b"event")))
            self._next()
        if len({event.name for event in events}) < len(events):
            raise ValueError("two events have the same name")
        known, these = _compared(forest.events), _compared(events)
        if forest.events and (known, forest.sampled) != (these, costs == "sampled"):
            raise ValueError(
                "these files do not add up: events or kind of costs differ from "
                f"those before ({', '.join(event.name for event in forest.events)})"
            )
        if not forest.events:
            forest.events = events
            forest.sampled = costs == "sampled"
        if creator not in forest.creators:
            forest.creators.append(creator)

    def _event(self, text: str) -> Event:
        words = text.split(" ", 2)
        if len(words) < 3 or not words[0] or words[1] not in UNITS:
            raise ValueError(f"expected 'event NAME UNIT TEXT', not {self._shown()}")
        return Event(*words)

    def _read_end(self) -> None:
        words = self._line[len("end ") :].rstrip(b"\n").split(b" ")
        numbers = [self._parse(word.decode("latin-1")) for word in words]
        if not self._line.endswith(b"\n") or len(numbers) < 2:
            raise ValueError("the file ends in the middle of its 'end' line")
        trees, nodes, costs = self._sums
        said = [*numbers[:2], *self._padded(numbers[2:])]
        self._compare("end", said, [trees, nodes, *costs])

    def _compare(self, what: str, said: list[int], counted: list[int]) -> None:
        if said != counted:
            raise ValueError(
                f"'{what}' says {said}, but the lines before add up to {counted}: "
                "the file is damaged"
            )

    def _padded(self, costs: list[int]) -> list[int]:
        missing = len(self._forest.events) - len(costs)
        if missing < 0:
            raise ValueError(f"more costs than events in {self._shown()}")
        return costs + [0] * missing

    # --- Definitions that only trees have ---------------------------------------------

    def _on_thread(self, rest: bytes) -> None:
        (number, process, own_number), name = self._words(rest, 3)
        owner = self._look_up(self._processes, "process", process)
        thread = Thread(owner, self._parse(own_number), name)
        self._define(self._threads, "thread", number, thread)

    def _on_map(self, rest: bytes) -> None:
        words = rest.rstrip(b"\n").decode("latin-1").split(" ")
        if len(words) != 5:
            raise ValueError(f"expected five words after 'map': {self._shown()}")
        process = self._look_up(self._processes, "process", words[0])
        mapped = self._look_up(self._objects, "object", words[1])
        start, size, offset = map(self._address, words[2:])
        process.mappings.append(Mapping(mapped, start, size, offset))

    def _on_entry(self, rest: bytes) -> None:
        words = rest.rstrip(b"\n").decode("latin-1").split(" ")
        if len(words) != 2:
            raise ValueError(f"expected two words after 'entry': {self._shown()}")
        index = self._look_up(self._functions, "function", words[0])
        if self._forest.functions[index].object is None:
            raise ValueError(
                f"a function without an object has an entry: {self._shown()}"
            )
        # Functions that agree in all else are one; it begins where the first one does.
        self._forest.entries.setdefault(index, self._address(words[1]))

    # --- Parts and trees ---------------------------------------------------------------

    def _on_part(self, rest: bytes) -> None:
        number = self._parse(rest.rstrip(b"\n").decode("latin-1"))
        if self._part is not None and number <= self._part.number:
            raise ValueError(f"part {number} after part {self._part.number}")
        self._part = Part(number)
        self._part_threads = set()

    def _open_part(self) -> Part:
        """The part that a line belongs to which stands before its first tree."""
        if self._part is None:
            raise ValueError(f"no part has begun before {self._shown()}")
        if self._part_threads:
            raise ValueError(f"a part's trees have begun before {self._shown()}")
        return self._part

    def _on_trigger(self, rest: bytes) -> None:
        part = self._open_part()
        if part.trigger:
            raise ValueError("a second 'trigger' in a part")
        part.trigger = self._text(rest)

    def _on_benchmark(self, rest: bytes) -> None:
        part = self._open_part()
        if part.benchmark:
            raise ValueError("a second 'benchmark' in a part")
        part.benchmark = self._text(rest)

    def _on_desc(self, rest: bytes) -> None:
        text = self._text(rest)
        if self._part is not None:
            self._open_part().descriptions.append(text)
        else:
            self._forest.descriptions.append(text)

    def _on_tree(self, rest: bytes) -> None:
        word = rest.rstrip(b"\n").decode("latin-1")
        thread = self._look_up(self._threads, "thread", word)
        if self._part is None:
            raise ValueError(f"no part has begun before {self._shown()}")
        if int(word) in self._part_threads:
            raise ValueError(f"a second tree of thread {word} in a part")
        self._part_threads.add(int(word))
        nodes = self._read_nodes()
        totals = self._read_total(nodes)
        self._forest.trees.append(Tree(self._part, thread, nodes))
        trees, count, costs = self._sums
        costs = [one + other for one, other in zip(costs, totals)]
        self._sums = (trees + 1, count + len(nodes), costs)

    def _read_nodes(self) -> Nodes:
        nodes = Nodes(len(self._forest.events))
        match_node, functions = _NODE.fullmatch, self._functions
        add_parent, add_function = nodes.parents.append, nodes.functions.append
        add_kind, add_calls = nodes.kinds.append, nodes.calls.append
        columns = nodes.costs
        first, others, events = columns[0], columns[1:], len(columns)
        call, number = ord(CALL), 0
        for self._number, self._line in self._lines:
            match = match_node(self._line)
            if match is None:
                break
            kind, distance, function, calls, costs = match.groups()
            parent = number - int(distance)
            if parent < 0:
                raise ValueError(f"the parent is before the first node: {self._shown()}")
            add_parent(parent if parent != number else NO_PARENT)
            add_function(functions.get(int(function), -1))
            if nodes.functions[number] < 0:
                raise ValueError(f"a function that is not defined: {self._shown()}")
            add_kind(kind[0] if kind else call)
            add_calls(int(calls))
            if events == 1 and costs.count(b" ") == 1:
                first.append(int(costs))
            else:
                vector = self._padded(list(map(int, costs.split())))
                first.append(vector[0])
                for column, cost in zip(others, vector[1:]):
                    column.append(cost)
            number += 1
        else:
            self._line = b""
        return nodes

    def _read_total(self, nodes: Nodes) -> list[int]:
        if not self._line.startswith(b"total "):
            if not self._line:
                raise ValueError("the file ends within a tree: it was cut off")
            if self._line[0] in _NODE_STARTS and not self._line.startswith(b"total"):
                raise ValueError(
                    f"expected '[KIND]DISTANCE FUNCTION CALLS COSTS', not {self._shown()}"
                )
            raise ValueError(f"expected a node or 'total', not {self._shown()}")
        if not self._line.endswith(b"\n"):
            raise ValueError("the line has no end")
        words = self._line[len("total ") : -1].decode("latin-1").split(" ")
        numbers = [self._parse(word) for word in words]
        if len(numbers) < 2:
            raise ValueError(f"too few words in {self._shown()}")
        totals = nodes.totals()
        said = [*numbers[:2], *self._padded(numbers[2:])]
        self._compare("total", said, [len(nodes), sum(nodes.calls), *totals])
        return totals


def _compared(events: Sequence[Event]) -> list[tuple[str, str]]:
    """What two files have to agree in."""
    return [(event.name, event.unit) for event in events]
