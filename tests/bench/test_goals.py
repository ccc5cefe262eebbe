# SPDX-License-Identifier: GPL-2.0-or-later
"""When a goal is met, when it is missed, and when nothing can be said."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

from tests.bench.columns import ASKS, BASE, SETS
from tests.bench.fakes import result_of, run
from tests.bench.goals import EVERY_WORKLOAD, BadGoals, Goal, judge, read_goals
from tests.bench.measure import Series
from tests.bench.result import Result
from tests.bench.workloads import WORKLOADS

MET, MISSED, UNKNOWN = "met", "NOT MET", "not measured"


def measured(**of: float) -> Result:
    """CPU seconds of fib by column, none's first; or of fib and perl, by "ours-ir"."""
    return result_of({"fib": {
        key.replace("_", "-"): [run(seconds, 150 if key == "ours_ir" else 100)]
        for key, seconds in of.items()
    }})


def fib_and_perl(fib: float, perl: float) -> Result:
    both = {"fib": fib, "perl": perl}
    return result_of({name: {"none": [run(1.0)], "ours-ir": [run(seconds)]}
                      for name, seconds in both.items()})


class Verdicts(unittest.TestCase):
    def goal(self, of: str = "cpu", at_most: float = 1.8, to: str = BASE.key,
             column: str = "ours-ir", workload: str = "fib", **more: Any) -> Goal:
        return Goal("a goal", column, workload, of, at_most, to, **more)

    def assert_verdict(self, text: str, goal: Goal, result: Result,
                       complete: bool = True) -> None:
        self.assertEqual(judge([goal], result, complete)[0].text, text)

    def test_of_one_workload(self) -> None:
        """It is met up to and with the limit, whatever became of the others."""
        for seconds, text in ((1.8, MET), (1.81, MISSED)):
            result = fib_and_perl(seconds, 9.0)
            self.assert_verdict(text, self.goal(), result)
            self.assert_verdict(text, self.goal(), result, complete=False)
        self.assert_verdict(UNKNOWN, self.goal(), result_of({}))

    def test_of_memory(self) -> None:
        result = measured(none=1.0, ours_ir=1.0)
        self.assert_verdict(MET, self.goal("memory", 1.5), result)
        self.assert_verdict(MISSED, self.goal("memory", 1.4), result)

    def test_to_another_column(self) -> None:
        result = measured(none=1.0, ours_ir=2.0, ours_off=2.2)
        for at_most, text in ((1.1, MET), (1.09, MISSED)):
            for workload in ("fib", EVERY_WORKLOAD):
                goal = self.goal("cpu", at_most, "ours-ir", "ours-off", workload)
                self.assert_verdict(text, goal, result)
        self.assert_verdict(UNKNOWN, self.goal(to="stock-ir"), result)

    def test_with_what_stock_takes_of_these_runs_if_it_was_set_for_that(self) -> None:
        result = measured(none=1.0, ours_ir=2.0, stock_ir=6.0)
        self.assertEqual(judge([self.goal(stock="6 to 7")], result, True)[0].stock, 6.0)
        self.assertIsNone(judge([self.goal()], result, True)[0].stock)

    def test_of_seconds(self) -> None:
        """They are not divided, and need no time of the base."""
        goal = self.goal("seconds", 2.0)
        for none, seconds, text in ((9.0, 2.0, MET), (9.0, 2.1, MISSED), (0.0, 1.0, MET)):
            self.assert_verdict(text, goal, measured(none=none, ours_ir=seconds))
        self.assert_verdict(UNKNOWN, goal, result_of({}))

    def test_of_what_is_added(self) -> None:
        """It is what both take more than no tool, if that is enough to be seen."""
        goal = self.goal("added", 0.1, "stock-ir")
        for ours, stock, text in ((2.9, 12.0, MET), (3.1, 12.0, MISSED),
                                  (2.1, 1.9, UNKNOWN), (1.9, 12.0, UNKNOWN)):
            result = measured(none=2.0, stock_ir=stock, ours_ir=ours)
            self.assert_verdict(text, goal, result)
        self.assert_verdict(UNKNOWN, goal, result_of({}))

    def test_of_the_geometric_mean(self) -> None:
        """A part of the workloads says nothing, but only those count for which the
        column is."""
        goal = self.goal("cpu", 1.3, workload=EVERY_WORKLOAD)
        self.assert_verdict(MET, goal, fib_and_perl(1.6, 1.0))
        self.assert_verdict(MISSED, goal, fib_and_perl(1.8, 1.0))
        self.assert_verdict(UNKNOWN, goal, fib_and_perl(1.0, 1.0), complete=False)
        failed = fib_and_perl(1.0, 1.0)
        del failed.series["perl"].runs["ours-ir"]
        self.assert_verdict(UNKNOWN, goal, failed)
        more = fib_and_perl(1.0, 1.0)
        more.series["plugin"] = Series([["program"]], {"none": [run(1.0)]}, kind=ASKS)
        self.assertEqual(more.suited("ours-ir"), ["fib", "perl"])
        self.assert_verdict(MET, goal, more)


class GoalsFile(unittest.TestCase):
    def test_checked_in_goals_are_for_columns_and_workloads_that_exist(self) -> None:
        columns = {column.key for columns in SETS.values() for column in columns}
        workloads = {workload.name for workload in WORKLOADS} | {EVERY_WORKLOAD}
        goals = read_goals(Path(__file__).resolve().parent / "goals.json")
        self.assertTrue(goals)
        for goal in goals:
            self.assertIn(goal.column, columns)
            self.assertIn(goal.to, columns | {BASE.key})
            self.assertIn(goal.workload, workloads)

    def test_that_is_missing_is_named(self) -> None:
        with self.assertRaisesRegex(BadGoals, "/no/goals.json: No such file"):
            read_goals(Path("/no/goals.json"))

    def test_that_is_no_list_of_goals_is_refused(self) -> None:
        entry = '[{"what":"w","column":"c","workload":"%s","of":"%s","at_most":1}]'
        for text, reason in (
            ("{", "not a list"), ("[1]", "not a list"), ("3", "not a list"),
            ('[{"what": "half a goal"}]', "not a list"),
            (entry % ("x", "disk"), "cpu or memory or .* or added, not 'disk'"),
            (entry % ("*", "seconds"), "seconds is of one workload"),
        ):
            with tempfile.TemporaryDirectory() as folder, \
                    self.assertRaisesRegex(BadGoals, reason):
                path = Path(folder) / "goals.json"
                path.write_text(text, encoding="utf-8")
                read_goals(path)
