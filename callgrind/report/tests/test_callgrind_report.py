# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command callgrind_report on checked-in profiles: what it prints, and its refusals.

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Iterator
from unittest import mock

from callgrind.report.tests.report_case import (
    CACHE,
    DATA,
    REPORT,
    SCRIPT,
    TINY,
    document,
    run,
    table,
)


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class FolderTest(unittest.TestCase):
    """A test with an empty folder of its own."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name: str, text: str, time: int = 0) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        if time:
            os.utime(path, (time, time))
        return path


def profile(cost: int) -> str:
    return f"events: Ir\nfl=a.c\nfn=f\n1 {cost}\n"


class Functions(FolderTest):
    def test_whole_table(self) -> None:
        status, output, errors = run("--limit", "3", TINY)
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
        output = run(str(self.write("p", profile(1234567))))[1]
        self.assertIn("Total:   1,234,567", output)
        self.assertEqual(
            output.splitlines()[-1].split(),
            ["1,234,567", "100.00%", "1,234,567", "100.00%", "0", "???", "f", "(a.c)"],
        )

    def test_all_functions(self) -> None:
        output = run("--limit", "0", TINY)[1]
        self.assertNotIn("more function", output)
        self.assertEqual(len(output.splitlines()), 5 + 7)

    def order(self, sort: str) -> list[str]:
        return [row["function"] for row in table(f"--sort={sort}", TINY)]

    def test_sorting(self) -> None:
        self.assertEqual(self.order("self")[:2], ["factorial'2", "main_part"])
        self.assertEqual(self.order("inclusive")[:2], ["(below main)", "main_part"])
        self.assertEqual(self.order("calls")[:2], ["factorial'2", "factorial"])
        self.assertEqual(self.order("name")[:3], ["(below main)", "even", "even'2"])

    def test_threshold(self) -> None:
        output = run("--threshold=15%", TINY)[1].splitlines()
        self.assertEqual(len(output), 5 + 3 + 1)
        self.assertEqual(output[-1], "... and 4 more functions, 25.09% of self cost")
        shown = document("--threshold=50", "--sort=inclusive", TINY)["functions"]
        names = {function["name"] for function in shown}
        self.assertEqual(names, {"(below main)", "main_part", "factorial"})

    def test_merged_recursion(self) -> None:
        (first, *others) = table("--merge-recursion", TINY)
        self.assertEqual(first["function"], "factorial")
        self.assertEqual((first["self Ir"], first["inclusive Ir"]), ("153", "153"))
        self.assertEqual(len(others), 4)

    def test_upper_bounds_are_marked(self) -> None:
        circle = (
            "events: Ir\nfl=a.c\nfn=a\n1 1\ncfn=b\ncalls=2 1\n1 9\n"
            "fn=b\n1 2\ncfn=a\ncalls=1 1\n1 8\n"
        )
        path = str(self.write("p", circle))
        output = run(path)[1].splitlines()
        self.assertEqual(output[4].split()[2:4], ["~3", "100.00%"])
        self.assertEqual(
            output[-1], "~ upper bound: the function is part of a call cycle"
        )
        self.assertFalse(document(path)["functions"][0]["inclusive_exact"])

    def test_further_events(self) -> None:
        output = run("--event=Ir,Dw", "--limit=1", CACHE)[1].splitlines()
        self.assertIn(
            "Others:  Dr, Dw, I1mr, D1mr, D1mw, ILmr, DLmr, DLmw (see --event)", output
        )
        self.assertEqual(
            output[-2].split(),
            [
                "111",
                "39.78%",
                "111",
                "39.78%",
                "24",
                "24",
                "9",
                "tiny",
                "factorial'2",
                "(tiny.c)",
            ],
        )
        first = document(CACHE)["functions"][0]
        self.assertEqual(first["self"]["Dw"], 24)
        self.assertEqual(len(first["self"]), 9)

    def test_no_cost_at_all(self) -> None:
        path = self.write("p", "events: Ir\nfl=a\nfn=f\n1 0\ntotals: 0\n")
        status, output, _ = run(str(path))
        self.assertEqual(status, 0)
        self.assertIn("Total:   0", output)

    def test_files_add_up(self) -> None:
        one = self.write("one", profile(3))
        two = self.write("two", profile(4))
        found = document(str(one), str(two))
        self.assertEqual(found["total"], {"Ir": 7})
        self.assertIn("Files:   2, added up", run(str(one), str(two))[1])

    def test_names_cannot_steer_the_terminal(self) -> None:
        path = self.write("p", "events: Ir\nfl=a\nfn=f\x1b[2Jé\n1 1\n")
        output = run(str(path))[1]
        self.assertIn("f\\x1b[2Jé", output)
        self.assertNotIn("\x1b", output)


class Colours(unittest.TestCase):
    def test_only_where_wanted(self) -> None:
        for option, no_color, coloured in (
            ("--color=always", "", True),
            ("--color=always", "1", True),
            ("--color=never", "", False),
            ("--color=auto", "", False),  # not a terminal
        ):
            with mock.patch.dict(os.environ, NO_COLOR=no_color):
                self.assertEqual("\x1b[" in run(option, TINY)[1], coloured)

    def test_a_terminal_and_no_color(self) -> None:
        for no_color, coloured in (("", True), ("1", False)):
            terminal = {**os.environ, "TERM": "xterm", "NO_COLOR": no_color}
            first, second = os.openpty()
            subprocess.run(
                [sys.executable, str(SCRIPT), "-n1", TINY],
                stdout=second,
                stderr=second,
                env=terminal,
                check=True,
            )
            os.close(second)
            output = os.read(first, 10_000)
            os.close(first)
            self.assertEqual(b"\x1b[" in output, coloured)

    def test_columns_stay_in_line(self) -> None:
        plain = run(TINY)[1]
        coloured = run("--color=always", TINY)[1]
        for code in ("\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[0m"):
            coloured = coloured.replace(code, "")
        self.assertEqual(coloured, plain)

    def test_json_and_csv_have_none(self) -> None:
        for form in ("--json", "--csv"):
            self.assertNotIn("\x1b", run("--color=always", form, TINY)[1])


class Neighbours(unittest.TestCase):
    def test_callers_above_and_callees_below(self) -> None:
        output = run("-f", "even", TINY)[1].splitlines()
        self.assertEqual(
            output[4:],
            [
                "self  inclusive   share  calls  object  function",
                "             66  23.66%      3  tiny    <- main_part (tiny.c)",
                "  35         66  23.66%      3  tiny    even (tiny.c)",
                "             31  11.11%      2  tiny      -> odd (tiny.c)",
                "",
                "self  inclusive  share  calls  object  function",
                "              9  3.23%      1  tiny    <- odd (tiny.c)",
                "   9          9  3.23%      1  tiny    even'2 (tiny.c)",
            ],
        )

    def test_calls_of_itself_are_bounded(self) -> None:
        (found,) = document("-f", "factorial", str(DATA / "tiny_recs1.out"))["functions"]
        (itself,) = [each for each in found["callees"] if each["name"] == "factorial"]
        self.assertLessEqual(itself["inclusive"]["Ir"], found["inclusive"]["Ir"])
        self.assertFalse(itself["inclusive_exact"])

    def test_patterns(self) -> None:
        def names(*words: str) -> list[str]:
            return [f["name"] for f in document(*words, TINY)["functions"]]

        self.assertEqual(names("-f", "fact*l"), ["factorial"])
        self.assertEqual(
            names("-f", "o?d", "-f", "*'2"), ["odd", "factorial'2", "even'2"]
        )
        self.assertEqual(names("-f", "odd", "-f", "o*"), ["odd"])

    def test_limit_counts_each_side(self) -> None:
        output = run("-n1", "-f", "main_part", TINY)[1].splitlines()
        self.assertEqual(len(output), 4 + 4)

    def test_unknown_name(self) -> None:
        status, output, errors = run("-f", "fact", TINY)
        self.assertEqual((status, output), (2, ""))
        self.assertEqual(
            errors,
            "callgrind_report: no function is called 'fact'; there is \"factorial'2\", "
            "'factorial'\n",
        )

    def test_csv(self) -> None:
        rows = table("-f", "odd", TINY)
        self.assertEqual(
            [
                (row["direction"], row["other function"], row["inclusive Ir"])
                for row in rows
            ],
            [("caller", "even", "31"), ("callee", "even'2", "9")],
        )


class Source(FolderTest):
    def test_lines_and_calls(self) -> None:
        output = run("-a", "-C0", "-I", str(DATA), TINY)[1].splitlines()
        self.assertIn(f"-- /src/tiny.c ({DATA}/tiny.c): 279, 100.00% of Ir", output)
        self.assertIn(
            "  30  10.75%    14        sum += factorial(i + 3) + even(i);", output
        )
        self.assertIn(
            "                      -> factorial (tiny.c): 3 calls, 153, 54.84%", output
        )
        self.assertFalse(any("int zeros" in line for line in output))

    def test_context(self) -> None:
        output = run("-a", "-C1", "-I", str(DATA), TINY)[1]
        self.assertIn("                10  int main_part(void);", output)
        self.assertNotIn("int zeros", output)

    def test_one_function(self) -> None:
        (source,) = document("-a", "-f", "even", "-r", TINY)["sources"]
        self.assertEqual([line["line"] for line in source["lines"]], [5])
        self.assertEqual(source["self"], {"Ir": 44})

    def test_longest_end_of_the_path_is_found_first(self) -> None:
        self.write("tiny.c", "wrong\n")
        self.write("src/tiny.c", "right\n" * 30)
        (source,) = document("-a", "-I", str(self.folder), TINY)["sources"]
        self.assertEqual(source["path"], str(self.folder / "src" / "tiny.c"))

    def test_missing_source_is_one_line(self) -> None:
        status, output, errors = run("-a", TINY)
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(
            output.splitlines()[4:],
            [
                "-- /src/tiny.c: 279, 100.00% of Ir; not found",
                "--source-dir=FOLDER: where to look for sources that were not found",
            ],
        )

    def test_newer_source_is_told(self) -> None:
        shutil.copy(TINY, self.folder / "p")
        os.utime(self.folder / "p", (1000, 1000))
        shutil.copy(DATA / "tiny.c", self.folder)
        arguments = ["-a", "-I", str(self.folder), str(self.folder / "p")]
        self.assertIn("newer than the profile", run(*arguments)[1])
        os.utime(self.folder / "tiny.c", (500, 500))
        self.assertNotIn("newer than the profile", run(*arguments)[1])

    def test_lines_behind_the_end(self) -> None:
        self.write("tiny.c", "only one line\n", 1)
        output = run("-a", "-I", str(self.folder), TINY)[1]
        self.assertIn("14  (past the end of the file)", output)

    def test_inlined_code_stands_in_its_own_file(self) -> None:
        files = {
            source["file"]: source["self"]["Ir"]
            for source in document("-a", str(DATA / "inlined.out"))["sources"]
        }
        total = document(str(DATA / "inlined.out"))["total"]["Ir"]
        self.assertGreater(len(files), 1)
        self.assertEqual(sum(files.values()), total)

    def test_chosen_file(self) -> None:
        status, _, errors = run("--file=other.c", TINY)
        self.assertEqual(status, 2)
        self.assertIn("no source file is called 'other.c'", errors)
        for name in ("tiny.c", "/src/tiny.c", "t*.c", "src/tiny.c"):
            self.assertEqual(len(document("--file", name, TINY)["sources"]), 1)

    def test_threshold_is_for_files(self) -> None:
        path = self.write("p", "events: Ir\nfl=a\nfn=f\n1 1000\nfl=b\nfn=g\n1 1\n")
        self.assertIn("... and 1 more file, 1 of self cost", run("-a", str(path))[1])
        self.assertIn("-- b: 1,", run("-a", "-t0", str(path))[1])

    def test_csv_adds_up(self) -> None:
        rows = table("-a", TINY)
        self.assertEqual(sum(int(row["self Ir"] or 0) for row in rows), 279)
        calls = [row for row in rows if row["callee function"] == "factorial"]
        self.assertEqual([(row["line"], row["calls"]) for row in calls], [("14", "3")])


class Choosing(FolderTest):
    def test_newest_of_the_folder(self) -> None:
        self.write("callgrind.out.9", profile(9), 2000)
        self.write("callgrind.out.10", profile(10), 3000)
        self.write("callgrind.out.11", "", 4000)
        self.write("callgrind.out.12.tmp1", "half", 5000)
        with inside(self.folder):
            output = run()[1]
        self.assertEqual(
            output.splitlines()[0], "File:    callgrind.out.10 (the newest here)"
        )
        self.assertIn("Total:   10", output)

    def test_threads_of_one_dump_belong_together(self) -> None:
        self.write("callgrind.out.9", "", 2000)
        self.write("callgrind.out.9-01", profile(1), 2000)
        self.write("callgrind.out.9-02", profile(2), 2001)
        self.write("callgrind.out.9.1-01", profile(100), 1999)
        with inside(self.folder):
            output = run()[1]
        self.assertIn(
            "callgrind.out.9-01, callgrind.out.9-02 (the newest here, 2 threads)", output
        )
        self.assertIn("Total:   3", output)

    def test_nothing_here(self) -> None:
        with inside(self.folder):
            status, output, errors = run()
        self.assertEqual((status, output), (2, ""))
        self.assertIn("no callgrind.out.* in this folder", errors)

    def test_a_folder_is_all_in_it(self) -> None:
        self.write("run/callgrind.out.1", profile(1))
        self.write("run/callgrind.out.2.1", profile(2))
        self.write("run/notes", "not a profile")
        self.assertEqual(document(str(self.folder / "run"))["total"], {"Ir": 3})
        status, _, errors = run(str(self.folder))
        self.assertEqual(status, 2)
        self.assertIn("no callgrind.out.*", errors)


class Refusals(FolderTest):
    def refused(self, what: str, *arguments: str) -> None:
        status, output, errors = run(*arguments)
        self.assertEqual((status, output), (2, ""))
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertTrue(errors.startswith("callgrind_report: "), errors)
        self.assertIn(what, errors)

    def test_missing_empty_and_foreign_files(self) -> None:
        self.refused("No such file", "nowhere.out")
        self.refused("not a callgrind profile", str(DATA / "tiny.c"))
        self.refused("empty file", str(self.write("empty", "")))

    def test_one_bad_file_among_good_ones(self) -> None:
        self.refused("nowhere.out", TINY, "nowhere.out")

    def test_the_same_file_twice(self) -> None:
        os.symlink(TINY, self.folder / "link")
        self.refused("is the same file as", TINY, str(self.folder / "link"))

    def test_events(self) -> None:
        self.refused("no event 'D1mr' here; there is Ir", "--event=D1mr", TINY)
        self.refused("has no event 'Dr'", "--event=Dr", CACHE, TINY)

    def test_options(self) -> None:
        self.refused("--limit", "--limit", "-1", TINY)
        self.refused("invalid number value: 'x'", "-n", "x", TINY)
        self.refused("invalid per cent value: '101%'", "-t", "101%", TINY)
        self.refused("--no-such", "--no-such", TINY)
        self.refused("not allowed with", "--json", "--csv", TINY)
        self.refused("need --diff", "--fail-above=1%", TINY)
        self.refused("OLD and NEW alone", "--diff", TINY, CACHE, TINY)
        self.refused("does not go together", "--diff", TINY, CACHE, "-a")


class Script(unittest.TestCase):
    def test_runs_from_anywhere(self) -> None:
        result = subprocess.run(
            [sys.executable, str(SCRIPT), TINY],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("main_part", result.stdout)

    def test_reader_of_a_pipe_may_leave(self) -> None:
        result = subprocess.run(
            ["sh", "-c", f"'{sys.executable}' '{SCRIPT}' '{TINY}' | true"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.stderr, "")

    def test_a_pipe_is_a_profile(self) -> None:
        result = subprocess.run(
            ["sh", "-c", f"cat '{TINY}' | '{sys.executable}' '{SCRIPT}' /dev/stdin"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Total:   279", result.stdout)

    def test_names_that_the_terminal_cannot_show(self) -> None:
        with tempfile.NamedTemporaryFile(suffix=".out") as file:
            file.write("events: Ir\nfl=a\nfn=größe\n1 1\n".encode() + b"fn=\xff\n1 1\n")
            file.flush()
            result = subprocess.run(
                [sys.executable, str(SCRIPT), file.name],
                capture_output=True,
                check=False,
                env={**os.environ, "PYTHONIOENCODING": "ascii"},
            )
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertIn(b"gr\\xf6\\xdfe", result.stdout)

    def test_progress_goes_to_stderr_and_away_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "large"
            maker = REPORT / "tests" / "make_large_profile.py"
            subprocess.run(
                [sys.executable, str(maker), "--megabytes=9", str(path)], check=True
            )
            result = subprocess.run(
                [sys.executable, str(SCRIPT), "--progress=always", "-n1", str(path)],
                capture_output=True,
                check=True,
            )
        steps = result.stderr.decode().split("\r")
        self.assertRegex(steps[1], r"^reading large: [0-9]+% of 9 MB$")
        self.assertEqual(steps[-2].strip(), "")
        self.assertEqual(steps[-1], "")
        self.assertNotIn(b"reading", result.stdout)
