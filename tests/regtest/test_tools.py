# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of the small tools beside vg_regtest: the filters filter_stderr and filter_none,
# and the prerequisite helper `have`.

"""The tools that tests are written with."""

from __future__ import annotations

import subprocess
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent


def run(tool: str, *arguments: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(TESTS / tool), *arguments], input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


class StderrFilter(unittest.TestCase):
    """What is left of a stderr by default."""

    def check(self, text: str, wanted: str) -> None:
        done = run("filter_stderr", "name", text=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, wanted)

    def test_ordinary_run_leaves_what_the_program_wrote(self) -> None:
        self.check(
            "==12== Callgrind, a call-graph generating cache profiler\n"
            "==12== Copyright (C) 2002-2017, and GNU GPL'd, by somebody et al.\n"
            "==12== Using Valgrind-3.19.0 and LibVEX; rerun with -h for copyright info\n"
            "==12== Command: ./t\n"
            "==12== Parent PID: 11\n"
            "==12== \n"
            "==12== For interactive control, run 'callgrind_control -h'.\n"
            "the program\n"
            "\n"
            "==12== \n"
            "==12== Events    : Ir Dr\n"
            "==12== Collected : 125807 12\n"
            "==12== \n"
            "==12== I   refs:      125,807\n"
            "==12== D1  misses:      1,434  (  874 rd +   560 wr)\n"
            "==12== LL miss rate:      0.1% (  0.1%   +   0.1%  )\n"
            "==12== Mispred rate:      1.2% (  1.1%   +  50.0%   )\n",
            "the program\n\n",
        )

    def test_files_of_a_valgrind_that_was_killed_are_nobodys_concern(self) -> None:
        self.check(
            "VG_(mkstemp): failed to create temp file: /tmp/valgrind_proc_12_auxv_3d\n"
            "the program\n",
            "the program\n",
        )

    def test_whatever_the_tool_is_called(self) -> None:
        self.check(
            "==7== Lackey, an example Valgrind tool\n"
            "==7== Copyright (C) 2002-2017, and GNU GPL'd, by Nicholas Nethercote.\n"
            "==7== a message, kept\n",
            "a message, kept\n",
        )

    def test_prefixes_of_messages(self) -> None:
        self.check(
            "==12== Warning: one\n--12-- detail\n**12** from the program\n"
            "==00:00:01:02.345 12== late\n--12:1:mallocfr debug\n",
            "Warning: one\ndetail\nfrom the program\nlate\n--12:1:mallocfr debug\n",
        )

    def test_lines_of_the_program_that_look_alike(self) -> None:
        text = "==x== no\nEvents : mine\nCommand: mine\n-- 12 --\nCopyright (C) me\n"
        self.check(text, text)

    def test_addresses(self) -> None:
        self.check("==12==    at 0x10913A: main (t.c:1)\nmine: 0xdeadBEEF, 0x\n",
                   "   at 0x........: main (t.c:1)\nmine: 0x........, 0x\n")

    def test_death_by_a_signal(self) -> None:
        told = "Process terminating with default action of signal 11 (SIGSEGV)"
        self.check(f"==12== {told}: dumping core\n==12== {told}\n", f"{told}\n{told}\n")

    def test_message_before_the_program_speaks_keeps_its_place(self) -> None:
        self.check("==12== first\nsecond\n==12== third\n", "first\nsecond\nthird\n")


class NoFilter(unittest.TestCase):
    def test_nothing_is_changed(self) -> None:
        text = "==12== Command: x\n0x10\n\nno newline"
        self.assertEqual(run("filter_none", "name", text=text).stdout, text)


class Have(unittest.TestCase):
    """0 when all is there, 1 when not: never 127."""

    def test_programs_that_are_there(self) -> None:
        self.assertEqual(run("have", "sh").returncode, 0)
        self.assertEqual(run("have", "sh", "cat", "/bin/sh").returncode, 0)

    def test_programs_that_are_not(self) -> None:
        done = run("have", "sh", "python3.99", "cat")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "python3.99 is not installed\n")
        for name in ("/no/such/program", "-x", "", "cd"):
            with self.subTest(name=name):
                self.assertEqual(run("have", name).returncode, 1)

    def test_file_that_is_no_program(self) -> None:
        for path in (TESTS, TESTS / "regtest" / "__init__.py"):
            self.assertEqual(run("have", str(path)).returncode, 1)

    def test_without_a_name(self) -> None:
        self.assertEqual(run("have").returncode, 2)
