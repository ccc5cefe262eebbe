# SPDX-License-Identifier: GPL-2.0-or-later
#
# What one run of a benchmark has left: its profiles, its trees, its costs.
#
# Owns: which files of a run are profiles, what of them no other run can repeat, and how
# they get from the process that measures to the one that keeps them: packed, as a suite
# may have thousands of benchmarks.

"""What was measured."""

from __future__ import annotations

import contextlib
import os
import pickle
import re
import stat
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Sequence

from gate.counts import Costs, measured_costs
from gate.error import GateError
from profile_file.model import FunctionKey, Profile, Vector, unique
from profile_file.reader import Detail, read_profile

# Of a process, of one that it was forked from; then of a part, of a thread.
PROFILE_NAME = re.compile(
    r"(?P<process>[0-9]+(?:\.pid[0-9]+)?)(?:\.(?P<part>[0-9]+))?(?P<thread>-[0-9]+)?"
)
PROCESS_LINE = re.compile(rb"(?m)^pid: [0-9]+\n")
Functions = dict[FunctionKey, tuple[Vector, Vector]]
PASSING = (  # no surroundings
    "Timerange", "Trigger", "Trigger as given", "Spawned pid", "Benchmark pid"
)  # fmt: skip


@dataclass
class Measured:
    """What one run of one benchmark has left."""

    name: str
    error: str = ""
    profiles: list[bytes] = field(default_factory=list)
    trees: list[bytes] = field(default_factory=list)
    costs: Optional[Costs] = None
    surroundings: dict[str, str] = field(default_factory=dict)


@dataclass
class Outcome:
    """What one run of a command has left: of a benchmark, or of all those of a suite."""

    name: str  # of the benchmark, or the suite
    number: int  # of its surroundings
    error: str = ""  # of the command as a whole
    parts: dict[str, bytes] = field(default_factory=dict)  # by name; unpacked by part()
    notes: list[str] = field(default_factory=list)  # for the user

    def add(self, measured: Measured) -> None:
        self.parts[measured.name] = zlib.compress(pickle.dumps(measured), 1)

    def part(self, name: str) -> Optional[Measured]:
        """What `add` was given, by this or another process of this command."""
        if name not in self.parts:
            return None
        found = pickle.loads(zlib.decompress(self.parts[name]))
        assert isinstance(found, Measured)
        return found


def profiles_in(folder: Path) -> list[Path]:
    """The profiles that a run has left."""
    return [
        path
        for path in (folder / "profiles").iterdir()
        if PROFILE_NAME.fullmatch(path.name) and path.stat().st_size
    ]


def measured_of(
    name: str, paths: Sequence[Path], is_kept: bool, project: Optional[Path] = None
) -> Measured:
    """Read all profiles of a benchmark; those that are kept, without what no other run
    can repeat.  Functions that are called after files of the project are counted without
    its folder, which is another one on another machine."""
    measured = Measured(name)
    found: list[tuple[bytes, Profile]] = []
    for path in paths:
        profile = read_profile(path, Detail.FUNCTIONS)
        profile.path = Path(name)
        found.append((PROCESS_LINE.sub(b"", path.read_bytes()), profile))
    found.sort(key=lambda pair: pair[0])
    profiles = [profile for _, profile in found]
    measured.costs = measured_costs(profiles, is_kept)
    if project is not None:
        measured.costs.functions = _within(project, measured.costs.functions)
    if not any(measured.costs.total):
        raise GateError("nothing was counted; do the toggles, or START, ever come?")
    if is_kept:
        measured.profiles = [content for content, _ in found]
        measured.surroundings = surroundings_of(profiles)
    return measured


def _within(project: Path, functions: Functions) -> Functions:
    """As of code made at run time: `py::parse:/home/me/project/parse.py`."""
    folder = re.compile(rf"(?<=[: ])(?:file://)?{re.escape(str(project))}/")
    found: Functions = {}
    for key, costs in functions.items():
        if f"{project}/" in key.name:
            key = key._replace(name=folder.sub("", key.name))
        known = found.setdefault(key, costs)
        if known is not costs:
            own = [a + b for a, b in zip(known[0], costs[0])]
            found[key] = own, [max(a, b) for a, b in zip(known[1], costs[1])]
    return found


def surroundings_of(profiles: Sequence[Profile]) -> dict[str, str]:
    """What the profiles say of tool, caches and machine."""
    headers = [part.header for profile in profiles for part in profile.parts]
    found: dict[str, list[str]] = {"creator": [h.creator for h in headers if h.creator]}
    for header in headers:
        for name, value in header.descriptions:
            if name not in PASSING:
                found.setdefault(name, []).append(value)
    return {name: ", ".join(unique(values)) for name, values in found.items()}


def forget_maps(folder: Path) -> None:
    """Remove the tables of names that runtimes leave in /tmp for each process: a later
    process of that number would be given wrong names."""
    processes = {path.name.partition(".")[0] for path in profiles_in(folder)}
    for process in processes:
        path = Path(f"/tmp/perf-{process.partition('-')[0]}.map")
        with contextlib.suppress(OSError):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                path.unlink()
