# SPDX-License-Identifier: GPL-2.0-or-later
#
# pprof profiles: a gzip'd message with a sample for each path that has a cost.
#
# Owns: how a tree becomes samples.  Every event is a sample type.  A function that was
# inlined is a line of the location that it was inlined into, innermost line first.
# A tree is made of functions: the address of a location is where its function begins, if
# that is known.  Relies on pprof_schema.py for the messages.
#
# Messages that are written one after the other are one message to a reader, whose
# repeated fields add up.  So samples are written in portions as they come, and memory
# does not grow with their number.

"""Trees as pprof profiles."""

from __future__ import annotations

import gzip
import os
from typing import BinaryIO, Optional, Sequence

from export.error import ExportError
from export.pprof_schema import encode
from tree_file.escape import unicode_text
from tree_file.model import INLINED, Event, Forest, Mapping, Object, Process, Tree

LARGEST_VALUE = (1 << 63) - 1
SAMPLES_AT_ONCE = 5000
# What heap profiles of Go and of gperftools call them: `go tool pprof` knows these names.
HEAP_NAMES = {
    "allocCount": "alloc_objects",
    "allocSize": "alloc_space",
    "leakSize": "inuse_space",
}
COMPRESSION = 6


def write_pprof(forest: Forest, events: Sequence[int], stream: BinaryIO) -> None:
    """The first of the events is the one that is shown first."""
    totals = forest.totals()
    for event in events:
        if totals[event] > LARGEST_VALUE:
            name = forest.events[event].name
            raise ExportError(f"{name}: {totals[event]} is more than pprof can hold")
    # No time in the file: the same tree makes the same bytes.
    with gzip.GzipFile("", "wb", COMPRESSION, stream, mtime=0) as packed:
        _Writer(forest, events, packed).write()


