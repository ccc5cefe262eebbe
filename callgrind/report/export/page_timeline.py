# SPDX-License-Identifier: GPL-2.0-or-later
#
# A timeline in a page.
#
# Owns: the form, which page/timeline.js reads.  Calls are numbered thread by thread, by
# their begins, outer ones first.  There is a column each for their depths, functions,
# how much later they began than the one before, durations and kinds of pieces.
# Functions are those of the page; what the trees have not met is put behind them.

"""The timeline of a page."""

from __future__ import annotations

from typing import Any

from export.page_columns import packed_block
from tree_file.escape import unicode_text
from tree_file.model import Function
from tree_file.timeline_model import TimedThread, Timeline


def page_timeline(
    timeline: Timeline, functions: list[Function]
) -> tuple[dict[str, Any], bytes]:
    """What goes into the page's document, and a block; `functions` grow."""
    places = {function: place for place, function in enumerate(functions)}
    numbers = []
    for function in timeline.functions:
        if function not in places:
            places[function] = len(functions)
            functions.append(function)
        numbers.append(places[function])
    columns: list[list[int]] = [[], [], [], [], []]
    for thread in timeline.threads:
        _add_calls(columns, thread, numbers)
    document = {
        "limit": timeline.limit,
        "marksLost": timeline.marks_lost,
        "threads": list(map(_thread, timeline.threads, timeline.titles())),
    }
    return document, packed_block(columns)


def _add_calls(
    columns: list[list[int]], thread: TimedThread, numbers: list[int]
) -> None:
    depths, functions, steps, durations, pieces = columns
    calls = thread.calls
    before = 0
    for call, depth in calls.nested():
        begin = calls.begins[call]
        depths.append(depth)
        functions.append(numbers[calls.functions[call]])
        steps.append(begin - before)
        durations.append(calls.ends[call] - begin)
        pieces.append(calls.pieces[call])
        before = begin


def _thread(thread: TimedThread, title: str) -> dict[str, Any]:
    return {
        "title": title,
        "start": thread.start,
        "time": thread.time,
        "calls": len(thread.calls),
        "held": [[held.begin, held.end, held.most, held.last] for held in thread.held],
        "marks": [[mark.time, unicode_text(mark.label())] for mark in thread.marks],
    }
