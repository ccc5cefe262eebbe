# SPDX-License-Identifier: GPL-2.0-or-later
#
# --event=wall: what threads wait for.  The program measures its own waits; on a busy
# machine they are longer, and so are those that are found.

"""Time off the processor."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from pathlib import Path
from typing import Iterator, NamedTuple

from tests.sampler.driving import drive
from tests.sampler.sampling import (
    PATIENCE,
    SAMPLER,
    Sampled,
    SamplerTest,
    Word,
    process_status,
    read_forest,
)

WALL = "--event=wall"
EVENTS = [("wall", "nanoseconds"), ("on-cpu", "nanoseconds"), ("off-cpu", "nanoseconds"),
          ("samples", "count"), ("waits", "count")]
NO_PROCESSOR = "[waiting for a processor]"
WORK = 0.2  # seconds of CPU time for which waits.c works


class Said(NamedTuple):
    """How many seconds a function had no processor: as it has seen it, and as its caller
    has.  Of main(), how long it ran."""

    least: float
    most: float


class Path5(NamedTuple):
    """A path with costs of its own, in seconds and as numbers."""

    names: list[str]
    thread: int
    wall: float
    on: float
    off: float
    samples: int
    waits: int


def all_paths(sampled: Sampled) -> list[Path5]:
    assert sampled.forest is not None, sampled.err
    found = []
    for tree in sampled.forest.trees:
        nodes, names = tree.nodes, []  # type: ignore[var-annotated]
        for index in range(len(nodes)):
            parent = nodes.parents[index]
            names.append([*(names[parent] if parent >= 0 else []),
                          sampled.forest.functions[nodes.functions[index]].name])
            wall, on, off, samples, waits = (column[index] for column in nodes.costs)
            if wall or samples or waits:
                found.append(Path5(names[-1], tree.thread.number, wall / 1e9, on / 1e9,
                                   off / 1e9, samples, waits))
    return found


def waited(found: list[Path5], function: str) -> float:
    return sum(path.off for path in found if function in path.names)


def all_sleep(pid: int) -> bool:
    """Whether all threads of a process wait for something.  One that is about to, and is
    kept from its processor, would wait for that first."""
    threads = list(Path(f"/proc/{pid}/task").iterdir())
    return all(process_status(int(thread.name))[0] == "S" for thread in threads)


class WallTest(SamplerTest):
    def waits(self, *words: Word) -> tuple[Sampled, list[Path5], dict[str, Said]]:
        """The paths, and how long the program's functions say that they have waited."""
        program = self.build("waits.c", "-pthread")
        began = time.monotonic()
        sampled = self.sample(WALL, program, *words)
        self.took = time.monotonic() - began
        self.assertEqual(sampled.status, 0, sampled.err)
        said = (line.split() for line in sampled.out.splitlines())
        return sampled, all_paths(sampled), {name: Said(float(least), float(most))
                                             for name, least, most in said}

    def test_what_threads_wait_for(self) -> None:
        """Sleep, a lock, a pipe, a child; a thread and a process that start late."""
        sampled, found, said = self.waits("all")
        (main,) = {path.thread for path in found if "sleeping" in path.names}
        for function in ("sleeping", "locking", "reading", "parenting", "holding",
                         "child_sleeping"):
            with self.subTest(function):
                # The child's callers are its parent's, too.
                here = [path for path in found
                        if path.thread == main or function != "parenting"]
                least, most = said[function]
                self.assertGreater(waited(here, function), 0.9 * least - 0.005)
                self.assertLess(waited(here, function), 1.1 * most + 0.005)
        self.assertGreater(said["sleeping"].least, 0.19)
        threads = {name: {path.thread for path in found if name in path.names}
                   for name in ("sleeping", "holding", "child_sleeping")}
        self.assertEqual([len(these) for these in threads.values()], [1, 1, 1], threads)
        self.assertEqual(len(set.union(*threads.values())), 3, threads)
        self.assertRegex(sampled.err, r"samples of cpu-clock, [1-9]\d* waits, 0 lost, "
                                      r"0\.0% truncated")

    def test_every_wait_has_its_callers(self) -> None:
        found = self.waits("all")[1]
        for path in found:
            if "sleeping" in path.names or "locking" in path.names:
                self.assertIn("main", path.names)
            if "holding" in path.names:
                self.assertIn("hold", path.names)

    def test_the_scheduler_is_left_out(self) -> None:
        for path in self.waits("all")[1]:
            if path.waits:
                self.assertNotIn(path.names[-1], ("schedule", "__schedule"), path.names)

    def test_all_time_is_on_a_processor_or_off_it(self) -> None:
        sampled, found, said = self.waits("all")
        assert sampled.forest is not None
        self.assertEqual([(e.name, e.unit) for e in sampled.forest.events], EVENTS)
        for path in found:
            self.assertAlmostEqual(path.wall, path.on + path.off, delta=1e-9)
            self.assertEqual(bool(path.samples), path.on > 0)
            self.assertEqual(bool(path.waits), path.off > 0)
        (main,) = {path.thread for path in found if "sleeping" in path.names}
        wall = sum(path.wall for path in found if path.thread == main)
        # Some samples may miss, where the host takes the processor away.  How long the
        # program takes to start, a busy machine decides.
        self.assertGreater(wall, 0.9 * (said["main"].least - WORK) + 0.3 * WORK - 0.02)
        self.assertLess(wall, 1.1 * self.took)
        working = sum(path.on for path in found if "work" in path.names)
        self.assertGreater(working, 0.3 * WORK)

    def test_threads_that_could_run(self) -> None:
        """Two on one processor: each waits while the other works."""
        found, said = self.waits("crowded")[1:]
        without = [path for path in found if "crowding" in path.names
                   and path.names[-1] == NO_PROCESSOR]
        self.assertEqual(len({path.thread for path in without}), 2)
        self.assertEqual([path.on for path in without if path.on], [])
        self.assertGreater(sum(path.off for path in without), 0.2)
        self.assertLess(sum(path.off for path in without if path.thread
                            == without[0].thread), 1.1 * self.took)


