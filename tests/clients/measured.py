# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a program under the tool, and looks at the parts of its profiles.
#
# Owns: the command line of such runs, and what a part with a name is.

"""Parts of the profile, by the names that the program gave them."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator, Mapping, Optional, Sequence

from profile_file.model import Part
from profile_file.reader import Detail, read_profile
from tests.differential.launching import BASE_ENVIRONMENT
from tests.differential.options import build_folder
from tests.groundtruth.conservation import base_name
from tests.regtest.profile_query import breaches_of_form, disagreements

TRIGGER = "Client Request"
# As callgrind_gate measures a suite.
OPTIONS = ("-q", "--instr-atstart=no", "--trace-children=yes", "--combine-dumps=yes",
           "--compress-strings=no", "--call-tree=yes")
SAID = 4000


@dataclass(frozen=True)
class Run:
    """What a run under the tool has left."""

    folder: Path
    said: str

    def profiles(self) -> list[Path]:
        return sorted(self.folder.glob("out.*"))

    def trees(self) -> list[Path]:
        return sorted(self.folder.glob("tree.*"))

    def parts(self) -> list[tuple[str, Part]]:
        """All parts that were asked for, of all processes and threads, with the name of
        each, in the order of the files; each is well-formed and adds up."""
        found = []
        for path in self.profiles():
            for part in read_profile(path, Detail.FUNCTIONS).parts:
                trigger = part.header.description("Trigger") or ""
                problems = [*breaches_of_form(path), *disagreements(path, part)]
                assert not problems, f"{path}: {problems}"
                if trigger.startswith(TRIGGER):
                    found.append((trigger[len(TRIGGER):].removeprefix(": "), part))
        return found


def measure(
    command: Sequence[str],
    folder: Path,
    environment: Optional[Mapping[str, str]] = None,
    options: Sequence[str] = (),
    where: Optional[Path] = None,
) -> Run:
    """Runs a command under the tool, its profiles in `folder`.  It has to end well."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [
        str(build_folder() / "vg-in-place"), "--tool=callgrind", *OPTIONS, *options,
        f"--callgrind-out-file={folder}/out.%p",
        f"--call-tree-out-file={folder}/tree.%p", *command,
    ]  # fmt: skip
    ended = subprocess.run(
        words, cwd=where or folder, stdin=subprocess.DEVNULL, text=True, check=False,
        env={**BASE_ENVIRONMENT, "HOME": str(folder), **(environment or {})},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
    )  # fmt: skip
    for path in folder.glob("out.*"):
        Path(f"/tmp/perf-{path.suffix[1:]}.map").unlink(missing_ok=True)
    assert ended.returncode == 0, ended.stdout[-SAID:]
    return Run(folder, ended.stdout)


def total(part: Part) -> int:
    return part.sum_of_self_costs()[0]


def calls(part: Part, function: str) -> int:
    """How often functions whose whole name matches the regular expression are called."""
    wanted = re.compile(function)
    return sum(arc.count for arc in part.arcs()
               if wanted.fullmatch(base_name(arc.callee.name)))


def objects(part: Part) -> set[str]:
    """The objects whose functions the part shows."""
    return {key.object_file for key in part.functions}


def folded_paths(trees: Iterable[Path], name: str) -> Iterator[tuple[list[str], int]]:
    """The paths of the flame graph of all parts of a name in these trees: functions from
    the root on, and what is spent at the end of the path."""
    exporter = str(build_folder() / "callgrind_export")
    for tree in trees:
        words = [exporter, "--to", "folded", "--separate", "part", str(tree)]
        said = subprocess.run(
            words, capture_output=True, text=True, check=True, env=dict(os.environ)
        ).stdout
        for line in said.splitlines():
            path, _, cost = line.rpartition(" ")
            root, *functions = path.split(";")
            if root.endswith(name):
                yield functions, int(cost)


def paths(run: Run, name: str) -> Iterator[tuple[list[str], int]]:
    """Of all parts of a name of a run."""
    yield from folded_paths(run.trees(), name)
