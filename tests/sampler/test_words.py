# SPDX-License-Identifier: GPL-2.0-or-later
#
# Switching sampling on and off by perf's words, over FIFOs and inherited descriptors.

"""perf's control protocol."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import stat
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Iterator

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
from tests.sampler.test_control import waiting


def unsent(end: int) -> int:
    """What the other end of a socket has not read; 0 if it has read all."""
    (size,) = struct.unpack("i", fcntl.ioctl(end, termios.TIOCOUTQ, bytes(4)))
    return int(size)


class Words:
    """A client of perf's, at FIFOs, pipes or a socket."""

    def __init__(self, commands: int, acks: int) -> None:
        self.commands, self.acks = commands, acks

    @classmethod
    def at_fifos(cls, control: Path, answers: Path) -> Words:
        return cls(os.open(control, os.O_WRONLY), os.open(answers, os.O_RDONLY))

    def untaken(self) -> int:
        """How many bytes the sampler has not read."""
        is_socket = stat.S_ISSOCK(os.fstat(self.commands).st_mode)
        return unsent(self.commands) if is_socket else waiting(self.commands)

    def send(self, piece: bytes) -> None:
        """Returns when the sampler has taken it."""
        os.write(self.commands, piece)
        wait_until(lambda: self.untaken() == 0, f"{piece!r} is read")

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
        if self.acks != self.commands:
            os.close(self.acks)
        self.hang_up()


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
            client = Words.at_fifos(control, answers)
            try:
                yield client
            finally:
                self.sampler.terminate()
                _, self.err = self.sampler.communicate(timeout=PATIENCE)
                client.close()

    def check_every_way_to_end_a_word(self, client: Words) -> None:
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

    def test_every_way_to_end_a_word(self) -> None:
        """A line feed, a NUL, both, or nothing: so clients send them that perf knows."""
        with self.listening("--event=cpu-clock", "sleep", "600") as client:
            self.check_every_way_to_end_a_word(client)
        self.assertIn("'page-faults': there is no such event; it is cpu-clock", self.err)
        self.assertIn("the event is cpu-clock", self.err)
        self.assertIn("' enable' is not understood; there are enable, disable, ping and "
                      "stop", self.err)
        self.assertNotIn("\x1b", self.err)

    @contextlib.contextmanager
    def inheriting(self, kind: str, *words: Word) -> Iterator[Words]:
        """As listening(), at descriptors of that kind."""
        self.tree = self.folder / "tree"
        if kind == "socket":
            ours, theirs = (end.detach() for end in socket.socketpair())
            client, inherited = Words(ours, ours), [theirs, theirs]
        elif kind == "pipe":
            read, write = os.pipe()
            answers, answer = os.pipe()
            client, inherited = Words(write, answers), [read, answer]
        else:  # as in perf's manual: open for both, and so for who starts it
            fifos = [self.folder / name for name in ("shared.ctl", "shared.ack")]
            for fifo in fifos:
                os.mkfifo(fifo)
            inherited = [os.open(fifo, os.O_RDWR) for fifo in fifos]
            client = Words(*map(os.dup, inherited))
        option = "--control=fd:" + ",".join(map(str, inherited))
        with subprocess.Popen([SAMPLER, OFTEN, "-o", self.tree, "--start=off", option,
                               *words], pass_fds=set(inherited),
                              stderr=subprocess.PIPE, text=True) as self.sampler:
            for descriptor in set(inherited):
                os.close(descriptor)
            try:
                yield client
            finally:
                self.sampler.terminate()
                _, self.err = self.sampler.communicate(timeout=PATIENCE)
                client.close()

    def test_every_way_over_inherited_descriptors(self) -> None:
        for kind in ("pipe", "socket", "fifo"):
            with self.subTest(kind):
                with self.inheriting(kind, "--event=cpu-clock", "sleep",
                                     "600") as client:
                    self.check_every_way_to_end_a_word(client)
                self.assertIn("' enable' is not understood", self.err)

    def test_words_over_descriptors_switch(self) -> None:
        program = self.build("two_paths.c", "-pthread")
        with self.inheriting("pipe", program, "120000") as client:
            wait_until(lambda: processes_of(program) != [], "the program works")
            (process,) = processes_of(program)
            let_work(process, 0.2)
            before = cpu_time(process)
            client.send(b"enable\n")
            client.answers(1)
            begun = cpu_time(process)
            let_work(process, 0.2)
            ended = cpu_time(process)
            client.send(b"disable")
            client.hang_up()
            self.assertEqual(client.answers(1), b"ack\n\0")
            behind = cpu_time(process)
            let_work(process, 0.2)
        sampled = Sampled(0, "", self.err, read_forest([self.tree]))
        self.assert_samples(sampled.samples(), ended - begun, behind - before, self.err)

    def test_a_reader_of_answers_that_has_gone(self) -> None:
        """There is no signal, and the next word is done."""
        for kind in ("pipe", "socket"):
            with self.subTest(kind), self.inheriting(kind, "sleep", "600") as client:
                if kind == "socket":
                    with socket.socket(fileno=os.dup(client.acks)) as end:
                        end.shutdown(socket.SHUT_RD)
                else:
                    null = os.open(os.devnull, os.O_RDONLY)
                    os.dup2(null, client.acks)
                    os.close(null)
                client.send(b"ping\n")
                client.send(b"stop\n")
                self.assertEqual(self.sampler.wait(PATIENCE), -signal.SIGTERM)
            self.assertIn("nobody reads the answers", self.err)

    def test_descriptors_that_make_no_sense(self) -> None:
        for option, said in (
                ("fd:", "one of none, runner, fifo:CTL,ACK, fd:N,M is wanted"),
                ("fd:x", "is wanted"), ("fd:1,x", "is wanted"), ("fd:-1", "is wanted"),
                ("fd:0,1,2", "is wanted"), ("fd:99999999999", "is wanted"),
                ("fd:0 ,1", "is wanted"),
                ("fd:987", "descriptor 987 is not open"),
                ("fd:0,987", "descriptor 987 is not open")):
            with self.subTest(option):
                refused = self.sample(f"--control={option}", "true")
                self.assertEqual(refused.status, 2)
                self.assertIn(said, refused.err)
        for mode, word in ((os.O_WRONLY, "reading"), (os.O_RDONLY, "writing")):
            null = os.open(os.devnull, mode)
            self.addCleanup(os.close, null)
            option = f"--control=fd:{'0,' if word == 'writing' else ''}{null}"
            done = subprocess.run([SAMPLER, option, "true"], pass_fds=[null], check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"descriptor {null} is not open for {word}", done.stderr)

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
