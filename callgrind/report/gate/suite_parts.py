# SPDX-License-Identifier: GPL-2.0-or-later
#
# The benchmarks of a suite, from the parts of its profiles.
#
# Owns: which part belongs to which benchmark: by the name that it was dumped under, in
# all processes and threads; what becomes of names that come twice; and the trees that go
# with them.  Each part is a file of its own, and only one benchmark's are read at a time:
# a suite of thousands takes no more memory than its largest.

"""The parts of a suite's profiles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO, Iterable, Iterator, NamedTuple, Optional

from analysis.function_costs import CostError
from gate.error import GateError
from gate.measured import PROFILE_NAME, Measured, Outcome, measured_of, profiles_in
from gate.names import shown
from gate.suites import NUMBER, Suite
from profile_file.reader import ProfileError
from tree_file.escape import unescape

# What the tool writes of CALLGRIND_DUMP_STATS_AT(name).  A name with line breaks, which
# no line can hold, comes once more, escaped.
TRIGGER = re.compile(rb"\ndesc: Trigger: Client Request: (.*?)\npositions:", re.DOTALL)
AS_GIVEN = re.compile(rb"\ndesc: Trigger as given: Client Request: ([^\n]*)\n")
HEADER_END = b"\npositions:"
NO_BENCHMARK = "Metadata: "  # how a plugin says what it is
PIECE = 1 << 16  # bytes that are read at a time
TREE_START = b"callgrind-tree 1\n"
TREE_PART = re.compile(rb"part ([0-9]{1,18})\n")


class Place(NamedTuple):
    """Which dump a part is of."""

    process: str
    part: int


# The parts of one benchmark: the files of each dump, one a thread, in order.
Found = dict[Place, list[Path]]


def collect_suite(suite: Suite, is_kept: bool, folder: Path, outcome: Outcome) -> None:
    """Put each benchmark that a run of a suite has left into its outcome; what is wrong
    with the suite as a whole, too, unless it has died of something else."""
    found = _by_name(suite, folder)
    if not found and suite.is_sharded() and not outcome.error:
        outcome.notes.append("has no benchmark in this shard")
        return
    if not found:
        outcome.error = outcome.error or (
            "no benchmark in it has dumped its costs under a name; does its framework "
            f"know callgrind? ({suite.framework}; docs/frameworks.md has what each needs)"
        )
        return
    wanted = {name: each for name, each in found.items() if suite.wants(name)}
    if not wanted:
        outcome.error = outcome.error or (
            f"none of its {len(found)} benchmarks is called {suite.only[0]!r}; * stands "
            "for any text"
        )
        return
    outcome.notes += _notes(suite, wanted)
    trees = _Trees(folder) if is_kept else None
    for name, each in _distinct(suite, wanted):
        measured = Measured(name)
        try:
            paths = [path for dump in each.values() for path in dump]
            measured = measured_of(name, paths, is_kept, suite.folder)
            if trees is not None:
                measured.trees = trees.of(each)
        except (GateError, ProfileError, CostError) as error:
            measured.error = str(error)
        outcome.add(measured)


def _by_name(suite: Suite, folder: Path) -> dict[str, Found]:
    """The parts that have a name, by whole names, in the order of their dumps."""
    parts = []
    for path in profiles_in(folder):
        name = _name_in(path)
        if name is not None:
            parts.append((_place_of(path), path, name))
    found: dict[str, Found] = {}
    names = {name for _, _, name in parts}
    for place, path, name in sorted(parts):
        name = suite.full_name(name, names)
        found.setdefault(name, {}).setdefault(place, []).append(path)
    return found


def _place_of(path: Path) -> Place:
    match = PROFILE_NAME.fullmatch(path.name)
    assert match is not None
    return Place(match["process"], int(match["part"] or 0))


def _name_in(path: Path) -> Optional[str]:
    """The name that a part was dumped under; None if it has none."""
    with open(path, "rb") as stream:
        header = _header(stream)
    match = TRIGGER.search(header)
    if match is None:
        return None
    given = AS_GIVEN.search(header, 0, match.start(1))
    if given is not None:
        name = unescape(given[1])
    else:
        name = match[1].removesuffix(b"\n").decode("utf-8", "surrogateescape")
    return None if not name or name.startswith(NO_BENCHMARK) else name


def _header(stream: BinaryIO) -> bytes:
    """What stands before the costs.  The line of the command may be of any length."""
    header = bytearray()
    while piece := stream.read(PIECE):
        start = max(0, len(header) - len(HEADER_END))
        header += piece
        if HEADER_END in header[start:]:
            break
    return bytes(header)


# --- Names that come twice --------------------------------------------------------------


def _rounds(found: Found) -> list[list[Place]]:
    """The dumps of a benchmark: each process has one in a round, or none."""
    of_process: dict[str, list[Place]] = {}
    for place in found:
        of_process.setdefault(place.process, []).append(place)
    most = max(map(len, of_process.values()))
    return [
        [places[index] for places in of_process.values() if index < len(places)]
        for index in range(most)
    ]


def _notes(suite: Suite, found: dict[str, Found]) -> list[str]:
    twice = [name for name, each in found.items() if len(_rounds(each)) > 1]
    if not twice:
        return []
    what = f"{shown(twice[0])} was dumped {len(_rounds(found[twice[0]]))} times"
    if len(twice) > 1:
        what += f", and {len(twice) - 1} more names more than once"
    if suite.repeat == NUMBER:
        return [f"{what}; each is a benchmark of its own, numbered"]
    return [f'{what}; their costs are added up (repeat = "number" keeps them apart)']


def _distinct(suite: Suite, found: dict[str, Found]) -> Iterator[tuple[str, Found]]:
    """The benchmarks; those of a name that comes again numbered, if that is wanted."""
    taken = set(found)
    for name, each in found.items():
        rounds = _rounds(each) if suite.repeat == NUMBER else [list(each)]
        number = 1
        own_name = name
        for places in rounds:
            while places is not rounds[0] and own_name in taken:
                number += 1
                own_name = f"{name}#{number}"
            taken.add(own_name)
            yield own_name, {place: each[place] for place in places}


# --- Trees ------------------------------------------------------------------------------


class _Trees:
    """Where the tree of each dump stands: a process has all of its in one file, each
    whole (docs/tree-format.md)."""

    def __init__(self, folder: Path) -> None:
        self._known: dict[Place, list[tuple[Path, int, int]]] = {}
        for path in sorted(folder.glob("trees/*")):
            match = PROFILE_NAME.fullmatch(path.name)
            if match is not None and path.is_file():
                self._learn(path, match["process"])

    def _learn(self, path: Path, process: str) -> None:
        start = end = 0
        part: Optional[int] = None
        with open(path, "rb") as stream:
            for line in stream:
                if line == TREE_START:
                    start, part = end, None
                end += len(line)
                if part is None and (match := TREE_PART.fullmatch(line)):
                    part = int(match[1])
                elif part is not None and line.startswith(b"end "):
                    piece = path, start, end
                    self._known.setdefault(Place(process, part), []).append(piece)

    def of(self, places: Iterable[Place]) -> list[bytes]:
        found = []
        for place in places:
            for path, start, end in self._known.get(place, ()):
                with open(path, "rb") as stream:
                    stream.seek(start)
                    found.append(stream.read(end - start))
        return sorted(found)
