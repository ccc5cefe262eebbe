# SPDX-License-Identifier: GPL-2.0-or-later
"""The bench from its command line: tables, JSON copy, exit status, refusals.

Mostly with a launcher that runs programs natively; once with Valgrind itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from tests.bench.fakes import make_launcher

RUN = Path(__file__).resolve().parent / "run"
VALGRIND = "/usr/bin/valgrind"


class CommandLine(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name) / "build"
        self.build.mkdir()
        self.stock = make_launcher(Path(folder.name) / "valgrind")

    def bench(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        # A process's peak memory includes what its parent had when it was started; here
        # that is a small shell, not the process that runs the tests.
        return subprocess.run(
            ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, str(RUN),
             f"--build={self.build}", f"--stock={self.stock}", "--quick", "--runs=2",
             *arguments],
            capture_output=True, text=True, check=False,
        )

    def json(self) -> Any:
        return json.loads((self.build / "bench.json").read_text(encoding="utf-8"))


class Measured(CommandLine):
    def test_prints_a_table_and_leaves_a_copy_in_the_build_folder(self) -> None:
        make_launcher(self.build / "vg-in-place")
        done = self.bench("--only", "fib", "--only", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        first = [line.split()[:1] for line in done.stdout.splitlines()[2:6]]
        self.assertEqual(first, [["none"], ["true"], ["fib"], ["geometric"]])
        copy = self.json()
        self.assertEqual(copy["settings"], {"runs": 2, "size": "quick", "sets": ["ir"]})
        self.assertEqual(copy["versions"]["ours"], "valgrind-0.fake")
        self.assertEqual(
            list(copy["workloads"]["fib"]["columns"]),
            ["none", "stock-ir", "ours-ir", "ours-off"],
        )
        runs = copy["workloads"]["fib"]["columns"]["ours-ir"]["runs"]
        self.assertEqual([one["counted"] for one in runs], [1000, 1000])
        self.assertGreater(min(one["user"] + one["system"] for one in runs), 0)

    def test_of_two_sizes_is_refused(self) -> None:
        done = self.bench("--long", "--only=fib")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--long: not allowed with argument --quick", done.stderr)

    def test_goes_on_without_ours_or_memory_and_says_so(self) -> None:
        done = self.bench("--only=fib")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no columns of ours (run make first)", done.stdout)
        self.assertNotIn("ours Ir", done.stdout)
        # Native programs are smaller than the Python that starts them.
        self.assertIn("fib: peak memory is not known", done.stdout)

    def test_ends_with_status_1_when_a_column_fails(self) -> None:
        make_launcher(self.build / "vg-in-place", extra="exit 9")
        done = self.bench("--only=true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: true, ours Ir: ", done.stdout)
        self.assertIn("status 9", self.json()["workloads"]["true"]["failures"]["ours-ir"])

    def test_ends_with_status_1_when_a_goal_is_missed(self) -> None:
        four_times_over = '"$@" >/dev/null; "$@" >/dev/null; "$@" >/dev/null'
        make_launcher(self.build / "vg-in-place", extra=four_times_over)
        self.assertEqual(self.bench("--only=fib").returncode, 0)
        done = self.bench("--only=fib", "--goals")
        self.assertEqual(done.returncode, 1, done.stderr)
        verdicts = {goal["what"]: goal["verdict"] for goal in self.json()["goals"]}
        self.assertEqual(verdicts["Ir, fib"], "NOT MET")
        self.assertEqual(verdicts["Ir, geometric mean"], "not measured")

    def test_measures_the_columns_that_the_goals_are_for(self) -> None:
        make_launcher(self.build / "vg-in-place")
        self.bench("--only=fib", "--goals")
        self.assertEqual(self.json()["settings"]["sets"],
                         ["ir", "cache", "branch", "both", "off", "tree", "cycles",
                          "runner", "real", "pairs", "warm"])
        verdicts = {goal["what"]: goal["verdict"] for goal in self.json()["goals"]}
        self.assertNotEqual(verdicts["caches, fib"], "not measured")
        self.bench("--only=fib", "--goals", "--set=cache")
        self.assertEqual(self.json()["settings"]["sets"], ["cache"])
        verdicts = {goal["what"]: goal["verdict"] for goal in self.json()["goals"]}
        self.assertEqual(verdicts["Ir, fib"], "not measured")

    def test_runs_in_the_set_runner_what_is_for_it_alone(self) -> None:
        make_launcher(self.build / "vg-in-place")
        done = self.bench("--only=fib", "--only=off-true", "--set=runner", "--goals")
        self.assertEqual(list(self.json()["workloads"]), ["off-true"], done.stderr)
        self.assertIn("note: fib is left out: it belongs to the other sets", done.stdout)
        verdicts = {goal["what"]: goal["verdict"] for goal in self.json()["goals"]}
        self.assertNotEqual(verdicts["runner, true, off"], "not measured")
        self.assertEqual(verdicts["runner, node, off"], "not measured")
        done = self.bench("--only=off-true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("off-true is left out: it belongs to --set=runner", done.stderr)

    def test_runs_in_the_set_real_what_is_for_it_alone(self) -> None:
        make_launcher(self.build / "vg-in-place")
        done = self.bench("--only=fib", "--only=gcc", "--set=real")
        self.assertEqual(list(self.json()["workloads"]), ["gcc"], done.stderr)
        self.assertIn("note: fib is left out: it belongs to the other sets", done.stdout)
        self.assertEqual(
            list(self.json()["workloads"]["gcc"]["columns"]),
            ["none", "stock-real-ir", "ours-real-ir", "stock-real-cache",
             "ours-real-cache", "stock-real-both", "ours-real-both"],
        )
        done = self.bench("--only=gcc")
        self.assertEqual(done.returncode, 2)
        self.assertIn("gcc is left out: it belongs to --set=real", done.stderr)

    def test_prints_markdown_and_writes_the_copy_where_it_is_asked_to(self) -> None:
        path = self.build / "other.json"
        done = self.bench("--only=fib", "--markdown", f"--json={path}")
        self.assertIn("| fib |", done.stdout)
        self.assertIn("fib", json.loads(path.read_text(encoding="utf-8"))["workloads"])

    @unittest.skipUnless(os.access(VALGRIND, os.X_OK), "no valgrind installed")
    def test_measures_valgrind_itself(self) -> None:
        self.stock = Path(VALGRIND)
        done = self.bench("--only=true", "--runs=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        columns = self.json()["workloads"]["true"]["columns"]
        self.assertGreater(columns["none"]["cpu_seconds_median"], 0)
        self.assertGreater(columns["stock-ir"]["runs"][0]["counted"], 10_000)
        self.assertNotIn("peak memory is not known", done.stdout)


class Refused(CommandLine):
    def assert_refused(self, reason: str, *arguments: str) -> None:
        done = self.bench(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stderr, reason)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_launcher_that_is_not_there(self) -> None:
        self.assert_refused("/no/valgrind: no such program", "--stock=/no/valgrind")
        self.assert_refused("/no/ours: no such program", "--ours=/no/ours")

    def test_an_unknown_workload(self) -> None:
        self.assert_refused("--only: invalid choice: 'fibb'", "--only=fibb")

    def test_a_number_of_runs_that_is_none(self) -> None:
        self.assert_refused("--runs: '0' is not a number from 1", "--runs=0")

    def test_a_build_folder_that_cannot_be_made(self) -> None:
        (self.build / "file").touch()
        folder = self.build / "file"
        self.assert_refused("Not a directory: choose another", f"--build={folder}")

    def test_workloads_none_of_which_can_run(self) -> None:
        reason = "fib is left out: cannot run /no/cc"
        self.assert_refused(reason, "--only=fib", "--cc=/no/cc")
