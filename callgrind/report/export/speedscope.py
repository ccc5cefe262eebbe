# SPDX-License-Identifier: GPL-2.0-or-later
#
# speedscope's file format (file-format-schema.json of the npm package `speedscope`).
#
# Owns: its "evented" profiles, in which frames open and close at places on a line.  On
# that of a tree, costs lie one behind the other: a node's self cost comes before its
# children.  On that of a timeline, the thread's time.  There is one profile for each tree
# and event, or for each thread; they share their frames.  The one that is shown first is
# the costliest, of the first event.

"""Trees and timelines as speedscope profiles."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, Iterable, Iterator, Sequence

from export.tree_titles import part_title, thread_title
from tree_file.escape import unicode_text
from tree_file.model import Forest, Function, Tree
from tree_file.timeline_model import TimedThread, Timeline

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
# The schema's words for the units of docs/tree-format.md.
UNITS = {
    "nanoseconds": "nanoseconds",
    "microseconds": "microseconds",
    "milliseconds": "milliseconds",
    "seconds": "seconds",
    "bytes": "bytes",
}
EVENTS_AT_ONCE = 2000


def write_speedscope(
    forest: Forest, events: Sequence[int], title: str, stream: BinaryIO
) -> None:
    """One profile per tree and event, in this order; those without any cost left out."""

    def profiles() -> Iterator[Iterator[str]]:
        for event in events:
            for tree in forest.trees:
                total = sum(tree.nodes.costs[event])
                if total:
                    yield _profile(forest, tree, event, total)

    shown = _costliest(forest, events[0])
    creators = [f"{name}, costs {forest.kind_of_costs}" for name in forest.creators]
    write_file(creators, forest.functions, title, shown, profiles(), stream)


def write_timeline(timeline: Timeline, title: str, stream: BinaryIO) -> None:
    """One profile per thread: its calls, at the instructions at which they were.

    A thread begins where its creator made it, and speedscope has no place for marks.
    """
    profiles = map(_thread, timeline.threads, timeline.titles())
    shown = timeline.costliest()
    write_file(timeline.creators, timeline.functions, title, shown, profiles, stream)


def write_file(
    creators: Sequence[str],
    functions: Sequence[Function],
    title: str,
    shown: int,
    profiles: Iterable[Iterable[str]],
    stream: BinaryIO,
) -> None:
    """The file around its profiles, each of which is JSON in pieces."""
    head = {
        "$schema": SCHEMA,
        "exporter": unicode_text(creators[0] if creators else ""),
        "name": unicode_text(title),
        "activeProfileIndex": shown,
        "shared": {"frames": [_frame(function) for function in functions]},
    }
    stream.write(json.dumps(head)[:-1].encode() + b', "profiles": [')
    separator = b"\n"
    for profile in profiles:
        stream.write(separator)
        for piece in profile:
            stream.write(piece.encode())
        separator = b",\n"
    stream.write(b"\n]}\n")


def _costliest(forest: Forest, event: int) -> int:
    """Which of the profiles of an event is the largest; those of the first come first."""
    totals = [sum(tree.nodes.costs[event]) for tree in forest.trees]
    shown = [total for total in totals if total]
    return shown.index(max(shown)) if shown else 0


def _frame(function: Function) -> dict[str, Any]:
    frame: dict[str, Any] = {"name": unicode_text(function.name)}
    if function.source:
        frame["file"] = unicode_text(function.source)
        if function.line:
            frame["line"] = function.line
    elif function.object is not None:
        frame["file"] = unicode_text(function.object.path)
    return frame


def _profile(forest: Forest, tree: Tree, event: int, total: int) -> Iterator[str]:
    what = forest.events[event]
    names = [what.name]
    if forest.sampled:
        names.append(forest.kind_of_costs)
    if len(forest.processes()) > 1:
        names.append(f"process {tree.thread.process.pid}")
    names += [thread_title(tree.thread), part_title(tree)]
    unit = UNITS.get(what.unit, "none")
    openings = _openings(tree, event, tree.nodes.inclusive(event))
    return _evented(", ".join(names), unit, 0, total, openings)


def _thread(thread: TimedThread, title: str) -> Iterator[str]:
    functions, start = thread.calls.functions, thread.start
    steps = (
        ("O" if begins else "C", functions[call], start + time)
        for time, call, begins in thread.calls.steps()
    )
    end = start + thread.time
    return _evented(title, "none", start, end, steps)


def _evented(
    name: str, unit: str, start: int, end: int, steps: Iterable[tuple[str, int, int]]
) -> Iterator[str]:
    head = {
        "type": "evented",
        "name": unicode_text(name),
        "unit": unit,
        "startValue": start,
        "endValue": end,
    }
    yield json.dumps(head)[:-1] + ', "events": ['
    pieces: list[str] = []
    separator = ""
    for kind, frame, place in steps:
        pieces.append(f'{separator}{{"type":"{kind}","frame":{frame},"at":{place}}}')
        separator = ","
        if len(pieces) == EVENTS_AT_ONCE:
            yield "".join(pieces)
            pieces.clear()
    yield "".join(pieces) + "]}"


def _openings(
    tree: Tree, event: int, inclusive: list[int]
) -> Iterator[tuple[str, int, int]]:
    """Frames as they open (O) and close (C), with their places."""
    functions, costs = tree.nodes.functions, tree.nodes.costs[event]
    open_frames: list[int] = []
    place = 0
    for node, depth in tree.nodes.walk():
        while len(open_frames) > depth:
            yield "C", open_frames.pop(), place
        # What costs nothing has no width; nothing below it has, either.
        if inclusive[node]:
            open_frames.append(functions[node])
            yield "O", functions[node], place
            place += costs[node]
    while open_frames:
        yield "C", open_frames.pop(), place
