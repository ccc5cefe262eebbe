# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Firefox Profiler's processed format, of timelines.
#
# Owns: how a thread's calls become samples: one wherever the stack changes, which weighs
# the instructions up to the next change.  So its stack chart shows the calls where they
# were, and its call tree what they took.  Marks are markers.  A microsecond there is an
# instruction, and a thread begins where its creator made it.

"""Timelines as a Firefox Profiler profile."""

from __future__ import annotations

from typing import Any, BinaryIO, Iterator, Optional

from export.firefox_tables import OTHER, ThreadTables, meta, table, write_profile
from tree_file.escape import unicode_text
from tree_file.model import CALL
from tree_file.timeline_model import Calls, TimedThread, Timeline

MILLISECONDS = 1e-3  # that an instruction takes
INSTANT = 0
MARKER = "mark"
MARKER_SCHEMA = {
    "name": MARKER,
    "display": ["marker-chart", "marker-table", "timeline-overview"],
    "tooltipLabel": "{marker.name}",
    "tableLabel": "{marker.name}",
    "chartLabel": "{marker.name}",
    "data": [{"key": "time", "label": "Instructions", "format": "integer"}],
}


def write_firefox_timeline(timeline: Timeline, title: str, stream: BinaryIO) -> None:
    processes = timeline.processes()
    command = processes[0].command if processes else ""
    head = meta(f"{title} (instructions)", timeline.creators, command)
    head["markerSchema"] = [MARKER_SCHEMA]
    head["interval"] = MILLISECONDS
    shown = timeline.costliest()
    threads = [
        _thread(timeline, number, title, number == shown)
        for number, title in enumerate(timeline.titles())
    ]
    head["initialSelectedThreads"] = [shown] if threads else []
    write_profile(head, timeline.functions, threads, stream)


def _thread(
    timeline: Timeline, number: int, title: str, is_main: bool
) -> dict[str, Any]:
    thread = timeline.threads[number]
    tables = ThreadTables(timeline.functions)
    return tables.document(
        thread.process,
        samples=_samples(tables, thread),
        markers=_markers(tables, thread),
        name=title,
        isMainThread=is_main,
        tid=number + 1,
        registerTime=thread.start * MILLISECONDS,
        unregisterTime=(thread.start + thread.time) * MILLISECONDS,
    )


def _samples(tables: ThreadTables, thread: TimedThread) -> dict[str, Any]:
    stack: list[Optional[int]] = []
    time: list[float] = []
    weight: list[int] = []
    for row, begin, end in _stays(tables, thread.calls, thread.time):
        stack.append(row)
        time.append((thread.start + begin) * MILLISECONDS)
        weight.append(end - begin)
    return table(len(stack), stack=stack, time=time, weight=weight, weightType="samples")


def _stays(
    tables: ThreadTables, calls: Calls, whole: int
) -> Iterator[tuple[Optional[int], int, int]]:
    """Which stack there was from when to when; None: none of the calls that were kept."""
    rows: dict[tuple[Optional[int], int], int] = {}
    stacks: list[Optional[int]] = [None]
    since = 0
    for time, call, begins in calls.steps():
        if time > since:
            yield stacks[-1], since, time
            since = time
        if begins:
            key = (stacks[-1], calls.functions[call])
            if key not in rows:
                rows[key] = tables.add_stack(*key, ord(CALL))
            stacks.append(rows[key])
        else:
            stacks.pop()
    if whole > since:
        yield None, since, whole


def _markers(tables: ThreadTables, thread: TimedThread) -> dict[str, Any]:
    marks = thread.marks
    return table(
        len(marks),
        data=[{"type": MARKER, "time": mark.time} for mark in marks],
        name=[tables.string(unicode_text(mark.label())) for mark in marks],
        startTime=[(thread.start + mark.time) * MILLISECONDS for mark in marks],
        endTime=[None] * len(marks),
        phase=[INSTANT] * len(marks),
        category=[OTHER] * len(marks),
    )
