# SPDX-License-Identifier: GPL-2.0-or-later
#
# The words of a callgrind profile: numbers, text, and names with or without an id.
#
# Owns: how one word is spelt in the file.  Knows nothing of what it means there.

"""Numbers, text and compressed names of callgrind profiles."""

from __future__ import annotations


def parse_number(text: str) -> int:
    """A Number of the grammar: decimal digits, or 0x and hexadecimal ones."""
    return int(text, 16) if text[:2] in ("0x", "0X") else int(text)


def decode_text(text: str) -> str:
    """What the file means by text that was read byte by byte."""
    if text.isascii():
        return text
    return text.encode("latin-1").decode("utf-8", "surrogateescape")


class NameTable:
    """The names of one kind (object, file, function) and their ids (cl-format 3.1.5)."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._known: dict[
            str, str
        ] = {}  # the text after "=", "(12)" or a name -> the name

    def resolve(self, text: str) -> str:
        """The name that `(id) name`, `(id)` or `name` stands for."""
        known = self._known.get(text)
        return known if known is not None else self._learn(text)

    def _learn(self, text: str) -> str:
        name = text.strip()
        identifier = ""
        # A real name never starts with "(" and a digit.
        if name[:1] == "(" and name[1:2].isdigit():
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
