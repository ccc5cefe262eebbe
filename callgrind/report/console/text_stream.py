# SPDX-License-Identifier: GPL-2.0-or-later
#
# Text of other people's files and pipes, line by line: what is no text, or has no end,
# is refused before memory ends.
#
# Owns: how long a line may be.

"""Streams of lines from files that anybody may have written."""

from __future__ import annotations

import io
from typing import Any, Union

BUFFER_SIZE = 1 << 18

# No name, and no command line that Linux starts, is half as long.
MOST_OF_A_LINE = 64 << 20


class NoTextError(ValueError):
    """What was to be text is none; the message says why."""


class _BoundedLines(io.RawIOBase):
    """A stream that fails, by NoTextError, in a line that is too long.  It counts whole
    buffers, so a line may have two buffers more than that."""

    def __init__(self, stream: Union[io.RawIOBase, io.BufferedIOBase]) -> None:
        super().__init__()
        self._stream = stream
        self._since_line = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._stream.readinto(buffer) or 0
        if b"\n" in buffer[:count].tobytes():
            self._since_line = 0
        self._since_line += count
        if self._since_line > MOST_OF_A_LINE:
            raise NoTextError(f"has a line of more than {MOST_OF_A_LINE >> 20} MB")
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


def lines_of(stream: Union[io.RawIOBase, io.BufferedIOBase]) -> io.BufferedReader:
    """The bytes of a stream; NoTextError, also later, if they are no lines of text.  What
    begins with a NUL, as /dev/zero does, is none.  The stream is closed with what is
    returned."""
    lines = io.BufferedReader(_BoundedLines(stream), BUFFER_SIZE)
    if lines.peek(1)[:1] == b"\0":
        raise NoTextError("begins with a NUL byte, so it is no text")
    return lines
