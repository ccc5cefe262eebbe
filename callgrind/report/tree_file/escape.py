# SPDX-License-Identifier: GPL-2.0-or-later
#
# Texts of a tree file, escaped so that each is one line.
#
# Owns: the escape rule of docs/tree-format.md.  A text in the file is bytes; in Python it
# is a string in which bytes that are not UTF-8 are kept as surrogates, as file names are.

"""Escaped texts of tree files."""

from __future__ import annotations

import re

_TO_ESCAPE = re.compile(rb"[\x00-\x1f\x7f\\]")
_ESCAPE = re.compile(rb"\\(?:(\\)|x([0-9a-fA-F]{2}))?")


def to_bytes(text: str) -> bytes:
    """The bytes that a text had in the program that it comes from."""
    return text.encode("utf-8", "surrogateescape")


def escape(text: str) -> bytes:
    """A text as it stands in a line."""
    return _TO_ESCAPE.sub(_escaped, to_bytes(text))


def _escaped(match: re.Match[bytes]) -> bytes:
    byte = match.group()
    return rb"\\" if byte == b"\\" else b"\\x%02x" % byte[0]


def unescape(word: bytes) -> str:
    """The text that stands in a line; ValueError if it is not written by the rule."""
    if b"\\" in word:
        word = _ESCAPE.sub(_unescaped, word)
    return word.decode("utf-8", "surrogateescape")


def _unescaped(match: re.Match[bytes]) -> bytes:
    backslash, digits = match.groups()
    if backslash:
        return b"\\"
    if digits:
        return bytes([int(digits, 16)])
    raise ValueError("a backslash that begins neither \\\\ nor \\x and two digits")


def unicode_text(text: str) -> str:
    """A text for formats that hold Unicode only: bytes that are not UTF-8 as \\xHH."""
    if text.isascii():
        return text
    return to_bytes(text).decode("utf-8", "backslashreplace")
