# SPDX-License-Identifier: GPL-2.0-or-later
#
# The lexer of callgrind profiles: numbers, text, and names with or without an id.
#
# Owns: how one word is written in the file.  Knows nothing of what it means there.

"""Numbers, text and compressed names of callgrind profiles."""

from __future__ import annotations

import re

from console.untrusted_text import NumberError, is_decimal

_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]+")


def parse_number(text: str) -> int:
    """A Number of the grammar: decimal digits, or 0x and hexadecimal ones.

    NumberError for all else, signs, spaces and underscores included."""
    if text.isdecimal() and text.isascii():  # nearly always, so without another call
        return int(text)
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    raise NumberError(f"{text!r} is not a number")


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
        """The name that `(id) name`, `(id)` or `name` stands for."""
        known = self._known.get(text)
        return known if known is not None else self._learn(text)

    def _learn(self, text: str) -> str:
        name = text.strip()
        identifier = ""
        # A real name never starts with "(" and a digit.
        if name[:1] == "(" and is_decimal(name[1:2]):
            identifier, _, name = name.partition(")")
            name = name.lstrip()
            if not name and identifier + ")" in self._known:  # with spaces around it
                return self._known[identifier + ")"]
            if not name:
                raise ValueError(
                    f"{self._kind} name {identifier}) is used before it is defined"
                )
            self._known[identifier + ")"] = decode_text(name)
        else:
            self._known[text] = decode_text(name)
        return decode_text(name)
