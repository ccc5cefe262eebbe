# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads timelines (docs/timeline.md), strictly: a file that is cut off, damaged or of
# another kind is refused with the place.
#
# Owns: the way from lines to the data classes of timeline_model.py.  Several files, and
# several documents in a file, become one timeline.

"""Read timelines into the data classes of tree_file.timeline_model."""

from __future__ import annotations

import os
import re
from io import FileIO
from pathlib import Path
from typing import Optional, Sequence, Union

from console.text_stream import lines_of
from tree_file.definitions import Definitions, TreeError
from tree_file.model import Function
from tree_file.timeline_model import (
    MARK_WORDS,
    WHOLE,
    Calls,
    Held,
    Mark,
    TimedThread,
    Timeline,
)

__all__ = ["TreeError", "is_timeline", "read_timeline"]

VERSION_LINE = b"callgrind-timeline 1\n"
_CALL = re.compile(rb"([rom]?)([0-9]+) ([0-9]+) ([0-9]+)\n")


def is_timeline(path: Union[str, Path]) -> bool:
    """Does the file say that it is one?  What cannot be read twice is none."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as stream:
            return stream.read(19) == VERSION_LINE[:19]
    except OSError:
        return False


def read_timeline(paths: Sequence[Union[str, Path]]) -> Timeline:
    """Read files; their threads become those of one timeline."""
    timeline = Timeline()
    indexes: dict[Function, int] = {}
    for path in paths:
        try:
            with FileIO(path) as stream:
                _Reader(Path(path), timeline, indexes).read(stream)
        except OSError as error:
            raise TreeError(path, 0, error.strerror or str(error)) from error
    return timeline


class _Reader(Definitions):
    """The state of reading one file."""

    def __init__(
        self, path: Path, timeline: Timeline, indexes: dict[Function, int]
    ) -> None:
        super().__init__(path, timeline.functions, indexes)
        self._timeline = timeline
        self._handlers.update(
            limit=self._on_limit,
            thread=self._on_thread,
            calls=self._on_calls,
            mark=self._on_mark,
            held=self._on_held,
        )
        self._begin_document()

    def _begin_document(self) -> None:
        self._begin_definitions()
        self._threads: dict[int, TimedThread] = {}
        self._thread: Optional[TimedThread] = None  # the last that was defined

    def read(self, stream: FileIO) -> None:
        try:
            self._lines = iter(enumerate(lines_of(stream), 1))
            if not self._next():
                raise ValueError("the file is empty")
            while self._line:
                self._read_document()
                self._next()
        except (ValueError, OverflowError) as error:
            cut_off = self._line and not self._line.endswith(b"\n")
            what = "the file ends in the middle of a line: it was cut off"
            raise TreeError(
                self._path, self._number, what if cut_off else str(error)
            ) from None

    def _read_document(self) -> None:
        if self._line != VERSION_LINE:
            raise ValueError(f"expected 'callgrind-timeline 1', not {self._shown()}")
        if not self._next().startswith(b"creator "):
            raise ValueError(f"expected 'creator', not {self._shown()}")
        creator = self._text(self._line[len(b"creator ") :])
        if creator not in self._timeline.creators:
            self._timeline.creators.append(creator)
        self._begin_document()
        self._next()
        self._read_body()
        self._read_end()

    def _numbers(self, rest: bytes, count: int) -> list[int]:
        words = rest.rstrip(b"\n").decode("latin-1").split(" ")
        if len(words) != count or not rest.endswith(b"\n"):
            raise ValueError(f"expected {count} numbers in {self._shown()}")
        return [self._parse(word) for word in words]

    def _on_limit(self, rest: bytes) -> None:
        (limit,) = self._numbers(rest, 1)
        self._timeline.limit = max(self._timeline.limit, limit)

    def _on_thread(self, rest: bytes) -> None:
        name = ""
        if rest.count(b" ") >= 6:
            words, name = self._words(rest, 6)
        else:  # nobody has given it a name
            words = rest.rstrip(b"\n").decode("latin-1").split(" ")
        if len(words) != 6 or not rest.endswith(b"\n"):
            raise ValueError(f"expected six numbers in {self._shown()}")
        number, process, own_number, creator_id, start, time = words
        creator = None
        if creator_id != "0":
            creator = self._look_up(self._threads, "thread", creator_id)
        self._thread = TimedThread(
            self._look_up(self._processes, "process", process),
            self._parse(own_number),
            creator,
            self._parse(start),
            self._parse(time),
            name,
        )
        self._define(self._threads, "thread", number, self._thread)
        self._timeline.threads.append(self._thread)

    def _current(self) -> TimedThread:
        if self._thread is None:
            raise ValueError(f"no thread is defined before {self._shown()}")
        return self._thread

    def _on_calls(self, rest: bytes) -> None:
        thread = self._current()
        (count,) = self._numbers(rest, 1)
        if len(thread.calls):
            raise ValueError("a second 'calls' of a thread")
        for _ in range(count):
            self._read_call(thread.calls)
        if count and thread.calls.ends[-1] > thread.time:
            raise ValueError("a call ends after its thread does: the file is damaged")

    def _read_call(self, calls: Calls) -> None:
        match = _CALL.fullmatch(self._next())
        if match is None:
            if not self._line:
                raise ValueError("the file ends within the calls: it was cut off")
            raise ValueError(
                f"expected '[KIND]FUNCTION DURATION STEP', not {self._shown()}"
            )
        piece, function, duration, step = match.groups()
        index = self._functions.get(int(function))
        if index is None:
            raise ValueError(f"a function that is not defined: {self._shown()}")
        end = int(step) + (calls.ends[-1] if len(calls) else 0)
        if int(duration) > end:
            raise ValueError(f"a call that begins before its thread: {self._shown()}")
        calls.functions.append(index)
        calls.begins.append(end - int(duration))
        calls.ends.append(end)
        calls.pieces.append(piece[0] if piece else ord(WHOLE))

    def _on_mark(self, rest: bytes) -> None:
        (time, kind), text = self._words(rest, 2)
        if kind not in MARK_WORDS:
            raise ValueError(f"a mark of an unknown kind: {self._shown()}")
        self._current().marks.append(Mark(self._parse(time), kind, text))

    def _on_held(self, rest: bytes) -> None:
        thread = self._current()
        width, count = self._numbers(rest, 2)
        if thread.held or not width or not count:
            raise ValueError(f"no curve of a thread's: {self._shown()}")
        begin = 0
        for _ in range(count):
            if not self._next():
                raise ValueError("the file ends within 'held': it was cut off")
            step, most, last = self._numbers(self._line, 3)
            if thread.held and step < width:
                raise ValueError(f"a stretch within the one before: {self._shown()}")
            begin += step
            end = min(begin + width, thread.time)
            if begin > end or most < last:
                raise ValueError(f"a stretch that cannot be: {self._shown()}")
            thread.held.append(Held(begin, end, most, last))

    def _read_end(self) -> None:
        calls, marks, lost = self._numbers(self._line[len(b"end ") :], 3)
        threads = self._threads.values()
        counted = (
            sum(len(thread.calls) for thread in threads),
            sum(len(thread.marks) for thread in threads),
        )
        if (calls, marks) != counted:
            raise ValueError(
                f"'end' says {(calls, marks)}, but there were {counted}: "
                "the file is damaged"
            )
        self._timeline.marks_lost += lost
