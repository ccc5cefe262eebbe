# SPDX-License-Identifier: GPL-2.0-or-later
#
# A suite: one command whose process measures many benchmarks, each between START and
# STOP, each dumped under its name (CALLGRIND_DUMP_STATS_AT).
#
# Owns: what is known of a suite before it runs, which of its benchmarks are wanted, what
# each of them may grow by, and what a benchmark is called: the suite's name, a slash, and
# the name that the program gives.  Relies on filters.py for what the framework is told of
# the wanted ones, and on settings.py for all that a suite has in common with a benchmark.

"""Suites of benchmarks."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import AbstractSet, Sequence

from analysis.selection import pattern_of
from gate.benchmark import Benchmark
from gate.filters import BEHIND_FILE, filter_text
from gate.limits import GateLimit

SUM, NUMBER = "sum", "number"
REPEATS = (SUM, NUMBER)
BETWEEN = "/"  # a suite's name and a benchmark's; no suite has it in its name

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
    sees: str = BEHIND_FILE  # of a name, the part that the filter looks at
    rules: list[Rule] = field(default_factory=list)
    only: list[str] = field(default_factory=list)  # patterns of whole names; none: all
    shard: list[str] = field(default_factory=list)  # words for one, with {i} and {n}
    of_shards: tuple[int, int] = (1, 1)  # which of how many is measured, by these words

    def full_name(self, name: str, others: AbstractSet[str] = frozenset()) -> str:
        """A benchmark's, which does not depend on where the project lies; unless one of
        the others is called so."""
        short = name.removeprefix(f"{self.folder}{os.sep}")
        return self.name + BETWEEN + (name if short in others else short)

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
        start = self.name + BETWEEN
        texts = [filter_text(pattern, start, self.sees) for pattern in self.only]
        if not self.select or not all(texts) or (len(texts) > 1 and not self.any_of):
            return []
        text = self.any_of.join(dict.fromkeys(texts))
        return [word.replace("{}", text) for word in self.select] if text else []

    def is_sharded(self) -> bool:
        """Whether others measure the rest of it."""
        return self.of_shards[1] > 1

    def shard_words(self) -> list[str]:
        """Words for the framework that choose this shard; none if all is measured."""
        if not self.is_sharded():
            return []
        number, of = map(str, self.of_shards)
        return [word.replace("{i}", number).replace("{n}", of) for word in self.shard]


def shard_of(benchmarks: Sequence[Benchmark], number: int, of: int) -> list[Benchmark]:
    """Each benchmark is in one of the shards 1 ... of.  A suite whose framework makes
    shards is in all of them, with its part of each; another one is taken as one."""
    found: list[Benchmark] = []
    place = 0
    for benchmark in benchmarks:
        if isinstance(benchmark, Suite) and benchmark.shard:
            found.append(replace(benchmark, of_shards=(number, of)))
        else:
            if place % of == number - 1:
                found.append(benchmark)
            place += 1
    return found
