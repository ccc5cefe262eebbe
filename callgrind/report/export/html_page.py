# SPDX-License-Identifier: GPL-2.0-or-later
#
# A self-contained page for the browser: flame graph, search, callers, comparison.
#
# Owns: the data in the page, which page/tree.js reads, and putting the page together from
# page/ and from the flame graph library, which the build fetches
# (flame_graph_library.py).  The page needs no network.

"""Trees as a page."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any, BinaryIO, Sequence

from export.bundle import bundle
from export.error import ExportError
from export.flame_graph_library import FOLDER_VARIABLE, LICENCES, SCRIPTS
from export.matching import match_functions
from tree_file.escape import unicode_text
from tree_file.model import Forest, Function, Object, Tree

REPORT = Path(__file__).resolve().parent.parent
PAGE = REPORT / "page"
PAGE_SCRIPTS = ("tree.js", "colours.js", "graph.js", "panel.js", "main.js")
LARGEST_EXACT = (1 << 53) - 1  # a browser's numbers are exact up to here


def write_html(
    forests: Sequence[Forest],
    events: Sequence[int],
    title: str,
    most_frames: int,
    stream: BinaryIO,
) -> None:
    """Write a page of one forest, or of an old and a new one; bundles their nodes."""
    if len(forests) > 1:
        check_comparable(forests)
        match_functions(*forests)
    for forest in forests:
        for event in events:
            if forest.totals()[event] > LARGEST_EXACT:
                name = forest.events[event].name
                raise ExportError(f"{name} has more than a page can hold, 2^53")
    library = flame_graph_library()
    left_out = bundle(forests, events, most_frames)
    pieces = {
        "title": html.escape(unicode_text(title)),
        "style": (PAGE / "page.css").read_text("utf-8"),
        "licences": html.escape(_texts(library, LICENCES)),
        "library": _script(_texts(library, SCRIPTS)),
        "data": _json(_document(forests, events, title, left_out)),
        "script": _script(_texts(PAGE, PAGE_SCRIPTS)),
    }
    page = (PAGE / "page.html").read_text("utf-8")
    head, *rest = page.split("{{")
    stream.write(head.encode("utf-8"))
    for piece in rest:
        name, _, text = piece.partition("}}")
        stream.write(pieces[name].encode("utf-8", "replace"))
        stream.write(text.encode("utf-8"))


def check_comparable(forests: Sequence[Forest]) -> None:
    old, new = ([(event.name, event.unit) for event in found.events] for found in forests)
    if old != new:
        names = [", ".join(name for name, _ in events) for events in (old, new)]
        raise ExportError(
            f"the two runs cannot be compared, their events differ: {' and '.join(names)}"
        )


def flame_graph_library() -> Path:
    """The folder that the build put it into; ExportError if it is not there."""
    folder = Path(os.environ.get(FOLDER_VARIABLE) or REPORT / "flame_graph")
    missing = [name for name in (*SCRIPTS, *LICENCES) if not (folder / name).is_file()]
    if missing:
        raise ExportError(
            f"--to html needs the flame graph library, which is not in {folder}; build "
            "again with npm installed and the network reachable (docs/export.md)"
        )
    return folder


def _texts(folder: Path, names: Sequence[str]) -> str:
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def _script(text: str) -> str:
    """Text that may stand in a script element."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _json(document: Any) -> str:
    # In a script element, too: no < can begin a tag or a comment.
    return json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")


# --- The data in the page -------------------------------------------------------------


def _document(
    forests: Sequence[Forest], events: Sequence[int], title: str, left_out: int
) -> dict[str, Any]:
    functions: dict[Function, int] = {}
    objects: dict[Object, int] = {}
    runs = [_run(forest, events, functions) for forest in forests]
    found = [
        [
            unicode_text(function.name),
            -1
            if function.object is None
            else objects.setdefault(function.object, len(objects)),
            unicode_text(function.source),
            function.line,
        ]
        for function in functions
    ]
    forest = forests[-1]
    return {
        "title": unicode_text(title),
        "creator": unicode_text(", ".join(forest.creators)),
        "sampled": forest.sampled,
        "leftOut": left_out,
        "events": [
            [unicode_text(forest.events[event].name), forest.events[event].unit]
            + [unicode_text(forest.events[event].description)]
            for event in events
        ],
        "objects": [unicode_text(owner.path) for owner in objects],
        "functions": found,
        "runs": runs,
    }


def _run(
    forest: Forest, events: Sequence[int], functions: dict[Function, int]
) -> dict[str, Any]:
    numbers = [
        functions.setdefault(function, len(functions)) for function in forest.functions
    ]
    commands = dict.fromkeys(process.command for process in forest.processes())
    return {
        "command": unicode_text(", ".join(commands)),
        "trees": [_tree(tree, events, numbers) for tree in forest.trees],
    }


def _tree(tree: Tree, events: Sequence[int], numbers: list[int]) -> dict[str, Any]:
    nodes, part, thread = tree.nodes, tree.part, tree.thread
    return {
        "part": [part.number, unicode_text(part.benchmark or part.trigger)],
        "thread": [thread.number, unicode_text(thread.name)],
        "process": [thread.process.pid, unicode_text(thread.process.command)],
        "parents": nodes.parents.tolist(),
        "functions": [numbers[function] for function in nodes.functions],
        "kinds": nodes.kinds.decode("ascii"),
        "calls": nodes.calls.tolist(),
        "costs": [nodes.costs[event].tolist() for event in events],
    }
