# SPDX-License-Identifier: GPL-2.0-or-later
#
# A suite: one command whose process measures many benchmarks, each between START and
# STOP, each dumped under its name (CALLGRIND_DUMP_STATS_AT).
#
# Owns: what is known of a suite before it runs, which of its benchmarks are wanted, what
# each of them may grow by, and what a benchmark is called: the suite's name, a slash, and
# the name that the program gives.  Relies on settings.py for all that a suite has in
# common with a benchmark.

"""Suites of benchmarks."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Sequence

from analysis.selection import pattern_of
from gate.benchmark import Benchmark
from gate.limits import GateLimit

SUM, NUMBER = "sum", "number"
REPEATS = (SUM, NUMBER)
BETWEEN = "/"  # a suite's name and a benchmark's; no suite has it in its name

WORD = re.compile(r"[0-9A-Za-z_]+")
OPERATORS = ("and", "or", "not")  # of pytest's -k

matcher = lru_cache(maxsize=None)(pattern_of)


@dataclass
class Rule:
    """What is said of those benchmarks of a suite whose names match."""

    pattern: str
    limits: list[GateLimit] = field(default_factory=list)
    scopes: list[str] = field(default_factory=list)  # of limits that it has a say in
    events: list[str] = field(default_factory=list)


@dataclass
class Suite(Benchmark):
    """A command that measures many benchmarks."""

    framework: str = ""  # a name of frameworks.py; '': as the command tells
    repeat: str = SUM  # what becomes of a name that is dumped twice
    select: list[str] = field(default_factory=list)  # words that filter, with {}
    any_of: str = ""  # what stands between two texts of which either will do
    rules: list[Rule] = field(default_factory=list)
    only: list[str] = field(default_factory=list)  # patterns of whole names; none: all

    def full_name(self, name: str) -> str:
        """A benchmark's, which does not depend on where the project lies."""
        return self.name + BETWEEN + name.removeprefix(f"{self.folder}{os.sep}")

    def own_name(self, full_name: str) -> str:
        return full_name[len(self.name) + len(BETWEEN):]

    def wants(self, full_name: str) -> bool:
        return not self.only or any(
            pattern == full_name or matcher(pattern).fullmatch(full_name)
            for pattern in self.only
        )

    def part(self, full_name: str) -> Benchmark:
        """One of its benchmarks, with what the rules say of it: a later one has the last
        word."""
        limits, events = list(self.limits), list(self.events)
        for rule in self.rules:
            if not matcher(rule.pattern).fullmatch(self.own_name(full_name)):
                continue
            limits = [each for each in limits if each.scope not in rule.scopes]
            limits += rule.limits
            events = rule.events or events
        return replace(
            Benchmark(full_name, self.command, self.folder), limits=limits, events=events
        )

    def idle_rules(self, full_names: Sequence[str]) -> list[str]:
        """Patterns that no benchmark matches."""
        names = list(map(self.own_name, full_names))
        return [
            rule.pattern
            for rule in self.rules
            if not any(map(matcher(rule.pattern).fullmatch, names))
        ]

    def filter_words(self) -> list[str]:
        """Words for the framework that leave no benchmark out that is wanted; it may
        measure others besides.  None where that cannot be said."""
        texts = [filter_text(pattern, self.name + BETWEEN) for pattern in self.only]
        if not self.select or not all(texts) or (len(texts) > 1 and not self.any_of):
            return []
        text = self.any_of.join(dict.fromkeys(texts))
        return [word.replace("{}", text) for word in self.select] if text else []


# --- Patterns of whole names ------------------------------------------------------------


def rests_of(pattern: str, start: str) -> set[str]:
    """What is left of a pattern for the rest of a name that begins so; empty if no such
    name matches."""
    places = _with_stars(pattern, {0})
    for char in start:
        places = {
            place if pattern[place] == "*" else place + 1
            for place in places
            if place < len(pattern) and pattern[place] in ("*", "?", char)
        }
        places = _with_stars(pattern, places)
    return {pattern[place:] for place in places}


def _with_stars(pattern: str, places: set[int]) -> set[int]:
    """A star may stand for nothing."""
    found = set(places)
    for place in places:
        while place < len(pattern) and pattern[place] == "*":
            place += 1
            found.add(place)
    return found


def filter_text(pattern: str, start: str) -> str:
    """A text that is in every name that begins so and matches: letters, digits and
    underscores, so that no filter takes them for more than that.  Behind the last `::`,
    where names have files before it; '' if there is none."""
    rest = min(rests_of(pattern, start), key=len, default="")  # it ends all of them
    rest = rest.rpartition("::")[2]
    pieces = [each for each in WORD.findall(rest) if each not in OPERATORS]
    return max(pieces, key=len, default="")
