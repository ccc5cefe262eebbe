# SPDX-License-Identifier: GPL-2.0-or-later
#
# A run: what all benchmarks cost at one commit.
#
# Owns: the data classes, their form as JSON (the index of a run), and merging the shards
# of a run.  An index may come from anywhere: every field is checked, and nothing of it is
# executed or used as a path.

"""Runs of many benchmarks."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any, Sequence

from gate.counts import MOST_COST
from gate.error import GateError
from gate.limits import SCOPES, GateLimit, parse_gate_limit

SCHEMA = "callgrind_gate 1"
MOST_TIME = 1 << 53
CHANGES = "+changes"  # behind the commit that a changed work tree was made of
COMMIT = re.compile(rf"[0-9A-Za-z][0-9A-Za-z._-]{{0,99}}(?:{re.escape(CHANGES)})?")
DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass
class Result:
    """One benchmark of a run."""

    name: str
    command: list[str]
    error: str = ""  # why it was not measured
    events: list[str] = field(default_factory=list)  # judged; empty: as the rule says
    limits: list[GateLimit] = field(default_factory=list)
    surroundings: dict[str, str] = field(default_factory=dict)  # from the profiles
    profiles: list[str] = field(default_factory=list)  # digests, of one run
    trees: list[str] = field(default_factory=list)
    counts: str = ""  # the digest of gate/counts.py's form
    total: dict[str, int] = field(default_factory=dict)  # by event: the middle


@dataclass
class Run:
    """All benchmarks at one commit."""

    commit: str
    time: int  # when the commit was made, in seconds since 1970
    title: str = ""
    results: dict[str, Result] = field(default_factory=dict)

    def blobs(self) -> set[str]:
        """The digests of all that belongs to it."""
        found: set[str] = set()
        for result in self.results.values():
            found.update(result.profiles, result.trees, filter(None, [result.counts]))
        return found


def checked_commit(text: str) -> str:
    if not COMMIT.fullmatch(text):
        raise GateError(
            f"{text!r} cannot be a commit's name: letters, digits, '.', '_' and '-'"
        )
    return text


def with_changes(commit: str) -> str:
    """What a changed work tree is called that this commit is checked out in."""
    return without_changes(commit) + CHANGES


def without_changes(commit: str) -> str:
    """The commit that was checked out."""
    return commit[: -len(CHANGES)] if commit.endswith(CHANGES) else commit


def merged(shards: Sequence[Run]) -> Run:
    """Shards of one commit as one run.  A benchmark may be in one of them only; but a
    suite of which each has a part may have failed in several."""
    whole = Run(shards[0].commit, shards[0].time, shards[0].title)
    errors: dict[str, list[str]] = {}
    for shard in shards:
        if shard.commit != whole.commit:
            raise GateError(
                f"the shards are of different commits, {whole.commit} and {shard.commit}"
            )
        for name, result in shard.results.items():
            known = whole.results.setdefault(name, result)
            if known.error and result.error:
                errors.setdefault(name, []).append(result.error)
            elif known != result:
                raise GateError(f"benchmark {name!r} is in two shards, and differs")
    for name, all_of in errors.items():
        text = "; ".join(dict.fromkeys(all_of))
        whole.results[name] = replace(whole.results[name], error=text)
    whole.results = dict(sorted(whole.results.items()))
    return whole


# --- As JSON ----------------------------------------------------------------------------


def encode_run(run: Run) -> bytes:
    document = {
        "schema": SCHEMA,
        "commit": run.commit,
        "time": run.time,
        "title": run.title,
        "benchmarks": [
            {
                "name": result.name,
                "command": result.command,
                "error": result.error,
                "events": result.events,
                "limits": [[limit.scope, limit.text] for limit in result.limits],
                "surroundings": result.surroundings,
                "profiles": result.profiles,
                "trees": result.trees,
                "counts": result.counts,
                "total": result.total,
            }
            for _, result in sorted(run.results.items())
        ],
    }
    return (json.dumps(document, indent=1) + "\n").encode("ascii")


def decode_run(content: bytes) -> Run:
    """GateError if these are not the words of an index."""
    try:
        document = json.loads(content)
        if document["schema"] != SCHEMA:
            raise ValueError
        if not COMMIT.fullmatch(_text(document["commit"])):
            raise ValueError
        if type(document["time"]) is not int or abs(document["time"]) > MOST_TIME:
            raise ValueError
        run = Run(document["commit"], document["time"], _text(document["title"]))
        for row in document["benchmarks"]:
            result = _result(row)
            if result.name in run.results:
                raise ValueError
            run.results[result.name] = result
    except (ValueError, KeyError, TypeError, RecursionError):
        raise GateError("is not the index of a run: it is damaged") from None
    return run


def _result(row: Any) -> Result:
    surroundings, total = dict(row["surroundings"]), dict(row["total"])
    for name, value in surroundings.items():
        _text(name), _text(value)
    for event, cost in total.items():
        if type(cost) is not int or not 0 <= cost <= MOST_COST:
            raise ValueError
    limits = []
    for scope, text in row["limits"]:
        if scope not in SCOPES:
            raise ValueError
        limits.append(parse_gate_limit(scope, _text(text)))
    result = Result(
        _text(row["name"]),
        [_text(word) for word in row["command"]],
        _text(row["error"]),
        [_text(event) for event in row["events"]],
        limits,
        surroundings,
        [_digest(text) for text in row["profiles"]],
        [_digest(text) for text in row["trees"]],
        row["counts"] and _digest(row["counts"]),
        total,
    )
    if not result.error and not result.counts:
        raise ValueError
    return result


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _digest(value: Any) -> str:
    if not DIGEST.fullmatch(_text(value)):
        raise ValueError
    return str(value)
