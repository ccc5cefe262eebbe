# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of callgrind_sample share.  Owns: where it is, whether it may sample here,
# how test programs are built and sampled, and questions to a tree.  Relies on a finished
# build, named in VG_BUILD, and on the reader of trees in callgrind/report/.

"""Sampling a program, and asking its tree."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Iterator, NamedTuple, Optional, Union

SOURCE = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()
SAMPLER = BUILD / "callgrind_sample"
PROGRAMS = Path(__file__).resolve().parent / "programs"

sys.path.insert(0, str(SOURCE / "callgrind" / "report"))
sys.path.insert(0, str(SOURCE / "tests"))

from tree_file import read_forest  # noqa: E402
from tree_model import Forest, Function, Tree  # noqa: E402

Word = Union[str, Path]

# As for release builds: no frame pointers, nothing unrolled that the shares rest on.
FLAGS = ["-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls"]


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


class SamplerTest(unittest.TestCase):
    """A temporary folder, programs built into it, and the sampler run there."""

    needs_sampling = True

    def setUp(self) -> None:
        if not SAMPLER.exists():
            self.skipTest(why_not_sampling())
        if self.needs_sampling and why_not_sampling():
            self.skipTest(why_not_sampling())
        self.folder = Path(tempfile.mkdtemp(prefix="sampler."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def build(self, source: str, *flags: Word, name: str = "") -> Path:
        """A program of programs/, or a library with -shared."""
        compiler = "g++" if source.endswith(".cpp") else "gcc"
        program = self.folder / (name or Path(source).stem)
        subprocess.run([compiler, *FLAGS, "-o", program, PROGRAMS / source, *flags],
                       check=True)
        return program

    def sample(self, *words: Word, **keywords: object) -> Sampled:
        """Runs the sampler with options and a program; reads the tree."""
        tree = self.folder / "tree"
        tree.unlink(missing_ok=True)
        done = subprocess.run([SAMPLER, "-o", tree, *words], text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder, **keywords)  # type: ignore[call-overload]
        forest = read_forest([tree]) if tree.exists() else None
        return Sampled(done.returncode, done.stdout, done.stderr, forest)
