# SPDX-License-Identifier: GPL-2.0-or-later
#
# The source files that a profile names, found on this machine.
#
# Owns: where a file is looked for, what may be read, and whether it is newer than the
# profile.  Names come from the code that was profiled (#line), which nobody need trust:
# a pipe would be waited for, and a device read without end.  So only regular files are
# sources.  What they are is asked before they are opened, which alone may do something.

"""Find the text of source files."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Optional, Sequence

from profile_file.model import UNKNOWN


MOST_BYTES = 64 << 20
LONGEST_PATH = 4096  # the kernel takes no more


@dataclass
class Source:
    """The text of a file that costs belong to; or why what is there is not read."""

    path: Path
    lines: list[str]
    is_newer: bool
    refused: str = ""


def candidates(name: str, folders: Sequence[Path]) -> Iterator[Path]:
    """Where a file may be: in each folder, the longest end of its path first; itself."""
    near = name[-LONGEST_PATH:]
    pieces = [piece for piece in near.split(os.sep) if piece not in ("", ".", "..")]
    for folder in folders:
        for start in range(len(pieces)):
            yield folder / os.sep.join(pieces[start:])
    yield Path(name)


def find_source(
    name: str, folders: Sequence[Path], profile_time: Optional[float]
) -> Optional[Source]:
    """The source file of that name in the profile; None where there is none.

    `profile_time` is in seconds since the epoch; None where it is not known."""
    if name == UNKNOWN:
        return None
    refused: Optional[Source] = None
    for path in candidates(name, folders):
        try:
            found = _read(path, profile_time)
        except (OSError, ValueError):
            continue
        if not found.refused:
            return found
        refused = refused or found
    return refused


def _read(path: Path, profile_time: Optional[float]) -> Source:
    with contextlib.ExitStack() as opened:
        look = os.open(path, os.O_PATH | os.O_CLOEXEC)
        opened.callback(os.close, look)
        status = os.fstat(look)
        if not stat.S_ISREG(status.st_mode):
            return Source(path, [], False, "it is no regular file")
        if status.st_size > MOST_BYTES:
            return Source(path, [], False, f"it has more than {MOST_BYTES >> 20} MB")
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        stream = opened.enter_context(open(os.open(path, flags), "rb"))
        if not os.path.samestat(status, os.fstat(stream.fileno())):
            return Source(path, [], False, "it is another file than a moment ago")
        # No more than it has: those of /proc have nothing, and some of them no end.
        text = stream.read(status.st_size).decode("utf-8", "replace")
    newer = profile_time is not None and status.st_mtime > profile_time
    return Source(path, text.splitlines(), newer)
