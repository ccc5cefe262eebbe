# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate: benchmarks that do not end, and commands that are ended.
#
# `hangs` starts processes of three kinds: in a process group of its own, in a session of
# its own, and without a living parent.  All of them have the pipe `alive` open, whose end
# is the event that they are gone, and the pipe `ready` tells that they are there.

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import callgrind_gate
from callgrind.report.tests.gate_case import GateCase
from gate import processes

HANGING_VALGRIND = r"""#!/bin/sh
for word; do
   case $word in
      --help) exec true ;;
   esac
done
echo 'about to hang' >&2
exec python3 - "$@" <<'END'
import os, signal, sys
keep = os.open("alive", os.O_WRONLY)
signal.signal(signal.SIGTERM, signal.SIG_IGN)

def hang():
    os.close(0)
    while True:
        signal.pause()

if not os.fork():
    os.setpgid(0, 0)
    hang()
if not os.fork():
    os.setsid()
    hang()
if not os.fork():
    if os.fork():
        os._exit(0)
    os.setsid()
    hang()
os.wait()
os.write(os.open("ready", os.O_WRONLY), b"x")
hang()
END
"""


class Hanging(GateCase):
    def setUp(self) -> None:
        super().setUp()
        os.mkfifo("ready")
        os.mkfifo("alive")
        # Open for both, so that no process waits for the other end.
        self.ready = os.open("ready", os.O_RDWR)
        self.alive = os.open("alive", os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(self.alive, True)
        self.addCleanup(os.close, self.ready)
        self.addCleanup(os.close, self.alive)
        self.hanging = self.folder / "hanging-valgrind"
        self.hanging.write_text(HANGING_VALGRIND)
        self.hanging.chmod(0o755)

    def wait_until_gone(self) -> None:
        """Until no process has the pipe open any more."""
        self.assertEqual(os.read(self.alive, 1), b"")

    def started(self) -> "subprocess.Popen[str]":
        """The command, with a benchmark that hangs."""
        process = subprocess.Popen(
            [sys.executable, callgrind_gate.__file__, "run", "a=x", "b=x", "-j1",
             "--valgrind", str(self.hanging)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)  # first
        self.assertEqual(os.read(self.ready, 1), b"x")
        return process


class Timeout(Hanging):
    def test_ends_every_process_of_the_benchmark(self) -> None:
        ready = self.ready

        def wait(child: Any, seconds: float) -> None:
            os.read(ready, 1)  # all are there: the time is up
            raise processes.OutOfTime

        with mock.patch("gate.processes._wait", wait):
            status, output, errors = self.gate(
                "run", "a=x", "--timeout=7.5", "--valgrind", str(self.hanging)
            )
        self.assertEqual((status, output), (2, "0 of 1 measured, in gate-run\n"))
        self.assertEqual(
            errors,
            "callgrind_gate: a: was ended after 7.5 seconds; --timeout, or timeout in "
            "the file, gives it more: about to hang\n",
        )
        self.wait_until_gone()

    def test_lets_the_others_go_on_and_is_no_verdict(self) -> None:
        script = self.valgrind.read_text()
        hangs = "   hangs) exec sleep infinity ;;\n"
        script = script.replace("   fails)", f"{hangs}   fails)")
        self.valgrind.write_text(script)
        document = {
            "gate": {"timeout": 1000},
            "benchmarks": {
                "a": {"command": ["costs", "f=1"]},
                "b": {"command": ["hangs"], "timeout": 0.2},
                "c": {"command": ["costs", "f=2"]},
            },
        }
        Path("gate.json").write_text(json.dumps(document))
        words = ("-c", "gate.json", "--valgrind", str(self.valgrind), "--commit=c1")
        status, output, errors = self.gate("run", *words)
        self.assertEqual((status, output), (2, "2 of 3 measured, in gate-run\n"))
        self.assertIn("b: was ended after 0.2 seconds", errors)
        self.assertEqual(self.gate("run", *words, "--only=[ac]")[0], 2)
        self.gate("run", *words, "--only=a", "-o", "one")
        self.assertEqual(self.gate("accept", "base", "one")[0], 0)
        status, output, _ = self.gate("compare", "base")
        self.assertEqual(status, 3)
        self.assertIn("NOT COMPARABLE b: was not measured: was ended after", output)
        status, _, errors = self.gate("accept", "base")
        self.assertEqual(status, 2)
        self.assertIn("'b' was not measured; not accepted", errors)

    def test_of_a_signal_that_has_no_name(self) -> None:
        self.assertEqual(processes.how_it_ended(-9), "was ended by SIGKILL")
        self.assertEqual(processes.how_it_ended(-40), "was ended by signal 40")
        self.assertEqual(processes.how_it_ended(7), "ended with 7")


class Ended(Hanging):
    """The command is ended while a benchmark runs: nothing goes on without it."""

    def test_by_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            if signal.getsignal(number) is signal.SIG_IGN:
                continue  # as under nohup, where it ends nothing
            with self.subTest(number=number):
                process = self.started()
                process.send_signal(number)
                output, errors = process.communicate()
                self.assertEqual((process.returncode, output, errors), (-number, "", ""))
                self.wait_until_gone()
                self.assertEqual(os.listdir("gate-run"), [])

    def test_by_the_terminal(self) -> None:
        process = self.started()
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate()
        self.assertEqual((process.returncode, output, errors), (-2, "", ""))
        self.wait_until_gone()

    def test_without_a_chance_to_say_so(self) -> None:
        process = self.started()
        process.kill()
        self.wait_until_gone()

    def test_a_process_that_measures_is_killed(self) -> None:
        process = self.started()
        (worker,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(
        ).split()  # fmt: skip
        os.kill(int(worker), signal.SIGTERM)
        output, errors = process.communicate()
        self.assertEqual((process.returncode, output), (2, ""))
        self.assertIn("a process that measures was killed", errors)
        self.assertEqual(errors.count("\n"), 1)
        self.wait_until_gone()
