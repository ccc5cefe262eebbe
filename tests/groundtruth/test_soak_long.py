# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests soak_long.py: one step of each sort passes, and what is lost is noticed.

"""The soak, shortly."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.groundtruth import soak_long


class SoakLong(unittest.TestCase):
    def test_a_step_of_each_sort(self) -> None:
        for take in soak_long.STEPS:
            with self.subTest(step=take.__name__), tempfile.TemporaryDirectory() as name:
                self.assertEqual(take(random.Random(1), Path(name)), "")

    def test_signals_end_programs_where_they_are_ignored(self) -> None:
        script = (
            "import signal, subprocess\n"
            "from tests.groundtruth.soak_long import heed_signals\n"
            "numbers = signal.SIGHUP, signal.SIGINT, signal.SIGQUIT\n"
            "for number in numbers:\n"
            "    signal.signal(number, signal.SIG_IGN)\n"
            "heed_signals()\n"
            "for number in numbers:\n"
            "    signal.raise_signal(number)\n"
            "    words = ['sh', '-c', f'kill -{int(number)} $$']\n"
            "    assert subprocess.call(words) == -number, number\n"
        )
        subprocess.run([sys.executable, "-c", script], cwd=soak_long.SOURCE, check=True)

    def test_a_torn_profile_is_noticed(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            path = Path(name, "callgrind.out.1")
            path.write_text("# callgrind format\nevents: Ir\n", encoding="utf-8")
            self.assertIn("callgrind.out.1", soak_long.broken(Path(name)))

    def test_a_temporary_file_is_noticed(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            for made in ("callgrind.out.1", "callgrind.out.1.tmp77", "tree.1"):
                Path(name, made).touch()
            self.assertEqual(soak_long.temporaries(Path(name)), ["callgrind.out.1.tmp77"])

    def test_a_step_is_drawn_by_seed_and_number(self) -> None:
        drawn = [soak_long.mixed(random.Random(f"7 {number}")) for number in (3, 3, 4)]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])
