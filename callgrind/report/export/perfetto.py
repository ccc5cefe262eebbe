# SPDX-License-Identifier: GPL-2.0-or-later
#
# The trace event format of Chrome, which its DevTools and ui.perfetto.dev open.
#
# Owns: how a timeline becomes one.  Each call is a complete event (X), each mark an
# instant (i), the bytes that are held a counter (C).  A microsecond there is an
# instruction.  A thread begins where its creator made it.  Calls of a thread are in the
# order of their begins, outer ones first.  Each event has a category: without one,
# DevTools draw a call, and tell nothing of it.

"""Timelines as trace events."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, Iterator

from tree_file.escape import unicode_text
from tree_file.timeline_model import PIECE_WORDS, WHOLE, TimedThread, Timeline


def write_perfetto(timeline: Timeline, title: str, stream: BinaryIO) -> None:
    """All threads; ids are those of the file, since a number may be taken again."""
    head = {
        "displayTimeUnit": "ns",
        "otherData": {
            "title": unicode_text(title),
            "unit": "one microsecond is one instruction",
            "limit": timeline.limit,
        },
    }
    stream.write(json.dumps(head)[:-1].encode() + b', "traceEvents": [')
    separator = b"\n"
    titles = timeline.titles()
    for number, thread in enumerate(timeline.threads, 1):
        for event in _events(timeline, thread, number, titles[number - 1]):
            event["pid"], event["tid"] = thread.process.pid, number
            stream.write(separator + json.dumps(event).encode())
            separator = b",\n"
    stream.write(b"\n]}\n")


def _events(
    timeline: Timeline, thread: TimedThread, number: int, title: str
) -> Iterator[dict[str, Any]]:
    yield _name("process_name", unicode_text(thread.process.command))
    yield _name("thread_name", title)
    yield _metadata("thread_sort_index", {"sort_index": number})
    calls = thread.calls
    for call, _ in calls.nested():
        function = timeline.functions[calls.functions[call]]
        args: dict[str, Any] = {}
        if function.source:
            args["source"] = unicode_text(f"{function.source}:{function.line}")
        if function.object is not None:
            args["object"] = unicode_text(function.object.path)
        piece = chr(calls.pieces[call])
        if piece != WHOLE:
            args["piece"] = PIECE_WORDS[piece]
        yield {
            "ph": "X",
            "cat": "call",
            "name": unicode_text(function.name),
            "ts": thread.start + calls.begins[call],
            "dur": calls.ends[call] - calls.begins[call],
            "args": args,
        }
    for time, held in _steps(thread):
        yield {
            "ph": "C",
            "cat": "memory",
            "name": f"bytes held ({title})",
            "ts": thread.start + time,
            "args": {"held": held},
        }
    for mark in thread.marks:
        yield {
            "ph": "i",
            "cat": "mark",
            "s": "t",
            "name": unicode_text(mark.label()),
            "ts": thread.start + mark.time,
        }


def _steps(thread: TimedThread) -> Iterator[tuple[int, int]]:
    """From when on how many bytes were held."""
    for stretch in thread.held:
        yield stretch.begin, stretch.most
        if stretch.last != stretch.most:
            yield stretch.end, stretch.last


def _name(what: str, name: str) -> dict[str, Any]:
    return _metadata(what, {"name": name})


def _metadata(what: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "M", "cat": "__metadata", "name": what, "args": args}
