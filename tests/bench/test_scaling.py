# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests scaling.py: its programs run under the tool, and its table says what it should.
# What grows how fast is tested where steps can be counted, in tests/native.

"""The bench of growing work."""

from __future__ import annotations

import contextlib
import io
import os
import unittest
from pathlib import Path

from tests.bench.scaling import ROWS, SOURCE, Row, main, table

BUILD = os.environ.get("VG_BUILD", str(SOURCE / "build"))


class Table(unittest.TestCase):
    def test_an_empty_run_is_left_out_and_growth_is_told(self) -> None:
        rows = [Row("a", "calls", 1000), Row("b", "names", 2000)]
        text = table(rows, {"a": [0.25, 1.25, 2.25, 4.25], "b": [0.25, 0.25, 0.26, 0.27]})
        self.assertEqual(text.splitlines()[2:],
                         ["| calls | 1,000 | 1.00 | 2.00 | 4.00 | 2.0 |",
                          "| names | 2,000 | 0.00 | 0.01 | 0.02 | - |"])


class Programs(unittest.TestCase):
    def test_every_kind_runs(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = main(["--build", BUILD, "--runs", "1", "--divide", "1000"])
        self.assertEqual(status, 0)
        for row in ROWS:
            self.assertIn(f"| {row.what} |", said.getvalue())

    def test_a_compiler_that_is_not_there(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = main(["--build", BUILD, "--cc", str(Path("/nowhere/cc"))])
        self.assertEqual(status, 2)
        self.assertIn("/nowhere/cc", said.getvalue())
