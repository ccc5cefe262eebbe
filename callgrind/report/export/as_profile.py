# SPDX-License-Identifier: GPL-2.0-or-later
#
# Trees where a command reads callgrind profiles: as what callgrind_export makes of them.
#
# Owns: how a tree file is told from a profile.

"""Tree files as callgrind profiles."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import Iterator, Sequence

from export.callgrind_format import write_callgrind
from tree_file.reader import read_forest

BEGINNING = b"callgrind-tree "


def is_tree(path: Path) -> bool:
    """A pipe is not looked into: what was read there is gone."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(len(BEGINNING)) == BEGINNING


@contextlib.contextmanager
def as_profiles(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """For each tree file, one with its profile, which is gone afterwards; the others as
    they are."""
    if not any(map(is_tree, paths)):
        yield list(paths)
        return
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for number, path in enumerate(paths):
            if is_tree(path):
                forest = read_forest([path])
                path = Path(folder, str(number))
                with open(path, "wb") as made:
                    write_callgrind(forest, range(len(forest.events)), made)
            found.append(path)
        yield found
