#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of the small tools beside vg_regtest: the filters filter_stderr and filter_none,
# the prerequisite helper `have`, and the closing line of summary.py.

"""The tools that tests are written with."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from tests.summary import run_suite

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


class ClosingLine(unittest.TestCase):
    """summary.py: one outcome per test, and the line with their numbers."""

    HEAD = "import unittest\nfrom tests.summary import run_suite\nclass T(unittest.TestCase):\n"

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def write(self, name: str, body: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.HEAD + body)
        return path

    def check(self, wanted: str, status: int, *paths: Path) -> str:
        """Both ways, one after another and side by side; what the latter prints."""
        for options in ([], ["--jobs=3"]):
            words = [str(path) for path in paths or (self.folder,)]
            done = run("summary.py", *options, *words)
            told = f"{options}: {done.stdout}{done.stderr}"
            self.assertEqual(done.stdout.splitlines()[-1], wanted, told)
            self.assertEqual(done.returncode, status, told)
        return done.stdout

    def test_every_kind_of_outcome(self) -> None:
        self.write("test_a.py", """
    def test_passes(self): pass
    def test_fails(self): self.fail("here")
    def test_raises(self): raise OSError
    @unittest.skip("not now")
    def test_is_skipped(self): pass
    @unittest.expectedFailure
    def test_is_known_to_fail(self): self.fail()
    @unittest.expectedFailure
    def test_is_wrongly_known_to_fail(self): pass
""")
        self.check("2 passed, 3 failed, 1 skipped", 1)

    def test_subtests_count_for_their_test(self) -> None:
        self.write("test_a.py", """
    def test_one_of_three_fails(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)
    def test_two_of_three_fail_and_so_does_the_rest(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertEqual(number, 1)
        self.fail()
    def test_all_pass(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertLess(number, 3)
    def test_one_of_two_is_skipped(self):
        for number in range(2):
            with self.subTest(number=number):
                if number: self.skipTest("odd")
""")
        self.check("1 passed, 2 failed, 1 skipped", 1)

    def test_files_of_one_name_in_several_folders(self) -> None:
        self.write("a/test_x.py", "    def test_it(self): pass\n")
        self.write("b/test_x.py", "    def test_it(self): self.fail()\n")
        self.write("b/other.py", "    def test_it(self): self.fail()\n")
        self.check("1 passed, 1 failed, 0 skipped", 1)
        self.check("1 passed, 0 failed, 0 skipped", 0, self.folder / "a" / "test_x.py")

    def test_file_that_cannot_be_imported(self) -> None:
        self.write("test_a.py", "    def test_it(self): pass\nimport no_such_module\n")
        self.write("test_b.py", "    def test_it(self): pass\nraise SystemExit(0)\n")
        self.write("test_c.py", "    pass\nraise unittest.SkipTest('all of it')\n")
        self.assertIn("no_such_module", self.check("0 passed, 2 failed, 1 skipped", 1))

    def test_fixture_of_a_class_that_fails(self) -> None:
        self.write("test_a.py", """
    @classmethod
    def setUpClass(cls): raise OSError
    def test_never_reached(self): pass
""")
        self.check("0 passed, 1 failed, 0 skipped", 1)

    def test_no_test_at_all_is_a_failure(self) -> None:
        self.check("0 passed, 0 failed, 0 skipped", 1)

    def test_files_side_by_side_are_reported_in_their_order(self) -> None:
        # The first ends when the second has begun.
        mark = self.folder / "mark"
        self.write("test_a.py", f"""
    def test_waits(self):
        import pathlib, time
        until = time.monotonic() + 600
        while not pathlib.Path({str(mark)!r}).exists():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)
        self.fail("now")
""")
        self.write("test_b.py", f"""
    def test_marks(self): open({str(mark)!r}, "w").close()
""")
        done = run("summary.py", "--jobs=2", str(self.folder))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[-1], "1 passed, 1 failed, 0 skipped")
        heads = [line for line in lines if line.startswith(str(self.folder))]
        self.assertEqual(heads, [
            f"{self.folder}/test_a.py: 0 passed, 1 failed, 0 skipped",
            f"{self.folder}/test_b.py: 1 passed, 0 failed, 0 skipped",
        ])
        self.assertEqual(len([line for line in lines if line.startswith("FAIL: ")]), 1)

    def test_a_file_that_ends_the_process_is_a_failure(self) -> None:
        path = self.write("test_a.py", "    def test_it(self):\n"
                          "        import os; os._exit(0)\n")
        self.write("test_b.py", "    def test_it(self): pass\n")
        done = run("summary.py", "--jobs=2", str(self.folder))
        self.assertIn(f"FAIL: {path} ended with status 0\n", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 1 failed, 0 skipped")
        self.assertEqual(done.returncode, 1)

    def test_bad_number_of_jobs(self) -> None:
        for value in ("0", "-1", "many"):
            done = run("summary.py", f"--jobs={value}", str(self.folder))
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"`{value}` is neither a number", done.stderr)

    def test_path_that_is_not_there(self) -> None:
        done = run("summary.py", str(self.folder / "absent"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("absent: no such file or folder", done.stderr)

    def test_programs_can_be_interrupted_where_a_shell_has_that_ignored(self) -> None:
        self.write("test_a.py", """
    def test_a_program_is_interrupted(self):
        import subprocess
        done = subprocess.run(["sh", "-c", "kill -INT $$; exit 7"])
        self.assertEqual(done.returncode, -2)
""")
        for options in ("", "--jobs=3"):
            done = subprocess.run(
                ["sh", "-c", f"trap '' INT; exec {sys.executable} {TESTS}/summary.py"
                 f" {options} {self.folder}"], stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_script_that_runs_its_own_tests(self) -> None:
        path = self.write("test_a.py", "    def test_it(self): pass\n"
                          "raise SystemExit(run_suite())\n")
        done = subprocess.run([sys.executable, str(path)], env={"PYTHONPATH": str(TESTS)},
                              stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 0 failed, 0 skipped")
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    sys.exit(run_suite())
