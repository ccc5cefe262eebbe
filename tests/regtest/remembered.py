# SPDX-License-Identifier: GPL-2.0-or-later
#
# Answers about a file, kept as long as the file stays as it is: several `post:` lines of
# a test ask about one profile, and to read it takes longer than to answer.  Owns: when a
# file is the same.

"""Remember what was found out about a file."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Callable, TypeVar

Answer = TypeVar("Answer")

# A file as it is now: whatever is written into it, or put in its place, makes another.
State = tuple[int, int, int, int]

# The files that a test asks about at one time; more would only take memory.
MOST_FILES = 8


def state_of(status: os.stat_result) -> State:
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def remembered(ask: Callable[[Path], Answer]) -> Callable[[Path], Answer]:
    """A function of a file that is called once for each state of the file.  Nobody may
    change its answers."""

    @functools.lru_cache(maxsize=MOST_FILES)
    def of_state(path: Path, state: State) -> Answer:
        return ask(path)

    @functools.wraps(ask)
    def answer(path: Path) -> Answer:
        try:
            state = state_of(os.stat(path))
        except OSError:  # which `ask` can tell better
            return ask(path)
        return of_state(path, state)

    return answer
