# SPDX-License-Identifier: GPL-2.0-or-later
#
# Text from files and command lines: names made safe to print, numbers read strictly.
#
# Owns: what may reach a terminal, and what counts as a number.  Python's int() also
# takes "1_000", "+5", " 5 " and the digits of every script, and str.isdigit() takes "²".
# No file format and no option here has these.

"""Names made safe to print, and numbers read strictly."""

from __future__ import annotations

import re

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

# How much of a message is printed: more is a name or number that nobody reads to its end.
MOST_OF_A_MESSAGE = 1000
_AT_EACH_END = 400


class NumberError(ValueError):
    """A word that is not a number."""


def is_decimal(text: str) -> bool:
    """Whether text is one or more of the digits 0 to 9, and nothing else."""
    return text.isascii() and text.isdecimal()


def parse_decimal(text: str) -> int:
    """The number that the digits 0 to 9 stand for; NumberError for any other text."""
    if not is_decimal(text):
        raise NumberError(f"{text!r} is not a number")
    return int(text)


def printable(text: str) -> str:
    """A name for a table: nothing in it moves the cursor or breaks the line.

    Bytes that are not UTF-8 stay as they are; the stream decides how to write them."""
    if text.isprintable():
        return text
    return "".join(
        char
        if char.isprintable() or "\udc80" <= char <= "\udcff"
        else f"\\x{ord(char):02x}"
        for char in text
    )


def one_line(text: str) -> str:
    """A text for an error message, as printable(); bytes that are not UTF-8 as \\xHH.

    Of a very long one, whose middle is some absurd value, the two ends."""
    if len(text) > MOST_OF_A_MESSAGE:
        left_out = len(text) - 2 * _AT_EACH_END
        middle = f" [{left_out:,} characters more] "
        text = text[:_AT_EACH_END] + middle + text[-_AT_EACH_END:]
    return _UNPRINTABLE.sub(lambda found: f"\\x{ord(found.group()) & 0xff:02x}", text)


def for_terminal(content: bytes) -> bytes:
    """Lines of text for a terminal: what else than line feeds and tabs would control it,
    and what is no UTF-8, is shown as \\xHH."""
    text = content.decode("utf-8", "backslashreplace")
    return _CONTROLS.sub(lambda found: f"\\x{ord(found.group()):02x}", text).encode()
