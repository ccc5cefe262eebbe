# SPDX-License-Identifier: GPL-2.0-or-later
#
# Has a program in C, read_profile, read the bodies of large profiles.
#
# Owns: when that is done, how the program is started, and its stream of records
# (reader/packed/stream.h).  The program knows no messages and not all that the format may
# have: whenever it does not end well, the answer is None, and the reader in Python reads
# the file.  Where no program was built, that reads all.

"""Profiles read by a program in C."""

from __future__ import annotations

import os
import stat
import struct
from array import array
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import BinaryIO, Callable, Iterator, Optional, Union

from profile_file.lexer import decode_text
from profile_file.model import FunctionKey, SourceKey
from profile_file.packed import Arrays, PackedJump, Tables

STREAM_VERSION = 1

# Smaller files are read sooner than a program is started and its answer unpacked.
FROM_BYTES = 500_000

# Not text, or compressed.
OTHER_BEGINNINGS = (b"\0", b"\x1f\x8b")

Progress = Optional[Callable[[int], None]]


class Record(IntEnum):
    """What a record of the stream is."""

    VERSION = 1
    PROGRESS = 2
    HEADER_LINE = 3
    PART = 4
    FUNCTIONS = 5
    SELF = 6
    ARC_ENDS = 7
    CALLEES = 8
    COUNTS = 9
    INCLUSIVE = 10
    BLOCK_ENDS = 11
    BLOCK_SOURCES = 12
    LINE_ENDS = 13
    LINES = 14
    LINE_COSTS = 15
    ARC_SOURCES = 16
    ARC_LINES = 17
    ARC_TARGETS = 18
    JUMP_ENDS = 19
    JUMPS = 20
    DEFINITIONS = 21
    INNER_LINE = 22
    PART_END = 23
    KEYS = 24
    SOURCES = 25
    NAME_ENDS = 26
    NAMES = 27
    END = 28


# The array of Arrays that a record is.
ARRAYS = {
    Record.FUNCTIONS: "functions",
    Record.SELF: "self_costs",
    Record.ARC_ENDS: "arc_ends",
    Record.CALLEES: "callees",
    Record.COUNTS: "counts",
    Record.INCLUSIVE: "inclusive",
    Record.BLOCK_ENDS: "block_ends",
    Record.BLOCK_SOURCES: "block_sources",
    Record.LINE_ENDS: "line_ends",
    Record.LINES: "lines",
    Record.LINE_COSTS: "line_costs",
    Record.ARC_SOURCES: "arc_sources",
    Record.ARC_LINES: "arc_lines",
    Record.ARC_TARGETS: "arc_targets",
    Record.JUMP_ENDS: "jump_ends",
}

HEAD = struct.Struct("=QQ")
NUMBER = struct.Struct("=Q")
PART_HEAD = struct.Struct("=6Q")
JUMP = struct.Struct("=4I4q")
PIECE = 1 << 20  # bytes taken from the pipe at once


@dataclass
class TextLine:
    """A line that is not of a body, as the file has it: a byte is a character."""

    number: int
    text: str


@dataclass
class NativePart:
    """A part, and what is needed to make sure that it was read as Python would have."""

    first_line: int
    events: int
    columns: int
    has_line: bool
    has_address: bool
    is_own: bool
    arrays: Arrays
    definitions: list[tuple[int, int]] = field(default_factory=list)  # key, name
    inner_lines: list[TextLine] = field(default_factory=list)
    end: Optional[TextLine] = None  # None: the end of the file


@dataclass
class NativeFile:
    """A whole file: header lines and parts, in their order."""

    pieces: list[Union[TextLine, NativePart]] = field(default_factory=list)
    tables: Tables = field(default_factory=Tables)
    last_line: int = 0


class _Settings:
    """Which program it is; None: there is none."""

    program: Optional[str] = None


def use_program(path: Optional[str]) -> None:
    """From now on, have this program read large files; None for no program."""
    _Settings.program = path if path and os.access(path, os.X_OK) else None


def read_natively(
    path: Union[str, Path], with_lines: bool, progress: Progress
) -> Optional[NativeFile]:
    """What the program makes of a file, or None.  OSError if the file cannot be read."""
    # Before it is opened: what writes into a pipe ends with the first who reads that.
    if _Settings.program is None or not _is_large_file(os.stat(path)):
        return None
    with open(path, "rb", buffering=0) as file:
        if not _is_large_file(os.fstat(file.fileno())):
            return None
        if os.pread(file.fileno(), 2, 0).startswith(OTHER_BEGINNINGS):
            return None
        words = [_Settings.program, "lines" if with_lines else "functions"]
        return _read_from(words, file.fileno(), progress)


