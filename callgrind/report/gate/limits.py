# SPDX-License-Identifier: GPL-2.0-or-later
#
# How much a benchmark, a function or an object may grow, as the user says it.
#
# Owns: how such limits are written.  `1%`, `Dr:0.5%` and `Ir:20000` are of the total, as
# in callgrind_report.  `parse:2%` and `parse:Dr:2%` are of a function or an object, and
# there a per cent is one of its own cost, whence other names: function-growth and
# object-growth.  Its name may have colons in pairs (a::b), * for any text and ? for one
# character.  Relies on analysis/growth_limits.py.

"""Limits of benchmarks, functions and objects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from analysis.growth_limits import Limit, parse_limit
from analysis.selection import pattern_of

SCOPES = ("total", "function", "object")
DEFAULT_LIMIT = "1%"

OF_A_NAME = re.compile(
    r"(?P<name>.+?)(?P<limit>(?:(?<!:):[A-Za-z][A-Za-z0-9_]*)?:[0-9][0-9.]*%?)", re.DOTALL
)


@dataclass(frozen=True)
class GateLimit:
    """A limit, and of what."""

    scope: str  # one of SCOPES
    pattern: str  # '' for the total
    limit: Limit

    @property
    def text(self) -> str:
        """As the user wrote it."""
        return f"{self.pattern}:{self.limit.text}" if self.pattern else self.limit.text

    def matches(self, name: str) -> bool:
        if name == self.pattern:
            return True
        return pattern_of(self.pattern).fullmatch(name) is not None

    def allowed(self, old: int) -> Fraction:
        """The growth that is allowed to something that cost `old`."""
        amount = self.limit.amount
        return amount * old / 100 if self.limit.is_share else amount

    def event(self, main: str) -> str:
        return self.limit.event or main


def parse_gate_limit(scope: str, text: str) -> GateLimit:
    """ValueError if it is not written as a limit of that scope."""
    if scope == "total":
        return GateLimit(scope, "", parse_limit(text, False))
    match = OF_A_NAME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not NAME:[EVENT:]NUMBER[%], as in parse:2%")
    limit = parse_limit(match.group("limit")[1:], scope == "function")
    return GateLimit(scope, match.group("name"), limit)


def default_limit() -> GateLimit:
    """Where neither the user nor a measured spread says more."""
    return parse_gate_limit("total", DEFAULT_LIMIT)
