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
    Word,
    cpu_time,
    cpu_time_at_stop,
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


class Words:
    """A client of perf's, at FIFOs that are there."""

    def __init__(self, control: Path, answers: Path) -> None:
        self.control = control
        self.commands = os.open(control, os.O_WRONLY)
        self.acks = os.open(answers, os.O_RDONLY)

    def send(self, piece: bytes) -> None:
        """Returns when the sampler has taken it."""
        os.write(self.commands, piece)
        wait_until(lambda: waiting(self.commands) == 0, f"{piece!r} is read")

    def answers(self, count: int) -> bytes:
        """As many; waits for them."""
        size = 5 * count
        wait_until(lambda: self.unread() >= size, f"{count} answers are there")
        return os.read(self.acks, size) if size else b""

    def unread(self) -> int:
        return waiting(self.acks)

    def hang_up(self) -> None:
        if self.commands >= 0:
            os.close(self.commands)
        self.commands = -1

    def close(self) -> None:
        self.hang_up()
        os.close(self.acks)


class WordsTest(SamplerTest):
    def test_words_are_answered_as_perf_does(self) -> None:
        program = self.build("two_paths.c", "-pthread")
        control, answers = self.folder / "ctl", self.folder / "ack"
        os.mkfifo(control)
        os.mkfifo(answers)
        tree = self.folder / "tree"
        with subprocess.Popen([SAMPLER, OFTEN, "-o", tree, "--start=off",
                               f"--control=fifo:{control},{answers}", program, "120000"],
                              stderr=subprocess.PIPE, text=True) as running:
            with open(control, "wb", 0) as commands, open(answers, "rb", 0) as acks:
                wait_until(lambda: processes_of(program) != [], "the program works")
                (process,) = processes_of(program)
                times = []
                for words in ([b"ping\n"], [b"ena", b"ble\n"], [b"disable\n"],
                              [b"nonsense\n", b"ping\n"]):
                    let_work(process, 0.3)
                    times.append(cpu_time(process))
                    for word in words:
                        commands.write(word)
                        time.sleep(0.1)
                    self.assertEqual(acks.read(5), b"ack\n\0")
                    times.append(cpu_time(process))
            running.terminate()
            _, err = running.communicate(timeout=PATIENCE)
        self.assertIn("'nonsense' is not understood", err)
        sampled = Sampled(0, "", err, read_forest([tree]))
        _, _, before, begun, ended, behind, _, _ = times
        self.assert_samples(sampled.samples(), ended - begun, behind - before, err)

    @contextlib.contextmanager
    def listening(self, *words: Word) -> Iterator["Words"]:
        """A sampler with a client, which is told to end by a signal if it still runs."""
        control, answers = self.folder / "ctl", self.folder / "ack"
        for fifo in (control, answers):
            fifo.unlink(missing_ok=True)
            os.mkfifo(fifo)
        self.tree = self.folder / "tree"
        with subprocess.Popen([SAMPLER, OFTEN, "-o", self.tree, "--start=off",
                               f"--control=fifo:{control},{answers}", *words],
                              stderr=subprocess.PIPE, text=True) as self.sampler:
            client = Words(control, answers)
            try:
                yield client
            finally:
                self.sampler.terminate()
                _, self.err = self.sampler.communicate(timeout=PATIENCE)
                client.close()

    def test_every_way_to_end_a_word(self) -> None:
        """A line feed, a NUL, both, or nothing: so clients send them that perf knows."""
        with self.listening("--event=cpu-clock", "sleep", "600") as client:
            for pieces, answers in [
                ([b"ping\n"], 1),
                ([b"ping\0"], 1),
                ([b"ping\n\0"], 1),
                ([b"ping\r\n"], 1),
                ([b"ping"], 1),
                ([b"ping", b"\n", b"\0"], 1),
                ([b"\n", b"\0", b"\n\n\0\0"], 0),
                # Several at once, one in pieces.
                ([b"enable\ndisable\nping\n"], 3),
                ([b"enable\0disable\0ping\0"], 3),
                ([b"enable\ndisable\nping"], 3),
                ([b"e", b"nab", b"le\n"], 1),
                ([b"ping\ndisa", b"ble"], 2),
                # Other words of perf's, and what may stand behind a word.
                ([b"enable cpu-clock\n", b"disable cpu-clock:u\n"], 2),
                ([b"enable page-faults\n"], 1),
                ([b"snapshot\n"], 1),
                ([b"evlist\n", b"evlist -v\n"], 2),
                # What perf does not know: it does not answer, and its client hangs.
                ([b"nonsense\n"], 1),
                ([b"nonsense"], 1),
                ([b" enable\n", b"ENABLE\n", b"ack\n"], 3),
                ([b"x" * 3000], 1),
                ([b"\x1b[2J\n"], 1),
            ]:
                with self.subTest(pieces):
                    for piece in pieces:
                        client.send(piece)
                    self.assertEqual(client.answers(answers), b"ack\n\0" * answers)
                    self.assertEqual(client.unread(), 0)
        self.assertIn("'page-faults': there is no such event; it is cpu-clock", self.err)
        self.assertIn("the event is cpu-clock", self.err)
        self.assertIn("' enable' is not understood; there are enable, disable, ping and "
                      "stop", self.err)
        self.assertNotIn("\x1b", self.err)

    def test_a_word_without_an_end_switches(self) -> None:
        program = self.build("two_paths.c", "-pthread")
        with self.listening(program, "120000") as client:
            wait_until(lambda: processes_of(program) != [], "the program works")
            (process,) = processes_of(program)
            let_work(process, 0.2)
            before = cpu_time(process)
            client.send(b"enable")
            client.answers(1)
            begun = cpu_time(process)
            let_work(process, 0.2)
            ended = cpu_time(process)
            client.send(b"disable")
            client.answers(1)
            behind = cpu_time(process)
            let_work(process, 0.2)
        sampled = Sampled(0, "", self.err, read_forest([self.tree]))
        self.assert_samples(sampled.samples(), ended - begun, behind - before, self.err)

    def test_a_word_is_complete_where_its_writer_has_gone(self) -> None:
        with self.listening("sleep", "600") as client:
            client.send(b"no")  # of nothing that we know
            client.answers(1)
            client.send(b"pin")  # perhaps the beginning of a word
            client.hang_up()
        self.assertIn("'no' is not understood", self.err)
        self.assertIn("'pin' is not understood", self.err)

    def test_words_that_nobody_wants_to_read_about(self) -> None:
        """However many there are, stderr stays short; and so where no answer is read."""
        with self.listening("sleep", "600") as client:
            for _ in range(40):
                client.send(b"nonsense\n" * 1000)
            while client.unread():
                os.read(client.acks, 1 << 16)
            client.send(b"ping\n")
            self.assertEqual(client.answers(1), b"ack\n\0")
        self.assertEqual(self.err.count("is not understood"), 10)
        self.assertEqual(self.err.count("of further words"), 1)
        self.assertEqual(self.err.count("nobody reads the answers"), 1)

    def test_stop_ends_the_program_and_keeps_the_profile(self) -> None:
        with self.listening("sleep", "600") as client:
            client.send(b"stop\n")
            self.assertEqual(client.answers(1), b"ack\n\0")
            self.assertEqual(self.sampler.wait(PATIENCE), -signal.SIGTERM)
        self.assertIn(f"wrote {self.tree}", self.err)

    def test_stop_leaves_a_process_alone_that_is_not_ours(self) -> None:
        with subprocess.Popen(["sleep", "600"]) as other:
            with self.listening("-p", str(other.pid)) as client:
                client.send(b"stop")
                self.assertEqual(self.sampler.wait(PATIENCE), 0)
            self.assertIsNone(other.poll())
            other.kill()
        self.assertIn(f"wrote {self.tree}", self.err)

    def test_two_samplers_at_the_same_fifos(self) -> None:
        control, answers = self.folder / "ctl", self.folder / "ack"
        os.mkfifo(control)
        os.mkfifo(answers)
        for fifos in (f"{control},{answers}", str(control)):
            with self.subTest(fifos):
                with subprocess.Popen(
                        [SAMPLER, "-o", self.folder / "first", f"--control=fifo:{fifos}",
                         "sleep", "600"], stderr=subprocess.PIPE, text=True) as running:
                    for client in range(3):  # clients that come and go change nothing
                        time.sleep(0.1)
                        control.write_text("disable\n")
                    time.sleep(0.1)
                    second = self.sample(f"--control=fifo:{fifos}", "true")
                    running.terminate()
                self.assertEqual(second.status, 2)
                self.assertIn("another callgrind_sample is using it", second.err)

    def test_a_script_that_has_its_fifo_open(self) -> None:
        """As perf's manual shows it: open for reading and writing, before all else."""
        control = self.folder / "ctl"
        os.mkfifo(control)
        ours = os.open(control, os.O_RDWR)
        self.addCleanup(os.close, ours)
        program = self.build("two_paths.c", "-pthread")
        tree = self.folder / "tree"
        with subprocess.Popen([SAMPLER, OFTEN, "-v", "-o", tree, "--start=off",
                               f"--control=fifo:{control}", program, "120000"],
                              stderr=subprocess.PIPE, text=True) as running:
            wait_until(lambda: processes_of(program) != [], "the program works")
            (process,) = processes_of(program)
            let_work(process, 0.3)
            before = cpu_time(process)
            os.write(ours, b"enable\n")
            assert running.stderr is not None
            for line in running.stderr:
                if "sampling is on" in line:
                    break
            begun = cpu_time(process)
            let_work(process, 0.3)
            ended = cpu_time_at_stop(process)
            os.kill(process, signal.SIGKILL)
            _, err = running.communicate(timeout=PATIENCE)
        self.assertEqual(running.returncode, -signal.SIGKILL, err)
        sampled = Sampled(0, "", err, read_forest([tree]))
        self.assert_samples(sampled.samples(), ended - begun, ended - before, err)

    def test_one_fifo_for_both(self) -> None:
        """It would talk to itself, for ever."""
        control, link = self.folder / "ctl", self.folder / "link"
        os.mkfifo(control)
        link.symlink_to(control)
        for fifos in (f"{control},{control}", f"{control},{link}"):
            refused = self.sample(f"--control=fifo:{fifos}", "true")
            self.assertEqual(refused.status, 2)
            self.assertIn("commands and answers need a FIFO each", refused.err)

    def test_fifos_that_are_not_there(self) -> None:
        for fifos in ("nowhere", "nowhere,nowhere.ack"):
            refused = self.sample(f"--control=fifo:{fifos}", "true")
            self.assertEqual(refused.status, 2)
            self.assertIn("nowhere: No such file or directory; make it with mkfifo first",
                          refused.err)
