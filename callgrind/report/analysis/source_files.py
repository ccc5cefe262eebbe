# SPDX-License-Identifier: GPL-2.0-or-later
#
# The source files that a profile names, found on this machine.
#
# Owns: where a file is looked for, and whether it is newer than the profile.

"""Find the text of source files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

from profile_file.model import UNKNOWN


@dataclass
class Source:
    """The text of a file that costs belong to."""

    path: Path
    lines: list[str]
    is_newer: bool


def candidates(name: str, folders: Sequence[Path]) -> list[Path]:
    """Where a file may be: in each folder, the longest end of its path first; itself."""
    pieces = [piece for piece in name.split(os.sep) if piece not in ("", ".", "..")]
    ends = [os.sep.join(pieces[start:]) for start in range(len(pieces))]
    return [folder / end for folder in folders for end in ends] + [Path(name)]


def find_source(
    name: str, folders: Sequence[Path], profile_time: Optional[float]
) -> Optional[Source]:
    """The source file of that name in the profile; None where there is none to read.

    `profile_time` is in seconds since the epoch; None where it is not known."""
    if name == UNKNOWN:
        return None
    for path in candidates(name, folders):
        try:
            text = path.read_text("utf-8", "replace")
            newer = profile_time is not None and path.stat().st_mtime > profile_time
        except (OSError, ValueError):
            continue
        return Source(path, text.splitlines(), newer)
    return None
