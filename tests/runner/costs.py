# SPDX-License-Identifier: GPL-2.0-or-later
#
# What each test costs in processor time: its own, and that of all processes that it has
# started and waited for.  Unlike the time on the clock it is nearly the same beside other
# work.  Owns: how it is measured in the process that runs the test, and the file that
# tells it.

"""Processor time by test."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any, Generator, Iterable, Mapping

import pytest

from tests.runner.suites import suite_name

# Of pytest's reports: seconds of processor time.  pytest-xdist passes it on.
ATTRIBUTE = "processor_seconds"
FILE = "test-costs"  # in the build folder


def _used() -> float:
    """Processor seconds of this process, and of those that it has waited for."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


class Meter:
    """In a process that runs tests: each report tells what was used since the last."""

    def __init__(self) -> None:
        self._before = _used()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        self._before = _used()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, None]:
        outcome = yield
        now = _used()
        setattr(outcome.get_result(), ATTRIBUTE, now - self._before)
        self._before = now


def cost_of(report: pytest.TestReport) -> float:
    return float(getattr(report, ATTRIBUTE, 0.0))


def _lines(costs: Iterable[tuple[str, float]]) -> list[str]:
    by_cost = sorted(costs, key=lambda one: -one[1])
    return [f"{seconds:9.2f} {name}" for name, seconds in by_cost]


def write_costs(folder: Path, costs: Mapping[str, float]) -> None:
    """A line for each suite, then one for each test, the costliest first; after an empty
    line each.  Nothing is said where the folder cannot be written."""
    suites: dict[str, float] = {}
    for name, seconds in costs.items():
        suites[suite_name(name)] = suites.get(suite_name(name), 0.0) + seconds
    text = [f"{sum(costs.values()):9.2f} processor seconds", ""]
    text += [*_lines(suites.items()), "", *_lines(costs.items()), ""]
    try:
        (folder / FILE).write_text("\n".join(text), encoding="utf-8")
    except OSError:
        pass
