# SPDX-License-Identifier: GPL-2.0-or-later
#
# A made-up source tree with the test runner and tests of one's own.  Owns: what is in it,
# and how tests/run_suites is called there.

"""A source tree to run tests in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]

# In one process, and in several.
WAYS = (("--", "-n", "0"), ("--jobs", "2"))

HEAD = "import unittest\nclass T(unittest.TestCase):\n"

# Stands in for Valgrind: runs the program.
LAUNCHER = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
exec "$@"
"""


class RunnerTest(unittest.TestCase):
    """A tree in self.tree whose suites `readers` and `documents` have the given tests."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="runner.")
        self.addCleanup(temporary.cleanup)
        self.tree = Path(temporary.name).resolve()
        for name in ("tests/readers", "tests/documents", "build"):
            (self.tree / name).mkdir(parents=True)
        for name in ("conftest.py", "pyproject.toml", "tests/__init__.py",
                     "tests/run_suites", "tests/find_python"):
            shutil.copy(SOURCE / name, self.tree / name)
        shutil.copytree(SOURCE / "tests" / "runner", self.tree / "tests" / "runner",
                        ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("tests/regtest", "tests/format"):
            (self.tree / name).symlink_to(SOURCE / name)
        launcher = self.tree / "build" / "vg-in-place"
        launcher.write_text(LAUNCHER)
        launcher.chmod(0o755)

    def write(self, name: str, body: str, head: str = HEAD) -> Path:
        """A test file below tests/; without another head, `body` is a TestCase's."""
        path = self.tree / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(head + body)
        return path

    def command(self, *words: str) -> list[str]:
        return [str(self.tree / "tests" / "run_suites"), *words]

    def environment(self) -> dict[str, str]:
        """As outside of a run of tests."""
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PYTEST_")
            and name not in ("VG_BUILD", "CT_FRESH", "CT_LONG", "CT_RUNTIMES", "CT_TURN",
                             "CT_WARM")
        }
        # This very Python, which has pytest; with others it may be another.
        folder = os.path.dirname(sys.executable)
        environment["PATH"] = f"{folder}:{environment.get('PATH', os.defpath)}"
        return environment

    def run_suites(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self.command(*words), env=self.environment(), text=True, cwd=self.tree,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )

    def check(
        self, closing_line: str, status: int, *words: str, suite: str = "readers"
    ) -> str:
        """Run a suite in both ways; what the second of them prints."""
        for way in WAYS:
            done = self.run_suites(suite, *words, *way)
            told = f"{way}: {done.stdout}"
            self.assertEqual(done.stdout.splitlines()[-1], closing_line, told)
            self.assertEqual(done.returncode, status, told)
        return done.stdout
