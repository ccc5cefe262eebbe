# SPDX-License-Identifier: GPL-2.0-or-later
#
# What became of the tests.  Owns: one outcome per test, whatever its set-up, its clean-up
# and its sub-tests report; the sums of each suite; and which suites are done.

"""One outcome per test, and the sums."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Iterable, Optional

import pytest

from tests.runner.costs import cost_of
from tests.runner.suites import suite_name


class Outcome(IntEnum):
    """Of several reports about one test the highest holds."""

    PASSED = 1
    SKIPPED = 2
    FAILED = 3


def plain_name(nodeid: str) -> str:
    """A test's name without the group that pytest-xdist adds to it."""
    return nodeid.split("@")[0] if nodeid.rfind("@") > nodeid.rfind("]") else nodeid


def outcome_of(report: pytest.TestReport) -> Outcome:
    if report.failed:
        return Outcome.FAILED
    # An expected failure is no skipped test.
    if report.skipped and not hasattr(report, "wasxfail"):
        return Outcome.SKIPPED
    return Outcome.PASSED


@dataclass
class Sums:
    """The tests of one suite, or of all."""

    expected: int = 0
    counts: Counter[Outcome] = field(default_factory=Counter)
    seconds: float = 0.0  # of all tests together, however many ran at a time
    cost: float = 0.0  # in processor seconds

    @property
    def done(self) -> int:
        return sum(self.counts.values())


class Count:
    """All tests of this session."""

    def __init__(self) -> None:
        self.suites: dict[str, Sums] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.seconds: dict[str, float] = {}
        self.costs: dict[str, float] = {}
        self.expected: set[str] = set()
        self._done: set[str] = set()

    def expect(self, names: Iterable[str]) -> None:
        """These tests are going to run; further calls (one for each process) say the
        same once more."""
        for name in map(plain_name, names):
            if name not in self.expected:
                self.expected.add(name)
                self._suite(name).expected += 1

    def _suite(self, name: str) -> Sums:
        return self.suites.setdefault(suite_name(name), Sums())

    def add(self, report: pytest.TestReport) -> None:
        """What set-up, test or clean-up report."""
        name = plain_name(report.nodeid)
        known = self.outcomes.get(name, Outcome.PASSED)
        self.outcomes[name] = max(known, outcome_of(report))
        self.seconds[name] = self.seconds.get(name, 0.0) + report.duration
        self.costs[name] = self.costs.get(name, 0.0) + cost_of(report)

    def add_collected(self, report: pytest.CollectReport) -> None:
        """A file that cannot be read, or is skipped as a whole, is a test of its own."""
        name = report.nodeid or "collection"
        if report.passed or name in self.outcomes:
            return
        self.outcomes[name] = Outcome.FAILED if report.failed else Outcome.SKIPPED
        self.expect([name])
        self.finish(name)

    def finish(self, nodeid: str) -> Optional[str]:
        """A test is done.  The name of its suite if that was the last of its tests."""
        name = plain_name(nodeid)
        if name in self._done or name not in self.outcomes:
            return None
        self._done.add(name)
        sums = self._suite(name)
        sums.counts[self.outcomes[name]] += 1
        sums.seconds += self.seconds.get(name, 0.0)
        sums.cost += self.costs.get(name, 0.0)
        return suite_name(name) if sums.done == sums.expected else None

    def missing(self) -> list[str]:
        """Tests that were to run, and have not come to their end."""
        return sorted(self.expected - self._done)

    def total(self, outcome: Outcome) -> int:
        return sum(sums.counts[outcome] for sums in self.suites.values())

    def failed(self) -> list[str]:
        return [name for name in self._done if self.outcomes[name] is Outcome.FAILED]

    def slowest(self, number: int) -> list[tuple[str, float]]:
        by_length = sorted(self.seconds.items(), key=lambda one: -one[1])
        return by_length[:number]
