# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests sixty.py: that there are sixty, and that each of them runs.

"""The bench of many small benchmarks."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.bench.sixty import benchmarks


class Sixty(unittest.TestCase):
    def test_all_run(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            found = benchmarks(Path(name))
            self.assertEqual(len(found), 60)
            for words in found.values():
                subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
