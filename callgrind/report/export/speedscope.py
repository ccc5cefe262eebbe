# SPDX-License-Identifier: GPL-2.0-or-later
#
# speedscope's file format (file-format-schema.json of the npm package `speedscope`).
#
# Owns: how a tree becomes one of its "evented" profiles: a frame opens and closes at
# places on a line on which costs lie one behind the other.  A node's self cost comes
# before its children.  One profile for each tree and event; profiles share their frames.
# The one that is shown first is the costliest, of the first event.

"""Trees as speedscope profiles."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, Iterator, Sequence

from export.tree_titles import part_title, thread_title
from tree_file.escape import unicode_text
from tree_file.model import Forest, Tree

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
    frames = [_frame(forest, index) for index in range(len(forest.functions))]
    head = {
        "$schema": SCHEMA,
        "exporter": unicode_text(forest.creators[0] if forest.creators else ""),
        "name": unicode_text(title),
        "activeProfileIndex": _costliest(forest, events[0]),
        "shared": {"frames": frames},
    }
    stream.write(json.dumps(head)[:-1].encode() + b', "profiles": [')
    separator = b"\n"
    for event in events:
        for tree in forest.trees:
            inclusive = tree.nodes.inclusive(event)
            total = sum(tree.nodes.costs[event])
            if total:
                stream.write(separator)
                for piece in _profile(forest, tree, event, inclusive, total):
                    stream.write(piece.encode())
                separator = b",\n"
    stream.write(b"\n]}\n")


def _costliest(forest: Forest, event: int) -> int:
    """Which of the profiles of an event is the largest; those of the first come first."""
    totals = [sum(tree.nodes.costs[event]) for tree in forest.trees]
    shown = [total for total in totals if total]
    return shown.index(max(shown)) if shown else 0


def _frame(forest: Forest, index: int) -> dict[str, Any]:
    function = forest.functions[index]
    frame: dict[str, Any] = {"name": unicode_text(function.name)}
    if function.source:
        frame["file"] = unicode_text(function.source)
        if function.line:
            frame["line"] = function.line
    elif function.object is not None:
        frame["file"] = unicode_text(function.object.path)
    return frame


def _profile(
    forest: Forest, tree: Tree, event: int, inclusive: list[int], total: int
) -> Iterator[str]:
    what = forest.events[event]
    names = [what.name]
    if len(forest.processes()) > 1:
        names.append(f"process {tree.thread.process.pid}")
    names += [thread_title(tree.thread), part_title(tree)]
    head = {
        "type": "evented",
        "name": unicode_text(", ".join(names)),
        "unit": UNITS.get(what.unit, "none"),
        "startValue": 0,
        "endValue": total,
    }
    yield json.dumps(head)[:-1] + ', "events": ['
    pieces: list[str] = []
    separator = ""
    for kind, frame, place in _openings(tree, event, inclusive):
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
