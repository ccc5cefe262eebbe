# SPDX-License-Identifier: GPL-2.0-or-later
#
# How long series of tests are that go by the seed, each on something that is drawn anew.
#
# Owns: the switch CT_LONG=1 (`./check --long`), with which they are whole, as in
# continuous integration.  Without it a part of each runs.  And the turns: of what only a
# rare change breaks, and what takes long, each commit has a third in a long run.

"""Tell whether long series of tests are to be whole, and whose turn it is."""

from __future__ import annotations

import os
import subprocess
from typing import Optional, Sequence, TypeVar

LONG_VARIABLE = "CT_LONG"
# Whose turn it is; all have theirs where nobody says.
TURN_VARIABLE = "CT_TURN"
TURNS = 3

T = TypeVar("T")


def is_long() -> bool:
    return os.environ.get(LONG_VARIABLE, "") not in ("", "0")


def turn_of_commit() -> Optional[int]:
    """By the name of the commit that is checked out, by whomever; None without git."""
    words = ["git", "-c", "safe.directory=*", "rev-parse", "HEAD"]
    try:
        said = subprocess.run(words, check=True, capture_output=True,
                              encoding="ascii").stdout
        return int(said, 16) % TURNS
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None


def in_turn(series: Sequence[T]) -> Sequence[T]:
    """Those whose turn it is, which is every third in a long run of a commit."""
    said = os.environ.get(TURN_VARIABLE, "")
    return series[int(said) % TURNS::TURNS] if said.isdecimal() else series
