# SPDX-License-Identifier: GPL-2.0-or-later
#
# The filter of a framework: which text makes it run the benchmarks that are wanted.
#
# Owns: what of a pattern of whole names is surely in the part of a name that a filter
# looks at.  A filter that is too narrow would leave out a benchmark that is wanted, so
# where nothing is sure there is no text, and all are measured.

"""Texts for the filters of frameworks."""

from __future__ import annotations

import re

WORD = re.compile(r"[0-9A-Za-z_]+")  # which no filter takes for more than that
OPERATORS = ("and", "or", "not")  # of pytest's -k
ANYTHING = re.compile(r"[*?]")
FILE_END = "::"  # behind the file, and between what stands in it

# What a filter looks at.
WHOLE = "whole"  # all of the name
BEHIND_FILE = "behind file"  # what is behind the first ::, if there is one
LAST = "last"  # what is behind the last ::
CASE = "case"  # what is before the first ::
ELEMENT = "element"  # what is before the first slash


def filter_text(pattern: str, start: str, sees: str = BEHIND_FILE) -> str:
    """A text that is in what the filter sees of every name that begins so and matches:
    letters, digits and underscores.  '' if there is none."""
    rests = rests_of(pattern, start)
    rest = min(rests, key=len, default="")  # it ends all of them
    if sees == WHOLE:
        sure = rest
    elif sees in (CASE, ELEMENT):
        # A star in the pattern of the suite's name may stand for more than that.
        first = ANYTHING.split(rest)[0] if len(rests) == 1 else ""
        sure = first.partition(FILE_END if sees == CASE else "/")[0]
    else:
        sure = ANYTHING.split(rest)[-1].rpartition(FILE_END)[2]
        if sees == BEHIND_FILE:
            _, there, behind = rest.partition(FILE_END)
            sure = behind if there else sure
    words = [each for each in WORD.findall(sure) if each not in OPERATORS]
    return max(words, key=len, default="")


# --- Patterns of whole names ------------------------------------------------------------


def rests_of(pattern: str, start: str) -> set[str]:
    """What is left of a pattern for the rest of a name that begins so; empty if no such
    name matches."""
    places = _with_stars(pattern, {0})
    for char in start:
        places = {
            place if pattern[place] == "*" else place + 1
            for place in places
            if place < len(pattern) and pattern[place] in ("*", "?", char)
        }
        places = _with_stars(pattern, places)
    return {pattern[place:] for place in places}


def _with_stars(pattern: str, places: set[int]) -> set[int]:
    """A star may stand for nothing."""
    found = set(places)
    for place in places:
        while place < len(pattern) and pattern[place] == "*":
            place += 1
            found.add(place)
    return found
