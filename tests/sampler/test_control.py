# SPDX-License-Identifier: GPL-2.0-or-later
#
# Switching sampling on and off from outside: the messages of benchmark integrations over
# the runner's FIFOs, and perf's words.

"""The control FIFOs."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Iterator

from tests.sampler.hostile import message, string
from tests.sampler.sampling import (
    OFTEN,
    PATIENCE,
    SAMPLER,
    Sampled,
    SamplerTest,
    cpu_time,
    let_work,
    processes_of,
    read_forest,
    wait_until,
)

COMMANDS, ANSWERS = Path("/tmp/runner.ctl.fifo"), Path("/tmp/runner.ack.fifo")

ACK, ERR = struct.pack("<I", 3), struct.pack("<I", 6)


START, STOP, PING = message(1), message(2), message(4)


def waiting(pipe: int) -> int:
    """How many bytes are in a pipe, one of whose ends is this."""
    (size,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    return int(size)


class Client:
    """What an integration does: writes a message, waits for the answer."""

    def __init__(self) -> None:
        """Waits until the commands are read: then all is there."""
        self.commands = -1
        wait_until(self._opens, f"{COMMANDS} is read")
        os.set_blocking(self.commands, True)
        self.answers = os.open(ANSWERS, os.O_RDONLY)

    def _opens(self) -> bool:
        with contextlib.suppress(OSError):
            self.commands = os.open(COMMANDS, os.O_WRONLY | os.O_NONBLOCK)
        return self.commands >= 0

    def write(self, data: bytes) -> None:
        os.write(self.commands, data)

    def answer(self) -> bytes:
        """The body of the next answer; b"" if there is none."""
        if not select.select([self.answers], [], [], PATIENCE)[0]:
            return b""
        (length,) = struct.unpack("<I", os.read(self.answers, 4))
        return os.read(self.answers, length)

    def unread(self) -> int:
        """How many bytes of answers there are."""
        return waiting(self.answers)

    def ask(self, data: bytes) -> bytes:
        self.write(data)
        return self.answer()

    def close(self) -> None:
        os.close(self.commands)
        os.close(self.answers)


def in_use() -> bool:
    """Whether a profiler that is not ours reads the commands."""
    try:
        os.close(os.open(COMMANDS, os.O_WRONLY | os.O_NONBLOCK))
        return True
    except OSError:  # not there, or left behind
        return False


class RunnerTest(SamplerTest):
    def setUp(self) -> None:
        super().setUp()
        if in_use():
            self.skipTest(f"another profiler is reading {COMMANDS}")
        self.program = self.build("two_paths.c", "-pthread")
        self.tree = self.folder / "tree"

    @contextlib.contextmanager
    def running(self) -> Iterator[Client]:
        """A sampler around a program that works; it is ended by a signal."""
        with subprocess.Popen([SAMPLER, OFTEN, "-o", self.tree, "--control=runner",
                               self.program, "120000"],
                              stderr=subprocess.PIPE, text=True) as self.sampler:
            client = Client()
            try:
                yield client
            finally:
                client.close()
                self.sampler.send_signal(signal.SIGTERM)
                _, self.err = self.sampler.communicate(timeout=PATIENCE)

    def working(self) -> int:
        """The process of the program, once it is there."""
        wait_until(lambda: processes_of(self.program) != [], "the program works")
        (process,) = processes_of(self.program)
        return process

    def result(self) -> Sampled:
        return Sampled(0, "", self.err, read_forest([self.tree]))

    def test_every_message(self) -> None:
        with self.running() as client:
            for data, answer in [
                (message(8, struct.pack("<Q", 2)), ACK),
                (message(8, struct.pack("<Q", 1)), ACK),
                (message(9), struct.pack("<II", 10, 0)),
                (message(5, string("tinybench-plugin") + string("4.0.1")), ACK),
                (PING, ACK),
                (START, ACK),
                (STOP, ACK),
                (message(0, struct.pack("<i", os.getpid()) + string("a::b")), ACK),
                (message(7, struct.pack("<iIQ", os.getpid(), 0, 12345)), ACK),
                (message(7, struct.pack("<iIQ", os.getpid(), 3, 12345)), ACK),
                # Answers are no requests, and what is not known is refused.
                (message(3), ERR),
                (message(6), ERR),
                (message(10, struct.pack("<I", 0)), ERR),
                (message(11), ERR),
                (message(0xffffffff), ERR),
                # Fields that are missing, too many, or make no sense.
                (struct.pack("<I", 0), ERR),
                (struct.pack("<I", 2) + b"ab", ERR),
                (message(1, b"x"), ERR),
                (message(0, struct.pack("<iQ", 1, 1 << 60)), ERR),
                (message(0, struct.pack("<i", -1) + string("a")), ERR),
                (message(7, struct.pack("<iIQ", os.getpid(), 4, 12345)), ERR),
                (PING, ACK),
            ]:
                self.assertEqual(client.ask(data), answer, data)

    def test_a_part_for_each_benchmark(self) -> None:
        """As integrations send it: START and STOP, then the name of what it was."""
        worked: dict[str, tuple[float, float]] = {}
        with self.running() as client:
            process = self.working()
            for uri in ("bench.js::first", "bench.js::second"):
                let_work(process, 0.3)
                before = cpu_time(process)
                self.assertEqual(client.ask(START), ACK)
                begun = cpu_time(process)
                let_work(process, 0.3)
                ended = cpu_time(process)
                self.assertEqual(client.ask(STOP), ACK)
                worked[uri] = (ended - begun, cpu_time(process) - before)
                self.assertEqual(client.ask(
                    message(0, struct.pack("<i", self.sampler.pid) + string(uri))), ACK)
        samples = dict.fromkeys(worked, 0)
        for path in self.result().paths():
            samples[path.tree.part.benchmark] += path.samples
        for uri, (least, most) in worked.items():
            self.assert_samples(samples[uri], least, most, f"{samples}, {worked}")

    def test_markers_are_notes_of_the_part_that_they_lie_in(self) -> None:
        """They come when the part has ended: their times say where they belong."""
        times = []
        with self.running() as client:
            process = self.working()
            for uri in ("first", "second"):
                client.ask(START)
                let_work(process, 0.1)
                times.append(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
                let_work(process, 0.1)
                client.ask(STOP)
                client.ask(message(0, struct.pack("<i", os.getpid()) + string(uri)))
            for kind, moment in enumerate((times[0], times[0] + 5, times[1],
                                           times[1] + 5)):
                self.assertEqual(
                    client.ask(message(7, struct.pack("<iIQ", 4711, kind, moment))), ACK)
        parts = {p.tree.part.benchmark: p.tree.part for p in self.result().paths()}
        markers = {name: [text for text in part.descriptions
                          if text.startswith("Marker: ")]
                   for name, part in parts.items()}
        self.assertEqual(markers, {
            "first": [f"Marker: SampleStart at {times[0]}, pid 4711",
                      f"Marker: SampleEnd at {times[0] + 5}, pid 4711"],
            "second": [f"Marker: RoundStart at {times[1]}, pid 4711",
                       f"Marker: RoundEnd at {times[1] + 5}, pid 4711"]})

    def test_a_version_that_is_not_known_ends_the_run(self) -> None:
        for version in (0, 3, 1 << 63):
            with self.running() as client:
                self.assertEqual(client.ask(message(8, struct.pack("<Q", version))), ERR)
                self.assertEqual(self.sampler.wait(PATIENCE), 2)
            self.assertIn(f"a client speaks version {version} of the runner's protocol",
                          self.err)
            self.assertIn("the run ends", self.err)

    def test_a_program_that_does_not_want_to_end(self) -> None:
        script, ready = self.folder / "stubborn", self.folder / "ready"
        script.write_text(f"#!/bin/sh\ntrap '' TERM\n: > {ready}\n"
                          "while :; do sleep 0.1; done\n")
        script.chmod(0o755)
        self.program = script
        with self.running() as client:
            wait_until(ready.exists, "the program ignores SIGTERM")
            self.assertEqual(client.ask(message(8, struct.pack("<Q", 9))), ERR)
            self.assertEqual(self.sampler.wait(PATIENCE), 2)

    def test_a_name_that_comes_first(self) -> None:
        with self.running() as client:
            process = self.working()
            client.ask(message(0, struct.pack("<i", os.getpid()) + string("before")))
            client.ask(START)
            let_work(process, 0.2)
            client.ask(message(0, struct.pack("<i", os.getpid()) + string("during")))
            let_work(process, 0.2)
            client.ask(STOP)
        self.assertEqual({p.tree.part.benchmark for p in self.result().paths()},
                         {"during"})

    def test_messages_in_pieces(self) -> None:
        data = message(5, string("x" * 300) + string("1")) + message(9) + PING
        with self.running() as client:
            for byte in data:
                client.write(bytes([byte]))
                time.sleep(0.001)
            self.assertEqual([client.answer() for _ in range(3)],
                             [ACK, struct.pack("<II", 10, 0), ACK])

    def reading_ends(self) -> set[str]:
        """The sampler's descriptors of the commands: when it has seen that all clients
        are gone, it has another one."""
        found = set()
        for entry in Path(f"/proc/{self.sampler.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                if os.readlink(entry) == str(COMMANDS):
                    found.add(entry.name)
        return found

    def go_and_let_another_come(self, client: Client) -> None:
        """`client` goes; when the sampler knows, it stands for the next one."""
        before = self.reading_ends()
        client.close()
        wait_until(lambda: len(self.reading_ends() - before) == 1
                   and len(self.reading_ends()) == 1,
                   "the sampler sees that the client has gone")
        # A client has a tenth of a second to read its last answer; then it is taken out.
        other = Client()
        wait_until(lambda: other.unread() == 0, "what the client left unread is gone")
        client.commands, client.answers = other.commands, other.answers

    def check_that_another_is_answered(self, client: Client) -> None:
        self.go_and_let_another_come(client)
        self.assertEqual(client.ask(PING), ACK)

    def test_a_client_that_goes_in_the_middle_of_a_message(self) -> None:
        with self.running() as client:
            client.write(message(5, string("unfinished"))[:9])
            self.check_that_another_is_answered(client)

    def test_answers_that_nobody_has_read_are_not_another_s(self) -> None:
        with self.running() as client:
            client.write(message(9))
            self.check_that_another_is_answered(client)

    def test_two_that_start(self) -> None:
        with self.running() as client:
            other = Client()
            self.assertEqual(client.ask(START), ACK)
            self.assertEqual(other.ask(START), ERR)
            other.close()
            self.assertEqual(client.ask(STOP), ACK)
            self.assertEqual(client.ask(START), ACK)
        self.assertIn("which another has started: refused", self.err)

    def test_one_that_goes_without_stopping(self) -> None:
        with self.running() as client:
            self.assertEqual(client.ask(START), ACK)
            self.go_and_let_another_come(client)
            self.assertEqual(client.ask(START), ACK)

    def test_two_samplers_at_once(self) -> None:
        with self.running() as client:
            second = self.sample("--control=runner", "true")
            self.assertEqual(second.status, 2)
            self.assertIn("another profiler is reading it", second.err)
            self.assertEqual(client.ask(PING), ACK)
        self.assertFalse(COMMANDS.exists())
        self.assertFalse(ANSWERS.exists())

    def test_a_file_in_the_place_of_a_fifo(self) -> None:
        COMMANDS.unlink(missing_ok=True)
        COMMANDS.write_text("")
        try:
            refused = self.sample("--control=runner", "true")
        finally:
            COMMANDS.unlink()
        self.assertEqual(refused.status, 2)
        self.assertIn("is no FIFO", refused.err)
