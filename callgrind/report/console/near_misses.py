# SPDX-License-Identifier: GPL-2.0-or-later
#
# What somebody meant who has misspelt an option or one of a few words.
#
# Owns: how much a word has to be like another one to be taken for it.

"""Suggest what is like a misspelt word."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Iterable

LIKE = 0.7  # by difflib's ratio; two letters of seven may differ


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """What to put behind a message on the word: `; did you mean X?`, or nothing."""
    found = get_close_matches(word, sorted(set(known)), n=1, cutoff=LIKE)
    return f"; did you mean {found[0]}?" if found else ""
