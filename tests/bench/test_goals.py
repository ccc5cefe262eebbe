# SPDX-License-Identifier: GPL-2.0-or-later
"""When a goal is met, when it is missed, and when nothing can be said."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from tests.bench.columns import BASE, SETS
from tests.bench.fakes import result_of, run
from tests.bench.goals import EVERY_WORKLOAD, BadGoals, Goal, judge, read_goals
from tests.bench.measure import Series
from tests.bench.result import Result
from tests.bench.workloads import WORKLOADS

CHECKED_IN = Path(__file__).resolve().parent / "goals.json"


def fib_and_perl(fib: float, perl: float) -> Result:
    return result_of({
        "fib": {"none": [run(1.0, 100)], "ours-ir": [run(fib, 150)]},
        "perl": {"none": [run(1.0, 100)], "ours-ir": [run(perl, 150)]},
    })


def verdict(goal: Goal, result: Result, complete: bool = True) -> str:
    return judge([goal], result, complete)[0].text


class OfOneWorkload(unittest.TestCase):
    goal = Goal("fib", "ours-ir", "fib", "cpu", 1.8)

    def test_is_met_up_to_and_with_the_limit(self) -> None:
        self.assertEqual(verdict(self.goal, fib_and_perl(1.8, 9.0)), "met")

    def test_is_missed_above_the_limit(self) -> None:
        self.assertEqual(verdict(self.goal, fib_and_perl(1.81, 1.0)), "NOT MET")

    def test_is_judged_without_the_other_workloads(self) -> None:
        result = fib_and_perl(1.5, 1.0)
        self.assertEqual(verdict(self.goal, result, complete=False), "met")

    def test_of_a_workload_that_did_not_run_is_not_measured(self) -> None:
        self.assertEqual(verdict(self.goal, result_of({})), "not measured")

    def test_can_be_for_memory(self) -> None:
        goal = Goal("memory", "ours-ir", "fib", "memory", 1.4)
        self.assertEqual(verdict(goal, fib_and_perl(1.0, 1.0)), "NOT MET")

    def test_can_be_to_another_column(self) -> None:
        result = result_of({"fib": {
            "none": [run(1.0)], "ours-ir": [run(2.0)], "ours-off": [run(2.2)],
        }})
        goal = Goal("off", "ours-off", "fib", "cpu", 1.1, "ours-ir")
        self.assertEqual(verdict(goal, result), "met")
        mean = Goal("off", "ours-off", EVERY_WORKLOAD, "cpu", 1.09, "ours-ir")
        self.assertEqual(verdict(mean, result), "NOT MET")
        absent = Goal("off", "ours-off", "fib", "cpu", 1.1, "stock-ir")
        self.assertEqual(verdict(absent, result), "not measured")

    def test_tells_what_stock_takes_of_the_same_runs_if_it_was_set_for_that(self) -> None:
        result = result_of({"fib": {
            "none": [run(1.0)], "ours-ir": [run(2.0)], "stock-ir": [run(6.0)],
        }})
        goal = Goal("fib", "ours-ir", "fib", "cpu", 1.8, stock="6 to 7")
        self.assertEqual(judge([goal], result, True)[0].stock, 6.0)
        self.assertIsNone(judge([self.goal], result, True)[0].stock)


class OfSeconds(unittest.TestCase):
    goal = Goal("seconds", "ours-ir", "fib", "seconds", 2.0)

    def test_are_not_divided(self) -> None:
        for seconds, text in ((2.0, "met"), (2.1, "NOT MET")):
            result = result_of({"fib": {"none": [run(9.0)], "ours-ir": [run(seconds)]}})
            self.assertEqual(verdict(self.goal, result), text)

    def test_need_no_time_of_the_base(self) -> None:
        result = result_of({"fib": {"none": [run(0.0)], "ours-ir": [run(1.0)]}})
        self.assertEqual(verdict(self.goal, result), "met")

    def test_that_were_not_measured_are_told(self) -> None:
        self.assertEqual(verdict(self.goal, result_of({})), "not measured")


class OfWhatIsAdded(unittest.TestCase):
    goal = Goal("added", "ours-ir", "fib", "added", 0.1, "stock-ir")

    def result(self, ours: float, stock: float = 12.0) -> Result:
        return result_of({"fib": {
            "none": [run(2.0)], "stock-ir": [run(stock)], "ours-ir": [run(ours)],
        }})

    def test_is_what_both_take_more_than_no_tool(self) -> None:
        self.assertEqual(verdict(self.goal, self.result(2.9)), "met")
        self.assertEqual(verdict(self.goal, self.result(3.1)), "NOT MET")

    def test_that_is_too_little_to_see_is_not_measured(self) -> None:
        self.assertEqual(verdict(self.goal, self.result(2.1, 1.9)), "not measured")
        self.assertEqual(verdict(self.goal, self.result(1.9)), "not measured")
        self.assertEqual(verdict(self.goal, result_of({})), "not measured")


class OfTheMean(unittest.TestCase):
    goal = Goal("mean", "ours-ir", EVERY_WORKLOAD, "cpu", 1.3)

    def test_is_for_the_geometric_mean(self) -> None:
        self.assertEqual(verdict(self.goal, fib_and_perl(1.6, 1.0)), "met")
        self.assertEqual(verdict(self.goal, fib_and_perl(1.8, 1.0)), "NOT MET")

    def test_says_nothing_over_a_part_of_the_workloads(self) -> None:
        result = fib_and_perl(1.0, 1.0)
        self.assertEqual(verdict(self.goal, result, complete=False), "not measured")

    def test_says_nothing_when_a_workload_failed(self) -> None:
        result = fib_and_perl(1.0, 1.0)
        del result.series["perl"].runs["ours-ir"]
        self.assertEqual(verdict(self.goal, result), "not measured")


class OfTheMeanOfSomeWorkloads(unittest.TestCase):
    def test_counts_those_that_the_column_is_for(self) -> None:
        result = fib_and_perl(1.0, 1.0)
        result.series["plugin"] = Series([["program"]], {"none": [run(1.0)]}, asks=True)
        self.assertEqual(result.suited("ours-ir"), ["fib", "perl"])
        self.assertEqual(verdict(OfTheMean.goal, result), "met")


class GoalsFile(unittest.TestCase):
    def read(self, text: str) -> list[Goal]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "goals.json"
            path.write_text(text, encoding="utf-8")
            return read_goals(path)

    def test_checked_in_goals_are_for_columns_and_workloads_that_exist(self) -> None:
        columns = {column.key for columns in SETS.values() for column in columns}
        workloads = {workload.name for workload in WORKLOADS} | {EVERY_WORKLOAD}
        goals = read_goals(CHECKED_IN)
        self.assertTrue(goals)
        for goal in goals:
            self.assertIn(goal.column, columns)
            self.assertIn(goal.to, columns | {BASE.key})
            self.assertIn(goal.workload, workloads)

    def test_that_is_missing_is_named(self) -> None:
        with self.assertRaisesRegex(BadGoals, "/no/goals.json: No such file"):
            read_goals(Path("/no/goals.json"))

    def test_that_is_no_list_of_goals_is_refused(self) -> None:
        for text in ("{", "[1]", '[{"what": "half a goal"}]', "3"):
            with self.subTest(text=text), self.assertRaisesRegex(BadGoals, "not a list"):
                self.read(text)

    def test_with_an_unknown_measure_is_refused(self) -> None:
        entry = '{"what":"w","column":"c","workload":"x","of":"disk","at_most":1}'
        with self.assertRaisesRegex(BadGoals, "cpu or memory or .* or added, not 'disk'"):
            self.read(f"[{entry}]")

    def test_of_seconds_of_all_workloads_is_refused(self) -> None:
        entry = '{"what":"w","column":"c","workload":"*","of":"seconds","at_most":1}'
        with self.assertRaisesRegex(BadGoals, "seconds is of one workload"):
            self.read(f"[{entry}]")
