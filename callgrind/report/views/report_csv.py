# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reports as CSV: one line of titles, then one line for each thing.
#
# Owns: the columns, which docs/report.md describes.

"""Reports as comma-separated values."""

from __future__ import annotations

import csv
import io
from typing import Iterable, Sequence, Union

from analysis.callers_callees import CallerOrCallee, CallersCallees
from analysis.function_costs import FunctionCost
from analysis.line_costs import FileList
from analysis.profile_diff import ChangeList, Difference
from analysis.selection import FunctionList
from profile_file.model import FunctionKey

Value = Union[str, int]
IDENTITY = ["object", "file", "function"]


def write_csv(rows: Iterable[Sequence[Value]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().rstrip("\n")


def identity(key: FunctionKey) -> list[Value]:
    return [key.object_file, key.source_file, key.name]


def yes(is_true: bool) -> str:
    return "yes" if is_true else "no"


def titles(kind: str, events: Sequence[str]) -> list[Value]:
    return [f"{kind} {event}" for event in events]


def functions_rows(found: FunctionList) -> list[list[Value]]:
    events = found.costs.events
    first: list[Value] = [
        *titles("self", events),
        *titles("inclusive", events),
        "exact",
        "calls",
        *IDENTITY,
    ]
    return [first, *(_function_row(function) for function in found.shown)]


def _function_row(function: FunctionCost) -> list[Value]:
    return [
        *function.self_cost,
        *function.inclusive,
        yes(function.exact),
        function.calls,
        *identity(function.key),
    ]


def callers_callees_rows(
    found: Sequence[CallersCallees], events: Sequence[str]
) -> list[list[Value]]:
    rows: list[list[Value]] = [
        [
            "direction",
            "calls",
            *titles("inclusive", events),
            "exact",
            *IDENTITY,
            *(f"other {name}" for name in IDENTITY),
        ]
    ]

    def row(direction: str, each: CallersCallees, other: CallerOrCallee) -> list[Value]:
        return [
            direction,
            other.count,
            *other.inclusive,
            yes(other.exact),
            *identity(each.function.key),
            *identity(other.key),
        ]

    for each in found:
        rows += [row("caller", each, caller) for caller in each.callers]
        rows += [row("callee", each, callee) for callee in each.callees]
    return rows


def source_rows(found: FileList, events: Sequence[str]) -> list[list[Value]]:
    """A line's self cost, and behind it a row for each function that it calls."""
    rows: list[list[Value]] = [
        [
            "source",
            "line",
            *titles("self", events),
            "calls",
            *titles("inclusive", events),
            "exact",
            *(f"callee {name}" for name in IDENTITY),
        ]
    ]
    empty: list[Value] = [""] * len(events)
    for file in found.shown:
        for number, cost in sorted(file.lines.items()):
            rows.append([file.name, number, *cost.self_cost, "", *empty, "", "", "", ""])
            for call in cost.calls.values():
                rows.append(
                    [
                        file.name,
                        number,
                        *empty,
                        call.count,
                        *call.inclusive,
                        yes(call.exact),
                        *identity(call.callee),
                    ]
                )
    return rows


def diff_rows(found: Difference, chosen: ChangeList) -> list[list[Value]]:
    first: list[Value] = ["status"]
    for kind in ("old self", "new self", "old inclusive", "new inclusive"):
        first += titles(kind, found.events)
    rows: list[list[Value]] = [[*first, "exact", *IDENTITY]]
    for change in chosen.shown:
        rows.append(
            [
                change.status,
                *change.old_self,
                *change.new_self,
                *change.old_inclusive,
                *change.new_inclusive,
                yes(change.exact),
                *identity(change.key),
            ]
        )
    return rows
