# SPDX-License-Identifier: GPL-2.0-or-later
#
# A self-contained page for the browser: flame graph, search, callers, comparison.
#
# Owns: putting the page together from the modules in page/ and from the data
# (page_data.py).  The page needs no network.

"""Trees as a page."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any, BinaryIO, Optional, Sequence

from analysis.profile_diff import Matching
from export.bundle import bundle
from export.error import ExportError
from export.matching import match_functions
from export.page_data import Block, page_data, source_block
from export.source_lines import LineOptions, source_lines
from tree_file.escape import unicode_text
from tree_file.model import Forest
from tree_file.timeline_model import Timeline

REPORT = Path(__file__).resolve().parent.parent
PAGE = REPORT / "page"
# In this order they are one script: what a line of the top level needs stands before it.
# The first one unpacks numbers, before the page's own script is there, and in workers.
UNPACKING_SCRIPTS = ("data.js", "unpack.js", "blocks.js")
PAGE_SCRIPTS = (
    "numbers.js",
    "tree.js",
    "choices.js",
    "views.js",
    "layout.js",
    "colours.js",
    "graph.js",
    "tables.js",
    "panel.js",
    "source.js",
    "timeline.js",
    "lanes.js",
    "moments.js",
    "search.js",
    "link.js",
    "splitter.js",
    "main.js",
    "controls.js",
)
LARGEST_EXACT = (1 << 53) - 1  # a browser's numbers are exact up to here
# Characters of a block that stand in one element; base64 has four for three bytes.
PIECE = 1 << 18


def write_html(
    forests: Sequence[Forest],
    events: Sequence[int],
    title: str,
    most_frames: int,
    stream: BinaryIO,
    matching: Matching = Matching(),
    line_options: LineOptions = LineOptions(),
    timeline: Optional[Timeline] = None,
) -> None:
    """Write a page of one forest, or of an old and a new one; bundles their nodes."""
    if len(forests) > 1:
        check_comparable(forests)
        old, new = forests
        match_functions(old, new, matching)
    for forest in forests:
        for event in events:
            if forest.totals()[event] > LARGEST_EXACT:
                name = forest.events[event].name
                raise ExportError(f"{name} has more than a page can hold, 2^53")
    left_out = bundle(forests, events, most_frames)
    data = page_data(forests, events, title, left_out, timeline)
    names = [forests[-1].events[event].name for event in events]
    source = source_lines(line_options, names)
    data.document["source"] = source and {"files": len(source["files"])}
    if source:
        data.blocks.append(source_block(source))
    pieces = {
        "title": html.escape(unicode_text(title)),
        "style": _text("page.css"),
        "unpacking": _script("\n".join(map(_text, UNPACKING_SCRIPTS))),
        "data": _json(data.document),
        "script": _script("\n".join(map(_text, PAGE_SCRIPTS))),
    }
    head, *rest = _text("page.html").split("{{")
    stream.write(head.encode("utf-8"))
    for piece in rest:
        name, _, text = piece.partition("}}")
        if name in ("first-blocks", "other-blocks"):
            is_first = name == "first-blocks"
            _write_blocks([b for b in data.blocks if b.is_first == is_first], stream)
        else:
            stream.write(pieces[name].encode("utf-8", "replace"))
        stream.write(text.encode("utf-8"))


def check_comparable(forests: Sequence[Forest]) -> None:
    old, new = ([(event.name, event.unit) for event in found.events] for found in forests)
    if old != new:
        names = [", ".join(name for name, _ in events) for events in (old, new)]
        raise ExportError(
            f"the two runs cannot be compared, their events differ: {' and '.join(names)}"
        )


def _write_blocks(blocks: Sequence[Block], stream: BinaryIO) -> None:
    """Numbers, in scripts that no browser runs; base64 has no markup.

    A block is cut into pieces, and behind each is a script that the browser does run:
    page/blocks.js begins with what is there.
    """
    for block in blocks:
        opening = f'<script data-block="{block.name}" type="application/octet-stream">'
        for start in range(0, len(block.text), PIECE):
            is_last = start + PIECE >= len(block.text)
            becomes = f', "{block.becomes}"' if is_last else ""
            stream.write(opening.encode("ascii"))
            stream.write(block.text[start : start + PIECE])
            call = f'</script><script>blockArrived("{block.name}"{becomes})</script>\n'
            stream.write(call.encode("ascii"))


def _text(name: str) -> str:
    return (PAGE / name).read_text("utf-8")


def _script(text: str) -> str:
    """Text that may stand in a script element."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _json(document: Any) -> str:
    # In a script element, too: no < can begin a tag or a comment.
    return json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")
