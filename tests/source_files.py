#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which files belong to a source tree, whatever else lies in it: what somebody is writing
# there, what editors, builds and runs have left.  Tests that look at "all files" and
# `make dist` ask here.
#
#    source_files.py [FOLDER...]     names from the top of the tree, a NUL behind each
#
# Owns: the rule.  In a checkout, what git tracks, so a new file counts from `git add` on.
# In a tree without git (a release, `git archive`), what lies in the folders and under the
# names of TOP, but for names that only leftovers have.

"""The files of a source tree."""

from __future__ import annotations

import os
import subprocess
import sys
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Iterator, Optional, Sequence

SOURCE = Path(__file__).resolve().parents[1]

# What the top of the tree holds; a test compares it with what git tracks.
TOP = frozenset({
    ".ci", ".clang-format", ".editorconfig", ".flake8", ".gitignore", "CONTRIBUTING.md",
    "LICENSE", "Makefile.am", "NEWS.md", "README.md", "action", "action.yml",
    "callgrind", "check", "clients",
    "configure.ac", "conftest.py", "coregrind", "docs", "include", "install.sh",
    "mypy.ini", "profile", "pyproject.toml", "reader", "sampler", "shared", "tests",
})
# Of editors, compilers, Python, runs of Valgrind and of tests.
LEFTOVERS = (
    ".*", "*~", "#*#", "*.bak", "*.orig", "*.rej", "*.swp", "*.tmp",
    "*.a", "*.o", "*.gch", "__pycache__", "*.pyc", "*.run", "*.stdout.out",
    "*.stderr.out", "callgrind.*.[0-9]*", "callgrind.out", "callgrind.tree",
    "callgrind-*-linux", "gate-run", "core.[0-9]*", "vgcore.*",
)
HIDDEN_BUT_OURS = frozenset(name for name in TOP if name.startswith("."))


def is_leftover(name: str) -> bool:
    """Whether a file or folder has a name that no file of ours has."""
    return name not in HIDDEN_BUT_OURS and any(
        fnmatchcase(name, pattern) for pattern in LEFTOVERS
    )


def _git(tree: Path, *words: str) -> "subprocess.CompletedProcess[bytes]":
    # Another user's checkout is one, too; nothing of its settings is run by these.
    command = ["git", "-c", f"safe.directory={tree}", *words]
    try:
        return subprocess.run(command, cwd=tree, capture_output=True, check=False)
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, b"", str(error).encode())


def _tracked(tree: Path) -> Optional[list[str]]:
    """What git tracks; None where the tree is no checkout, or lies in another's."""
    top = _git(tree, "rev-parse", "--show-toplevel")
    said = os.fsdecode(top.stdout).rstrip("\n")
    if top.returncode != 0 or not said or not os.path.samefile(said, tree):
        return None
    listed = _git(tree, "ls-files", "-z", "--cached")
    return os.fsdecode(listed.stdout).split("\0") if listed.returncode == 0 else None


def _lying(tree: Path, top: frozenset[str]) -> Iterator[str]:
    for here, folders, names in os.walk(tree):
        is_top = Path(here) == tree
        folders[:] = [
            name for name in folders
            if not is_leftover(name) and not (is_top and top and name not in top)
        ]
        for name in names:
            if not is_leftover(name) and not (is_top and top and name not in top):
                yield Path(here, name).relative_to(tree).as_posix()


def names_of_files(tree: Path, top: frozenset[str] = frozenset()) -> list[str]:
    """The files of a source tree that are there, sorted, from its top.  Without git those
    in it, at its top only the ones in `top` (if any are given)."""
    tracked = _tracked(tree)
    names = _lying(tree, top) if tracked is None else filter(None, tracked)
    return sorted(
        name for name in names if (tree / name).is_symlink() or (tree / name).is_file()
    )


@lru_cache(maxsize=None)
def our_names() -> tuple[str, ...]:
    """The files of this source tree."""
    return tuple(names_of_files(SOURCE, TOP))


def files_below(folder: Path) -> list[Path]:
    """The files of a folder of this source tree, and of folders in it, sorted."""
    prefix = PurePath(folder).relative_to(SOURCE).as_posix()
    inside = "" if prefix == "." else f"{prefix}/"
    return [SOURCE / name for name in our_names() if name.startswith(inside)]


def main(folders: Sequence[str]) -> int:
    inside = tuple(f"{folder.rstrip('/')}/" for folder in folders)
    for name in our_names():
        if not inside or name.startswith(inside):
            sys.stdout.buffer.write(os.fsencode(name) + b"\0")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
