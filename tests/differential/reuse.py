# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whether something that an earlier run of the tests has left in the build folder is still
# what this run would make.
#
# Owns: digests and stamps of files, and the switch CT_FRESH=1 (`./check --fresh`), with
# which nothing is used again.

"""Tell whether files have changed."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Iterable, Optional

FRESH_VARIABLE = "CT_FRESH"
# What changes whenever a package of the distribution is installed or removed.
PACKAGES = Path("/var/lib/dpkg/status")


def is_fresh() -> bool:
    """Whether the distribution's profiles are to be measured anew."""
    return os.environ.get(FRESH_VARIABLE, "") not in ("", "0")


def contents(path: Path) -> str:
    """A digest of a file's bytes; of a file that cannot be read, why."""
    try:
        status = path.stat()
    except OSError as error:
        return str(error.strerror)
    return _contents(path, status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(maxsize=None)  # by all that changes with the contents
def _contents(path: Path, size: int, time: int, inode: int) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return str(error.strerror)


def stamp(path: Path) -> Optional[list[int]]:
    """What of a file changes when somebody writes another one in its place."""
    try:
        status = path.stat()
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def packages_stamp() -> Optional[list[int]]:
    """The state of the distribution's packages; None where that is not known."""
    return stamp(PACKAGES)


def tree_digest(folders: Iterable[Path]) -> str:
    """A digest of the stamps of all files in some folders, and in those below."""
    digest = hashlib.sha256()
    for top in folders:
        for folder, below, names in os.walk(top):
            below.sort()
            for name in ("", *sorted(names)):
                path = Path(folder, name)
                digest.update(f"{path} {stamp(path)}\n".encode("utf-8", "replace"))
    return digest.hexdigest()
