# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests scaling.py, sixty.py and reading.py: their programs run, and a table says what it
# should.
# What grows how fast is tested where steps can be counted, in tests/native.  Of stacks
# the tool counts them itself.

"""The benches of growing work and of many small benchmarks."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.bench.reading import COMMANDS
from tests.bench.scaling import ROWS, SOURCE, Row, build, growth, main
from tests.bench.sixty import benchmarks

BUILD = os.environ.get("VG_BUILD", str(SOURCE / "build"))


class Sixty(unittest.TestCase):
    def test_all_run(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            found = benchmarks(Path(name))
            self.assertEqual(len(found), 60)
            for words in found.values():
                subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


class Reading(unittest.TestCase):
    def test_every_command_runs(self) -> None:
        said = subprocess.run(
            [sys.executable, str(SOURCE / "tests/bench/reading.py"), "--megabytes=1",
             "--rounds=1", f"--build={BUILD}"],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        for row in COMMANDS:
            self.assertRegex(
                said, rf"(?m)^\| {row} +(\| +[0-9.]+ +\| +[0-9]+ +){{2}}\|$")
        self.assertRegex(said, r"\A1 MB each; .")


class Growth(unittest.TestCase):
    def test_an_empty_run_is_left_out_and_growth_is_told(self) -> None:
        rows = [Row("a", "calls", 1000), Row("b", "names", 2000)]
        times = {"a": [0.25, 1.25, 2.25, 4.25], "b": [0.25, 0.25, 0.26, 0.27]}
        text = growth(rows, times)
        self.assertEqual([line.split()[3::2] for line in text.splitlines()[2:]], [
            ["1,000", "1.00", "2.00", "4.00", "2.0"],
            ["2,000", "0.00", "0.01", "0.02", "-"],
        ])

    def test_every_kind_runs(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = main(["--build", BUILD, "--runs", "1", "--divide", "1000"])
        self.assertEqual(status, 0)
        for row in ROWS:
            self.assertIn(f"| {row.what} ", said.getvalue())

    def test_a_compiler_that_is_not_there(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = main(["--build", BUILD, "--cc", "/nowhere/cc"])
        self.assertEqual(status, 2)
        self.assertIn("/nowhere/cc", said.getvalue())


class Work:
    """What the tool says of its work with a program's stacks."""

    def __init__(self, said: str) -> None:
        found = re.search(r"stacks were parked (\d+) times, known by (\d+) regions\n.*"
                          r"frames were kept (\d+) times: (\d+), (\d+) of them again",
                          said)
        assert found, said
        self.parked, self.regions, self.kept, self.frames, self.again = (
            int(number) for number in found.groups())
        self.is_repaired = "shadow stack repaired" in said


class Stacks(unittest.TestCase):
    """Nothing here rests on time."""

    program: Path
    folder: "tempfile.TemporaryDirectory[str]"

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="scaling.")
        cls.program = build(Path(cls.folder.name), "gcc")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def work(self, kind: str, n: int) -> Work:
        command = [f"{BUILD}/vg-in-place", "-v", "--stats=yes", "--tool=callgrind",
                   "--main-stacksize=64000000",
                   f"--callgrind-out-file={self.folder.name}/profile",
                   str(self.program), kind, str(n)]
        return Work(subprocess.run(command, check=True, capture_output=True,
                                   encoding="utf-8", errors="replace").stderr)

    def test_each_switch_takes_the_same_however_deep_the_stacks_are(self) -> None:
        for kind in ("scheduled", "yields", "fibers"):
            with self.subTest(kind):
                once, twice = self.work(kind, 400), self.work(kind, 800)
                self.assertFalse(once.is_repaired or twice.is_repaired)
                self.assertGreater(once.parked, 400)
                self.assertLess(twice.parked, 2.1 * once.parked)
                self.assertLess(twice.regions, 2.1 * once.regions)
                self.assertLess(twice.frames, 2.1 * max(once.frames, 10))
                self.assertEqual(twice.again, 0)

    def test_what_stands_on_others_is_kept(self) -> None:
        work = self.work("unwound", 300)
        self.assertFalse(work.is_repaired)
        self.assertGreater(work.again, 300 * 300)

    def test_and_goes_by_the_number_where_there_is_very_much_of_it(self) -> None:
        unwound, topmost = self.work("unwound", 2000), self.work("topmost", 1500)
        self.assertLess(unwound.again, (1 << 22) + 128 * unwound.kept + 1)
        self.assertLess(topmost.regions, (1 << 20) + 128 * topmost.parked + 1)
        self.assertGreater(1500 * topmost.parked, 2 * topmost.regions)
