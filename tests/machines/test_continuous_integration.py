# SPDX-License-Identifier: GPL-2.0-or-later
#
# .ci/run with a made-up `check`: which machines it runs, what its last line and its
# status are.

"""What continuous integration runs is summed up."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

RUN = Path(__file__).resolve().parents[2] / ".ci" / "run"

# The machines, in order, and the suite that runs only when it is named.
ALL = ["here", "suites", "debian13", "sid", "arm64", "bundle"]

# Says and ends with what SAID_... and STATUS_... have for its first argument.
CHECK = """#!/bin/sh
machine=here
case $1 in
   suites|debian13|sid|arm64|bundle) machine=$1 ;;
esac
echo "$machine" >> calls
eval "printf '%b' \\"\\${SAID_$machine-1 passed, 0 failed, 2 skipped\\\\n}\\""
eval "exit \\${STATUS_$machine-0}"
"""


class ContinuousIntegration(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / ".ci").mkdir()
        shutil.copy(RUN, self.folder / ".ci" / "run")
        (self.folder / "check").write_text(CHECK)
        (self.folder / "check").chmod(0o755)

    def run_with(self, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(self.folder / ".ci" / "run")],
            env={"PATH": os.environ["PATH"], **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def called(self) -> list[str]:
        return (self.folder / "calls").read_text().split()

    def assert_ends(
        self, ended: "subprocess.CompletedProcess[str]", status: int, last_line: str
    ) -> None:
        self.assertEqual(
            (ended.returncode, ended.stdout.splitlines()[-1]),
            (status, last_line),
            ended.stdout,
        )

    def test_it_is_the_sum_of_all(self) -> None:
        ended = self.run_with()
        self.assertEqual(self.called(), ALL)
        self.assert_ends(ended, 0, "6 passed, 0 failed, 12 skipped")

    def test_no_other_line_looks_like_the_sum(self) -> None:
        ended = self.run_with()
        sums = [line for line in ended.stdout.splitlines() if line[0].isdigit()]
        self.assertEqual(len(sums), 1, ended.stdout)

    def test_one_that_fails(self) -> None:
        ended = self.run_with(
            SAID_sid="FAIL: this\\n30 passed, 2 failed, 0 skipped\\n", STATUS_sid="1"
        )
        self.assertIn("FAIL: this\n", ended.stdout)
        self.assert_ends(ended, 1, "35 passed, 2 failed, 10 skipped")

    def test_one_that_dies_is_a_failure(self) -> None:
        ended = self.run_with(SAID_arm64="Traceback\\n", STATUS_arm64="1")
        self.assertIn("Traceback\n", ended.stdout)
        self.assert_ends(ended, 1, "5 passed, 1 failed, 10 skipped")

    def test_a_status_that_its_sum_does_not_explain(self) -> None:
        self.assert_ends(
            self.run_with(STATUS_here="3"), 1, "6 passed, 1 failed, 12 skipped"
        )

    def test_a_failure_keeps_no_machine_from_its_turn(self) -> None:
        ended = self.run_with(SAID_here="", STATUS_here="1", STATUS_debian13="1")
        self.assertEqual(self.called(), ALL)
        self.assert_ends(ended, 1, "5 passed, 2 failed, 10 skipped")


if __name__ == "__main__":
    unittest.main()