class _Writer:
    """The state of writing one profile."""

    def __init__(
        self, forest: Forest, events: Sequence[int], packed: gzip.GzipFile
    ) -> None:
        self._forest = forest
        self._events = events
        self._packed = packed
        self._strings: dict[str, int] = {"": 0}
        # Of each object, where it was mapped (None: not known) and the mapping's id.
        self._mappings: dict[Object, list[tuple[Optional[Mapping], int]]] = {}
        self._inlined = bytes([ord(INLINED)])[0]
        # By functions, innermost first; the last one is not inlined.
        self._locations: dict[tuple[int, ...], int] = {}

    def write(self) -> None:
        kinds = []
        for event in self._events:
            what = self._forest.events[event]
            name, unit = self._string(_shown_name(what)), self._string(what.unit)
            kinds.append(encode("ValueType", type=name, unit=unit))
        notes = [*self._forest.creators, *self._forest.descriptions]
        notes.append(f"Costs: {self._forest.kind_of_costs}")
        notes += [process.command for process in self._forest.processes()]
        head = encode(
            "Profile",
            sample_type=kinds,
            default_sample_type=self._string(
                _shown_name(self._forest.events[self._events[0]])
            ),
            period_type=kinds[0],
            period=1,
            comment=[self._string(note) for note in notes],
        )
        self._packed.write(head)
        for tree in self._forest.trees:
            self._write_samples(tree)
        self._write_tables()

    def _string(self, text: str) -> int:
        return self._strings.setdefault(unicode_text(text), len(self._strings))

    # --- Samples -----------------------------------------------------------------------

    def _write_samples(self, tree: Tree) -> None:
        nodes = tree.nodes
        columns = [nodes.costs[event] for event in self._events]
        labels = self._labels(tree)
        portion: list[bytes] = []
        chains: list[tuple[int, ...]] = []  # of the path: functions of its locations
        locations: list[int] = []
        for node, depth in nodes.walk():
            del chains[depth:]
            del locations[depth:]
            chain: tuple[int, ...] = (nodes.functions[node],)
            if nodes.kinds[node] == self._inlined and chains:
                chain += chains[-1]
            chains.append(chain)
            locations.append(self._locations.setdefault(chain, len(self._locations) + 1))
            values = [column[node] for column in columns]
            if not any(values):
                continue
            path = _without_inlined(locations, chains)
            portion.append(encode("Sample", location_id=path, value=values, label=labels))
            if len(portion) == SAMPLES_AT_ONCE:
                self._packed.write(encode("Profile", sample=portion))
                portion.clear()
        self._packed.write(encode("Profile", sample=portion))

    def _labels(self, tree: Tree) -> list[bytes]:
        """The labels of this tree's samples: process, thread, part, benchmark."""
        trees = self._forest.trees
        labels = []
        if len({other.thread.process.pid for other in trees}) > 1:
            labels.append(self._number("pid", tree.thread.process.pid))
        if len({(other.thread.process, other.thread.number) for other in trees}) > 1:
            labels.append(self._number("thread", tree.thread.number))
            if tree.thread.name:
                labels.append(self._text("thread_name", tree.thread.name))
        if len({other.part.number for other in trees}) > 1:
            labels.append(self._number("part", tree.part.number))
        if tree.part.benchmark:
            labels.append(self._text("benchmark", tree.part.benchmark))
        return labels

    def _number(self, key: str, number: int) -> bytes:
        return encode("Label", key=self._string(key), num=number)

    def _text(self, key: str, text: str) -> bytes:
        return encode("Label", key=self._string(key), str=self._string(text))

    # --- What samples refer to ---------------------------------------------------------

    def _write_tables(self) -> None:
        used = dict.fromkeys(index for chain in self._locations for index in chain)
        tables = encode(
            "Profile",
            mapping=self._all_mappings(used),
            location=[self._location(*item) for item in self._locations.items()],
            function=[self._function(index) for index in used],
        )
        self._packed.write(tables)
        # A text may be empty: its field is there all the same, as others count on it.
        self._packed.write(encode("Profile", string_table=self._strings))

    def _function(self, index: int) -> bytes:
        # No system_name: go tool pprof takes a name that is the same for one of the
        # linker's, and leaves out what stands in brackets.  Two lambdas became one.
        function = self._forest.functions[index]
        return encode(
            "Function",
            id=index + 1,
            name=self._string(function.name),
            filename=self._string(function.source),
            start_line=function.line,
        )

    def _location(self, chain: tuple[int, ...], number: int) -> bytes:
        mapping, address = self._place_of(chain[-1])
        lines = [
            encode("Line", function_id=index + 1, line=self._forest.functions[index].line)
            for index in chain
        ]
        return encode(
            "Location", id=number, mapping_id=mapping, address=address, line=lines
        )

    def _all_mappings(self, used: dict[int, None]) -> list[bytes]:
        found = (self._forest.functions[index].object for index in used)
        objects = list(dict.fromkeys(owner for owner in found if owner is not None))
        # The first one gives the profile its name.
        program = _program_name(self._forest.processes())
        objects.sort(key=lambda owner: _rank(os.path.basename(owner.path), program))
        found_mappings = []
        number = 0
        for owner in objects:
            places: list[Optional[Mapping]] = [*self._forest.mappings_of(owner)]
            self._mappings[owner] = []
            for place in places or [None]:
                number += 1
                self._mappings[owner].append((place, number))
                found_mappings.append(self._mapping(number, owner, place))
        return found_mappings

    def _mapping(self, number: int, owner: Object, place: Optional[Mapping]) -> bytes:
        return encode(
            "Mapping",
            id=number,
            memory_start=place.start if place else 0,
            memory_limit=place.start + place.size if place else 0,
            file_offset=place.offset if place else 0,
            filename=self._string(owner.path),
            build_id=self._string(owner.build_id),
            has_functions=True,
            has_filenames=True,
            has_line_numbers=True,
            has_inline_frames=True,
        )

    def _place_of(self, index: int) -> tuple[int, int]:
        """The id of a function's mapping, and the address of its beginning; 0: none."""
        owner = self._forest.functions[index].object
        if owner is None:
            return 0, 0
        mappings = self._mappings[owner]
        entry = self._forest.entries.get(index)
        if entry is not None:
            for place, number in mappings:
                address = place.address_of(entry) if place else None
                if address is not None:
                    return number, address
        return mappings[0][1], 0


def _without_inlined(locations: list[int], chains: list[tuple[int, ...]]) -> list[int]:
    """The locations of a path, innermost first: each holds what is inlined into it."""
    path = []
    skip = 0
    for location, chain in zip(reversed(locations), reversed(chains)):
        if skip:
            skip -= 1
            continue
        path.append(location)
        skip = len(chain) - 1
    return path


def _shown_name(event: Event) -> str:
    return HEAP_NAMES.get(event.name, event.name)


def _program_name(processes: Sequence[Process]) -> str:
    words = processes[0].command.split() if processes else []
    return os.path.basename(words[0]) if words else ""


def _rank(name: str, program: str) -> int:
    """python3.11 is what python3 runs, but for a file of that very name."""
    return 0 if name == program else 1 if program and name.startswith(program) else 2
