# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of benchmarks: how they are shown, put in order, and put into groups.
#
# Owns: what of a name is shown.  Names come from the code under review and may have
# anything in them.  Two that differ are never shown alike: what is shown otherwise than
# it is, or would look like another one, ends with digits of the name's digest.

"""Names of benchmarks."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from console.untrusted_text import printable

MOST_SHOWN = 160  # characters of a name
DIGITS = 8
MOST_DIGITS = 1000  # of a number; Python reads no longer ones
ELLIPSIS = "…"
# Where a CI service may take a line of a log for a command: at its start, or anywhere.
COMMAND = re.compile(r"^\s*::|##\[")
DIGESTED = re.compile(rf".*#[0-9a-f]{{{DIGITS}}}", re.DOTALL)  # what shown() writes
BETWEEN_PLACE_AND_NAME = "::"  # behind the file, in names of most frameworks


def natural(name: str) -> list[tuple[int, str]]:
    """A key for sorting: numbers in names count as such, so sort-9 is before sort-10."""
    words = re.split(r"([0-9]+)", name)
    return [
        (int(word) if word.isdecimal() and len(word) <= MOST_DIGITS else -1, word)
        for word in words
    ]


def shown(name: str, most: int = MOST_SHOWN) -> str:
    """The name for people: one line of printable characters, and not long."""
    text = printable(name).encode("utf-8", "backslashreplace").decode("utf-8")
    text = COMMAND.sub(lambda found: found[0].replace("#", "\\x23", 1)
                       .replace(":", "\\x3a", 1), text)  # fmt: skip
    if len(text) > most:
        half = (most - DIGITS - 2) // 2
        text = f"{text[:half]}{ELLIPSIS}{text[-half:]}"
    if text == name and not _may_look_like_another(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text}#{digest[:DIGITS]}"


def _may_look_like_another(name: str) -> bool:
    """Whether there are names that people, or a page, cannot tell from it: by blanks at
    its ends or in a row, by accents that are characters of their own, or as it ends as
    names do that are shown otherwise than they are."""
    return (
        name != " ".join(name.split())
        or unicodedata.normalize("NFC", name) != name
        or DIGESTED.fullmatch(name) is not None
    )


def group_of(name: str) -> str:
    """What a benchmark is shown under: the suite and the file, or the suite; '' for one
    that belongs to no suite."""
    suite, slash, rest = name.partition("/")
    if not slash:
        return ""
    place, colons, _ = rest.partition(BETWEEN_PLACE_AND_NAME)
    return f"{suite}/{place}" if colons and place else suite


def within_group(name: str) -> str:
    """The name as it is shown there."""
    group = group_of(name)
    if not group:
        return name
    rest = name[len(group):]
    between = "/" if "/" not in group else BETWEEN_PLACE_AND_NAME
    return rest[len(between):] or name
