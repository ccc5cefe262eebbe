# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables as they are printed."""

from __future__ import annotations

import unittest
from typing import Any

from tests.bench.fakes import result_of, run
from tests.bench.goals import Goal, Verdict
from tests.bench.report import goal_table, ratio_table, render
from tests.bench.result import Result
from tests.bench.tables import table

FACTS: dict[str, Any] = {
    "date": "2024-01-02", "revision": "abc", "versions": {"valgrind": "valgrind-3.19.0"},
    "machine": {"cpu": "A CPU", "kernel": "Linux 6.1"},
    "settings": {"runs": 3, "size": "full"},
}


def two_workloads() -> Result:
    return result_of({
        "fib": {
            "none": [run(1.0, 2048)],
            "stock-ir": [run(8.0, 4096)],
            "ours-ir": [run(2.0, 2048)],
        },
        "python3": {"none": [run(2.0, 1024)], "stock-ir": [run(4.0, 1536)]},
    })


def cells(text: str) -> list[list[str]]:
    """Of the rows of a table with a title."""
    return [[cell.strip() for cell in line.split("|")[1:-1]]
            for line in text.splitlines()[4:]]


class Tables(unittest.TestCase):
    def test_are_aligned_and_escape_what_would_end_a_cell(self) -> None:
        rows = [["name", "1.00", "2"], ["n|m", "10.00", ""]]
        self.assertEqual(
            table(["", "a", "long"], rows, "Title"),
            "**Title**\n\n"
            "|      |     a | long |\n"
            "| ---- | ----: | ---: |\n"
            "| name |  1.00 |    2 |\n"
            "| n\\|m | 10.00 |      |\n",
        )

    def test_of_time_and_of_memory(self) -> None:
        result = two_workloads()
        result.series["fib"].failures["ours-off"] = "it broke"
        text = ratio_table(result, "cpu")
        self.assertTrue(text.startswith("**CPU time, as ratio to none**\n\n|"), text)
        self.assertEqual(cells(text), [
            ["fib", "1.00 s", "8.00", "2.00", "FAILED"],
            ["python3", "2.00 s", "2.00", "-", "-"],
            ["geometric mean", "", "4.00", "2.00 (of 1)", "-"],
        ])
        self.assertEqual(cells(ratio_table(two_workloads(), "memory"))[:2], [
            ["fib", "2 MiB", "2.00", "1.00", "-"], ["python3", "1 MiB", "1.50", "-", "-"],
        ])

    def test_of_goals_have_limit_and_verdict_and_what_stock_takes(self) -> None:
        def goal(of: str, **more: Any) -> Goal:
            return Goal("a goal", "ours-ir", "fib", of, 1.8, **more)

        text = goal_table([
            Verdict(goal("cpu"), 2.0), Verdict(goal("cpu"), None),
            Verdict(goal("seconds"), 0.7), Verdict(goal("added", to="stock-ir"), 0.7),
            Verdict(goal("cpu", stock="8 to 9"), 1.7, 8.5),
        ])
        self.assertEqual([row[1:] for row in cells(text)], [
            ["none", "1.80", "-", "2.00", "-", "NOT MET"],
            ["none", "1.80", "-", "-", "-", "not measured"],
            ["(seconds)", "1.80", "-", "0.70", "-", "met"],
            ["stock-ir, added", "1.80", "-", "0.70", "-", "met"],
            ["none", "1.80", "8 to 9", "1.70", "8.50", "met"],
        ])

    def test_are_followed_by_how_and_where_and_by_the_notes(self) -> None:
        result = two_workloads()
        result.notes.append("note: something")
        text = render(result, FACTS, [])
        self.assertIn("medians of 3 interleaved runs.\n", text)
        self.assertIn(
            "A CPU, Linux 6.1, valgrind-3.19.0, 2024-01-02, revision abc.\n", text
        )
        self.assertTrue(text.endswith("\n- note: something\n"))
