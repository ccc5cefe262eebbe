# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables as they are printed."""

from __future__ import annotations

import unittest
from typing import Any

from tests.bench.fakes import result_of, run
from tests.bench.goals import Goal, Verdict
from tests.bench.report import Table, goal_table, ratio_table, render
from tests.bench.result import Result

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


class Layout(unittest.TestCase):
    rows = [["name", "1.00", "2"], ["n|m", "10.00", ""]]
    table = Table("Title", ["", "a", "long"], rows)

    def test_text_is_aligned_without_trailing_blanks(self) -> None:
        self.assertEqual(
            self.table.as_text(),
            "Title\n"
            "\n"
            "          a  long\n"
            "name   1.00     2\n"
            "n|m   10.00\n",
        )

    def test_markdown_escapes_what_would_end_a_cell(self) -> None:
        self.assertEqual(
            self.table.as_markdown(),
            "**Title**\n"
            "\n"
            "|  | a | long |\n"
            "| --- | ---: | ---: |\n"
            "| name | 1.00 | 2 |\n"
            "| n\\|m | 10.00 |  |\n",
        )


class Ratios(unittest.TestCase):
    def test_of_time(self) -> None:
        result = two_workloads()
        result.series["fib"].failures["ours-off"] = "it broke"
        self.assertEqual(
            ratio_table(result, "cpu").as_text(),
            "CPU time, as ratio to none\n"
            "\n"
            "                  none  stock Ir      ours Ir  ours off\n"
            "fib             1.00 s      8.00         2.00    FAILED\n"
            "python3         2.00 s      2.00            -         -\n"
            "geometric mean              4.00  2.00 (of 1)         -\n",
        )

    def test_of_memory(self) -> None:
        rows = ratio_table(two_workloads(), "memory").rows
        self.assertEqual(rows[0], ["fib", "2 MiB", "2.00", "1.00", "-"])
        self.assertEqual(rows[1], ["python3", "1 MiB", "1.50", "-", "-"])


class Goals(unittest.TestCase):
    def test_are_told_with_limit_and_verdict(self) -> None:
        goal = Goal("fib, time", "ours-ir", "fib", "cpu", 1.8)
        rows = goal_table([Verdict(goal, 2.0), Verdict(goal, None)]).rows
        self.assertEqual(rows, [
            ["fib, time", "none", "1.80", "-", "2.00", "-", "NOT MET"],
            ["fib, time", "none", "1.80", "-", "-", "-", "not measured"],
        ])

    def test_of_seconds_are_told_as_such(self) -> None:
        goal = Goal("pairs", "ours-ir", "fib", "seconds", 2.0)
        rows = goal_table([Verdict(goal, 0.7)]).rows
        self.assertEqual(rows, [["pairs", "(seconds)", "2.00", "-", "0.70", "-", "met"]])

    def test_are_told_with_what_stock_took_and_takes(self) -> None:
        goal = Goal("fib, time", "ours-ir", "fib", "cpu", 1.8, stock="8 to 9")
        rows = goal_table([Verdict(goal, 1.7, 8.5)]).rows
        self.assertEqual(
            rows, [["fib, time", "none", "1.80", "8 to 9", "1.70", "8.50", "met"]]
        )


class Whole(unittest.TestCase):
    def test_says_how_where_and_what_was_measured(self) -> None:
        text = render(two_workloads(), FACTS, [], markdown=False)
        self.assertIn("medians of 3 interleaved runs.\n", text)
        self.assertIn(
            "A CPU, Linux 6.1, valgrind-3.19.0, 2024-01-02, revision abc.\n", text
        )

    def test_ends_with_the_notes(self) -> None:
        result = two_workloads()
        result.notes.append("note: something")
        self.assertTrue(render(result, FACTS, [], False).endswith("\nnote: something\n"))
        self.assertTrue(render(result, FACTS, [], True).endswith("\n- note: something\n"))
