# SPDX-License-Identifier: GPL-2.0-or-later
#
# A run, and a comparison, as JSON.
#
# Owns: what is in them, which docs/gate.md and docs/gate.schema.json describe.  Fields
# may be added; none changes its meaning or goes without a new number in `schema`.

"""Runs and comparisons as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from gate.comparison import Comparison
from gate.counts import Spread
from gate.judge import Verdict
from gate.names import group_of
from gate.run import Result, Run

SCHEMA = "callgrind_gate/1"

Object = dict[str, Any]


def format_run(run: Run, folder: Path, status: int, notes: Sequence[str]) -> str:
    """`notes` has what is odd, a line each."""
    document = {
        "schema": SCHEMA,
        "kind": "run",
        "status": status,
        "commit": run.commit,
        "time": run.time,
        "title": run.title,
        "folder": str(folder),
        "notes": list(notes),
        "benchmarks": [_measured(result) for result in run.results.values()],
    }
    return json.dumps(document, indent=1) + "\n"


def _measured(result: Result) -> Object:
    return {
        "name": result.name,
        "group": group_of(result.name) or None,
        "command": result.command,
        "error": result.error or None,
        "total": result.total,
        "surroundings": result.surroundings,
        "has_tree": bool(result.trees),
    }


def format_json(found: Comparison, pages: Mapping[str, str]) -> str:
    """`pages` leads from a benchmark to its flame graph."""
    document = {
        "schema": SCHEMA,
        "kind": "comparison",
        "status": found.status(),
        "base": {"commit": found.base.commit, "time": found.base.time},
        "head": {"commit": found.head.commit, "time": found.head.time},
        "judged_counts": found.counts,
        "surroundings_needed": found.needed or None,
        "not_run": found.left_out,
        "idle_limits": found.idle_limits,
        "benchmarks": [
            _judged(verdict, pages.get(verdict.name)) for verdict in found.verdicts
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def _spread(spread: Spread) -> Object:
    return {"low": spread.low, "middle": spread.middle, "high": spread.high}


def _judged(verdict: Verdict, page: Optional[str]) -> Object:
    events = verdict.events

    def by_event(spreads: list[Spread]) -> Object:
        return {event: _spread(each) for event, each in zip(events, spreads)}

    return {
        "name": verdict.name,
        "group": group_of(verdict.name) or None,
        "page": page,
        "state": verdict.state,
        "reason": verdict.reason or None,
        "events": events,
        "judged": verdict.judged,
        "by_spread": verdict.by_spread,
        "surroundings": list(verdict.surroundings),
        "old_total": by_event(verdict.old_total),
        "new_total": by_event(verdict.new_total),
        "regressions": [
            {
                "scope": breach.scope,
                "name": breach.name or None,
                "event": breach.event,
                "old": _spread(breach.old),
                "new": _spread(breach.new),
                "limit": breach.limit or None,
            }
            for breach in verdict.breaches
        ],
        "functions": [
            {
                "name": change.key.name,
                "object": change.key.object_file,
                "change": change.status,
                "old_self": by_event(change.old),
                "new_self": by_event(change.new),
                "old_inclusive": dict(zip(events, change.old_inclusive)),
                "new_inclusive": dict(zip(events, change.new_inclusive)),
            }
            for change in verdict.changes
        ],
        "differences": [
            {"what": name, "base": old, "head": new}
            for name, old, new in verdict.differences
        ],
        "hint": verdict.hint or None,
    }
