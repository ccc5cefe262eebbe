# SPDX-License-Identifier: GPL-2.0-or-later
"""The goals for speed and memory, and whether a result meets them.

Owns goals.json: a list of limits for a ratio to `none`, or to the column "to", of one
workload or ("*") of the geometric mean. Of one workload, "of": "seconds" limits CPU
seconds, and "of": "added" the ratio of what both columns take more than `none`. A mean
over a part of the workloads says nothing about the goal, and neither does a column that
was not run: such goals are told as not measured.

Where a goal has "stock", that is the ratio of the distribution's callgrind in the runs
that the goal was set for. All ratios grow with the length of a run, so its ratio in the
measured runs says whether these are like them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Optional, Sequence

from tests.bench.columns import BASE
from tests.bench.result import Result

EVERY_WORKLOAD = "*"
SECONDS = "seconds"
ADDED = "added"
MEASURES = ("cpu", "memory", SECONDS, ADDED)


class BadGoals(Exception):
    """goals.json cannot be used; the text says why."""


@dataclass(frozen=True)
class Goal:
    what: str
    column: str
    workload: str
    of: str  # one of MEASURES
    at_most: float
    to: str = BASE.key  # the column that is divided by
    stock: Optional[str] = None  # a number, or a range of them


@dataclass(frozen=True)
class Verdict:
    goal: Goal
    measured: Optional[float]
    stock: Optional[float] = None  # of the same runs, where the goal tells stock's

    @property
    def met(self) -> Optional[bool]:
        return None if self.measured is None else self.measured <= self.goal.at_most

    @property
    def text(self) -> str:
        return {True: "met", False: "NOT MET", None: "not measured"}[self.met]

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self.goal), "measured": self.measured,
                "stock_measured": self.stock, "verdict": self.text}


def read_goals(path: Path) -> list[Goal]:
    try:
        goals = [Goal(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))]
    except OSError as error:
        raise BadGoals(f"{path}: {error.strerror}") from error
    except (ValueError, TypeError) as error:
        raise BadGoals(f"{path}: not a list of goals: {error}") from error
    for goal in goals:
        if goal.of not in MEASURES:
            raise BadGoals(f"{path}: {goal.what}: 'of' is {' or '.join(MEASURES)}, not "
                           f"{goal.of!r}")
        if goal.of in (SECONDS, ADDED) and goal.workload == EVERY_WORKLOAD:
            raise BadGoals(f"{path}: {goal.what}: {goal.of} is of one workload")
    return goals


def judge(goals: Sequence[Goal], result: Result, complete: bool) -> list[Verdict]:
    """complete: the result has every workload that there is."""
    return [
        Verdict(
            goal,
            _measured(goal, goal.column, result, complete),
            _measured(goal, goal.column.replace("ours-", "stock-", 1), result, complete)
            if goal.stock else None,
        )
        for goal in goals
    ]


def _measured(
    goal: Goal, column: str, result: Result, complete: bool
) -> Optional[float]:
    if goal.of == SECONDS:
        return result.seconds(goal.workload, column)
    if goal.of == ADDED:
        return result.added(goal.workload, column, goal.to)
    if goal.workload != EVERY_WORKLOAD:
        return result.ratio(goal.workload, column, goal.of, goal.to)
    mean, count = result.mean(column, goal.of, goal.to)
    return mean if complete and count == len(result.suited(column)) else None
