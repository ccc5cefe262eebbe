# SPDX-License-Identifier: GPL-2.0-or-later
#
# In which order the tests run, and in which process.  Owns: the groups of tests that stay
# together, the order, and the scheduler that hands tests to pytest-xdist's processes.
#
# A unit is what one process is given at a time: a single test, or all tests of one
# xdist_group.  The scheduler hands units out one by one in the order of the tests, so a
# process that is done early is given the next one, and none is idle while there are any.

"""The order of the tests, and their distribution over processes."""

from __future__ import annotations

import unittest
from collections import OrderedDict
from typing import Any, Callable, Iterable, Mapping, Optional

import pytest

from tests.runner.suites import rank

# What a process has before it: the test that it runs, and so many more.
WAITING = 2


def group_of(item: pytest.Item) -> Optional[str]:
    """The group that a test belongs to, if any."""
    mark = item.get_closest_marker("xdist_group")
    if mark is None:
        return None
    return str(mark.args[0] if mark.args else mark.kwargs["name"])


def _has_costly_setup(item: pytest.Item) -> bool:
    """Whether a setUpClass or a setUpModule goes before the test."""
    owner = getattr(item, "cls", None)
    made_for_class = (
        isinstance(owner, type)
        and issubclass(owner, unittest.TestCase)
        and owner.setUpClass.__func__  # type: ignore[attr-defined]
        is not unittest.TestCase.setUpClass.__func__  # type: ignore[attr-defined]
    )
    return made_for_class or hasattr(getattr(item, "module", None), "setUpModule")


def keep_together(items: Iterable[pytest.Item]) -> None:
    """Put tests that share a setUpClass or a setUpModule into a group, so that it runs
    once, and not in every process."""
    for item in items:
        if group_of(item) is None and _has_costly_setup(item):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.split("::")[0]))


def arrange(items: list[pytest.Item], seconds: Mapping[str, float]) -> None:
    """Sort the tests: suite by suite, and in each the longest unit first, by what tests
    took last time.  One that has never run counts as the longest."""
    never = float("inf")
    length: dict[str, float] = {}
    first: dict[str, int] = {}
    for item in items:
        unit = group_of(item) or item.nodeid
        length[unit] = length.get(unit, 0.0) + seconds.get(item.nodeid, never)
        first.setdefault(unit, len(first))

    def place(item: pytest.Item) -> tuple[int, float, int]:
        unit = group_of(item) or item.nodeid
        return rank(item.nodeid), -length[unit], first[unit]

    items.sort(key=place)


def make_scheduler(config: pytest.Config, log: Any) -> Any:
    """pytest-xdist's scheduler of groups, with three faults of version 3.1 mended."""
    from xdist.scheduler.loadgroup import LoadGroupScheduling

    class UnitScheduling(LoadGroupScheduling):
        assigned_work: "OrderedDict[Any, OrderedDict[str, OrderedDict[str, bool]]]"
        workqueue: "OrderedDict[str, OrderedDict[str, bool]]"
        registered_collections: "OrderedDict[Any, list[str]]"
        _pending_of: Callable[[Any], int]
        _assign_work_unit: Callable[[Any], None]

        def remove_node(self, node: Any) -> Optional[str]:
            """A process has ended; returns the test during which it died, if one was
            running.  That test has failed: it is not given to another process."""
            crashed: Optional[str] = None
            for unit, tests in self.assigned_work.pop(node).items():
                left = [test for test, is_done in tests.items() if not is_done]
                if left and crashed is None:
                    crashed = left.pop(0)
                if left:
                    self.workqueue[unit] = OrderedDict.fromkeys(left, False)
                    self.workqueue.move_to_end(unit, last=False)
            for other in self.assigned_work:
                self._reschedule(other)
            return crashed

        def _reschedule(self, node: Any) -> None:
            """Give a process work until it has enough: it only begins a test when it
            knows the next one, or that there is none.  One that takes the place of
            another is given nothing before it has found the tests, too."""
            if node.shutting_down or node not in self.registered_collections:
                return
            while (
                self.workqueue and self._pending_of(self.assigned_work[node]) <= WAITING
            ):
                self._assign_work_unit(node)
            if not self.workqueue:
                node.shutdown()

    return UnitScheduling(config, log)
