# SPDX-License-Identifier: GPL-2.0-or-later
#
# Judges whether a document keeps to the trace event format of Chrome, as far as its
# public description ("Trace Event Format") says what an event needs; and whether complete
# events of a thread lie within each other, as readers demand that draw them in rows.
#
# Owns: the kinds of events that callgrind_export writes.  Any other one, and any other
# field, is an error here, so that nothing is passed over in silence.

"""Check documents against the trace event format."""

from __future__ import annotations

from typing import Any

# By phase: which fields there are, and of what type; those with ? may be absent.
FIELDS: dict[str, dict[str, Any]] = {
    "X": {"name": str, "cat": str, "ts": int, "dur": int, "pid": int, "tid": int,
          "args": dict},
    "i": {"name": str, "cat": str, "ts": int, "s": str, "pid": int, "tid": int},
    "C": {"name": str, "cat": str, "ts": int, "pid": int, "tid": int, "args": dict},
    "M": {"name": str, "cat": str, "pid": int, "tid": int, "args": dict},
}
METADATA = {
    "process_name": ("name", str),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}
SCOPES = ("g", "p", "t")
HEAD = {"displayTimeUnit", "otherData", "traceEvents"}
UNITS = ("ms", "ns")


def trace_breaches(document: Any) -> list[str]:
    """What is against the format, each with its place."""
    if not isinstance(document, dict) or not isinstance(
        document.get("traceEvents"), list
    ):
        return ["no object with traceEvents"]
    found = [f"unknown: {name}" for name in document.keys() - HEAD]
    if document.get("displayTimeUnit", "ms") not in UNITS:
        found.append("displayTimeUnit is no unit")
    open_until: dict[tuple[int, int], list[int]] = {}
    last: dict[tuple[int, int], int] = {}
    for number, event in enumerate(document["traceEvents"]):
        wrong = _of_event(event)
        if not wrong and event["ph"] == "X":
            wrong = _of_nesting(event, open_until, last)
        found += [f"event {number}: {each}" for each in wrong]
    return found


def _of_event(event: Any) -> list[str]:
    if not isinstance(event, dict) or event.get("ph") not in FIELDS:
        return ["of no known phase"]
    fields = FIELDS[event["ph"]]
    found = [f"unknown: {name}" for name in event.keys() - fields.keys() - {"ph"}]
    for name, kind in fields.items():
        if not isinstance(event.get(name), kind) or isinstance(event[name], bool):
            found.append(f"{name} is no {kind.__name__}")
        elif kind is int and event[name] < 0:
            found.append(f"{name} is negative")
    if event["ph"] == "i" and event.get("s") not in SCOPES:
        found.append("no scope")
    if event["ph"] == "M" and not found:
        name, kind = METADATA.get(event["name"], ("", str))
        if set(event["args"]) != {name} or not isinstance(event["args"][name], kind):
            found.append(f"no metadata: {event['name']}")
    return found


def _of_nesting(
    event: Any, open_until: dict[tuple[int, int], list[int]], last: dict[Any, int]
) -> list[str]:
    thread = event["pid"], event["tid"]
    begin, end = event["ts"], event["ts"] + event["dur"]
    around = open_until.setdefault(thread, [])
    if begin < last.get(thread, 0):
        return ["begins before the one before it"]
    last[thread] = begin
    while around and around[-1] <= begin:
        around.pop()
    if around and end > around[-1]:
        return ["ends after the call that it lies in"]
    around.append(end)
    return []
