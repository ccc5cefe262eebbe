# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whose code a sample is in: processes that start while sampling is off, files that are
# replaced while they are mapped, attaching.

"""Processes, mappings, files."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Iterator

from tests.sampler.sampling import (
    OFTEN,
    PATIENCE,
    SAMPLER,
    Sampled,
    SampledPath,
    SamplerTest,
    Word,
    cpu_time_at_stop,
    let_work,
    process_status,
    processes_of,
    quote,
    read_forest,
    wait_until,
)


def is_named(path: SampledPath) -> bool:
    innermost = path.frames[-1]
    return innermost.kind != "t" and not innermost.name.startswith("0x")


def share_named(sampled: Sampled) -> float:
    return (sum(p.samples for p in sampled.paths() if is_named(p))
            / max(1, sampled.samples()))


class ProcessesTest(SamplerTest):
    def sample_late(self, *options: str) -> Sampled:
        """Processes start and exec with sampling off; it is on when they work."""
        program = self.build("two_paths.c", "-pthread")
        control, answers = self.folder / "ctl", self.folder / "ack"
        for fifo in (control, answers):
            fifo.unlink(missing_ok=True)
            os.mkfifo(fifo)
        tree = self.folder / "tree"
        tree.unlink(missing_ok=True)
        works = f"{quote(program)} 120000"
        script = f"{works} & sh -c {quote(works + '; true')} & wait"
        running = subprocess.Popen(
            [SAMPLER, OFTEN, "-o", tree, "--start=off",
             f"--control=fifo:{control},{answers}",
             *options, "sh", "-c", script],
            stderr=subprocess.PIPE, text=True)
        with open(control, "w") as commands, open(answers, "rb") as acks:
            wait_until(lambda: len(processes_of(program)) == 2, "both programs work")
            processes = processes_of(program)
            for process in processes:
                let_work(process, 0.1)
            commands.write("enable\n")
            commands.flush()
            self.assertEqual(acks.read(5), b"ack\n\0")
            for process in processes:
                let_work(process, 0.3)
            for process in processes:
                os.kill(process, signal.SIGKILL)
        _, err = running.communicate(timeout=PATIENCE)
        return Sampled(running.returncode, "", err, read_forest([tree]))

    def test_sampling_starts_after_the_processes(self) -> None:
        sampled = self.sample_late()
        self.assertGreater(sampled.samples(), 800, sampled.err)
        self.assertGreaterEqual(share_named(sampled), 0.99)
        self.assertEqual(len({p.tree.thread.process.pid for p in sampled.paths()
                              if "turns" in p.names()}), 2)

    def test_backfill_alone_names_them_too(self) -> None:
        sampled = self.sample_late("--test-without=tracking")
        self.assertGreater(sampled.samples(), 800, sampled.err)
        self.assertGreaterEqual(share_named(sampled), 0.99)

    def test_without_tracking_and_backfill_nothing_has_a_name(self) -> None:
        """That the two tests above prove something."""
        sampled = self.sample_late("--test-without=tracking", "--test-without=backfill")
        self.assertGreater(sampled.samples(), 800, sampled.err)
        self.assertLess(share_named(sampled), 0.5)

    def replaced(self, *flags: str) -> Sampled:
        program = self.build("replaced.c", "-ldl")
        library = self.build("library.c", "-shared", "-fPIC", "-DNAME=true_work", *flags,
                             name="library.so")
        other = self.build("library.c", "-shared", "-fPIC", "-DNAME=false_work",
                           "-DPADDED", *flags, name="other.so")
        sampled = self.sample(program, library, other)
        self.assertEqual(sampled.status, 0, sampled.err)
        self.assertFalse(other.exists())
        return sampled

    def test_a_library_that_is_replaced_while_mapped(self) -> None:
        for flag in ("-Wl,--build-id", "-Wl,--build-id=none"):
            with self.subTest(flag):
                sampled = self.replaced(flag)
                self.assertEqual(sampled.share("false_work"), 0)
                self.assertEqual(sampled.share("padding"), 0)
                # The kernel shows the file itself for as long as the process lives.  The
                # rest is the kernel's work, which is more in some virtual machines.
                self.assertGreater(sampled.share("true_work"), 0.7)

    def test_a_program_that_is_deleted_while_it_runs(self) -> None:
        program = self.build("two_paths.c", "-pthread")
        for flag in ("-Wl,--build-id", "-Wl,--build-id=none"):
            self.build("two_paths.c", "-pthread", flag)
            with self.subTest(flag):
                # Of the shell and what it starts, nothing has to be named.
                everything = self.sample(
                    "sh", "-c", f"{quote(program)} 600 & while"
                                " [ \"$(readlink /proc/$!/exe)\" !="
                                f" {quote(program.resolve())} ]; do :; done;"
                                f" rm {quote(program)}; wait")
                self.assertFalse(program.exists())
                sampled = everything.of_command(f"{program} 600")
                self.assertGreater(sampled.share("dear"), 0.6, everything.err)
                self.assertGreaterEqual(share_named(sampled), 0.98)

    def test_a_library_whose_file_cannot_be_had_any_more(self) -> None:
        """Without the right to /proc/PID/map_files: no names, never the new file's."""
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        self.folder.chmod(0o777)
        program = self.build("replaced.c", "-ldl")
        library = self.build("library.c", "-shared", "-fPIC", "-DNAME=true_work",
                             name="library.so")
        other = self.build("library.c", "-shared", "-fPIC", "-DNAME=false_work",
                           "-DPADDED", name="other.so")
        for path in (program, library, other):
            path.chmod(0o755)
        sampled = self.sample_as_nobody(program, library, other)
        if sampled.status == 2:
            self.skipTest(sampled.err)
        self.assertEqual(sampled.status, 0, sampled.err)
        for name in ("false_work", "padding", "true_work"):
            self.assertEqual(sampled.share(name), 0)
        self.assertRegex(sampled.err, r" (9\d|100)\.\d% without a name")

    def test_two_runs_at_once(self) -> None:
        """Each has its own program, and its own file."""
        first = self.build("two_paths.c", "-pthread", name="first")
        second = self.build("two_paths.c", "-pthread", name="second")
        runs = {}
        for program in (first, second):
            tree = self.folder / f"{program.name}.tree"
            runs[program] = tree, subprocess.Popen(
                [SAMPLER, OFTEN, "-o", tree, program, "200"],
                stderr=subprocess.PIPE, text=True)
        for program, (tree, running) in runs.items():
            _, err = running.communicate(timeout=PATIENCE)
            sampled = Sampled(running.returncode, "", err, read_forest([tree]))
            self.assertGreater(sampled.samples(), 200, err)
            self.assertEqual({p.tree.thread.process.command for p in sampled.paths()},
                             {f"{program} 200"})
            self.assertGreater(sampled.share("turns"), 0.95)

    @contextlib.contextmanager
    def process(self, *words: Word) -> "Iterator[subprocess.Popen[bytes]]":
        """A process that ends with the block at the latest, even if a test fails."""
        with subprocess.Popen(words) as process:
            try:
                yield process
            finally:
                process.kill()

    def attach(self, process: int) -> "subprocess.Popen[str]":
        """A sampler that has taken over 1000 samples of a process."""
        sampler = subprocess.Popen([SAMPLER, OFTEN, "-v", "-o", self.folder / "tree",
                                    "-p", str(process)],
                                   stderr=subprocess.PIPE, text=True)
        assert sampler.stderr is not None
        for line in sampler.stderr:
            found = re.search(r"sampling is on, (\d+) samples", line)
            if found is not None and int(found[1]) > 1000:
                break
        return sampler

    def test_attaching_and_stopping(self) -> None:
        """^C ends the sampling, not the process."""
        program = self.build("two_paths.c", "-pthread")
        tree = self.folder / "tree"
        with subprocess.Popen([program, "120000", "1"]) as running:
            sampler = self.attach(running.pid)
            sampler.send_signal(signal.SIGINT)
            _, err = sampler.communicate(timeout=PATIENCE)
            self.assertIsNone(running.poll())
            running.kill()
        sampled = Sampled(sampler.returncode, "", err, read_forest([tree]))
        self.assertEqual(sampled.status, 0, err)
        self.assertGreater(sampled.samples(), 1000, err)
        self.assertGreater(sampled.share("turns"), 0.95)

    def test_attaching(self) -> None:
        program = self.build("two_paths.c", "-pthread")
        tree = self.folder / "tree"
        with subprocess.Popen([program, "120000", "2"]) as running:
            let_work(running.pid, 0.2)
            sampler = self.attach(running.pid)
            running.kill()
            _, err = sampler.communicate(timeout=PATIENCE)
        sampled = Sampled(sampler.returncode, "", err, read_forest([tree]))
        self.assertEqual(sampled.status, 0, sampled.err)
        self.assertGreater(sampled.samples(), 1000, sampled.err)
        self.assertGreaterEqual(share_named(sampled), 0.99)
        self.assertGreater(sampled.share("turns"), 0.95)
        self.assertEqual(sampled.paths()[0].tree.thread.process.command,
                         f"{program} 120000 2")

    def test_attaching_to_a_program_whose_name_has_parentheses(self) -> None:
        """Its end is noticed, though nobody has waited for it yet."""
        program = self.build("two_paths.c", "-pthread", name="a) b (c) Z")
        with self.process(program, "120000", "1") as running:
            sampler = self.attach(running.pid)
            running.kill()
            _, err = sampler.communicate(timeout=PATIENCE)
        self.assertEqual(sampler.returncode, 0, err)

    def test_the_main_thread_ends_before_the_process(self) -> None:
        program = self.build("main_ends.c", "-pthread")
        with self.process(program) as running:
            sampler = self.attach(running.pid)
            running.send_signal(signal.SIGUSR1)
            wait_until(lambda: process_status(running.pid)[0] == "Z", "main() has ended")
            let_work(running.pid, 0.3)
            self.assertIsNone(sampler.poll())
            running.kill()
            _, err = sampler.communicate(timeout=PATIENCE)
        self.assertEqual(sampler.returncode, 0, err)

    def test_another_process_with_the_same_number(self) -> None:
        """The sampler is stopped while one comes in the place of what it watches."""
        next_number = Path("/proc/sys/kernel/ns_last_pid")
        if os.geteuid() != 0 or not os.access(next_number, os.W_OK):
            self.skipTest("only root can choose the number of a process")
        program = self.build("two_paths.c", "-pthread")
        with self.process(program, "120000", "1") as running:
            sampler = self.attach(running.pid)
            cpu_time_at_stop(sampler.pid)
            running.kill()
        other = self.start_with_number(running.pid, next_number)
        try:
            sampler.send_signal(signal.SIGCONT)
            _, err = sampler.communicate(timeout=PATIENCE)
            self.assertIsNone(other.poll())
        finally:
            other.kill()
            other.wait()
        self.assertEqual(sampler.returncode, 0, err)

    def start_with_number(self, number: int,
                          next_number: Path) -> "subprocess.Popen[bytes]":
        """A process that sleeps.  Others take numbers meanwhile, so it may need some
        trials."""
        for _ in range(1000):
            try:
                next_number.write_text(str(number - 1))
            except OSError as error:
                self.skipTest(f"the number of a process cannot be chosen: {error}")
            process = subprocess.Popen(["sleep", "600"])
            if process.pid == number:
                return process
            process.kill()
            process.wait()
        self.skipTest("others took the number of the process")

    def test_a_process_has_its_parent_and_its_command(self) -> None:
        program = self.build("two_paths.c", "-pthread")
        sampled = self.sample("sh", "-c", f"{quote(program)} 200; true")
        (process,) = {p.tree.thread.process.pid: p.tree.thread.process
                      for p in sampled.paths() if "turns" in p.names()}.values()
        self.assertEqual(process.command, f"{program} 200")
        assert process.parent is not None
        self.assertTrue(process.parent.command.startswith("sh -c "))
        mapped = {mapping.object.path for mapping in process.mappings}
        self.assertIn(str(Path(program).resolve()), mapped)
