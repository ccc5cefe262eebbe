# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reports as JSON.
#
# Owns: the schema, which docs/report.md describes.  Fields may be added; none changes its
# meaning or goes without a new number in `schema`.

"""Reports as JSON documents."""

from __future__ import annotations

import json
from typing import Any, Optional, Sequence

from analysis.callers_callees import CallerOrCallee, CallersCallees
from analysis.function_costs import FunctionCost, FunctionCosts
from analysis.growth_limits import Breach, Limit
from analysis.line_costs import FileList, LineCost
from analysis.profile_diff import Change, ChangeList, Difference
from analysis.selection import FunctionList
from analysis.source_files import Source
from analysis.surroundings import SurroundingsDifference
from profile_file.model import FunctionKey, Profile, unique
from views.labels import event_title

SCHEMA = "callgrind_report/1"

Object = dict[str, Any]


def write_json(document: Object) -> str:
    return json.dumps(document, indent=1)


def by_event(events: Sequence[str], cost: Sequence[int]) -> dict[str, int]:
    return dict(zip(events, cost))


def identity(key: FunctionKey) -> Object:
    return {"name": key.name, "object": key.object_file, "file": key.source_file}


def files_of(profiles: Sequence[Profile]) -> Object:
    return {
        "files": [str(profile.path) for profile in profiles],
        "commands": [
            command
            for command in unique(
                part.header.command for profile in profiles for part in profile.parts
            )
            if command
        ],
    }


def heading(kind: str, costs: FunctionCosts, profiles: Sequence[Profile]) -> Object:
    return {
        "schema": SCHEMA,
        "kind": kind,
        **files_of(profiles),
        "events": list(costs.events),
        "titles": {event: event_title(event, profiles) for event in costs.events},
        "total": by_event(costs.events, costs.total),
        **sampled_object(costs),
    }


def sampled_object(costs: FunctionCosts) -> Object:
    """Nothing of what was counted."""
    if not costs.estimates.is_sampled:
        return {}
    return {"sampled": True, "samples": costs.estimates.samples}


def function_object(function: FunctionCost, events: Sequence[str]) -> Object:
    return {
        **identity(function.key),
        "self": by_event(events, function.self_cost),
        "inclusive": by_event(events, function.inclusive),
        "inclusive_exact": function.exact,
        "calls": function.calls,
    }


def functions_document(found: FunctionList, profiles: Sequence[Profile]) -> Object:
    events = found.costs.events
    return {
        **heading("functions", found.costs, profiles),
        "functions": [function_object(function, events) for function in found.shown],
        "left_out": found.left_out,
    }


def callers_callees_document(
    found: Sequence[CallersCallees], costs: FunctionCosts, profiles: Sequence[Profile]
) -> Object:
    def caller_or_callee(each: CallerOrCallee) -> Object:
        return {
            **identity(each.key),
            "calls": each.count,
            "inclusive": by_event(costs.events, each.inclusive),
            "inclusive_exact": each.exact,
        }

    return {
        **heading("neighbours", costs, profiles),
        "functions": [
            {
                **function_object(each.function, costs.events),
                "callers": [caller_or_callee(caller) for caller in each.callers],
                "callees": [caller_or_callee(callee) for callee in each.callees],
            }
            for each in found
        ],
    }


def source_document(
    found: FileList,
    sources: Sequence[Optional[Source]],
    costs: FunctionCosts,
    profiles: Sequence[Profile],
) -> Object:
    def line(number: int, cost: LineCost) -> Object:
        return {
            "line": number,
            "self": by_event(costs.events, cost.self_cost),
            "calls": [
                {
                    **identity(call.callee),
                    "calls": call.count,
                    "inclusive": by_event(costs.events, call.inclusive),
                    "inclusive_exact": call.exact,
                }
                for call in cost.calls.values()
            ],
        }

    return {
        **heading("source", costs, profiles),
        "sources": [
            {
                "file": file.name,
                "path": str(source.path) if source and not source.refused else None,
                "newer_than_profile": source is not None and source.is_newer,
                "self": by_event(costs.events, file.self_cost),
                "lines": [
                    line(number, cost) for number, cost in sorted(file.lines.items())
                ],
            }
            for file, source in zip(found.shown, sources)
        ],
        "left_out": found.left_out,
    }


def surroundings_objects(differences: Sequence[SurroundingsDifference]) -> list[Object]:
    return [
        {
            "name": each.name,
            "old": each.old or None,
            "new": each.new or None,
            "events": list(each.events),
        }
        for each in differences
    ]


def diff_document(
    found: Difference,
    chosen: ChangeList,
    limits: Sequence[Limit],
    exceeded: Sequence[Breach],
    sides: tuple[Sequence[Profile], Sequence[Profile]],
) -> Object:
    events = found.events

    def change(each: Change) -> Object:
        return {
            **identity(each.key),
            "status": each.status,
            "old_self": by_event(events, each.old_self),
            "new_self": by_event(events, each.new_self),
            "old_inclusive": by_event(events, each.old_inclusive),
            "new_inclusive": by_event(events, each.new_inclusive),
            "inclusive_exact": each.exact,
        }

    return {
        "schema": SCHEMA,
        "kind": "diff",
        "old": {**files_of(sides[0]), "total": by_event(events, found.old_total)},
        "new": {**files_of(sides[1]), "total": by_event(events, found.new_total)},
        "events": list(events),
        "functions": [change(each) for each in chosen.shown],
        "left_out": chosen.left_out,
        "unchanged": sum(each.status == "unchanged" for each in found.changes),
        "limits": [limit.text for limit in limits],
        "exceeded": [
            {
                "limit": breach.limit.text,
                "event": breach.event,
                "function": breach.function or None,
                "old": breach.old,
                "new": breach.new,
            }
            for breach in exceeded
        ],
    }
