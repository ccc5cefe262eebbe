# SPDX-License-Identifier: GPL-2.0-or-later
#
# The lexer of callgrind profiles: numbers, text, and names with or without an id.
#
# Owns: how one word is written in the file.  Knows nothing of what it means there.

"""Numbers, text and compressed names of callgrind profiles."""

from __future__ import annotations

import re

from console.untrusted_text import NumberError, is_decimal
from profile_file.model import UNKNOWN

# Of a text that was read as Latin-1, byte by byte: what strip() takes otherwise may be
# the last byte of a letter in UTF-8, as of "\xe0".
WHITE = " \t\n\r\v\f"

_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]+")
# Counters have 64 bits, and sums of them may have some more.  What is larger than this is
# no count, and no float holds it.
LARGEST = (1 << 128) - 1
_SURELY_SMALLER = len(str(LARGEST))  # what has fewer digits


def parse_number(text: str) -> int:
    """A Number of the grammar: decimal digits, or 0x and hexadecimal ones.

    NumberError for all else, signs, spaces and underscores included, and for what no
    counter holds."""
    # Nearly always, so without another call.
    if len(text) < _SURELY_SMALLER and text.isdecimal() and text.isascii():
        return int(text)
    if is_decimal(text):
        significant = text.lstrip("0") or "0"  # int() takes some thousand digits only
        value = int(significant[: _SURELY_SMALLER + 1])
    elif _HEXADECIMAL.fullmatch(text):
        value = int(text, 16)
    else:
        raise NumberError(f"{text!r} is not a number")
    if value > LARGEST:
        raise NumberError(f"{text!r} has more than 128 bits")
    return value


def parse_signed(text: str) -> int:
    """As parse_number(), with a minus sign before it: other writers' costs may fall."""
    return -parse_number(text[1:]) if text[:1] == "-" else parse_number(text)


def decode_text(text: str) -> str:
    """The real text of one that was read as Latin-1, byte by byte.

    Bytes that are not UTF-8 are kept as surrogates, as in file names."""
    if text.isascii():
        return text
    return text.encode("latin-1").decode("utf-8", "surrogateescape")


class NameTable:
    """The names of one kind (object, file, function) and their ids (cl-format 3.1.5)."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        # The text behind "=", "(12)" or a name, and the name that it stands for.
        self._known: dict[str, str] = {}

    def resolve(self, text: str) -> str:
        """The name that `(id) name`, `(id)` or `name` stands for.  An empty one is no
        word that was left out: it is written, as pprof does, for what is not known."""
        known = self._known.get(text)
        return known if known is not None else self._learn(text)

    def _learn(self, text: str) -> str:
        name = text.strip(WHITE)
        identifier = ""
        # A real name never starts with "(" and a digit.
        if name[:1] == "(" and is_decimal(name[1:2]):
            identifier, _, name = name.partition(")")
            name = name.lstrip(WHITE)
            if not name and identifier + ")" in self._known:  # with spaces around it
                return self._known[identifier + ")"]
            if not name:
                raise ValueError(
                    f"{self._kind} name {identifier}) is used before it is defined"
                )
            self._known[identifier + ")"] = decode_text(name)
        else:
            name = name or UNKNOWN
            self._known[text] = decode_text(name)
        return decode_text(name)
