# SPDX-License-Identifier: GPL-2.0-or-later
"""How runs are made, measured and checked; with a launcher that runs natively."""

from __future__ import annotations

import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Optional

from tests.bench.columns import BASE, Column, columns_of
from tests.bench.fakes import make_launcher, run
from tests.bench.figures import Run
from tests.bench.measure import (
    Failed,
    Series,
    Surroundings,
    measure,
    profile_total,
    run_command,
)


class InFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.surroundings = Surroundings(self.folder)

    def shell(self, script: str) -> list[str]:
        return ["/bin/sh", "-c", script]


class Variables(InFolder):
    def test_of_the_workload_come_on_top_and_replace(self) -> None:
        more = (("R_HOME", "/home of R"), ("LC_ALL", "C.UTF-8"))
        environment = Surroundings(self.folder, variables=more).environment()
        self.assertEqual(environment["R_HOME"], "/home of R")
        self.assertEqual(environment["LC_ALL"], "C.UTF-8")
        self.assertEqual(set(environment), {*self.surroundings.environment(), "R_HOME"})

    def test_reach_the_program(self) -> None:
        surroundings = Surroundings(self.folder, variables=(("GIVEN", "a b"),))
        given = run_command(self.shell('echo "$GIVEN"'), surroundings)
        self.assertEqual(
            given.output, run_command(self.shell("echo a b"), surroundings).output
        )
        without = run_command(self.shell('echo "$GIVEN"'), self.surroundings)
        self.assertNotEqual(given.output, without.output)


class OneCommand(InFolder):
    def test_takes_the_time_of_the_children_too(self) -> None:
        spin = "import time\nwhile time.process_time() < 0.3: pass"
        done = run_command(
            self.shell(f"{sys.executable} -c '{spin}'; true"), self.surroundings
        )
        self.assertGreaterEqual(done.user + done.system, 0.29)
        self.assertGreaterEqual(done.wall, 0.29)

    def test_does_not_count_the_time_of_those_before(self) -> None:
        spin = "import time\nwhile time.process_time() < 0.5: pass"
        before = run_command([sys.executable, "-c", spin], self.surroundings)
        done = run_command(self.shell("true"), self.surroundings)
        self.assertLess(done.user + done.system, before.user + before.system)

    def test_takes_the_peak_not_the_end_of_memory(self) -> None:
        grow = "x = bytearray(200 << 20); del x"
        done = run_command([sys.executable, "-c", grow], self.surroundings)
        self.assertGreater(done.peak_kib, 200 << 10)

    def test_tells_outputs_apart(self) -> None:
        a, b, c = (
            run_command(self.shell(f"echo {word}"), self.surroundings).output
            for word in ("one", "two", "one")
        )
        self.assertNotEqual(a, b)
        self.assertEqual(a, c)

    def test_fails_with_the_status_and_the_last_complaint(self) -> None:
        with self.assertRaisesRegex(Failed, "^/bin/sh ended with status 3: it broke$"):
            run_command(self.shell("echo it broke >&2; exit 3"), self.surroundings)

    def test_fails_with_the_signal(self) -> None:
        with self.assertRaisesRegex(Failed, "died of signal 9"):
            run_command(self.shell("kill -9 $$"), self.surroundings)

    def test_that_cannot_start_fails_by_name(self) -> None:
        with self.assertRaisesRegex(Failed, "cannot start /no/such/program"):
            run_command(["/no/such/program"], self.surroundings)

    def test_sees_nothing_of_the_environment_of_the_user(self) -> None:
        check = 'test -z "${VALGRIND_OPTS+x}" && test "$HOME" = "$PWD"'
        with unittest.mock.patch.dict("os.environ", VALGRIND_OPTS="--tool=lackey"):
            run_command(self.shell(check), self.surroundings)


class ProfileTotal(InFolder):
    def test_adds_up_parts_and_processes_and_takes_the_first_event(self) -> None:
        (self.folder / "profile.1").write_text("totals: 5 900\nfn=f\ntotals: 7 900\n")
        (self.folder / "profile.2").write_text("totals: 100\n")
        self.assertEqual(profile_total(self.folder), 112)

    def test_does_not_exist_without_a_profile(self) -> None:
        self.assertIsNone(profile_total(self.folder))

    def test_does_not_find_the_profile_of_the_run_before(self) -> None:
        (self.folder / "profile.1").write_text("totals: 5\n")
        profile_total(self.folder)
        self.assertIsNone(profile_total(self.folder))


