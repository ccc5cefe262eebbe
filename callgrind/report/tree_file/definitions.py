# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lines of words, and those of them that define processes, objects, source files and
# functions: what tree files and timelines have in common (docs/tree-format.md).
#
# Owns: the words and texts of a line, which method takes it by its first word, the tables
# of what is defined, and what is said of a line that is wrong.  What else a document
# consists of is its reader's.

"""Read the definitions of tree files and timelines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Callable, Iterator, Optional, TypeVar, Union

from console.untrusted_text import is_decimal, one_line
from tree_file.escape import unescape
from tree_file.model import Function, Object, Process

UNKNOWN = "???"  # the path of what is not known, as in callgrind profiles
LARGEST = (1 << 64) - 1
LARGEST_ID = (1 << 31) - 1
_BUILD_ID = re.compile(r"(?:[0-9a-f]{2})+")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")

Value = TypeVar("Value")


class TreeError(Exception):
    """A file that is not a (whole) file of its kind: which, where and what."""

    def __init__(self, path: Union[str, Path], line: int, what: str) -> None:
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{one_line(place)}: {what}")


class Definitions:
    """The line that is read, and what the lines before have defined."""

    def __init__(
        self, path: Path, functions: list[Function], indexes: dict[Function, int]
    ) -> None:
        self._path = path
        self._lines: Iterator[tuple[int, bytes]] = iter(())
        self._number = 0  # of the line being read
        self._line = b""
        self._all_functions = functions  # of all documents
        self._indexes = indexes  # into these
        # By the first word of a line: what takes the rest of it.
        self._handlers: dict[str, Callable[[bytes], None]] = {
            "process": self._on_process,
            "object": self._on_object,
            "source": self._on_source,
            "function": self._on_function,
        }
        self._begin_definitions()

    def _begin_definitions(self) -> None:
        self._processes: dict[int, Process] = {}
        self._objects: dict[int, Object] = {}
        self._sources: dict[int, str] = {}
        self._functions: dict[int, int] = {}

    def _next(self) -> bytes:
        """The next line, empty at the end of the file."""
        self._number, self._line = next(self._lines, (self._number, b""))
        return self._line

    def _read_body(self) -> None:
        """The lines up to `end`, which is then the line."""
        while not self._line.startswith(b"end "):
            word, space, rest = self._line.partition(b" ")
            handler = self._handlers.get(word.decode("latin-1")) if space else None
            if handler is None:
                if not self._line:
                    raise ValueError("there is no 'end' line: the file was cut off")
                raise ValueError(f"unknown line {self._shown()}")
            handler(rest)
            self._next()

    def _shown(self) -> str:
        """The line, for a message."""
        text = self._line.rstrip(b"\n")[:60].decode("utf-8", "backslashreplace")
        return f"'{one_line(text)}'"

    def _text(self, word: bytes) -> str:
        if not word.endswith(b"\n"):
            raise ValueError("the line has no end")
        if min(word[:-1], default=32) < 32:
            raise ValueError(f"a control character in the text of {self._shown()}")
        return unescape(word[:-1])

    # --- Words -------------------------------------------------------------------------

    def _words(self, rest: bytes, count: int) -> tuple[list[str], str]:
        """So many words, and the text behind them."""
        words = rest.split(b" ", count)
        if len(words) <= count:
            raise ValueError(f"too few words in {self._shown()}")
        return [word.decode("latin-1") for word in words[:count]], self._text(
            words[count]
        )

    def _parse(self, word: str, largest: int = LARGEST) -> int:
        if not is_decimal(word) or int(word) > largest:
            raise ValueError(
                f"'{one_line(word[:30])}' is no number here: {self._shown()}"
            )
        return int(word)

    def _address(self, word: str) -> int:
        if not _ADDRESS.fullmatch(word) or int(word, 16) > LARGEST:
            raise ValueError(f"'{one_line(word[:30])}' is no address: {self._shown()}")
        return int(word, 16)

    def _look_up(self, table: dict[int, Value], kind: str, word: str) -> Value:
        number = self._parse(word, LARGEST_ID)
        if number not in table:
            raise ValueError(f"{kind} {number} is not defined before {self._shown()}")
        return table[number]

    def _define(
        self, table: dict[int, Value], kind: str, word: str, value: Value
    ) -> None:
        number = self._parse(word, LARGEST_ID)
        if number == 0:
            raise ValueError(f"ids begin at 1: {self._shown()}")
        if number in table:
            raise ValueError(f"{kind} {number} is defined twice")
        table[number] = value

    # --- Definitions -------------------------------------------------------------------

    def _on_process(self, rest: bytes) -> None:
        (number, pid, parent), command = self._words(rest, 3)
        started_by = None
        if parent != "0":
            started_by = self._look_up(self._processes, "process", parent)
        process = Process(self._parse(pid), command, started_by)
        self._define(self._processes, "process", number, process)

    def _on_object(self, rest: bytes) -> None:
        (number, build_id), path = self._words(rest, 2)
        if build_id != "-" and not _BUILD_ID.fullmatch(build_id):
            raise ValueError(f"'{one_line(build_id[:40])}' is no build id")
        found = Object(path, "" if build_id == "-" else build_id)
        self._define(self._objects, "object", number, found)

    def _on_source(self, rest: bytes) -> None:
        (number,), path = self._words(rest, 1)
        self._define(self._sources, "source", number, path)

    def _on_function(self, rest: bytes) -> None:
        (number, object_id, source_id, line), name = self._words(rest, 4)
        if not name:
            raise ValueError(f"a function without a name: {self._shown()}")
        owner: Optional[Object] = None
        source = ""
        if object_id != "0":
            owner = self._look_up(self._objects, "object", object_id)
        if source_id != "0":
            source = self._look_up(self._sources, "source", source_id)
        if owner is not None and owner.path == UNKNOWN:
            owner = None
        if source == UNKNOWN:
            source = ""
        function = Function(name, owner, source, self._parse(line))
        index = self._indexes.setdefault(function, len(self._indexes))
        if index == len(self._all_functions):
            self._all_functions.append(function)
        self._define(self._functions, "function", number, index)
