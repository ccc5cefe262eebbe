# SPDX-License-Identifier: GPL-2.0-or-later
#
# What has changed from one profile to another, function by function.
#
# Owns: which functions of the two are the same, and the changes.
# Relies on function_costs.py for the numbers of each side.
#
# Two builds have different paths, and files move.  So by default functions are the same
# when their names and the base names of their objects are.  Names and paths can be
# rewritten before they are compared, with substitutions like those of sed.

"""Changes of costs between two profiles."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Callable, Optional

from analysis.build_names import plain_key
from analysis.estimates import Estimates
from analysis.function_costs import CostError, FunctionCost, FunctionCosts
from analysis.selection import is_above
from profile_file.model import FunctionKey, Vector, new_vector

PLAIN = "plain"  # without what each build makes anew
MATCHES = ("name+object", "name", "name+object+file", PLAIN)

Substitution = Callable[[str], str]


def substitution(text: str) -> Substitution:
    """`s/REGEX/TEXT/`, with any character for `/`, and flags g and i; else ValueError."""
    if len(text) < 4 or text[0] != "s" or text[1].isalnum() or text[1] in " \\":
        raise ValueError(f"{text!r} is not s/REGEX/TEXT/")
    pieces = re.split(rf"(?<!\\){re.escape(text[1])}", text[2:])
    if len(pieces) != 3 or not pieces[0] or set(pieces[2]) - set("gi"):
        raise ValueError(f"{text!r} is not s/REGEX/TEXT/ with flags g and i")
    old, new, flags = (piece.replace("\\" + text[1], text[1]) for piece in pieces)
    try:
        expression = re.compile(old, re.IGNORECASE if "i" in flags else 0)
        re.compile(f"{old}|").sub(new, "")  # do the groups exist that `new` refers to?
    except (re.error, IndexError) as error:
        raise ValueError(f"{text!r}: {error}") from None
    count = 0 if "g" in flags else 1
    return lambda word: expression.sub(new, word, count=count)


@dataclass(frozen=True)
class Matching:
    """When functions of two profiles are the same."""

    match: str = "name+object"
    map_names: tuple[Substitution, ...] = ()
    map_paths: tuple[Substitution, ...] = ()

    def key(self, key: FunctionKey) -> FunctionKey:
        name, object_file, source_file = key.name, key.object_file, key.source_file
        for change in self.map_names:
            name = change(name)
        for change in self.map_paths:
            object_file, source_file = change(object_file), change(source_file)
        if self.match == PLAIN:
            return plain_key(FunctionKey(object_file, source_file, name))
        return FunctionKey(
            os.path.basename(object_file) if "object" in self.match else "",
            source_file if "file" in self.match else "",
            name,
        )


@dataclass
class Change:
    """One function in both profiles; zeros where it is not there."""

    key: FunctionKey
    status: str  # changed, unchanged, new, gone
    old_self: Vector
    new_self: Vector
    old_inclusive: Vector
    new_inclusive: Vector
    exact: bool

    def self_change(self, event: int = 0) -> int:
        return self.new_self[event] - self.old_self[event]

    def inclusive_change(self, event: int = 0) -> int:
        return self.new_inclusive[event] - self.old_inclusive[event]


@dataclass
class Difference:
    """Two profiles, compared."""

    events: list[str]
    added_up: list[str]  # these, and what is not shown
    old_total: Vector
    new_total: Vector
    changes: list[Change]  # of all functions, unchanged ones too; by key
    old_estimates: Estimates
    new_estimates: Estimates

    def total_change(self, event: int = 0) -> int:
        return self.new_total[event] - self.old_total[event]


def difference(before: FunctionCosts, after: FunctionCosts) -> Difference:
    """Compare costs of the same events, grouped by Matching.key()."""
    if before.added_up != after.added_up:
        raise CostError("profiles of other events cannot be compared")
    keys = sorted(set(before.functions) | set(after.functions))
    size = len(before.added_up)
    changes = [
        _change(key, before.functions.get(key), after.functions.get(key), size)
        for key in keys
    ]
    totals = before.total, after.total
    estimates = before.estimates, after.estimates
    return Difference(before.events, before.added_up, *totals, changes, *estimates)


def _change(
    key: FunctionKey, old: Optional[FunctionCost], new: Optional[FunctionCost], size: int
) -> Change:
    nothing = FunctionCost(key, new_vector(size), new_vector(size))
    before, after = old or nothing, new or nothing
    same = before.self_cost == after.self_cost and before.inclusive == after.inclusive
    status = "unchanged" if same else "changed"
    if old is None:
        status = "new"
    elif new is None:
        status = "gone"
    return Change(
        key,
        status,
        before.self_cost,
        after.self_cost,
        before.inclusive,
        after.inclusive,
        before.exact and after.exact,
    )


@dataclass
class ChangeList:
    """The changes to show, the largest first, and what is left out."""

    shown: list[Change]
    left_out: int
    left_out_change: int  # of self cost, of the main event, all added up


def change_list(found: Difference, sort: str, limit: int, threshold: float) -> ChangeList:
    """Changes of at least `threshold` per cent of the old total."""

    def size(change: Change) -> int:
        if sort == "inclusive":
            return abs(change.inclusive_change())
        return abs(change.self_change())

    def rank(change: Change) -> tuple[object, ...]:
        if sort == "name":
            return (change.key.name, change.key)
        other = abs(change.self_change()) + abs(change.inclusive_change())
        return (-size(change), -other, change.key)

    changed = [change for change in found.changes if change.status != "unchanged"]
    shown = sorted(
        (c for c in changed if is_above(size(c), found.old_total[0], threshold)), key=rank
    )
    shown = shown[:limit] if limit else shown
    rest = sum(c.self_change() for c in changed) - sum(c.self_change() for c in shown)
    return ChangeList(shown, len(changed) - len(shown), rest)
