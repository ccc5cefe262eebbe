# SPDX-License-Identifier: GPL-2.0-or-later
#
# Judges a run against a base: which benchmarks have got worse, and by which functions.
#
# Owns: the rule.  docs/gate.md, "When a change is a regression", is the page for users.
#
# A count has got worse when even its lowest value in the new run is above its highest one
# in the base.  Of n surroundings of the base and m of the new run, of programs that are
# equal, each order of the n + m values is as likely as any other (equal values only make
# it less so).  So that happens by chance once in C(n + m, m) times.  With T counts that
# are judged, chance raises an alarm in at most T / C(n + m, m) comparisons.  Where that
# is no more than the confidence leaves, the spread alone decides.  Where it is more, or
# where limits are given, growth has to be above a limit besides.

"""Judge a run against a base."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb
from typing import Optional, Sequence

from analysis.build_names import plain_key
from analysis.surroundings import SIMULATED, can_move
from gate.counts import NOTHING, Counts, FunctionCounts, Renaming, Spread
from gate.limits import GateLimit, default_limit
from gate.run import Result
from profile_file.model import FunctionKey

DEFAULT_CONFIDENCE = "0.999"

# What becomes of a benchmark, the worst first.
WORSE = "worse"
UNKNOWN = "not comparable"
BETTER = "better"
CHANGED = "changed"  # beyond the spread, within the limits
SAME = "same"
NEW = "new"
STATES = (WORSE, UNKNOWN, BETTER, CHANGED, NEW, SAME)


@dataclass(frozen=True)
class Breach:
    """Growth that is a regression."""

    scope: str
    name: str  # '' for the total
    event: str
    old: Spread
    new: Spread
    limit: str  # '' where the spread alone has decided


@dataclass
class Change:
    """A function that differs."""

    key: FunctionKey
    status: str  # changed, new, gone
    old: list[Spread]
    new: list[Spread]
    old_inclusive: list[int]
    new_inclusive: list[int]

    def moved(self, event: int) -> bool:
        """Whether its self cost has changed by more than it varies."""
        return is_beyond(self.old[event], self.new[event]) != 0

    def growth(self, event: int) -> int:
        return self.new[event].middle - self.old[event].middle


@dataclass
class Verdict:
    """What is said of one benchmark."""

    name: str
    state: str
    reason: str = ""  # why it is not comparable
    events: list[str] = field(default_factory=list)
    judged: list[str] = field(default_factory=list)  # of the events
    by_spread: bool = False  # the spread alone decides
    surroundings: tuple[int, int] = (0, 0)
    old_total: list[Spread] = field(default_factory=list)
    new_total: list[Spread] = field(default_factory=list)
    breaches: list[Breach] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    differences: list[tuple[str, str, str]] = field(default_factory=list)
    hint: str = ""
    # Texts of limits of functions and objects: of none here, and of some.
    idle_limits: list[str] = field(default_factory=list)
    met_limits: list[str] = field(default_factory=list)

    def total_growth(self) -> Fraction:
        """Of the first event that is judged, as a share of what it was."""
        if not self.old_total or not self.judged:
            return Fraction(0)
        index = self.index(self.judged[0])
        old, new = self.old_total[index].middle, self.new_total[index].middle
        return Fraction(new - old, max(old, 1))

    def index(self, event: str) -> int:
        return self.events.index(event)


def is_beyond(old: Spread, new: Spread) -> int:
    """1 if all of the new values are above all old ones, -1 below, 0 otherwise."""
    return (new.low > old.high) - (new.high < old.low)


@dataclass
class Pair:
    """A benchmark on both sides, ready to be judged."""

    old: Result
    new: Result
    old_counts: Counts
    new_counts: Counts

    def shared_events(self) -> list[str]:
        known = self.new_counts.events
        return [event for event in self.old_counts.events if event in known]

    def is_shaken(self) -> bool:
        return min(self.old_counts.surroundings, self.new_counts.surroundings) > 1


@dataclass
class Rules:
    """What all benchmarks are judged by."""

    confidence: Fraction
    key_of: Renaming = plain_key
    limits: Sequence[GateLimit] = ()  # in place of the benchmarks' own, by scope
    strict: bool = False

    def limits_of(self, result: Result) -> list[GateLimit]:
        given = {limit.scope for limit in self.limits}
        own = [limit for limit in result.limits if limit.scope not in given]
        return [*own, *self.limits]


# --- How many counts are judged ---------------------------------------------------------


def number_of_counts(pairs: Sequence[Pair]) -> int:
    """Of the benchmarks that were measured in several surroundings on both sides."""
    return sum(
        (1 + len({*pair.old_counts.functions, *pair.new_counts.functions}))
        * len(judged_events(pair))
        for pair in pairs
        if pair.is_shaken()
    )


def judged_events(pair: Pair) -> list[str]:
    """Those that the benchmark names; all, where the spread is known; else the first."""
    shared = pair.shared_events()
    if pair.new.events:
        return [event for event in pair.new.events if event in shared]
    return shared if pair.is_shaken() else shared[:1]


def with_those_of_limits(events: list[str], pair: Pair, rules: Rules) -> list[str]:
    """A limit judges the event that it names, whether the benchmark does or not."""
    shared = pair.shared_events()
    limits = [each.limit.event for each in rules.limits_of(pair.new)]
    named = [event for event in limits if event in shared]
    return list(dict.fromkeys([*events, *named]))


def is_enough(n_old: int, n_new: int, counts: int, confidence: Fraction) -> bool:
    """Whether so many surroundings are enough for the spread alone to decide."""
    return Fraction(counts, comb(n_old + n_new, n_new)) <= 1 - confidence


def surroundings_needed(counts: int, confidence: Fraction) -> int:
    """On each side."""
    number = 2
    while not is_enough(number, number, counts, confidence):
        number += 1
    return number


# --- One benchmark ----------------------------------------------------------------------


def judge(pair: Pair, rules: Rules, counts: int) -> Verdict:
    """`counts` is how many are judged in all benchmarks together."""
    old, new = pair.old_counts, pair.new_counts
    verdict = Verdict(pair.new.name, SAME)
    verdict.differences = differing(pair.old.surroundings, pair.new.surroundings)
    verdict.surroundings = old.surroundings, new.surroundings
    verdict.events = pair.shared_events()
    verdict.judged = with_those_of_limits(judged_events(pair), pair, rules)
    verdict.reason = _obstacle(pair, rules, verdict)
    if verdict.reason:
        verdict.state = UNKNOWN
        return verdict
    verdict.by_spread = pair.is_shaken() and is_enough(
        old.surroundings, new.surroundings, counts, rules.confidence
    )
    before, after = _aligned(old, verdict.events), _aligned(new, verdict.events)
    verdict.old_total, verdict.new_total = before.total, after.total
    before, after = before.regrouped(rules.key_of), after.regrouped(rules.key_of)
    verdict.changes = _changes(before, after)
    limits = rules.limits_of(pair.new)
    if not limits and verdict.by_spread:
        verdict.breaches = _beyond_spread(verdict)
    else:
        for limit in limits or [default_limit()]:
            verdict.breaches += _above(limit, verdict, before, after)
            if limit.scope != "total":
                is_met = _is_of_something(limit, before, after)
                (verdict.met_limits if is_met else verdict.idle_limits).append(limit.text)
    verdict.hint = _hint(verdict.changes)
    verdict.state = _state(verdict)
    return verdict


def differing(old: dict[str, str], new: dict[str, str]) -> list[tuple[str, str, str]]:
    """Surroundings that are not the same: name, old, new."""
    return [
        (name, old.get(name, ""), new.get(name, ""))
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]


def _obstacle(pair: Pair, rules: Rules, verdict: Verdict) -> str:
    """Why the two sides cannot be compared; '' if they can."""
    known = verdict.events
    named = [*pair.new.events]
    named += [each.limit.event for each in rules.limits_of(pair.new) if each.limit.event]
    missing = [event for event in named if event not in known]
    if not known or missing:
        what = f"event {missing[0]}" if missing else "any event"
        return f"not both sides have {what}; measure both with the same options"
    for name, before, after in verdict.differences:
        if not any(can_move(name, event) for event in verdict.judged):
            continue
        if rules.strict or (name in SIMULATED and before and after):
            return f"{name}: {before or 'nothing'} in the base, {after or 'nothing'} here"
    return ""


def _aligned(counts: Counts, events: Sequence[str]) -> Counts:
    """These counts, with these events, in this order."""
    if counts.events == events:
        return counts
    places = [counts.events.index(event) for event in events]

    def chosen(function: FunctionCounts) -> FunctionCounts:
        return FunctionCounts(
            [function.own[place] for place in places],
            [function.inclusive[place] for place in places],
        )

    return Counts(
        list(events),
        counts.surroundings,
        [counts.total[place] for place in places],
        {key: chosen(function) for key, function in counts.functions.items()},
    )


def _changes(old: Counts, new: Counts) -> list[Change]:
    """The functions that differ; those whose self cost grew most come first."""
    size = len(old.events)
    none = FunctionCounts([NOTHING] * size, [0] * size)
    found = []
    for key in sorted({*old.functions, *new.functions}):
        before, after = old.functions.get(key), new.functions.get(key)
        status = "changed" if before and after else "new" if after else "gone"
        before, after = before or none, after or none
        if before.own != after.own or before.inclusive != after.inclusive:
            found.append(
                Change(key, status, before.own, after.own,
                       before.inclusive, after.inclusive)
            )  # fmt: skip
    return sorted(found, key=lambda change: -abs(change.growth(0)))


def _beyond_spread(verdict: Verdict) -> list[Breach]:
    """Growth of the total, and of functions that both sides have.

    What a function that is new costs is part of the total, and may have come from one
    that is gone."""
    found = []
    for event in verdict.judged:
        index = verdict.index(event)
        rows = [("total", "", verdict.old_total[index], verdict.new_total[index])]
        rows += [
            ("function", change.key.name, change.old[index], change.new[index])
            for change in verdict.changes
            if change.status == "changed"
        ]
        found += [
            Breach(scope, name, event, old, new, "")
            for scope, name, old, new in rows
            if is_beyond(old, new) > 0
        ]
    return found


def _above(limit: GateLimit, verdict: Verdict, old: Counts, new: Counts) -> list[Breach]:
    """Growth above a limit, and beyond the spread."""
    event = limit.event(verdict.judged[0])
    index = verdict.index(event)
    if limit.scope == "total":
        rows = [("", old.total[index], new.total[index])]
    elif limit.scope == "function":
        rows = [
            (change.key.name, change.old[index], change.new[index])
            for change in verdict.changes
            if limit.matches(change.key.name)
            and (change.status == "changed" or not limit.limit.is_share)
        ]
    else:
        rows = [row for row in _objects(old, new, index) if limit.matches(row[0])]
    return [
        Breach(limit.scope, name, event, before, after, limit.text)
        for name, before, after in rows
        if is_beyond(before, after) > 0
        and after.middle - before.middle > limit.allowed(before.middle)
    ]


def _is_of_something(limit: GateLimit, old: Counts, new: Counts) -> bool:
    keys = {*old.functions, *new.functions}
    if limit.scope == "function":
        names = {key.name for key in keys}
    else:
        names = {os.path.basename(key.object_file) for key in keys}
    return any(map(limit.matches, names))


def _objects(old: Counts, new: Counts, event: int) -> list[tuple[str, Spread, Spread]]:
    """Every object with what its functions cost on both sides."""
    sums: dict[str, list[Spread]] = {}
    for side, counts in enumerate((old, new)):
        for key, function in counts.functions.items():
            name = os.path.basename(key.object_file)
            both = sums.setdefault(name, [NOTHING, NOTHING])
            both[side] += function.own[event]
    return [(name, both[0], both[1]) for name, both in sorted(sums.items())]


def _state(verdict: Verdict) -> str:
    if verdict.breaches:
        return WORSE
    if not verdict.changes:
        return SAME
    index = verdict.index(verdict.judged[0])
    if is_beyond(verdict.old_total[index], verdict.new_total[index]) < 0:
        return BETTER
    moved = any(
        change.moved(verdict.index(event))
        for change in verdict.changes
        for event in verdict.judged
    )
    return CHANGED if moved else SAME


def _hint(changes: Sequence[Change]) -> str:
    """Functions that seem to have changed their names only."""
    gone = {change.key.name: change for change in changes if change.status == "gone"}
    new = {change.key.name for change in changes if change.status == "new"}
    both = sorted(gone.keys() & new)
    if both:
        return (
            f"{len(both)} functions are gone from one object and new in another "
            f"({both[0]}): --match=name takes them as the same"
        )
    return ""


def verdict_without_base(result: Result) -> Verdict:
    if result.error:
        return Verdict(result.name, UNKNOWN, f"was not measured: {result.error}")
    return Verdict(result.name, NEW)


def worst(states: Sequence[str]) -> Optional[str]:
    return min(states, key=STATES.index, default=None)
