# SPDX-License-Identifier: GPL-2.0-or-later
"""What is made for the workloads, and what happens when it cannot be made."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from callgrind.report.tests.npm_packages import BUILD
from tests.bench.inputs import (
    Place,
    Unavailable,
    compiled,
    compiler_proper,
    installed,
    make_from,
    random_lines,
)
from tests.bench.workloads import WORKLOADS, chosen
from tests.runner.series import is_long

PROGRAMS = Path(__file__).resolve().parent / "programs"
VALGRIND = "/usr/bin/valgrind"


class GeneratedText(unittest.TestCase):
    def test_is_the_same_for_the_same_seed(self) -> None:
        self.assertEqual(list(random_lines(8, seed=1)), list(random_lines(8, seed=1)))
        self.assertNotEqual(list(random_lines(8, seed=1)), list(random_lines(8, seed=2)))

    def test_is_as_long_as_asked_but_for_the_last_line(self) -> None:
        lines = list(random_lines(16, seed=1))
        without_last = sum(len(line) for line in lines[:-1])
        self.assertLess(without_last, 16 * 1024)
        self.assertGreaterEqual(without_last + len(lines[-1]), 16 * 1024)


class Made(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.place = Place(PROGRAMS, self.folder, "gcc")

    @unittest.skipUnless(is_long(), "the bench compares, too: with --long")
    def test_every_workload_prints_the_same_twice(self) -> None:
        # What comes over the network is kept in the build folder.
        kept = Place(PROGRAMS, BUILD / "tests" / "bench", "gcc")
        for workload in WORKLOADS:
            with self.subTest(workload=workload.name):
                place = kept if workload.name in ("plugin", "sixty") else self.place
                try:
                    values = workload.make(place, workload.quick)
                except Unavailable as missing:
                    self.skipTest(str(missing))
                environment = {**os.environ, **dict(workload.environment(values))}
                for command in workload.filled(workload.quick, values):
                    outputs = [
                        subprocess.run(command, capture_output=True, check=True,
                                       env=environment).stdout
                        for _ in range(2)
                    ]
                    self.assertEqual(outputs[0], outputs[1])

    def test_fib_is_compiled_with_its_calls(self) -> None:
        program = chosen(["fib"])[0].make(self.place, 1)["program"]
        code = subprocess.run(
            ["objdump", "-d", "--disassemble=fibonacci", program],
            capture_output=True, text=True, check=True,
        ).stdout
        self.assertEqual(code.count("call "), 2, code)

    def test_a_program_that_does_not_compile_is_unavailable(self) -> None:
        (self.folder / "bad.c").write_text("not C\n", encoding="ascii")
        with self.assertRaisesRegex(Unavailable, "bad.c failed: .*error"):
            compiled("bad.c")(Place(self.folder, self.folder, "gcc"), 1)

    def test_copies_of_a_program_have_other_names_and_are_compiled(self) -> None:
        values = compiler_proper("real.c", copies=True)(self.place, 3)
        code = subprocess.run(
            [values["program"], "-fpreprocessed", "-quiet", "-o", "-", values["source"]],
            capture_output=True, text=True, check=True,
        ).stdout
        found = re.findall(r"^work_(\d+):", code, re.M)
        self.assertEqual(found, ["0", "1", "2"])

    def test_a_step_reads_what_it_is_fed(self) -> None:
        target = self.folder / "fed"
        make_from(["dd", f"of={target}"], (f"{number}\n" for number in range(3)))
        self.assertEqual(target.read_text(), "0\n1\n2\n")

    def test_a_step_that_ends_before_it_has_read_all_is_told(self) -> None:
        endless = ("x" * 10_000 for _ in range(1_000))
        with self.assertRaisesRegex(Unavailable, "^sh .* failed: it went wrong$"):
            make_from(["sh", "-c", "echo it went wrong >&2; exit 3"], endless)
        with self.assertRaisesRegex(Unavailable, "cannot run /no/such/step"):
            make_from(["/no/such/step"], endless)

    def test_a_missing_compiler_is_named(self) -> None:
        with self.assertRaisesRegex(Unavailable, "cannot run /no/such/cc"):
            compiled("fib.c")(Place(PROGRAMS, self.folder, "/no/such/cc"), 1)

    def test_a_missing_program_is_named(self) -> None:
        with self.assertRaisesRegex(Unavailable, "/no/such/program is not installed"):
            installed("/no/such/program")(self.place, 1)


class Benchmarks(unittest.TestCase):
    def test_ask_for_instrumentation_as_often_as_they_have_benchmarks(self) -> None:
        """Under a Valgrind, whichever is installed; the plugin brings its own library."""
        if not os.access(VALGRIND, os.X_OK):
            self.skipTest("no valgrind installed")
        place = Place(PROGRAMS, BUILD / "tests" / "bench", "gcc")
        for name, size, parts in (
            ("plugin", 3, 3), ("pytest", 1, 4), ("small", 3, 3), ("cxx", 100, 4),
        ):
            with self.subTest(workload=name), tempfile.TemporaryDirectory() as folder:
                workload = chosen([name])[0]
                try:
                    values = workload.make(place, size)
                except Unavailable as missing:
                    self.skipTest(str(missing))
                profile = Path(folder) / "profile"
                subprocess.run(
                    [VALGRIND, "-q", "--tool=callgrind", "--instr-atstart=no",
                     "--combine-dumps=yes", f"--callgrind-out-file={profile}",
                     *workload.filled(size, values)[0]],
                    capture_output=True, check=True,
                )
                totals = re.findall(r"^totals: *(\d*)$", profile.read_text(), re.M)
                counted = [total for total in totals if int(total or 0) > 0]
                self.assertEqual(len(counted), parts, totals)


class Chosen(unittest.TestCase):
    def test_no_names_are_all(self) -> None:
        self.assertEqual(chosen([]), list(WORKLOADS))

    def test_names_keep_the_order_of_the_table(self) -> None:
        names = [workload.name for workload in chosen(["perl", "fib"])]
        self.assertEqual(names, ["fib", "perl"])
