# SPDX-License-Identifier: GPL-2.0-or-later
#
# The sampler around the program: exit status, signals and streams pass through, and what
# is wrong is told in one line.

"""Running a program, and refusing to."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct
import subprocess

from tests.sampler.sampling import PATIENCE, SAMPLER, SamplerTest


PERF_EVENT_OPEN = 298  # the number of the system call, on amd64


def forbid_sampling() -> None:
    """A filter of system calls, as container engines set it, which answers EPERM."""
    load_number, unless_equal, answer = 0x20, 0x15, 0x06
    refusal, permission = 0x00050000 | errno.EPERM, 0x7fff0000
    program = b"".join(struct.pack("HBBI", *line) for line in [
        (load_number, 0, 0, 0),
        (unless_equal, 0, 1, PERF_EVENT_OPEN),
        (answer, 0, 0, refusal),
        (answer, 0, 0, permission),
    ])
    buffer = ctypes.create_string_buffer(program, len(program))
    description = struct.pack("HxxxxxxQ", 4, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, description) != 0:
        raise OSError(ctypes.get_errno(), "no filter of system calls can be set")


class RunningTest(SamplerTest):
    def test_the_exit_status_is_the_program_s(self) -> None:
        self.assertEqual(self.sample("sh", "-c", "exit 7").status, 7)
        self.assertEqual(self.sample("true").status, 0)

    def test_a_signal_that_kills_the_program_kills_the_sampler(self) -> None:
        sampled = self.sample("sh", "-c", "kill -SEGV $$")
        self.assertEqual(sampled.status, -signal.SIGSEGV)
        self.assertIsNotNone(sampled.forest)

    def test_a_signal_to_the_sampler_goes_to_the_program(self) -> None:
        script = ('trap "echo got it; exit 5" USR1; echo ready;'
                  ' while :; do sleep 0.05; done')
        with subprocess.Popen([SAMPLER, "-o", self.folder / "tree", "sh", "-c", script],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as running:
            assert running.stdout is not None
            self.assertEqual(running.stdout.readline(), "ready\n")
            running.send_signal(signal.SIGUSR1)
            self.assertEqual(running.stdout.read(), "got it\n")
            self.assertEqual(running.wait(PATIENCE), 5)

    def test_streams_are_the_program_s(self) -> None:
        sampled = self.sample("sh", "-c", "cat; echo err >&2", input="in\n")
        self.assertEqual(sampled.out, "in\n")
        self.assertTrue(sampled.err.startswith("err\n"))

    def test_one_line_sums_up(self) -> None:
        sampled = self.sample("true")
        self.assertRegex(sampled.err,
                         r"^callgrind_sample: \d+ samples of (cycles|cpu-clock),"
                         r" \d+ lost,"
                         r" \d+\.\d% truncated, \d+\.\d% without a name,"
                         r" \d+\.\d\d s of CPU time for sampling; wrote .*/tree\n$")

    def test_progress(self) -> None:
        with subprocess.Popen([SAMPLER, "-v", "--event=cpu-clock", "-o",
                               self.folder / "tree", "cat"],
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as running:
            assert running.stderr is not None
            self.assertIn("interrupt takes", running.stderr.readline())
            lines = [running.stderr.readline() for _ in range(2)]
            _, last = running.communicate(timeout=PATIENCE)  # closes cat's input
        for line in lines:
            self.assertRegex(line, r"callgrind_sample: [1-9]\d* s: sampling is on,"
                                   r" \d+ samples, 0 lost, (997|249|62) a second,"
                                   r" stacks of 65528 bytes\n$")
        self.assertIn("wrote", last)

    def test_a_program_that_is_not_there(self) -> None:
        sampled = self.sample("/nowhere/program")
        self.assertEqual(sampled.status, 127)
        self.assertEqual(sampled.err, "callgrind_sample: /nowhere/program: cannot be "
                                      "executed: No such file or directory\n")

    def test_messages_do_not_control_the_terminal(self) -> None:
        done = subprocess.run([SAMPLER, b"--a\x1b[31m\xc2\x9b1m\x9b\x7f\xc3\xa9"],
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b": --a\\x1b[31m\\xc2\\x9b1m\\x9b\\x7f\xc3\xa9: there is no",
                      done.stderr)

    def test_a_folder_that_is_not_there(self) -> None:
        sampled = self.sample("-o", "nowhere/tree", "touch", "started")
        self.assertEqual(sampled.status, 2)
        self.assertIn("nowhere/tree: cannot be written", sampled.err)
        self.assertFalse((self.folder / "started").exists())

    def test_a_link_that_leads_to_itself(self) -> None:
        link = self.folder / "loop"
        link.symlink_to("loop")
        sampled = self.sample("-o", "loop", "touch", "started")
        self.assertEqual(sampled.status, 2)
        self.assertIn("loop: cannot be written: Too many levels of", sampled.err)
        self.assertTrue(link.is_symlink())
        self.assertFalse((self.folder / "started").exists())

    def test_the_current_folder_of_a_program_does_not_matter(self) -> None:
        sampled = self.sample("-o", "here.tree", "sh", "-c", "cd /; exit 0")
        self.assertEqual(sampled.status, 0)
        self.assertTrue((self.folder / "here.tree").exists())

    def test_without_the_right_to_sample(self) -> None:
        """As in a container: one line, 2, and the program does not start."""
        sampled = self.sample("touch", "started", preexec_fn=forbid_sampling)
        self.assertEqual(sampled.status, 2, sampled.err)
        self.assertEqual(sampled.err.count("\n"), 1)
        self.assertIn("no right to sample", sampled.err)
        self.assertIn("allow perf_event_open", sampled.err)
        self.assertFalse((self.folder / "started").exists())

    def test_another_user_samples_without_the_kernel(self) -> None:
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        if int(open("/proc/sys/kernel/perf_event_paranoid").read()) != 2:
            self.skipTest("perf_event_paranoid is not 2")
        self.folder.chmod(0o777)
        program = self.build("two_paths.c", "-pthread")
        program.chmod(0o755)
        sampled = self.sample_as_nobody(program, "500")
        self.assertEqual(sampled.status, 0, sampled.err)
        self.assertGreater(sampled.share("turns"), 0.9)
        self.assertFalse([p for p in sampled.paths() if p.frames[-1].kind == "k"])
        refused = self.sample_as_nobody("--kernel=yes", program, "100")
        self.assertEqual(refused.status, 2)
        self.assertIn("set kernel.perf_event_paranoid to 1", refused.err)


class OptionsTest(SamplerTest):
    needs_sampling = False

    def refused(self, *words: str) -> str:
        sampled = self.sample(*words)
        self.assertEqual(sampled.status, 2, words)
        self.assertEqual(sampled.err.count("\n"), 1, sampled.err)
        self.assertEqual(sampled.out, "")
        return sampled.err.replace("callgrind_sample: ", "", 1).strip()

    def test_what_is_wrong_is_told(self) -> None:
        self.assertEqual(self.refused("--nonsense", "true"),
                         "--nonsense: there is no such option;"
                         " see callgrind_sample --help")
        self.assertEqual(self.refused(),
                         "no program is named; see callgrind_sample --help")
        self.assertEqual(self.refused("--frequency=0", "true"),
                         "--frequency=0: a number from 1 to 100000 is wanted")
        self.assertEqual(self.refused("--stack-size=1e3", "true"),
                         "--stack-size=1e3: a number from 256 to 65528 is wanted")
        self.assertEqual(self.refused("--event=branches", "true"),
                         "--event=branches: one of auto|cycles|cpu-clock|wall is wanted")
        self.assertEqual(self.refused("--control=fifo:", "true"),
                         "--control=fifo:: one of none, runner, fifo:CTL,ACK, fd:N,M is"
                         " wanted")
        self.assertEqual(self.refused("--start=off", "true"),
                         "--start=off: nothing would ever be sampled; add --control=")
        self.assertEqual(self.refused("-p", "1", "true"),
                         "-p and a program exclude each other")
        self.assertEqual(self.refused("-o"), "-o: its value is missing")
        self.assertEqual(self.refused("-p", "4194304"),
                         "-p 4194304: there is no such process")

    def test_options_end_at_the_program(self) -> None:
        self.assertEqual(self.sample("echo", "-p", "--help").out, "-p --help\n")
        self.assertEqual(self.sample("--", "echo", "-o").out, "-o\n")

    def test_help_lists_the_options(self) -> None:
        out = self.sample("--help").out
        for option in ("--output", "--pid", "--frequency", "--event", "--stack-size",
                       "--kernel", "--start", "--control", "--obj-skip", "--verbose"):
            self.assertIn(option, out)
