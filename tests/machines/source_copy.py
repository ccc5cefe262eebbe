# SPDX-License-Identifier: GPL-2.0-or-later
#
# A copy of this source tree in another place, as a clone would be, with changes that are
# not yet committed.  Owns: that files that are gone here go there.  What a build has left
# in the copy stays, so that the next one is short.  Relies on tests/source_files.py for
# which files belong to the tree.

"""Copies the source tree."""

from __future__ import annotations

import filecmp
import shutil
from pathlib import Path

from tests.source_files import SOURCE, TOP, names_of_files


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
    names = names_of_files(source, TOP if source == SOURCE else frozenset())
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
