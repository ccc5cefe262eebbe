# SPDX-License-Identifier: GPL-2.0-or-later
#
# A comparison as JSON.
#
# Owns: the schema, which docs/gate.md describes.  Fields may be added; none changes its
# meaning or goes without a new number in `schema`.

"""Comparisons as JSON."""

from __future__ import annotations

import json
from typing import Any

from gate.comparison import Comparison
from gate.counts import Spread
from gate.judge import Verdict

SCHEMA = "callgrind_gate/1"

Object = dict[str, Any]


def format_json(found: Comparison) -> str:
    document = {
        "schema": SCHEMA,
        "status": found.status(),
        "base": {"commit": found.base.commit, "time": found.base.time},
        "head": {"commit": found.head.commit, "time": found.head.time},
        "judged_counts": found.counts,
        "surroundings_needed": found.needed or None,
        "not_run": found.left_out,
        "idle_limits": found.idle_limits,
        "benchmarks": [_benchmark(verdict) for verdict in found.verdicts],
    }
    return json.dumps(document, indent=1) + "\n"


def _spread(spread: Spread) -> Object:
    return {"low": spread.low, "middle": spread.middle, "high": spread.high}


def _benchmark(verdict: Verdict) -> Object:
    events = verdict.events

    def by_event(spreads: list[Spread]) -> Object:
        return {event: _spread(each) for event, each in zip(events, spreads)}

    return {
        "name": verdict.name,
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
