# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests in several processes: that they run at the same time, which of them do not, and
# what becomes of a run when a process dies or somebody ends it.

"""Several processes, and their end."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import time
from pathlib import Path

from tests.runner.sandbox import RunnerTest

# A file whose tests are all of one group.
GROUP_HEAD = """import pytest, unittest
pytestmark = pytest.mark.xdist_group("one")
class T(unittest.TestCase):
"""

# A test that waits for a file; the time is a safety net.
WAIT = """
    def test_waits(self):
        import pathlib, time
        until = time.monotonic() + 600
        while not pathlib.Path({!r}).exists():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
"""


# How runs are ended: by a signal, in one process or in several.
ENDS: tuple[tuple[signal.Signals, tuple[str, ...]], ...] = (
    (signal.SIGINT, ("--jobs", "2")),
    (signal.SIGTERM, ("--jobs", "2")),
    (signal.SIGTERM, ("--", "-n", "0")),
)


class SideBySide(RunnerTest):
    def test_tests_of_one_file_run_at_the_same_time(self) -> None:
        """The first ends when the second has begun."""
        mark = str(self.tree / "mark")
        self.write("readers/test_a.py", WAIT.format(mark)
                   + f"    def test_zz_marks(self): open({mark!r}, 'w').close()\n")
        done = self.run_suites("readers", "--jobs", "2")
        self.assertEqual(done.stdout.splitlines()[-1], "2 passed, 0 failed, 0 skipped")

    def test_tests_of_one_group_do_not(self) -> None:
        """Two files, four tests, and none meets the lock of another."""
        lock = str(self.tree / "lock")
        body = f"""
    def test_1(self):
        import os, time
        os.mkdir({lock!r})
        time.sleep(0.2)
        os.rmdir({lock!r})
    test_2 = test_1
"""
        for name in ("a", "b"):
            self.write(f"readers/test_{name}.py", body, GROUP_HEAD)
        done = self.run_suites("readers", "--jobs", "2")
        self.assertEqual(done.stdout.splitlines()[-1], "4 passed, 0 failed, 0 skipped")
        self.assertNotIn("@", done.stdout)


class Ends(RunnerTest):
    def test_a_test_that_ends_its_process_fails_and_all_others_run(self) -> None:
        mark = self.tree / "mark"
        self.write("readers/test_a.py", f"""
    def test_0_ends_it_all(self):
        import os
        with open({str(mark)!r}, "a") as file:
            print("x", file=file)
        os._exit(0)
""" + "".join(f"    def test_{number}(self): pass\n" for number in range(1, 20)))
        self.write("readers/test_b.py", "    def test_dies(self):\n"
                   "        import os\n        os.kill(os.getpid(), 9)\n")
        self.write("readers/test_c.py", "    def test_2(self):\n"
                   "        import os\n        os._exit(0)\n"
                   "    def test_1(self): pass\n    def test_3(self): pass\n",
                   GROUP_HEAD)
        done = self.run_suites("readers", "--jobs", "2")
        # Of a group, too, the other tests run.
        self.assertEqual(done.stdout.splitlines()[-1], "21 passed, 3 failed, 0 skipped",
                         done.stdout)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"crashed while running .*test_0_ends_it_all")
        self.assertEqual(mark.read_text(), "x\n", "it was given to another process")
        self.assertRegex(done.stdout, r"(?m)^readers +21 passed +3 failed ")

    def test_a_file_that_ends_the_process_fails_the_run(self) -> None:
        self.write("readers/test_a.py", "    pass\nimport os\nos._exit(0)\n")
        self.write("readers/test_b.py", "    def test_it(self): pass\n")
        done = self.run_suites("readers", "--jobs", "2")
        last = done.stdout.splitlines()[-1]
        self.assertTrue(re.fullmatch(r"0 passed, [1-9]\d* failed, 0 skipped", last), last)
        self.assertNotEqual(done.returncode, 0)

    def test_a_run_that_is_ended(self) -> None:
        """A signal to the run alone ends it, and what its tests have started.
        pytest-xdist gives them some seconds first: all runs are ended at one time."""
        program = self.tree / "program"
        program.symlink_to("/bin/sleep")
        self.write("readers/test_a.py", f"""
    def test_goes_on(self):
        import os, subprocess
        process = subprocess.Popen([{str(program)!r}, "600"])
        try:
            open(os.environ["MARK"], "w").write(str(process.pid))
            process.wait()
        finally:
            process.kill()
""")
        self.write("readers/test_b.py", "    def test_1(self): pass\n")
        with contextlib.ExitStack() as stack:
            runs = [
                stack.enter_context(self.begun(f"mark{number}", *way))
                for number, (_, way) in enumerate(ENDS)
            ]
            marks = [self.tree / f"mark{number}" for number in range(len(runs))]
            until = time.monotonic() + 600
            while not all(mark.exists() and mark.read_text() for mark in marks):
                self.assertLess(time.monotonic(), until)
                time.sleep(0.01)
            for run, (number, _) in zip(runs, ENDS):
                run.send_signal(number)
            for run, mark, (number, way) in zip(runs, marks, ENDS):
                with self.subTest(signal=number.name, way=way):
                    said, _ = run.communicate()
                    self.check_ended(said, run.returncode)
                    started = Path(f"/proc/{mark.read_text()}/cmdline")
                    while started.exists() and str(program) in started.read_text():
                        self.assertLess(time.monotonic(), until, "its program goes on")
                        time.sleep(0.01)

    def begun(self, mark: str, *way: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self.command("readers", *way), text=True,
            env={**self.environment(), "MARK": str(self.tree / mark)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )

    def check_ended(self, said: str, status: int) -> None:
        last = said.splitlines()[-1]
        self.assertRegex(last, r"\A[01] passed, [1-9]\d* failed, 0 skipped\Z", said)
        self.assertNotEqual(status, 0)
        self.assertIn("   interrupted", said)
        self.assertIn("did not run to their end: tests/readers/test_a.py", said)
