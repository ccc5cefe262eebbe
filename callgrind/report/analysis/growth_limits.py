# SPDX-License-Identifier: GPL-2.0-or-later
#
# Limits on how much a profile may grow, for continuous integration.
#
# Owns: how a limit is written, and when it is exceeded.  A limit is `1%`, `Dr:0.5%` or
# `Ir:20000`; without an event it holds for the main one.  It is a share of the old total
# or a number of events, and growth has to be above it.  A limit for functions holds for
# the self cost of each; its share is of the old total as well, not of the function's own
# cost, so that a small function may double, and a new one is judged like any other.

"""Limits on growth."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Optional

from analysis.profile_diff import Difference

LIMIT = re.compile(r"(?:([^:]+):)?([0-9]+(?:\.[0-9]+)?)(%?)")


@dataclass(frozen=True)
class Limit:
    """How much growth is allowed."""

    text: str
    event: Optional[str]  # None: the main one
    amount: Fraction
    is_share: bool  # per cent of the old total
    per_function: bool


@dataclass(frozen=True)
class Breach:
    """Growth above a limit."""

    limit: Limit
    event: str
    function: str  # '' for the whole
    old: int
    new: int
    old_total: int


def parse_limit(text: str, per_function: bool) -> Limit:
    """`[EVENT:]NUMBER[%]`; else ValueError."""
    match = LIMIT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not [EVENT:]NUMBER[%], as in 1% or Ir:20000")
    event, amount, percent = match.groups()
    return Limit(match.group(), event, Fraction(amount), bool(percent), per_function)


def breaches(limit: Limit, found: Difference) -> list[Breach]:
    """What grew above the limit, the largest growth first."""
    event = limit.event or found.events[0]
    index = found.events.index(event)
    old_total = found.old_total[index]
    if limit.per_function:
        pairs = [
            (change.key.name, change.old_self[index], change.new_self[index])
            for change in found.changes
        ]
    else:
        pairs = [("", old_total, found.new_total[index])]
    allowed = limit.amount * old_total / 100 if limit.is_share else limit.amount
    over = [
        Breach(limit, event, name, old, new, old_total)
        for name, old, new in pairs
        if new - old > allowed
    ]
    return sorted(over, key=lambda breach: (breach.old - breach.new, breach.function))
