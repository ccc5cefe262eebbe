# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of callgrind_sample share.  Owns: where it is, whether it may sample
# here, how test programs are built and sampled, waiting for them, and questions to a
# tree.  Relies on a finished build, named in VG_BUILD, and on the reader of trees in
# callgrind/report/.

"""Sampling a program, and asking its tree."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Optional, Union

SOURCE = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()
SAMPLER = BUILD / "callgrind_sample"
PROGRAMS = Path(__file__).resolve().parent / "programs"

sys.path.insert(0, str(SOURCE / "callgrind" / "report"))

from tree_file.model import Forest, Function, Tree  # noqa: E402
from tree_file.reader import read_forest  # noqa: E402

Word = Union[str, Path]

# As for release builds: no frame pointers, nothing unrolled that the shares rest on.
FLAGS = ["-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls"]


# Seconds after which something hangs: far beyond what it takes on a busy machine.
PATIENCE = 600.0

# For many samples of a program that works for a short time.
HIGH_FREQUENCY = 4999
OFTEN = f"--frequency={HIGH_FREQUENCY}"


def quote(word: Word) -> str:
    """A word of a shell's command: a temporary folder may have a space in its name."""
    return shlex.quote(str(word))


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not so after {PATIENCE:.0f} seconds: {what}")
        time.sleep(0.01)


def processes_of(place: Path) -> list[int]:
    """The processes that have executed a program and run it now, or one in a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            program = Path(os.readlink(entry / "exe"))
        except OSError:  # it has ended, or is not ours
            continue
        if place.resolve() in (program, *program.parents):
            found.append(int(entry.name))
    return found


def process_status(pid: int) -> list[str]:
    """The words of /proc/PID/stat from the third one on: state, parent, ..."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def cpu_time(pid: int) -> float:
    """The seconds that a process has worked; exact to the kernel's ticks (0.01)."""
    status = process_status(pid)
    return (int(status[11]) + int(status[12])) / os.sysconf("SC_CLK_TCK")


def let_work(pid: int, seconds: float) -> None:
    """Returns when a process has had so much more CPU time, however long it takes others
    to leave that to it."""
    end = cpu_time(pid) + seconds
    wait_until(lambda: cpu_time(pid) >= end, f"process {pid} works for {seconds} s")


def cpu_time_at_stop(pid: int) -> float:
    """Stops a process, so that it works no more than this until it is killed."""
    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: process_status(pid)[0] == "T", f"process {pid} stops")
    return cpu_time(pid)


@functools.lru_cache(maxsize=None)
def why_not_sampling() -> str:
    """Why nothing can be sampled here; '' if it can."""
    if not SAMPLER.exists():
        return "callgrind_sample is not built: libdw is missing"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([SAMPLER, "-o", Path(folder, "tree"), "true"],
                              stderr=subprocess.PIPE, text=True)
    if done.returncode == 2 and "to sample" in done.stderr:
        return done.stderr.strip()
    return ""


# Each of V8's optimising compilers puts functions into their callers; which of them there
# are depends on the version of node.
INLINING = ["turbo-inlining", "maglev-inlining"]


def no_inlining() -> list[str]:
    """The options of this node that keep every function apart from its caller; node
    refuses to start with one that it does not know."""
    known = subprocess.run(["node", "--v8-options"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    return [f"--no-{name}" for name in INLINING if f"--{name}" in known]


class Frame(NamedTuple):
    name: str
    kind: str
    object: str


class SampledPath(NamedTuple):
    """A path with a cost of its own."""

    frames: tuple[Frame, ...]
    cost: int
    samples: int
    tree: Tree

    def names(self) -> list[str]:
        return [frame.name for frame in self.frames]


def paths(forest: Forest) -> Iterator[SampledPath]:
    for tree in forest.trees:
        known: list[tuple[Frame, ...]] = []
        nodes = tree.nodes
        for index in range(len(nodes)):
            function: Function = forest.functions[nodes.functions[index]]
            parent = nodes.parents[index]
            above = known[parent] if parent >= 0 else ()
            frame = Frame(function.name, chr(nodes.kinds[index]).strip("\0"),
                          function.object.path if function.object else "")
            known.append((*above, frame))
            costs = [column[index] for column in nodes.costs]
            if any(costs):
                yield SampledPath(known[-1], costs[0], costs[1], tree)


class Sampled(NamedTuple):
    status: int
    out: str
    err: str
    forest: Optional[Forest]

    def paths(self) -> list[SampledPath]:
        assert self.forest is not None, self.err
        return list(paths(self.forest))

    def share(self, name: str, within: str = "") -> float:
        """The share of samples with a function on their path, of all or of those with
        another function."""
        chosen = [p for p in self.paths() if not within or within in p.names()]
        return (sum(p.samples for p in chosen if name in p.names())
                / max(1, sum(p.samples for p in chosen)))

    def samples(self) -> int:
        return sum(p.samples for p in self.paths())

    def of_command(self, command: str) -> "Sampled":
        """What was sampled of the processes of one command alone."""
        assert self.forest is not None, self.err
        trees = [tree for tree in self.forest.trees
                 if tree.thread.process.command == command]
        return self._replace(forest=replace(self.forest, trees=trees))


class SamplerTest(unittest.TestCase):
    """A temporary folder, programs built into it, and the sampler run there."""

    def assert_samples(self, count: int, least: float, most: float, message: str) -> None:
        """As many with OFTEN as a program has that works between `least` and `most`
        seconds; of the former some may miss, where the host takes the processor away
        meanwhile."""
        self.assertGreater(count, 0.3 * HIGH_FREQUENCY * least, message)
        self.assertLess(count, 1.2 * HIGH_FREQUENCY * (most + 0.02), message)

    needs_sampling = True

    def setUp(self) -> None:
        if not SAMPLER.exists():
            self.skipTest(why_not_sampling())
        if self.needs_sampling and why_not_sampling():
            self.skipTest(why_not_sampling())
        self.folder = Path(tempfile.mkdtemp(prefix="sampler."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.end_programs)

    def end_programs(self) -> None:
        """Those that a test which has failed left working."""
        for process in processes_of(self.folder):
            os.kill(process, signal.SIGKILL)

    def build(self, source: str, *flags: Word, name: str = "") -> Path:
        """A program of programs/, or a library with -shared."""
        compiler = "g++" if source.endswith(".cpp") else "gcc"
        program = self.folder / (name or Path(source).stem)
        subprocess.run([compiler, *FLAGS, "-o", program, PROGRAMS / source, *flags],
                       check=True)
        return program

    def sample_as_nobody(self, *words: Word) -> Sampled:
        """As sample(), by another user, who may not reach the folder of the build."""
        sampler = self.folder / SAMPLER.name
        shutil.copy(SAMPLER, sampler)
        return self.sample(*words, sampler=sampler, user="nobody", group="nogroup",
                           extra_groups=[])

    def sample(self, *words: Word, sampler: Path = SAMPLER,
               **keywords: object) -> Sampled:
        """Runs the sampler with options and a program; reads the tree.  How often it
        samples does not depend on what else is running."""
        tree = self.folder / "tree"
        tree.unlink(missing_ok=True)
        done = subprocess.run([sampler, "-o", tree, "--slowdown=0", *words], text=True,
                              timeout=PATIENCE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=self.folder,
                              **keywords)  # type: ignore[call-overload]
        forest = read_forest([tree]) if tree.exists() else None
        return Sampled(done.returncode, done.stdout, done.stderr, forest)