class Measuring(InFolder):
    def setUp(self) -> None:
        super().setUp()
        self.order: list[str] = []
        self.columns = columns_of(["ir"], with_ours=True)

    def progress(self, number: int, column: Column, run: Optional[Run]) -> None:
        if run is None:
            self.order.append(f"{number} {column.key}")

    def measure(self, ours: str = "", rounds: int = 2, counted: int = 1000) -> Series:
        launchers = {
            False: make_launcher(self.folder / "stock"),
            True: make_launcher(self.folder / "ours", counted, ours),
        }
        commands = [self.shell("echo one"), self.shell("echo two")]
        return measure(
            commands, self.columns, launchers, rounds, self.surroundings, self.progress
        )

    def test_goes_through_all_columns_before_the_next_round(self) -> None:
        series = self.measure()
        self.assertEqual(self.order, [
            "1 none", "1 stock-ir", "1 ours-ir", "1 ours-off",
            "2 none", "2 stock-ir", "2 ours-ir", "2 ours-off",
        ])
        self.assertEqual([len(runs) for runs in series.runs.values()], [2] * 4)
        self.assertEqual(series.failures, {})

    def test_fills_a_cache_that_is_to_be_warm_and_empties_one_that_is_to_be_cold(
        self,
    ) -> None:
        warm, cold = (
            Column(key, key, True, "callgrind", counts=True, cache=key)
            for key in ("warm", "cold")
        )
        self.columns = [BASE, warm, cold]
        # Counts the runs that have used a folder, in a file there.
        ours = 'mkdir -p "$cache"; echo run >> "$cache/runs"'
        self.measure(ours=ours, rounds=3)
        runs = {
            column.key: (column.cache_folder(self.folder) / "runs").read_text().split()
            for column in (warm, cold)
        }
        self.assertEqual(len(runs["warm"]), 2 * 4)  # two commands; one round more
        self.assertEqual(len(runs["cold"]), 1)  # of the second command alone

    def test_keeps_what_the_profiles_of_all_commands_counted(self) -> None:
        runs = self.measure(rounds=1).runs
        self.assertIsNone(runs["none"][0].counted)
        self.assertEqual(runs["ours-ir"][0].counted, 2000)
        self.assertEqual(runs["ours-off"][0].counted, 0)

    def test_adds_up_the_time_of_the_commands_and_takes_the_largest_memory(self) -> None:
        spin = "import time\nwhile time.process_time() < 0.2: pass"
        commands = [
            [sys.executable, "-c", f"x = bytearray(200 << 20); del x\n{spin}"],
            [sys.executable, "-c", spin],
        ]
        launchers = {False: make_launcher(self.folder / "stock")}
        series = measure(
            commands, self.columns[:1], launchers, 1, self.surroundings, self.progress
        )
        run = series.runs["none"][0]
        self.assertGreaterEqual(run.cpu, 0.39)
        self.assertGreater(run.peak_kib, 200 << 10)

    def test_subtracts_a_run_that_is_made_right_after(self) -> None:
        """Each round, in each column."""
        many, one = [self.shell("echo many")], [self.shell("echo one")]
        order: list[str] = []

        def made(column: Column, launcher: Path, commands: list[list[str]],
                 expected: list[str], surroundings: Surroundings) -> Run:
            order.append(f"{column.key} {commands[0][-1]}")
            for command, output in zip(commands, expected):
                self.assertEqual(run_command(command, surroundings).output, output)
            return run(5.0, 700, counted=9) if commands == many else run(2.0, 900)

        columns = self.columns[:2]
        with unittest.mock.patch("tests.bench.measure.run_workload", made):
            series = measure(many, columns, {False: Path(), True: Path()}, 2,
                             self.surroundings, self.progress, one)
        self.assertEqual(order, [
            "none echo many", "none echo one", "stock-ir echo many", "stock-ir echo one",
        ] * 2)
        for runs in series.runs.values():
            self.assertEqual(runs, [run(3.0, 700)] * 2)

    def test_a_failing_column_is_dropped_and_the_others_go_on(self) -> None:
        series = self.measure(ours='[ -z "$profile" ] || exit 7')
        self.assertEqual(sorted(series.failures), ["ours-ir", "ours-off"])
        self.assertIn("status 7", series.failures["ours-ir"])
        self.assertEqual(sorted(series.runs), ["none", "stock-ir"])
        self.assertEqual(self.order.count("2 ours-ir"), 0)

    def test_a_column_that_fails_late_loses_its_earlier_runs(self) -> None:
        # Two commands in two columns: the fifth start is the second round's first.
        starts = self.folder / "starts"
        series = self.measure(ours=f'echo >>{starts}; [ "$(wc -l <{starts})" -le 4 ]')
        self.assertIn("2 ours-ir", self.order)
        self.assertNotIn("ours-ir", series.runs)

    def test_other_output_than_natively_is_a_failure(self) -> None:
        failures = self.measure(ours="echo also this").failures
        self.assertIn("printed something else", failures["ours-ir"])

    def test_a_profiler_that_writes_no_profile_has_no_time(self) -> None:
        failures = self.measure(ours=f"rm -f {self.folder}/profile.*").failures
        self.assertEqual(failures["ours-ir"], "no profile was written")

    def test_a_profiler_that_counts_nothing_has_no_time(self) -> None:
        failures = self.measure(counted=0).failures
        self.assertEqual(failures, {"ours-ir": "the profile is empty"})

    def test_counting_with_instrumentation_off_is_a_failure(self) -> None:
        count = f"echo totals: 9 >{self.folder}/profile.$$"
        failures = self.measure(ours=count).failures
        self.assertEqual(list(failures), ["ours-off"])
        self.assertIn("counts 18", failures["ours-off"])

    def test_a_workload_that_fails_natively_is_not_measured_at_all(self) -> None:
        launchers = {False: make_launcher(self.folder / "stock")}
        with self.assertRaises(Failed):
            measure([["/bin/false"]], self.columns[:1], launchers, 1, self.surroundings,
                    self.progress)
        self.assertEqual(self.order, [])
