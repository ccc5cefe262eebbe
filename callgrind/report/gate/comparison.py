# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares a whole run with a base: every benchmark is judged, the worst come first.
#
# Owns: which benchmarks are compared, and the exit status that follows.  Relies on
# judge.py for each of them.

"""Compare runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Optional

from gate import git
from gate.counts import decode
from gate.error import GateError
from gate.judge import (
    STATES,
    UNKNOWN,
    WORSE,
    Pair,
    Rules,
    Verdict,
    judge,
    number_of_counts,
    surroundings_needed,
    verdict_without_base,
)
from gate.names import natural
from gate.run import Result, Run
from gate.store import Store

REGRESSION = 1
NOT_COMPARABLE = 3


@dataclass
class Comparison:
    """Two runs, compared."""

    base: Run
    head: Run
    verdicts: list[Verdict] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # of the base, and not run
    counts: int = 0  # judged, of benchmarks in several surroundings
    idle_limits: list[str] = field(default_factory=list)  # that nothing can exceed
    needed: int = 0  # surroundings that would be enough for them; 0: none are too few

    def status(self) -> int:
        states = {verdict.state for verdict in self.verdicts}
        if WORSE in states:
            return REGRESSION
        return NOT_COMPARABLE if UNKNOWN in states else 0

    def number(self, state: str) -> int:
        return sum(verdict.state == state for verdict in self.verdicts)


def base_run(store: Store, wanted: Optional[str], head: Run) -> Optional[Run]:
    """The run to compare with: the one that is asked for, the nearest ancestor, or the
    newest.  None if there is none at all."""
    commits = store.commits()
    if wanted is not None:
        name = git.full_name(wanted)
        found = name if name in commits else wanted
        if found not in commits:
            raise GateError(f"{store.folder}: has no run of {wanted}; log shows all")
        return store.read(found)
    if not commits:
        return None
    nearest = git.base_of(head.commit, commits)
    if nearest is not None:
        return store.read(nearest)
    return max(map(store.read, commits), key=lambda run: (run.time, run.commit))


def compare(
    base: Run,
    base_store: Store,
    head: Run,
    head_store: Store,
    rules: Rules,
    partial: bool,
) -> Comparison:
    """`partial`: what was not run is no obstacle."""
    found = Comparison(base, head)
    pairs: list[Pair] = []
    for name, result in sorted(head.results.items()):
        old = base.results.get(name)
        if result.error or old is None or old.error:
            found.verdicts.append(verdict_without_base(result))
        else:
            pairs.append(_pair(old, base_store, result, head_store))
    for name in sorted(set(base.results) - set(head.results)):
        if partial:
            found.left_out.append(name)
        else:
            reason = "is in the base, but was not run"
            found.verdicts.append(Verdict(name, UNKNOWN, reason))
    found.counts = number_of_counts(pairs)
    verdicts = [judge(pair, rules, found.counts) for pair in pairs]
    if any(p.is_shaken() and not v.by_spread for p, v in zip(pairs, verdicts)):
        found.needed = surroundings_needed(found.counts, rules.confidence)
    found.verdicts += verdicts
    found.verdicts.sort(key=_place)
    found.idle_limits = _idle_limits(verdicts)
    return found


def _place(verdict: Verdict) -> tuple[int, Fraction, list[tuple[int, str]]]:
    """In which order benchmarks are told: of one state, those first that moved most."""
    moved = abs(verdict.total_growth())
    return STATES.index(verdict.state), -moved, natural(verdict.name)


def _idle_limits(verdicts: list[Verdict]) -> list[str]:
    """Those that are of no function, or no object, of any benchmark that has them."""
    idle = {limit for verdict in verdicts for limit in verdict.idle_limits}
    return sorted(idle - {each for verdict in verdicts for each in verdict.met_limits})


def _pair(old: Result, old_store: Store, new: Result, new_store: Store) -> Pair:
    return Pair(
        old, new, decode(old_store.get(old.counts)), decode(new_store.get(new.counts))
    )