def _is_large_file(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and status.st_size >= FROM_BYTES


def _read_from(words: list[str], file: int, progress: Progress) -> Optional[NativeFile]:
    ours, its = os.pipe()
    stream = open(ours, "rb")  # pylint: disable=consider-using-with
    try:
        try:
            process = _start(words, file, its)
        finally:
            os.close(its)
    except OSError:
        stream.close()
        return None
    found = None
    try:
        found = _unpack(stream, progress)
    except (_StreamError, ValueError, struct.error):
        pass
    finally:
        stream.close()  # the program ends if it still writes
        _, status = os.waitpid(process, 0)
    return found if status == 0 else None


def _start(words: list[str], file: int, its: int) -> int:
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        actions = [(os.POSIX_SPAWN_DUP2, file, 0), (os.POSIX_SPAWN_DUP2, its, 1),
                   (os.POSIX_SPAWN_DUP2, nothing, 2)]  # fmt: skip
        return os.posix_spawn(words[0], words, os.environ, file_actions=actions)
    finally:
        os.close(nothing)


# --- The stream -------------------------------------------------------------------------


class _StreamError(Exception):
    """It ends early, or is not what it should be."""


def _taken(stream: BinaryIO, size: int) -> bytes:
    content = stream.read(size)
    if len(content) != size:
        raise _StreamError
    return content


def _numbers(stream: BinaryIO, size: int, code: str) -> "array[int]":
    """An array, without all its bytes besides."""
    numbers = array(code)
    if size % numbers.itemsize:
        raise _StreamError
    while size:
        piece = min(size, PIECE)
        numbers.frombytes(_taken(stream, piece))
        size -= piece
    return numbers


def _records(stream: BinaryIO) -> Iterator[tuple[Record, int]]:
    """The record that comes and its size; who is given them takes the bytes."""
    while True:
        record, size = HEAD.unpack(_taken(stream, HEAD.size))
        yield Record(record), size
        if record == Record.END:
            return


def _text_line(content: bytes) -> TextLine:
    return TextLine(NUMBER.unpack_from(content)[0],
                    content[NUMBER.size:].decode("latin-1"))  # fmt: skip


def _unpack(stream: BinaryIO, progress: Progress) -> NativeFile:
    found = NativeFile()
    ends, keys, sources = array("Q"), array("I"), array("I")
    part: Optional[NativePart] = None
    for record, size in _records(stream):
        if record in ARRAYS and part is not None:
            code = getattr(part.arrays, ARRAYS[record]).typecode
            setattr(part.arrays, ARRAYS[record], _numbers(stream, size, code))
        elif record == Record.KEYS:
            keys = _numbers(stream, size, "I")
        elif record == Record.SOURCES:
            sources = _numbers(stream, size, "I")
        elif record == Record.NAME_ENDS:
            ends = _numbers(stream, size, "Q")
        else:
            content = _taken(stream, size)
            if record == Record.PROGRESS:
                if progress is not None:
                    progress(*NUMBER.unpack(content))
            elif record == Record.HEADER_LINE:
                found.pieces.append(_text_line(content))
            elif record == Record.PART:
                part = _part(content)
                found.pieces.append(part)
            elif record == Record.NAMES:
                found.tables = _tables(content, ends, keys, sources)
            elif record == Record.END:
                (found.last_line,) = NUMBER.unpack(content)
            elif record == Record.VERSION:
                if NUMBER.unpack(content) != (STREAM_VERSION,):
                    raise _StreamError
            elif part is not None:
                _add_to_part(part, record, content)
            else:
                raise _StreamError
    return found


def _part(content: bytes) -> NativePart:
    line, events, columns, has_line, has_address, is_own = PART_HEAD.unpack(content)
    return NativePart(line, events, columns, bool(has_line), bool(has_address),
                      bool(is_own), Arrays(events, False))  # fmt: skip


def _add_to_part(part: NativePart, record: Record, content: bytes) -> None:
    if record == Record.JUMPS:  # only where there are lines
        part.arrays.with_lines = True
        part.arrays.jumps = list(map(PackedJump._make, JUMP.iter_unpack(content)))
    elif record == Record.DEFINITIONS:
        numbers = array("I", content)
        part.definitions = list(zip(numbers[::2], numbers[1::2]))
    elif record == Record.INNER_LINE:
        part.inner_lines.append(_text_line(content))
    elif record == Record.PART_END:
        part.end = _text_line(content) if content else None
    else:
        raise _StreamError


def _tables(
    content: bytes, ends: "array[int]", keys: "array[int]", sources: "array[int]"
) -> Tables:
    """Equal names are one object."""
    texts, start = [], 0
    text = content.decode("latin-1")
    for end in ends:
        texts.append(decode_text(text[start:end]))
        start = end
    words = map(texts.__getitem__, keys)
    pairs = map(texts.__getitem__, sources)
    return Tables(texts, list(map(FunctionKey, words, words, words)),
                  list(map(SourceKey, pairs, pairs)))  # fmt: skip
