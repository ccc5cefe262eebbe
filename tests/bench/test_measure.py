# SPDX-License-Identifier: GPL-2.0-or-later
"""How runs are made, measured and checked; with a launcher that runs natively."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Optional

from tests.bench.columns import BASE, SETS, Column, columns_of
from tests.bench.fakes import make_launcher, run
from tests.bench.measure import (
    Failed,
    Run,
    Series,
    Surroundings,
    gate_total,
    measure,
    profile_total,
    run_command,
)


def shell(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def python(seconds: float, before: str = "") -> list[str]:
    """A Python that takes so much CPU time."""
    code = f"{before}\nimport time\nwhile time.process_time() < {seconds}: pass"
    return [sys.executable, "-c", code]


GROW = "x = bytearray(200 << 20); del x"


class InFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.surroundings = Surroundings(self.folder)


class OneCommand(InFolder):
    def test_has_the_time_of_the_children_too_but_not_of_those_before(self) -> None:
        spin = " ".join(f"'{word}'" for word in python(0.3))
        done, _ = run_command(shell(f"{spin}; true"), self.surroundings)
        self.assertGreaterEqual(done.cpu, 0.29)
        self.assertGreaterEqual(done.wall, 0.29)
        after, _ = run_command(shell("true"), self.surroundings)
        self.assertLess(after.cpu, done.cpu)

    def test_has_the_peak_not_the_end_of_memory(self) -> None:
        done, _ = run_command(python(0, GROW), self.surroundings)
        self.assertGreater(done.peak_kib, 200 << 10)

    def test_is_told_apart_by_its_output(self) -> None:
        one, two, again = (run_command(shell(f"echo {word}"), self.surroundings)[1]
                           for word in ("one", "two", "one"))
        self.assertNotEqual(one, two)
        self.assertEqual(one, again)

    def test_fails_with_how_it_ended_and_the_last_complaint(self) -> None:
        surroundings = Surroundings(self.folder, ("env",))  # which is not what failed
        for command, reason in (
            (shell("echo it broke >&2; exit 3"),
             "^/bin/sh ended with status 3: it broke$"),
            (shell("kill -9 $$"), "^/bin/sh died of signal 9$"),
        ):
            with self.assertRaisesRegex(Failed, reason):
                run_command(command, surroundings)
        with self.assertRaisesRegex(Failed, "cannot start /no/such/program"):
            run_command(["/no/such/program"], self.surroundings)

    def test_sees_the_variables_of_the_workload_and_nothing_of_the_user(self) -> None:
        more = (("R_HOME", "/home of R"), ("LC_ALL", "C.UTF-8"))
        surroundings = Surroundings(self.folder, variables=more)
        self.assertEqual(set(surroundings.environment()),
                         {*self.surroundings.environment(), "R_HOME"})
        check = ('test -z "${VALGRIND_OPTS+x}" && test "$HOME" = "$PWD" && '
                 'test "$R_HOME" = "/home of R" && test $LC_ALL = C.UTF-8')
        with unittest.mock.patch.dict("os.environ", VALGRIND_OPTS="--tool=lackey"):
            run_command(shell(check), surroundings)


class ProfileTotal(InFolder):
    def test_adds_up_parts_and_processes_and_takes_the_first_event(self) -> None:
        self.assertIsNone(profile_total(self.folder))
        (self.folder / "profile.1").write_text("totals: 5 900\nfn=f\ntotals: 7 900\n")
        (self.folder / "profile.2").write_text("totals: 100\n")
        self.assertEqual(profile_total(self.folder), 112)
        self.assertIsNone(profile_total(self.folder))  # not of the run before


class GateTotal(InFolder):
    def test_adds_up_what_all_benchmarks_cost(self) -> None:
        self.assertIsNone(gate_total(self.folder))
        totals: tuple[dict[str, int], ...] = ({"Ir": 5, "Dr": 900}, {},
                                              {"Ir": 7})
        rows = [{"total": total} for total in totals]
        (self.folder / "gate.json").write_text(json.dumps({"benchmarks": rows}))
        self.assertEqual(gate_total(self.folder), 12)
        self.assertIsNone(gate_total(self.folder))

    def test_the_program_speaks_to_nobody(self) -> None:
        """What the gate prints is its own; what it has measured counts."""
        said = json.dumps({"benchmarks": [{"total": {"Ir": 5}}]})
        gate = make_launcher(self.folder / "callgrind_gate")
        gate.write_text(f"#!/bin/sh\necho 1 of 1 measured\necho '{said}' > gate.json\n")
        column = SETS["suites"][1]
        launcher = make_launcher(self.folder / "vg-in-place")
        series = measure([shell("echo one")], [column], {True: launcher}, 1,
                         self.surroundings, lambda *words: None)
        self.assertEqual(series.failures, {})
        self.assertEqual(series.runs[column.key][0].counted, 5)
        gate.write_text("#!/bin/sh\nexit 0\n")
        series = measure([shell("echo one")], [column], {True: launcher}, 1,
                         self.surroundings, lambda *words: None)
        self.assertEqual(series.failures, {column.key: "no profile was written"})


class Measuring(InFolder):
    def setUp(self) -> None:
        super().setUp()
        self.order: list[str] = []
        self.columns = columns_of(["ir"], with_ours=True)
        self.commands = [shell("echo one"), shell("echo two")]

    def progress(self, number: int, column: Column, run: Optional[Run]) -> None:
        if run is None:
            self.order.append(f"{number} {column.key}")

    def measure(self, ours: str = "", rounds: int = 2, counted: int = 1000) -> Series:
        launchers = {
            False: make_launcher(self.folder / "stock"),
            True: make_launcher(self.folder / "ours", counted, ours),
        }
        return measure(self.commands, self.columns, launchers, rounds, self.surroundings,
                       self.progress)

    def test_goes_through_all_columns_before_the_next_round(self) -> None:
        series = self.measure()
        keys = ["none", "stock-ir", "ours-ir", "ours-off"]
        self.assertEqual(self.order, [f"{round} {key}" for round in (1, 2)
                                      for key in keys])
        self.assertEqual([len(runs) for runs in series.runs.values()], [2] * 4)
        self.assertEqual(series.failures, {})
        # What the profiles of both commands counted.
        self.assertEqual([series.runs[key][0].counted for key in keys],
                         [None, 2000, 2000, 0])

    def test_fills_a_cache_that_is_to_be_warm_and_empties_one_that_is_to_be_cold(
        self,
    ) -> None:
        warm, cold = (Column(key, key, True, cache=key) for key in ("warm", "cold"))
        self.columns = [BASE, warm, cold]
        # Counts the runs that have used a folder, in a file there.
        self.measure('mkdir -p "$cache"; echo run >> "$cache/runs"', rounds=3)
        runs = {
            column.key: (column.cache_folder(self.folder) / "runs").read_text().split()
            for column in (warm, cold)
        }
        self.assertEqual(len(runs["warm"]), 2 * 4)  # two commands; one round more
        self.assertEqual(len(runs["cold"]), 1)  # of the second command alone

    def test_adds_up_the_time_of_the_commands_and_takes_the_largest_memory(self) -> None:
        self.commands = [python(0.2, GROW), python(0.2)]
        self.columns = self.columns[:1]
        run = self.measure(rounds=1).runs["none"][0]
        self.assertGreaterEqual(run.cpu, 0.39)
        self.assertGreater(run.peak_kib, 200 << 10)

    def test_subtracts_a_run_that_is_made_right_after(self) -> None:
        """Each round, in each column."""
        many, one = [shell("echo many")], [shell("echo one")]
        order: list[str] = []

        def made(column: Column, launcher: Path, commands: list[list[str]],
                 expected: list[str], surroundings: Surroundings) -> Run:
            order.append(f"{column.key} {commands[0][-1]}")
            for command, output in zip(commands, expected):
                self.assertEqual(run_command(command, surroundings)[1], output)
            return run(5.0, 700, counted=9) if commands == many else run(2.0, 900)

        with unittest.mock.patch("tests.bench.measure.run_workload", made):
            series = measure(many, self.columns[:2], {False: Path(), True: Path()}, 2,
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

    def test_a_run_that_did_not_do_what_it_should_has_no_time(self) -> None:
        profiles = f"{self.folder}/profile"
        for ours, counted, column, reason in (
            ("echo also this", 1000, "ours-ir", "printed something else"),
            (f"rm -f {profiles}.*", 1000, "ours-ir", "^no profile was written$"),
            ("", 0, "ours-ir", "^the profile is empty$"),
            (f"echo totals: 9 >{profiles}.$$", 1000, "ours-off", "counts 18"),
        ):
            with self.subTest(reason):
                series = self.measure(ours, 1, counted)
                self.assertRegex(series.failures[column], reason)
                self.assertNotIn(column, series.runs)
                self.assertIn("stock-ir", series.runs)

    def test_a_workload_that_fails_natively_is_not_measured_at_all(self) -> None:
        self.commands = [["/bin/false"]]
        with self.assertRaises(Failed):
            self.measure()
        self.assertEqual(self.order, [])