class SwitchedTest(SamplerTest):
    """Threads that began to wait before sampling was switched on, and go on after it."""

    @contextlib.contextmanager
    def waiting(self, *before: Word) -> Iterator["subprocess.Popen[str]"]:
        program = self.build("waits.c", "-pthread")
        with subprocess.Popen([*before, program, "held"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None and running.stdin is not None
            said, pid = running.stdout.readline().split()
            self.assertEqual(said, "waiting")
            while not all_sleep(int(pid)):
                time.sleep(0.001)
            yield running

    def switched_by(self, *words: Word) -> list[Word]:
        for name in ("ctl", "ack"):
            os.mkfifo(self.folder / name)
        return [SAMPLER, WALL, "--start=off", "-o", self.folder / "tree", *words,
                f"--control=fifo:{self.folder / 'ctl'},{self.folder / 'ack'}"]

    def switch_twice(self) -> tuple[float, float]:
        """Between which times sampling was on: surely, and at most."""
        surely = at_most = 0.0
        with open(self.folder / "ctl", "wb", 0) as control, \
                open(self.folder / "ack", "rb", 0) as answers:
            def ask(word: bytes) -> tuple[float, float]:
                before = time.monotonic()
                control.write(word + b"\n")
                self.assertEqual(answers.read(5), b"ack\n\0")
                return before, time.monotonic()
            for _ in range(2):
                on = ask(b"enable")
                time.sleep(0.2)
                off = ask(b"disable")
                time.sleep(0.1)
                surely += off[0] - on[1]
                at_most += off[1] - on[0]
        return surely, at_most

    def check(self, tree: Path, surely: float, at_most: float) -> list[Path5]:
        found = all_paths(Sampled(0, "", "", read_forest([tree])))
        for function in ("waiting_for_lock", "waiting_for_input"):
            self.assertGreaterEqual(waited(found, function), surely)
            self.assertLessEqual(waited(found, function), at_most)
            # Once for each time that sampling was switched off.
            self.assertEqual(sum(path.waits for path in found
                                 if function in path.names), 2)
        for path in found:
            if "waiting_for_lock" in path.names:
                self.assertIn("want_lock", path.names)
            if "waiting_for_input" in path.names:
                self.assertIn("main", path.names)
        return found

    def test_a_program_of_ours(self) -> None:
        with self.waiting(*self.switched_by()) as running:
            surely, at_most = self.switch_twice()
            assert running.stdin is not None
            running.stdin.close()
            running.wait(PATIENCE)
        self.check(self.folder / "tree", surely, at_most)

    def test_a_process_that_waits_already(self) -> None:
        with self.waiting() as running:
            with subprocess.Popen(self.switched_by("-p", str(running.pid))) as sampler:
                surely, at_most = self.switch_twice()
                assert running.stdin is not None
                running.stdin.close()
                running.wait(PATIENCE)
                sampler.wait(PATIENCE)
        self.check(self.folder / "tree", surely, at_most)

    def test_waits_that_do_not_end(self) -> None:
        """A process that is attached to waits for all of the time."""
        with self.waiting() as running:
            with subprocess.Popen([SAMPLER, WALL, "-v", "-o", self.folder / "tree", "-p",
                                   str(running.pid)], stderr=subprocess.PIPE,
                                  text=True) as sampler:
                assert sampler.stderr is not None
                sampler.stderr.readline()  # after a second
                sampler.terminate()
                sampler.communicate()
            assert running.stdin is not None
            running.stdin.close()
        found = all_paths(Sampled(0, "", "", read_forest([self.folder / "tree"])))
        for function in ("waiting_for_lock", "waiting_for_input"):
            self.assertGreater(waited(found, function), 0.9)


class RightsTest(SamplerTest):
    needs_sampling = False

    def test_it_needs_the_kernel(self) -> None:
        """Where a thread leaves its processor, it is in the kernel."""
        self.assertRegex(drive("event", "wall", "auto", "kernel"),
                         r"^refused: no right to sample")

    def test_events(self) -> None:
        self.assertEqual(
            drive("event", "wall", "no").splitlines(),
            ["cpu-clock, type 1, config 0, without the kernel, with build ids",
             "frequency 997; stacks 4096 waits:4096 16384 waits:16384 65528*"
             " waits:65528*, those with * on at exec; tracking: dummy, always on"])
