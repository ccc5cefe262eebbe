# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where things are.  Owns: the mapping of a test's source folder to the folders of the
# build tree that it runs in and that has its programs, the search for its programs,
# filters and input files, and the environment of its commands.  Relies on a source tree,
# which may be read-only, and on a build tree laid out like it.

"""Source folders, build folders, and what is looked for in them."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.regtest.description import BadTest, Filter, Program

TESTS_FOLDER = Path(__file__).resolve().parent.parent
# In a folder of this name tests lie by subject, a folder for each; their programs are
# compiled into one folder, and what several subjects share is beside them.
BY_SUBJECT = "tests"
PROGRAMS = "programs"
HELPERS = "helpers"


@dataclass(frozen=True)
class Trees:
    """The source tree, the build tree, and the launcher under test; all absolute."""

    source: Path
    build: Path
    launcher: Path

    def label(self, path: Path) -> str:
        """How a path is called in the report: short where it lies in the source tree."""
        if path.is_relative_to(self.source):
            return str(path.relative_to(self.source))
        return str(path)

    def build_folder(self, folder: Path) -> Path:
        """The folder in the build tree that mirrors a folder of tests."""
        if folder.is_relative_to(self.build):
            return folder
        if folder.is_relative_to(self.source):
            return self.build / folder.relative_to(self.source)
        return self.build / "outside" / folder.relative_to(folder.anchor)

    def _holds_subjects(self, folder: Path) -> bool:
        return folder.name == BY_SUBJECT and folder.is_relative_to(self.source)

    def programs_folder(self, folder: Path) -> Path:
        """The folder in the build tree that has the programs of a folder of tests."""
        if self._holds_subjects(folder.parent):
            return self.build_folder(folder.parent) / PROGRAMS
        return self.build_folder(folder)

    def command_folders(self, folder: Path) -> list[Path]:
        """The folders in the source tree that have the commands of a folder of tests."""
        if self._holds_subjects(folder.parent):
            return [folder, folder.parent / HELPERS]
        return [folder]


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _choose_program(what: str, candidates: list[Path]) -> Path:
    """The first candidate that can be run; an error that names the places otherwise."""
    for candidate in candidates:
        if _is_program(candidate):
            return candidate
    for candidate in candidates:
        if candidate.is_file():
            raise BadTest(f"{what}: {candidate} is not executable")
    places = " or ".join(dict.fromkeys(str(candidate.parent) for candidate in candidates))
    raise BadTest(f"{what} was not found in {places}")


class TestPlaces:
    """The surroundings of one test: its source folder, and the folder that it runs in."""

    def __init__(self, trees: Trees, source: Path, run: Path) -> None:
        self.trees = trees
        self.source = source
        self.run = run
        self._command_folders = trees.command_folders(source)
        self._all_folders = [*self._command_folders, TESTS_FOLDER]

    def environment(self) -> dict[str, str]:
        """What every command of a test finds in its environment."""
        environment = dict(os.environ)
        # The user's own defaults and language must not change what is compared, and no
        # test writes into the source tree.
        # A shell sets `_` for what it starts: some commands would have it, some not.
        # A compiler cache that takes no notice of the folder gives what was compiled in
        # another one, whose name debug information then has.
        for name in ("VALGRIND_OPTS", "LANGUAGE", "VG_STATUS", "_", "CCACHE_NOHASHDIR",
                     "CCACHE_BASEDIR"):
            environment.pop(name, None)
        environment.update(
            LC_ALL="C",
            PYTHONDONTWRITEBYTECODE="1",
            PATH=os.pathsep.join(
                [*map(str, self._all_folders), os.environ.get("PATH", os.defpath)]
            ),
            VG_SRCDIR=str(self.source),
            VG_BUILDDIR=str(self.run),
            VG_TOP_SRCDIR=str(self.trees.source),
            VG_TOP_BUILDDIR=str(self.trees.build),
            VG_LAUNCHER=str(self.trees.launcher),
            VG_PYTHON=sys.executable,
        )
        # The core puts its library there, or else into a variable of its own behind all
        # others.  Random bytes (AT_RANDOM) follow that one, and the dynamic linker, which
        # looks for separators in it, looks up a few bytes behind its end: where the cache
        # is small, a miss more or less.
        environment.setdefault("LD_PRELOAD", "")
        return environment

    def program(self, program: Program) -> str:
        """Shell text that names a program of the test."""
        if program.as_is:
            return program.name
        folders = [self.run, *self._command_folders]
        candidates = [folder / program.name for folder in folders]
        found = _choose_program(f"prog{program.suffix} `{program.name}`", candidates)
        if found == self.run / program.name and not os.path.isabs(program.name):
            # As a user would type it in that folder: no build path in the output.
            return shlex.quote(os.path.join(".", os.path.normpath(program.name)))
        return shlex.quote(str(found))

    def input(self, program: Program) -> Path:
        """The file that a program reads as its standard input."""
        if program.stdin is None:
            return Path(os.devnull)
        for folder in (self.source, self.run):
            if (folder / program.stdin).exists():
                return folder / program.stdin
        raise BadTest(
            f"stdin{program.suffix} `{program.stdin}` was not found in"
            f" {self.source} or {self.run}"
        )

    def filter(self, key: str, spec: Filter, test_name: str) -> str:
        """Shell text that runs a filter, its arguments included."""
        assert spec.command is not None
        name, *more = spec.command.split(maxsplit=1)
        candidates = [folder / name for folder in self._all_folders]
        in_path = shutil.which(name) if os.path.basename(name) == name else None
        if in_path is not None and not any(path.is_file() for path in candidates):
            # A program of the system knows nothing of tests and gets no default argument.
            command, default = in_path, ""
        else:
            command = str(_choose_program(f"{key} `{name}`", candidates))
            default = shlex.quote(test_name)
        words = [shlex.quote(command), *more]
        words.append(default if spec.args is None else spec.args)
        return " ".join(words)
