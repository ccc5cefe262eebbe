# SPDX-License-Identifier: GPL-2.0-or-later
#
# A copy of this source tree in another place, as a clone would be, with what is not yet
# committed.  Owns: which files belong to it, and that those that are gone here go there.
# What a build has left in the copy stays, so that the next one is short.

"""Copies the source tree."""

from __future__ import annotations

import filecmp
import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
# What builds and runs leave behind, for a tree that git does not know.
NOT_OURS = ("build", ".git", "autom4te.cache", "build-aux", "__pycache__")


def names_of_files(source: Path) -> list[str]:
    """The files of a source tree, as git knows them; in a release, as they lie there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=source,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        names = listed.stdout.decode("utf-8", "surrogateescape").split("\0")
    else:
        names = [
            path.relative_to(source).as_posix()
            for path in source.rglob("*")
            if not any(part in NOT_OURS for part in path.relative_to(source).parts)
        ]
    there = (source / name for name in names if name)
    return sorted(
        path.relative_to(source).as_posix()
        for path in there
        if path.is_symlink() or path.is_file()
    )


def _is_same(here: Path, there: Path) -> bool:
    if here.is_symlink() or there.is_symlink() or not there.is_file():
        return False
    return (
        here.stat().st_mode == there.stat().st_mode
        and filecmp.cmp(here, there, shallow=False)
    )


def copy_to(copy: Path, source: Path = SOURCE) -> None:
    """Make `copy` a copy of the source tree.  A file that is the same there is not
    touched, and one that is not gets the time of now, so that make sees it."""
    copy.mkdir(parents=True, exist_ok=True)
    list_of_copied = copy.with_name(copy.name + ".files")
    names = names_of_files(source)
    if list_of_copied.exists():
        before = list_of_copied.read_text(encoding="utf-8", errors="surrogateescape")
        for name in set(before.splitlines()) - set(names):
            (copy / name).unlink(missing_ok=True)
    for name in names:
        here, there = source / name, copy / name
        if _is_same(here, there):
            continue
        there.parent.mkdir(parents=True, exist_ok=True)
        if there.is_symlink() or there.exists():
            there.unlink()
        shutil.copy(here, there, follow_symlinks=False)
    list_of_copied.write_text(
        "\n".join(names), encoding="utf-8", errors="surrogateescape"
    )
