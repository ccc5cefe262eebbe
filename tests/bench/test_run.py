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

    def columns(self, workload: str) -> Any:
        return self.json()["workloads"][workload]["columns"]

    def verdicts(self) -> dict[str, str]:
        return {goal["what"]: goal["verdict"] for goal in self.json()["goals"]}


class Measured(CommandLine):
    def test_prints_a_table_and_leaves_a_copy_in_the_build_folder(self) -> None:
        make_launcher(self.build / "vg-in-place")
        done = self.bench("--only", "fib", "--only", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        first = [line.split()[1] for line in done.stdout.splitlines()[4:7]]
        self.assertEqual(first, ["true", "fib", "geometric"])
        self.assertEqual(self.json()["settings"],
                         {"runs": 2, "size": "quick", "sets": ["ir"]})
        self.assertEqual(self.json()["versions"]["ours"], "valgrind-0.fake")
        columns = self.columns("fib")
        self.assertEqual(list(columns), ["none", "stock-ir", "ours-ir", "ours-off"])
        runs = columns["ours-ir"]["runs"]
        self.assertEqual([one["counted"] for one in runs], [1000, 1000])
        self.assertGreater(min(one["user"] + one["system"] for one in runs), 0)

    def test_goes_on_without_ours_or_memory_and_says_so(self) -> None:
        path = self.build / "other.json"
        done = self.bench("--only=fib", f"--json={path}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no columns of ours (run make first)", done.stdout)
        self.assertNotIn("ours Ir", done.stdout)
        # Native programs are smaller than the Python that starts them.
        self.assertIn("fib: peak memory is not known", done.stdout)
        self.assertIn("| fib ", done.stdout)
        self.assertIn("fib", json.loads(path.read_text(encoding="utf-8"))["workloads"])

    def test_ends_with_status_1_when_a_column_fails(self) -> None:
        make_launcher(self.build / "vg-in-place", extra="exit 9")
        done = self.bench("--only=true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: true, ours Ir: ", done.stdout)
        self.assertIn("status 9", self.json()["workloads"]["true"]["failures"]["ours-ir"])

    def test_measures_the_columns_of_the_goals_and_has_status_1_if_one_is_missed(
        self,
    ) -> None:
        four_times_over = '"$@" >/dev/null; "$@" >/dev/null; "$@" >/dev/null'
        make_launcher(self.build / "vg-in-place", extra=four_times_over)
        done = self.bench("--only=fib", "--goals", "--runs=1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.json()["settings"]["sets"],
                         ["ir", "cache", "branch", "both", "off", "tree", "cycles",
                          "runner-line", "runner", "real", "pairs", "suites", "warm"])
        verdicts = self.verdicts()
        self.assertEqual(verdicts["Ir, fib"], "NOT MET")
        self.assertEqual(verdicts["Ir, geometric mean"], "not measured")
        self.assertNotEqual(verdicts["caches, fib"], "not measured")
        self.assertEqual(self.bench("--only=true", "--set=off").returncode, 0)
        self.bench("--only=true", "--goals", "--set=cache")
        self.assertEqual(self.json()["settings"]["sets"], ["cache"])
        self.assertEqual(self.verdicts()["Ir, true"], "not measured")

    def test_runs_in_a_set_of_its_own_what_is_for_it_alone(self) -> None:
        make_launcher(self.build / "vg-in-place")
        for name, only, sets, keys in (
            ("runner", "off-true", "native or runner or warm", ["runner", "folded"]),
            ("real", "gcc", "real", ["real-ir", "real-cache", "real-both"]),
        ):
            done = self.bench("--only=true", f"--only={only}", f"--set={name}", "--goals")
            self.assertEqual(list(self.json()["workloads"]), [only], done.stderr)
            self.assertIn("note: true is left out: it is for --set=ir or cache or ",
                          done.stdout)
            ours = [key for key in self.columns(only) if key.startswith("ours")]
            self.assertEqual(ours, [f"ours-{key}" for key in keys])
            done = self.bench(f"--only={only}")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{only} is left out: it is for --set={sets}", done.stderr)

    @unittest.skipUnless(os.access(VALGRIND, os.X_OK), "no valgrind installed")
    def test_measures_valgrind_itself(self) -> None:
        self.stock = Path(VALGRIND)
        done = self.bench("--only=true", "--runs=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        columns = self.columns("true")
        self.assertGreater(columns["none"]["cpu_seconds_median"], 0)
        self.assertGreater(columns["stock-ir"]["runs"][0]["counted"], 10_000)
        self.assertNotIn("peak memory is not known", done.stdout)


class Refused(CommandLine):
    def test_with_a_line_that_says_what_to_do(self) -> None:
        file = self.build / "file"
        file.touch()
        for reason, *arguments in (
            ("--long: not allowed with argument --quick", "--long"),
            ("/no/valgrind: no such program", "--stock=/no/valgrind"),
            ("/no/ours: no such program", "--ours=/no/ours"),
            ("--only: invalid choice: 'fibb'", "--only=fibb"),
            ("--runs: '0' is not a number from 1", "--runs=0"),
            ("Not a directory: choose another", f"--build={file}"),
            ("fib is left out: cannot run /no/cc", "--only=fib", "--cc=/no/cc"),
        ):
            with self.subTest(reason):
                done = self.bench(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(reason, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertEqual(done.stdout, "")
