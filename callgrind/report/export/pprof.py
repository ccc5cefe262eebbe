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
from typing import Any, BinaryIO, Callable, Optional, Sequence

from export.error import ExportError
from export.pprof_schema import profile_message
from tree_file.escape import unicode_text
from tree_file.model import INLINED, Forest, Mapping, Object, Process, Tree

LARGEST_VALUE = (1 << 63) - 1
SAMPLES_AT_ONCE = 5000
COMPRESSION = 6


def write_pprof(forest: Forest, events: Sequence[int], stream: BinaryIO) -> None:
    """The first of the events is the one that is shown first."""
    new_profile = pprof_message()
    totals = forest.totals()
    for event in events:
        if totals[event] > LARGEST_VALUE:
            name = forest.events[event].name
            raise ExportError(f"{name}: {totals[event]} is more than pprof can hold")
    # No time in the file: the same tree makes the same bytes.
    with gzip.GzipFile("", "wb", COMPRESSION, stream, mtime=0) as packed:
        _Writer(forest, events, new_profile, packed).write()


def pprof_message() -> Callable[[], Any]:
    """A function that makes a Profile; ExportError without the package protobuf."""
    try:
        return profile_message()
    except ImportError:
        raise ExportError(
            "--to pprof needs the Python package protobuf; install python3-protobuf "
            "(Debian, Ubuntu) or protobuf (pip)"
        ) from None


class _Writer:
    """The state of writing one profile."""

    def __init__(
        self,
        forest: Forest,
        events: Sequence[int],
        new_profile: Callable[[], Any],
        packed: gzip.GzipFile,
    ) -> None:
        self._forest = forest
        self._events = events
        self._new_profile = new_profile
        self._packed = packed
        self._strings: dict[str, int] = {"": 0}
        # Of each object, where it was mapped (None: not known) and the mapping's id.
        self._mappings: dict[Object, list[tuple[Optional[Mapping], int]]] = {}
        self._inlined = bytes([ord(INLINED)])[0]
        # By functions, innermost first; the last one is not inlined.
        self._locations: dict[tuple[int, ...], int] = {}

    def write(self) -> None:
        head = self._new_profile()
        for event in self._events:
            what = self._forest.events[event]
            head.sample_type.add(
                type=self._string(what.name), unit=self._string(what.unit)
            )
        head.default_sample_type = head.sample_type[0].type
        head.period_type.CopyFrom(head.sample_type[0])
        head.period = 1
        notes = [*self._forest.creators, *self._forest.descriptions]
        notes += [process.command for process in self._forest.processes()]
        head.comment.extend(self._string(note) for note in notes)
        self._packed.write(head.SerializeToString())
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
        portion = self._new_profile()
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
            sample = portion.sample.add()
            sample.value.extend(values)
            sample.location_id.extend(_without_inlined(locations, chains))
            for label in labels:
                sample.label.add(**label)
            if len(portion.sample) == SAMPLES_AT_ONCE:
                self._packed.write(portion.SerializeToString())
                portion.Clear()
        self._packed.write(portion.SerializeToString())

    def _labels(self, tree: Tree) -> list[dict[str, int]]:
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

    def _number(self, key: str, number: int) -> dict[str, int]:
        return {"key": self._string(key), "num": number}

    def _text(self, key: str, text: str) -> dict[str, int]:
        return {"key": self._string(key), "str": self._string(text)}

    # --- What samples refer to ---------------------------------------------------------

    def _write_tables(self) -> None:
        tables = self._new_profile()
        used = dict.fromkeys(index for chain in self._locations for index in chain)
        self._add_mappings(tables, used)
        for index in used:
            function = self._forest.functions[index]
            name = self._string(function.name)
            tables.function.add(
                id=index + 1,
                name=name,
                system_name=name,
                filename=self._string(function.source),
                start_line=function.line,
            )
        for chain, number in self._locations.items():
            mapping, address = self._place_of(chain[-1])
            location = tables.location.add(id=number, mapping_id=mapping, address=address)
            for index in chain:
                line = self._forest.functions[index].line
                location.line.add(function_id=index + 1, line=line)
        tables.string_table.extend(self._strings)
        self._packed.write(tables.SerializeToString())

    def _add_mappings(self, tables: Any, used: dict[int, None]) -> None:
        found = (self._forest.functions[index].object for index in used)
        objects = list(dict.fromkeys(owner for owner in found if owner is not None))
        # The first one gives the profile its name.
        program = _program_name(self._forest.processes())
        objects.sort(key=lambda owner: _rank(os.path.basename(owner.path), program))
        number = 0
        for owner in objects:
            places: list[Optional[Mapping]] = [*self._forest.mappings_of(owner)]
            self._mappings[owner] = []
            for place in places or [None]:
                number += 1
                self._mappings[owner].append((place, number))
                self._add_mapping(tables, number, owner, place)

    def _add_mapping(
        self, tables: Any, number: int, owner: Object, place: Optional[Mapping]
    ) -> None:
        mapping = tables.mapping.add(
            id=number,
            filename=self._string(owner.path),
            build_id=self._string(owner.build_id),
            has_functions=True,
            has_filenames=True,
            has_line_numbers=True,
            has_inline_frames=True,
        )
        if place is not None:
            mapping.memory_start = place.start
            mapping.memory_limit = place.start + place.size
            mapping.file_offset = place.offset

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


def _program_name(processes: Sequence[Process]) -> str:
    words = processes[0].command.split() if processes else []
    return os.path.basename(words[0]) if words else ""


def _rank(name: str, program: str) -> int:
    """python3.11 is what python3 runs, but for a file of that very name."""
    return 0 if name == program else 1 if program and name.startswith(program) else 2
