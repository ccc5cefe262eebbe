# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a built program under callgrind, and takes in what it leaves: status, output,
# profiles, and the truth that each of its processes wrote.
#
# Owns: the command line and the surroundings of such a run, and the format of the truth
# files (truth.c writes it).  Relies on callgrind/report/profile_file/.

"""Run a program under callgrind and read its profiles and its truth."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from profile_file.reader import Detail, ProfileError, read_profile
from profile_file.model import Profile
from tests.groundtruth.building import Program
from tests.groundtruth.case import FLAT_OPTION, TREE_STEM, CaseError
from tree_file.reader import TreeError, read_forest
from tree_file.model import Forest

RUN_TIMEOUT = 300
PROFILE_STEM = "callgrind.out"
TRUTH_STEM = "truth"
# Runs a command, and writes its status and its peak memory to a file.  A process begins
# with the peak of the one that started it, so this must be a small one.  It takes time,
# so it is for programs whose peak is bounded.
WATCHER = """
import os, sys
process = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(process, 0)
with open(sys.argv[1], "w") as file:
    print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, file=file)
"""
# Not one of the user's settings gets into a run.
RUNNER_VARIABLES = "PYTEST_"
DROPPED_VARIABLES = ("VALGRIND_OPTS", "VALGRIND_LIB", "LD_PRELOAD")


@dataclass
class Truth:
    """What one process counted."""

    arcs: Counter[tuple[str, str]] = field(default_factory=Counter)
    entered: Counter[str] = field(default_factory=Counter)
    roots: Counter[str] = field(default_factory=Counter)
    live: set[str] = field(default_factory=set)
    # By number: that of the calling path (0: from outside), the function, how often.
    paths: dict[int, tuple[int, str, int]] = field(default_factory=dict)
    paths_are_lost: bool = False
    # As `paths`, if a function that is jumped to is called by the jumping one's caller.
    flat_paths: dict[int, tuple[int, str, int]] = field(default_factory=dict)
    flat_paths_are_lost: bool = False
    # The path, and the flat one, in whose midst the process was forked; 0: it was not.
    open_path: int = 0
    open_flat_path: int = 0


@dataclass
class Measurement:
    """What a run left behind; profiles and truths by process."""

    command: str
    status: int
    output: str
    errors: str
    peak_memory: Optional[int]  # in kilobytes, where the case bounds it
    is_flat: bool  # --tail-calls=flat
    profiles: dict[int, Profile]
    truths: dict[int, Truth]
    trees: dict[int, Forest] = field(default_factory=dict)


def parse_truth(text: str) -> Truth:
    truth = Truth()
    for line in text.splitlines():
        words = line.split("\t")
        if words[0] == "arc" and len(words) == 4:
            truth.arcs[words[1], words[2]] += int(words[3])
        elif words[0] == "entered" and len(words) == 3:
            truth.entered[words[1]] += int(words[2])
        elif words[0] == "root" and len(words) == 3:
            truth.roots[words[1]] += int(words[2])
        elif words[0] == "live" and len(words) == 2:
            truth.live.add(words[1])
        elif words[0] in ("path", "flat") and len(words) == 5:
            number, parent, name, count = words[1:]
            paths = truth.paths if words[0] == "path" else truth.flat_paths
            paths[int(number)] = int(parent), name, int(count)
        elif words[0] == "open" and len(words) == 3:
            truth.open_path, truth.open_flat_path = int(words[1]), int(words[2])
        elif words == ["lost", "path"]:
            truth.paths_are_lost = True
        elif words == ["lost", "flat"]:
            truth.flat_paths_are_lost = True
        else:
            raise CaseError(f"the program's own counts have a strange line: {line!r}")
    return truth


def _by_process(folder: Path, stem: str) -> dict[int, Path]:
    paths = {}
    for path in folder.glob(f"{stem}.*"):
        ending = path.name[len(stem) + 1 :]
        if ending.isdigit():
            paths[int(ending)] = path
    return paths


def read_profiles(folder: Path) -> dict[int, Profile]:
    profiles = {}
    for process, path in sorted(_by_process(folder, PROFILE_STEM).items()):
        try:
            profiles[process] = read_profile(path, Detail.FUNCTIONS)
        except ProfileError as error:
            raise CaseError(f"the profile cannot be read: {error}") from error
    return profiles


def read_trees(folder: Path) -> dict[int, Forest]:
    trees = {}
    for process, path in sorted(_by_process(folder, TREE_STEM).items()):
        try:
            trees[process] = read_forest([path])
        except TreeError as error:
            raise CaseError(f"the call tree cannot be read: {error}") from error
    return trees


def read_truths(folder: Path) -> dict[int, Truth]:
    return {
        process: parse_truth(path.read_text(encoding="utf-8"))
        for process, path in sorted(_by_process(folder, TRUTH_STEM).items())
    }


def command_line(program: Program, launcher: str, options: list[str]) -> list[str]:
    return [
        launcher,
        "-q",
        "--command-line-only=yes",
        "--tool=callgrind",
        f"--callgrind-out-file={PROFILE_STEM}.%p",
        *options,
        *program.case.options,
        f"./{program.executable.name}",
        *program.case.arguments,
    ]


def _environment(program: Program) -> dict[str, str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in DROPPED_VARIABLES and not name.startswith(RUNNER_VARIABLES)
    }
    environment.update(program.case.environment)
    environment["TRUTH_FILE"] = str(program.folder / TRUTH_STEM)
    environment["LC_ALL"] = "C"
    return environment


def _spawn(words: list[str], program: Program) -> tuple[int, Optional[int]]:
    """Status and peak memory of the run.  Its output goes to files: no deadlock."""
    limited = ["timeout", "--foreground", "--signal=KILL", str(RUN_TIMEOUT), *words]
    said = program.folder / "status"
    watches = program.case.rules.peak_memory is not None
    if watches:
        limited = [sys.executable, "-ISc", WATCHER, str(said), *limited]
    with open(program.folder / "stdout", "wb") as output, open(
        program.folder / "stderr", "wb"
    ) as errors:
        try:
            result = subprocess.run(
                limited,
                check=watches,
                cwd=program.folder,
                env=_environment(program),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
            )
        except OSError as error:
            raise CaseError(f"{words[0]}: {error.strerror}") from error
        except subprocess.CalledProcessError as error:
            raise CaseError(f"{words[0]}: the run could not be watched") from error
    if not watches:
        return result.returncode, None
    status, peak_memory = said.read_text(encoding="ascii").split()
    return int(status), int(peak_memory)


def forget_runs(folder: Path) -> None:
    """Remove what runs have left in a folder."""
    for stem in (PROFILE_STEM, TREE_STEM, TRUTH_STEM):
        for path in _by_process(folder, stem).values():
            path.unlink()


def measure(program: Program, launcher: str, options: list[str]) -> Measurement:
    """Run the program once under the launcher's callgrind."""
    forget_runs(program.folder)
    words = command_line(program, launcher, options)
    status, peak_memory = _spawn(words, program)
    return Measurement(
        command=shlex.join(words),
        status=status,
        output=(program.folder / "stdout").read_text("utf-8", "replace"),
        errors=(program.folder / "stderr").read_text("utf-8", "replace"),
        peak_memory=peak_memory,
        is_flat=FLAT_OPTION in options,
        profiles=read_profiles(program.folder),
        truths=read_truths(program.folder),
        trees=read_trees(program.folder),
    )
