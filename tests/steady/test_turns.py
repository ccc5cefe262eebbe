# SPDX-License-Identifier: GPL-2.0-or-later
#
# --steady=yes: threads take turns in an order of their own, and clocks go by what is
# executed and waited for, however busy this machine is.

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from tests.build.built import IN_PLACE
from tests.runner.series import is_long
from tests.steady.comparing import Measured, measured
from tests.steady.surroundings import LIBRARIES

HERE = Path(__file__).resolve().parent
BASE = {"PATH": "/usr/bin:/bin", "HOME": "/", **LIBRARIES}
RUNS = 4 if is_long() else 2
SPAN = 20_000_000  # nanoseconds that clock.c sleeps
PROGRAM = 1_000_000  # and more than it runs meanwhile


class Programs(unittest.TestCase):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="turns.")).resolve()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name, *more in (("threads",), ("clock",), ("waits", "other_process")):
            sources = [str(HERE / f"{source}.c") for source in (name, *more)]
            command = ["gcc", "-O1", "-pthread", "-o", name, *sources, "-lrt"]
            subprocess.run(command, cwd=cls.folder, check=True)

    def ended(self, *words: str) -> str:
        """What the program prints, after options of the tool."""
        for old in self.folder.glob("out*"):
            old.unlink()
        done = subprocess.run(
            [str(IN_PLACE), "--tool=callgrind", "-q", "--callgrind-out-file=out",
             "--fair-sched=try", *words],
            cwd=self.folder, env=BASE, capture_output=True, check=False,
        )  # fmt: skip
        # Files that a killed Valgrind of the same number left behind.
        said = re.sub(rb"(?m)^.*VG_\(mkstemp\).*\n", b"", done.stderr)
        self.assertEqual((done.returncode, said), (0, b""))
        return done.stdout.decode()

    def profiles(self, program: str) -> list[Measured]:
        """Of the process and its children."""
        paths = sorted(self.folder.glob("out*"), key=lambda path: len(path.name))
        return [measured(path, program) for path in paths]

    def busy(self) -> None:
        """From now on nobody has a processor when they want it."""
        for _ in range(4):
            loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            self.addCleanup(loop.wait)
            self.addCleanup(loop.kill)


class Turns(Programs):
    def assert_same_order(self, *arguments: str) -> str:
        seen = [self.run_threads(*arguments) for _ in range(RUNS)]
        self.busy()
        seen += [self.run_threads(*arguments) for _ in range(RUNS)]
        for other in seen[1:]:
            self.assertEqual(seen[0][0], other[0])
            self.assertTrue(seen[0][1] == other[1])
        return seen[0][0]

    def run_threads(self, *arguments: str) -> tuple[str, list[Measured]]:
        text = self.ended("--steady=yes", "./threads", *arguments)
        return text, self.profiles("threads")

    def test_the_same_order_in_each_run(self) -> None:
        log = self.assert_same_order()
        # They do take turns: each of the six has had some of the work.
        self.assertEqual({f"w{i}" for i in range(6)}, set(re.findall(r"w\d", log)))

    def test_beside_a_thread_that_waits_for_ever(self) -> None:
        self.assert_same_order("blocked")

    def test_in_a_forked_child(self) -> None:
        parent, child = self.assert_same_order("fork").split()
        self.assertEqual(len(self.profiles("threads")), 2)
        self.assertEqual(len(parent), len(child))

    def test_with_a_debugger_s_questions(self) -> None:
        # The core looks for them every 100 superblocks.
        plain, _ = self.run_threads()
        asked = self.ended("--steady=yes", "--vgdb-poll=100", "./threads")
        self.assertEqual(plain, asked)


