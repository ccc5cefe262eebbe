# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is compared of calls on two machines: the program's own functions, without what a
# C library adds, and each difference is said.

"""The comparison of calls with those of this machine."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from tests.machines.compared_arm64 import COMPARED, TIMED, calls_among_own, difference

PROFILE = """\
# callgrind format
version: 1
events: Ir
ob=(1) /somewhere/program
fl=(1) program.c
fn=(1) main
1 5
cfn=(2) work
calls=3 9
1 30
cfn=(3) work'2
calls=1 9
1 30
cob=(2) /lib/libc.so.6
cfn=(4) qsort
calls=1 9
1 30

fn=(5) _start
2 1
cfn=(1)
calls=1 1
2 95

ob=(2)
fn=(4)
3 20
cob=(1)
cfn=(2)
calls=7 9
3 10

totals: 26
"""


class Comparison(unittest.TestCase):
    def test_calls_among_own_functions(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            profile = Path(folder, "profile")
            profile.write_text(PROFILE)
            found = calls_among_own(profile, Path("/elsewhere/program"))
        self.assertEqual(found, {("main", "work"): 4})

    def test_each_difference_is_said(self) -> None:
        here = Counter({("main", "work"): 4, ("main", "idle"): 1})
        self.assertEqual(difference(here, here), "")
        there = Counter({("main", "work"): 5})
        self.assertEqual(difference(there, here),
                         "main -> idle: arm64 0, here 1\nmain -> work: arm64 5, here 4")

    def test_the_programs_are_built_and_end(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for program in (*COMPARED, *TIMED):
                with self.subTest(program.name):
                    self.assertTrue(program.source.is_file(), program.source)
                    path = Path(folder, "program")
                    words = program.build_words("gcc", path)
                    subprocess.run(words, check=True)
                    subprocess.run([path, *program.arguments], input=program.input,
                                   text=True, check=True, stdout=subprocess.DEVNULL)
