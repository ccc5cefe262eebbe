#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table of the costliest functions: its numbers, its layout, its refusals.

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Optional

REPORT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPORT))

from function_table import FunctionCosts, function_costs, main  # noqa: E402
from profile_file import Detail, read_profile  # noqa: E402

DATA = Path(__file__).resolve().parent / "data"


def run(*arguments: str) -> tuple[int, str, str]:
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(
        io.StringIO()
    ) as errors:
        status = main(arguments)
    return status, output.getvalue(), errors.getvalue()


def costs_of(*names: str, event: Optional[str] = None) -> FunctionCosts:
    return function_costs(
        [read_profile(DATA / name, Detail.FUNCTIONS) for name in names], event
    )


def costs_of_text(body: str) -> dict[str, tuple[int, int, int]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile.out"
        path.write_text("events: Ir\nfl=a.c\n" + body, "utf-8")
        costs = function_costs([read_profile(path, Detail.FUNCTIONS)], None)
    return numbers(costs)


def numbers(costs: FunctionCosts) -> dict[str, tuple[int, int, int]]:
    return {
        key.name: (function.self_cost, function.inclusive, function.calls)
        for key, function in costs.functions.items()
    }


class Costs(unittest.TestCase):
    def test_self_inclusive_and_calls(self) -> None:
        found = numbers(costs_of("tiny_default.out"))
        self.assertEqual(found["main_part"], (56, 275, 1))
        self.assertEqual(found["(below main)"], (4, 279, 0))
        self.assertEqual(found["factorial"], (42, 153, 3))

    def test_arcs_to_itself_do_not_count_twice(self) -> None:
        """factorial'2 calls itself for 110; its own 111 hold all of that."""
        self.assertEqual(
            numbers(costs_of("tiny_default.out"))["factorial'2"], (111, 111, 9)
        )
        self.assertEqual(numbers(costs_of("tiny_recs1.out"))["factorial"], (153, 153, 12))

    def test_cycle_is_bounded_by_what_it_costs_as_a_whole(self) -> None:
        found = costs_of_text(
            "fn=main\n1 10\ncfn=a\ncalls=1 1\n1 65\n"
            "fn=a\n2 20\ncfn=b\ncalls=9 1\n2 300\n"
            "fn=b\n3 40\ncfn=a\ncalls=8 1\n3 280\n"
            "cfn=leaf\ncalls=1 1\n3 5\nfn=leaf\n4 5\n"
        )
        self.assertEqual(
            found,
            {"main": (10, 75, 0), "a": (20, 65, 9), "b": (40, 65, 9), "leaf": (5, 5, 1)},
        )

    def test_never_above_the_total(self) -> None:
        found = costs_of_text("fn=main\n1 10\ncfn=f\ncalls=1 1\n1 500\nfn=f\n2 20\n")
        self.assertEqual(found["main"][1], 30)

    def test_files_and_parts_add_up(self) -> None:
        one, two = costs_of("tiny_default.out"), costs_of(
            "tiny_default.out", "tiny_default.out"
        )
        self.assertEqual(two.total, 2 * one.total)
        self.assertEqual(
            numbers(two),
            {
                name: (2 * own, 2 * inclusive, 2 * calls)
                for name, (own, inclusive, calls) in numbers(one).items()
            },
        )
        self.assertEqual(numbers(costs_of("combined.out"))["run'2"], (112, 112, 4))

    def test_other_event(self) -> None:
        found = numbers(costs_of("tiny_cache.out", event="Dr"))
        self.assertEqual(sum(own for own, _, _ in found.values()), 93)

    def test_equal_names_in_other_objects_stay_apart(self) -> None:
        costs = costs_of_text("ob=x\nfl=a.c\nfn=f\n1 1\nob=y\nfl=a.c\nfn=f\n1 2\n")
        self.assertEqual(len(costs), 1)  # by name alone
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "p"
            path.write_text(
                "events: Ir\nob=x\nfl=a\nfn=f\n1 1\nob=y\nfl=a\nfn=f\n1 2\n", "utf-8"
            )
            keys = function_costs([read_profile(path)], None).functions
        self.assertEqual([key.object_file for key in keys], ["x", "y"])

    def test_long_call_chain(self) -> None:
        """Deeper than Python's own stack."""
        count = 5000
        body = (
            "".join(
                f"fn=f{i}\n1 1\ncfn=f{i + 1}\ncalls=1 1\n1 {count - i - 1}\n"
                for i in range(count - 1)
            )
            + f"fn=f{count - 1}\n1 1\n"
        )
        self.assertEqual(costs_of_text(body)["f0"], (1, count, 0))


class Layout(unittest.TestCase):
    def test_whole_table(self) -> None:
        status, output, errors = run("--limit", "3", str(DATA / "tiny_default.out"))
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(
            output.splitlines(),
            [
                "Event:   Ir (instructions executed)",
                "Total:   279",
                "Command: ./tiny",
                "",
                "self   share  inclusive   share  calls  object  function",
                " 111  39.78%        111  39.78%      9  tiny    factorial'2 (tiny.c)",
                "  56  20.07%        275  98.57%      1  tiny    main_part (tiny.c)",
                "  42  15.05%        153  54.84%      3  tiny    factorial (tiny.c)",
                "... and 4 more functions, 25.09% of self cost",
            ],
        )

    def test_thousands(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "p"
            path.write_text("events: Ir\nfl=???\nfn=f\n1 1234567\n", "utf-8")
            output = run(str(path))[1]
        self.assertIn("Total:   1,234,567", output)
        self.assertEqual(
            output.splitlines()[-1].split(),
            ["1,234,567", "100.00%", "1,234,567", "100.00%", "0", "???", "f"],
        )

    def test_all_functions(self) -> None:
        output = run("--limit", "0", str(DATA / "tiny_default.out"))[1]
        self.assertNotIn("more functions", output)
        self.assertEqual(len(output.splitlines()), 5 + 7)

    def test_sorted_by_inclusive(self) -> None:
        output = run("--sort=inclusive", "--limit=2", str(DATA / "tiny_default.out"))[1]
        self.assertIn("(below main)", output.splitlines()[5])
        self.assertIn("main_part", output.splitlines()[6])

    def test_no_cost_at_all(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "p"
            path.write_text("events: Ir\nfl=a\nfn=f\n1 0\ntotals: 0\n", "utf-8")
            status, output, _ = run(str(path))
        self.assertEqual(status, 0)
        self.assertIn("Total:   0", output)


class Refusals(unittest.TestCase):
    def refused(self, what: str, *arguments: str) -> None:
        status, output, errors = run(*arguments)
        self.assertEqual((status, output), (1, ""))
        self.assertEqual(errors.count("\n"), 1)
        self.assertIn(what, errors)

    def test_missing_empty_and_foreign_files(self) -> None:
        self.refused("No such file", "nowhere.out")
        self.refused("not a callgrind profile", str(DATA / "tiny.c"))
        with tempfile.NamedTemporaryFile() as empty:
            self.refused("empty file", empty.name)

    def test_one_bad_file_among_good_ones(self) -> None:
        self.refused("nowhere.out", str(DATA / "tiny_default.out"), "nowhere.out")

    def test_unknown_event(self) -> None:
        self.refused(
            "no event 'D1mr' here; there is Ir",
            "--event=D1mr",
            str(DATA / "tiny_default.out"),
        )

    def test_event_that_one_file_lacks(self) -> None:
        self.refused(
            "has no event 'Dr'",
            "--event=Dr",
            str(DATA / "tiny_cache.out"),
            str(DATA / "tiny_default.out"),
        )

    def test_negative_limit(self) -> None:
        with self.assertRaises(SystemExit) as raised, contextlib.redirect_stderr(
            io.StringIO()
        ):
            main(["--limit", "-1", "x"])
        self.assertEqual(raised.exception.code, 2)


class Script(unittest.TestCase):
    def test_runs_from_anywhere(self) -> None:
        result = subprocess.run(
            [
                sys.executable,
                str(REPORT / "function_table.py"),
                str(DATA / "tiny_default.out"),
            ],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("main_part", result.stdout)

    def test_reader_of_a_pipe_may_leave(self) -> None:
        result = subprocess.run(
            [
                "sh",
                "-c",
                f"'{sys.executable}' '{REPORT / 'function_table.py'}' "
                f"'{DATA / 'tiny_default.out'}' | true",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.stderr, "")


if __name__ == "__main__":
    unittest.main()