class Clock(Programs):
    def lines(self, *words: str) -> dict[str, list[str]]:
        told: dict[str, list[str]] = {}
        for line in self.ended(*words).splitlines():
            name, rest = line.split(" ", 1)
            told.setdefault(name, []).append(rest)
        return told

    def test_the_same_time_in_each_run(self) -> None:
        first = self.ended("--steady=yes", "./clock")
        self.busy()
        for _ in range(RUNS):
            self.assertEqual(first, self.ended("--steady=yes", "./clock"))

    def test_clocks_begin_at_fixed_times(self) -> None:
        told = self.lines("--steady=yes", "./clock")
        day = 1767225600  # 2026-01-01
        self.assertEqual(told["time"][0], f"{day} day {day} up 1000 tai {day}")
        self.assertRegex(told["user"][0], r"^\d+ system 0 faults 0 ticks 100000 used 0$")

    def test_they_advance_while_the_program_runs(self) -> None:
        told = self.lines("--steady=yes", "./clock")
        self.assertTrue(0 < int(told["nothing"][0]) < PROGRAM)
        before, after = (int(line.split()[0]) for line in told["process"])
        self.assertTrue(0 < before < after < PROGRAM)

    def test_sleep_is_as_long_as_it_was_to_be(self) -> None:
        told = self.lines("--steady=yes", "./clock")
        sleeps = set(told) - {"time", "process", "user", "nothing", "until"}
        self.assertEqual(len(sleeps), 14)
        for name in sleeps:
            slept = int(told[name][0])
            self.assertTrue(SPAN <= slept < SPAN + PROGRAM, f"{name} {slept}")
        # Times until when stay as the program has written them.
        self.assertEqual(told["until"], ["over"] * 5)

    def test_who_sleeps_until_a_timer_ends_sleeps_until_then(self) -> None:
        told = self.lines("--steady=yes", "./clock", "timers")
        spans = dict.fromkeys(("timer_file_for", "timer_file_until", "interval_timer",
                               "timer_of_clock"), 10 * SPAN)
        spans.update(mutex=SPAN, interrupted=20 * SPAN, timer_file_again=30 * SPAN,
                     alarm=50 * SPAN)
        for name, span in spans.items():
            slept = int(told[name][0])
            self.assertTrue(span <= slept < span + 2 * PROGRAM, f"{name} {slept}")
        self.assertEqual(told["until"], ["over"] * 7)

    def test_timers_end_at_the_same_time_in_each_run(self) -> None:
        first = self.ended("--steady=yes", "./clock", "timers")
        self.busy()
        for _ in range(RUNS):
            self.assertEqual(first, self.ended("--steady=yes", "./clock", "timers"))

    def test_the_system_s_time_where_it_is_asked_for(self) -> None:
        for options in (("--steady=yes", "--steady-clock=no"), ("--steady=no",)):
            told = self.lines(*options, "./clock")
            self.assertNotEqual(int(told["time"][0].split()[0]), 1767225600)

    def test_the_profile_says_so(self) -> None:
        def descriptions(*options: str) -> dict[str, str]:
            self.ended(*options, "./clock")
            text = (self.folder / "out").read_text("utf-8")
            return dict(re.findall(r"^desc: ([^:]*): (.*)$", text, re.MULTILINE))

        told = descriptions("--steady=yes")
        self.assertEqual(told["Threads"], "by turns")
        self.assertEqual(told["Clock"], "by what is executed")
        told = descriptions("--steady=yes", "--steady-clock=no")
        self.assertEqual(told["Clock"], "the system's")
        self.assertNotIn("Clock", descriptions())


class Waits(Programs):
    """For what others decide: waits.c says why these hold on a busy machine, too."""

    def test_a_loop_until_a_deadline_ends(self) -> None:
        kinds = self.ended("--steady=no", "./waits", "kinds").split()
        self.assertGreater(len(kinds), 30)
        for kind in kinds:
            with self.subTest(kind):
                rounds = int(self.ended("--steady=yes", "./waits", kind))
                self.assertTrue(1 <= rounds <= 10, rounds)

    def test_limits_of_sockets_count_what_they_are(self) -> None:
        for kind in ("limit_of_receiving", "limit_of_sending"):
            # What it executes meanwhile is less than one more.
            self.assertEqual(self.ended("--steady=yes", "./waits", kind), "10\n")

    def most_agree(self, *arguments: str) -> list[str]:
        """What most runs print, line by line, idle and on a machine that has too much to
        do.  How late that wakes a process nobody can say, so a few may differ."""
        seen: list[Counter[str]] = []
        for run in range(5 * RUNS):
            if run == RUNS // 2:
                self.busy()
            lines = self.ended("--steady=yes", "./waits", *arguments).splitlines()
            seen = seen or [Counter() for _ in lines]
            for line, counter in zip(lines, seen):
                counter[line] += 1
            most = [counter.most_common(1)[0] for counter in seen]
            if min(number for _, number in most) >= RUNS:
                return [line for line, _ in most]
        self.fail(f"different times: {seen}")

    def test_a_wait_of_each_kind_counts_the_same_in_each_run(self) -> None:
        # In each digit: a step is 500 ms, and what is executed less than 10 ms.
        for line in self.most_agree("each"):
            kind, counts = line.split()
            if not kind.startswith("limit_"):
                self.assertGreaterEqual(int(counts), 500_000_000, kind)
                self.assertLess(int(counts) % 500_000_000, 10_000_000, kind)

    def test_short_waits_are_the_same_in_each_run(self) -> None:
        for each in self.most_agree("short"):
            # A child counts 500 ms, a call that may wait for others 1 ms.
            self.assertTrue(501_000_000 <= int(each) < 502_000_000, each)


if __name__ == "__main__":
    unittest.main()
