# SPDX-License-Identifier: GPL-2.0-or-later
#
# Timelines as data: calls with their begin and end, and marks, by thread.
#
# Owns: the data classes, and how calls nest: a call lies within another one if its time
# does, and the one that ended later is the outer one where both are equal.

"""The data classes of timelines."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Iterator, NamedTuple, Optional

from tree_file.escape import unicode_text
from tree_file.model import NUMBER, Function, Process

# Whether a call is all there is of it on its thread's time.
WHOLE, RESUMED, OPEN, MIDDLE = "w", "r", "o", "m"
PIECE_WORDS = {
    WHOLE: "whole",
    RESUMED: "the rest of a call that began before",
    OPEN: "not ended",
    MIDDLE: "a piece of a call that began before, and has not ended",
}
MARK_WORDS = {
    "dump": "dump",
    "zero": "costs set to zero",
    "start": "instrumentation on",
    "stop": "instrumentation off",
    "collect": "collection",
    "signal": "signal",
    "fork": "fork of process",
    "exec": "execution of",
    "desc": "desc",
    "mark": "mark",
}


class Mark(NamedTuple):
    """Something that happened, at a time of its thread."""

    time: int
    kind: str  # a key of MARK_WORDS
    text: str

    def label(self) -> str:
        """What to show; a mark of the program's is its text."""
        if self.kind == "mark" and self.text:
            return self.text
        return f"{MARK_WORDS[self.kind]} {self.text}".rstrip()


class Held(NamedTuple):
    """Bytes of memory that the process held in a stretch of a thread's time.

    The last of them it held until the thread's next stretch."""

    begin: int
    end: int
    most: int
    last: int


class Calls:
    """Calls as columns, in the order in which they ended."""

    def __init__(self) -> None:
        self.functions = array("i")  # into the table of functions
        self.begins = array(NUMBER)
        self.ends = array(NUMBER)
        self.pieces = bytearray()

    def __len__(self) -> int:
        return len(self.functions)

    def nested(self) -> Iterator[tuple[int, int]]:
        """Each call with its depth (0: outermost), in the order of their begins."""
        begins = self.begins
        open_calls: list[int] = []
        for call in sorted(range(len(self)), key=lambda row: (begins[row], -row)):
            # What ended later, and began before, is around it.
            while open_calls and open_calls[-1] < call:
                open_calls.pop()
            yield call, len(open_calls)
            open_calls.append(call)

    def steps(self) -> Iterator[tuple[int, int, bool]]:
        """Each begin and end of a call, in the order of time: when, which, a begin?

        What is within a call begins and ends between the call's own two steps.
        """
        open_calls: list[int] = []
        for call, depth in self.nested():
            while len(open_calls) > depth:
                ended = open_calls.pop()
                yield self.ends[ended], ended, False
            open_calls.append(call)
            yield self.begins[call], call, True
        while open_calls:
            ended = open_calls.pop()
            yield self.ends[ended], ended, False


@dataclass
class TimedThread:
    """A thread with its calls; `start` is its begin on the axis of the first thread."""

    process: Process
    number: int
    creator: Optional[TimedThread]
    start: int
    time: int  # all that it has executed
    name: str = ""  # that the program gave it
    calls: Calls = field(default_factory=Calls)
    marks: list[Mark] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)


@dataclass
class Timeline:
    """All that one or several files hold; functions are shared by their threads."""

    creators: list[str] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    threads: list[TimedThread] = field(default_factory=list)
    limit: int = 0  # shorter calls were left out
    marks_lost: int = 0

    def processes(self) -> list[Process]:
        return list(dict.fromkeys(thread.process for thread in self.threads))

    def costliest(self) -> int:
        """The number of the thread that has executed most; 0 where there is none."""
        times = [thread.time for thread in self.threads]
        return times.index(max(times)) if times else 0

    def titles(self) -> list[str]:
        """Of each thread: `thread 1: its name`, with its process where there are several.

        A number may have been taken again, after the thread that had it ended."""
        several = len(self.processes()) > 1
        met: dict[str, int] = {}
        found = []
        for thread in self.threads:
            title = f"thread {thread.number}"
            if thread.name:
                title += f": {unicode_text(thread.name)}"
            if several:
                title = f"process {thread.process.pid}, {title}"
            met[title] = met.get(title, 0) + 1
            found.append(title if met[title] == 1 else f"{title} ({met[title]})")
        return found
