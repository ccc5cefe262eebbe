# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a build of ours writes for a program of the differential suite, as bytes that are
# the same in every run.
#
# Owns: which of the suite's option sets give the same bytes twice, and what of a profile
# is of one run only: the number of the process; of call trees the order of siblings,
# which depends on where the tool's heap lies.  cases.py says what runs, launching.py how.

"""Run programs of the differential suite, for comparing profiles byte by byte."""

from __future__ import annotations

import os
import re
import shutil
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Iterator, Sequence

from tests.differential.cases import OPTION_SETS, OURS_ONLY, Case
from tests.differential.launching import (
    BASE_ENVIRONMENT,
    Launcher,
    LaunchError,
    default_stock,
)
from tree_file.model import Forest, Tree
from tree_file.reader import read_forest

# What no case has: how the call tree and inlined code are written.
MORE_OPTION_SETS: dict[str, list[str]] = {
    "plain": [],
    "inlined": ["--read-inline-info=yes"],
    "recs-callers-inlined": [
        "--read-inline-info=yes",
        "--separate-recs=3",
        "--separate-callers=2",
    ],
}
TREE = ["--call-tree=yes", "--call-tree-out-file=tree.out"]
PROCESS = re.compile(rb"^(pid: |desc: Spawned pid: )\S*", re.M)
# What the clock says is never the same twice.
TIMED = ("--collect-systime",)


def digest_of(tree: Tree, forest: Forest) -> bytes:
    """Equal for two trees that differ only in the order of siblings."""
    nodes = tree.nodes
    children: list[list[bytes]] = [[] for _ in range(len(nodes) + 1)]
    for node in range(len(nodes) - 1, -1, -1):
        function = nodes.functions[node]
        own = (
            forest.functions[function],
            forest.entries.get(function),
            nodes.kinds[node],
            nodes.calls[node],
            [column[node] for column in nodes.costs],
            sorted(children[node]),
        )
        # The last list is of those without a parent.
        children[nodes.parents[node]].append(sha256(repr(own).encode()).digest())
    return repr((tree.thread.number, tree.part, sorted(children[-1]))).encode()


def without_order(path: Path) -> bytes:
    """What a tree file says, apart from the order of siblings."""
    forest = read_forest([path])
    said = repr((forest.events, forest.creators, forest.descriptions)).encode()
    return b"\n".join([said, *(digest_of(tree, forest) for tree in forest.trees)])


def content_of(path: Path) -> bytes:
    content = path.read_bytes()
    if content.startswith(b"callgrind-tree "):
        return without_order(path)
    return PROCESS.sub(rb"\1", content)


def option_sets(case: Case) -> Iterator[tuple[str, list[str]]]:
    """By name, each set that must give the same bytes twice. Threads do so where they
    take turns in the same order in each run."""
    common = [*case.flags, *(["--steady=yes"] if case.has_threads else [])]
    for name in case.option_sets:
        flags = [*common, *OPTION_SETS[name], *OURS_ONLY.get(name, [])]
        if not any(flag.startswith(TIMED) for flag in flags):
            yield name, flags
    for name, flags in MORE_OPTION_SETS.items():
        yield name, [*common, *flags]


def run(
    build: Path,
    folder: Path,
    flags: Sequence[str],
    command: list[str],
    more_environment: Sequence[tuple[str, str]] = (),
) -> dict[str, bytes]:
    """What a build writes, by file name; "output" is what the program and tool say."""
    runs = folder / "run"
    shutil.rmtree(runs, ignore_errors=True)
    runs.mkdir()
    for path in folder.iterdir():
        if path.is_file() and not path.is_symlink():
            os.link(path, runs / path.name)
    inputs = {path.name for path in runs.iterdir()}
    tools = folder / "tools"
    tools.unlink(missing_ok=True)
    tools.symlink_to((build / ".in_place").resolve())
    environment = {**BASE_ENVIRONMENT, "VALGRIND_LIB": str(tools)}
    environment.update(more_environment)
    words = ["--callgrind-out-file=profile.out", *TREE, *flags]
    result = Launcher(default_stock(), environment).run(words, command, runs)
    written = {
        path.name: content_of(path)
        for path in runs.iterdir()
        if path.name not in inputs
    }
    if not any(name.startswith("profile.out") for name in written):
        raise LaunchError(f"{build}: no profile was written: {result.errors[:300]}")
    said = re.sub(r"==\d+==", "==PID==", result.errors)
    written["output"] = result.output + said.encode()
    return written


def different_files(old: dict[str, bytes], new: dict[str, bytes]) -> list[str]:
    return sorted(
        name for name in old.keys() | new.keys() if old.get(name) != new.get(name)
    )


def first_difference(old: dict[str, bytes], new: dict[str, bytes], name: str) -> str:
    """The first line of a file that is not the same, in both."""
    lines = zip_longest(*(side.get(name, b"").splitlines() for side in (old, new)))
    for number, (before, after) in enumerate(lines, 1):
        if before != after:
            return f"      {name}:{number}: {before!r} is now {after!r}"
    return ""
