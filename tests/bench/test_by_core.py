# SPDX-License-Identifier: GPL-2.0-or-later
"""The comparison of cores from its command line, with bundles whose launchers run
programs natively."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from tests.bench.by_core import COLUMNS, Core, too_far
from tests.bench.fakes import make_launcher, run
from tests.bench.measure import Series
from tests.bench.result import Result

BY_CORE = Path(__file__).resolve().parent / "by_core.py"


class ByCore(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "build").mkdir()

    def bundle(self, version: str, extra: str = "") -> Path:
        folder = self.folder / version
        (folder / "share/callgrind-exact").mkdir(parents=True)
        (folder / "share/callgrind-exact/bundle").write_text(
            f"callgrind-exact 0.1.0, x86_64, Valgrind {version}\n")
        (folder / "bin").mkdir()
        make_launcher(folder / "bin/valgrind", extra=extra)
        return folder

    def compare(self, *words: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, str(BY_CORE), "--quick", "--runs=1", "--only=fib",
             f"--build={self.folder / 'build'}", *map(str, words)],
            capture_output=True, text=True, check=False)

    def test_a_table_of_means_and_one_for_each_column(self) -> None:
        one, other = self.bundle("3.19.0"), self.bundle("3.27.1")
        archive = self.folder / "other.tar.xz"
        with tarfile.open(archive, "w:xz") as tar:
            tar.add(other, "callgrind-exact-0.1.0-linux-x86_64")
        done = self.compare("--only=off-true", one, archive)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        begins = [line.split("|")[1].strip() for line in lines if line.startswith("|")]
        self.assertEqual(begins[:5],
                         ["core", "----------------", "3.19.0", "3.27.1",
                          "3.27.1 by 3.19.0"])
        for title in ("No tool, by core", "ours off, by core", "ours warm, by core"):
            self.assertIn(f"**{title}**", lines)
        told = json.loads((self.folder / "build/by_core.json").read_text())
        self.assertEqual(list(told), ["3.19.0", "3.27.1"])
        columns = told["3.27.1"]["workloads"]["fib"]["columns"]
        self.assertEqual(list(columns), ["none", "ours-off"])
        columns = told["3.27.1"]["workloads"]["off-true"]["columns"]
        self.assertIn("ours-short-warm", columns)

    def test_one_that_fails(self) -> None:
        broken = 'if [ -n "$profile" ]; then exit 3; fi'
        done = self.compare(self.bundle("3.19.0"), self.bundle("3.22.0", broken))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("FAILED", done.stdout)
        self.assertIn("- 3.22.0: FAILED: fib, ours off: ", done.stdout)

    def test_what_is_no_bundle_is_said_in_a_line(self) -> None:
        (self.folder / "file").write_text("no archive\n")
        for name, said in (("file", "cannot be unpacked"),
                           ("build", "no unpacked bundle"),
                           ("nothing", "no unpacked bundle")):
            done = self.compare(self.folder / name)
            self.assertEqual(done.returncode, 2, name)
            self.assertIn(said, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


class TooFar(unittest.TestCase):
    def test_each_core_is_judged_by_its_own_no_tool(self) -> None:
        cores, results = [], []
        for version, none, off in (("3.19.0", 1.0, 0.5), ("3.22.0", 2.0, 1.0),
                                   ("3.23.0", 1.0, 0.54),
                                   ("3.26.0", 1.0, 0.9)):
            cores.append(Core(version, Path("valgrind")))
            runs = {"none": [run(none)], "ours-off": [run(off)]}
            results.append(Result(list(COLUMNS), {"fib": Series([["fib"]], runs)}))
        self.assertEqual(too_far(cores, results, 10), [
            "ours off: with 3.26.0 1.80 of what it is with 3.19.0"])
        self.assertEqual(len(too_far(cores, results, 5)), 2)
        self.assertEqual(too_far(cores, results, 90), [])
