# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads callgrind profile files: the one reader for every script of the project.
#
# Owns: the way from text to the data classes of model.py, for all that the format's
# description (cl-format) and callgrind itself know: several parts in a file, name and
# position compression, `fi=`/`fe=`, `cfni=`, jumps, hexadecimal numbers, left-out
# trailing costs.  It takes what it can understand and refuses what it cannot; whether a
# file keeps strictly to the format is for tests/format/profile_grammar.py.
#
# Body lines are read by body.py; here are the header lines, where parts begin and end,
# and the messages about files that cannot be read.  Lines count from 1.

"""Read callgrind profile files into the data classes of profile_file.model."""

from __future__ import annotations

import contextlib
import gc
import gzip
import io
import re
import zlib
from pathlib import Path
from typing import Any, Callable, Optional, TextIO, Union

from console.text_stream import NoTextError, lines_of
from console.untrusted_text import NumberError
from profile_file.body import COST_LINE_STARTS, BodyReader, Detail
from profile_file.definitions import DEFINITION, put_where_defined
from profile_file.header import HEADER_LINES
from profile_file.lexer import LARGEST, WHITE, decode_text, parse_number, parse_signed
from profile_file.model import FunctionKey, Part, PartHeader, Profile
from profile_file.native import NativeFile, NativePart, TextLine, read_natively
from profile_file.packed import PackedFunctions

__all__ = ["Detail", "ProfileError", "ProgressCallback", "read_profile"]

ProgressCallback = Callable[[int], None]

# Header lines that other writers repeat, or have, within the body.
WITHIN_BODY = ("summary", "events", "positions", "event")
OWN_CREATOR = "callgrind"  # how the creator begins of what callgrind itself writes
HEADER_LINE = re.compile(r"[A-Za-z][\w -]*:")

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = "\xef\xbb\xbf"  # in UTF-8, read as Latin-1


class ProfileError(Exception):
    """A file that is not a (whole) callgrind profile: which, where and what."""

    def __init__(self, path: Union[str, Path], line: int, what: str) -> None:
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{place}: {what}")
        self.path = Path(path)
        self.line = line
        self.what = what


def read_profile(
    path: Union[str, Path],
    detail: Detail = Detail.LINES,
    progress: Optional[ProgressCallback] = None,
    as_defined: bool = True,
) -> Profile:
    """Read one file.  `progress` is called now and then with the number of bytes read.
    Functions are in the files that they are defined in; if not `as_defined`, in those of
    their first instructions, as stock writes them."""
    # Nothing here makes reference cycles, and millions of small objects would make the
    # collector walk them all again and again: it doubles the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        if detail is not Detail.INSTRUCTIONS:
            found = read_natively(path, detail is Detail.LINES, progress)
            if found is not None:
                with contextlib.suppress(_OtherwiseError):
                    return _Reader(Path(path), detail, as_defined).read_packed(found)
        with open_text(path, progress) as stream:
            return _Reader(Path(path), detail, as_defined).read(stream)
    except NoTextError as error:
        raise ProfileError(path, 0, f"not a callgrind profile: it {error}") from None
    except OSError as error:
        raise ProfileError(path, 0, error.strerror or str(error)) from error
    except (EOFError, zlib.error) as error:
        raise ProfileError(path, 0, f"is compressed, and damaged: {error}") from error
    finally:
        if collecting:
            gc.enable()


class _OtherwiseError(Exception):
    """A part was read in C in another way than its header asks for."""


class _WatchedFile(io.FileIO):
    """A file that reports how many bytes of it have been read, once per buffer."""

    def __init__(self, path: Union[str, Path], progress: ProgressCallback) -> None:
        super().__init__(path)
        self._progress = progress
        self._bytes = 0

    def readinto(self, buffer: Any) -> Optional[int]:
        count = super().readinto(buffer)
        self._bytes += count or 0
        self._progress(self._bytes)
        return count


def open_text(path: Union[str, Path], progress: Optional[ProgressCallback]) -> TextIO:
    # Latin-1 maps each byte to one character, at the speed of a copy: names are turned
    # into real text when they are defined, which is once each.
    raw = io.FileIO(path) if progress is None else _WatchedFile(path, progress)
    content = lines_of(raw)
    if content.peek(len(GZIP_MAGIC))[: len(GZIP_MAGIC)] == GZIP_MAGIC:  # as Xdebug 3 does
        content = lines_of(gzip.GzipFile(fileobj=content, mode="rb"))
    return io.TextIOWrapper(content, encoding="latin-1", newline="\n")


class _Reader(BodyReader):
    """The state of reading one file."""

    def __init__(self, path: Path, detail: Detail, as_defined: bool) -> None:
        super().__init__(detail)
        self.path = path
        self.as_defined = as_defined
        self.defined_in: dict[FunctionKey, str] = {}  # of the open part
        self.profile = Profile(path)
        self.header = PartHeader()
        self.description_open = False

    # --- The stream: every handler returns the next line, '' at the end of the file. ---

    def read(self, stream: TextIO) -> Profile:
        self.lines = enumerate(stream, 1)
        try:
            text = self.next_line().removeprefix(BYTE_ORDER_MARK)
            while text:
                if text[0] in COST_LINE_STARTS:
                    text = self.read_body_lines(text)
                else:
                    text = self._read_other_line(text)
        except (ValueError, IndexError) as error:
            raise self._error(self._explain(error)) from None
        self._finish()
        return self.profile

    def read_packed(self, file: NativeFile) -> Profile:
        """As read(), of what has been read in C: header lines are left to do.
        _OtherwiseError if that was done in another way than here."""
        try:
            for piece in file.pieces:
                if isinstance(piece, TextLine):
                    self._stand_at(piece)
                    self._read_header_line(piece.text)
                else:
                    self._add_packed(piece, file)
        except (ValueError, IndexError) as error:
            raise self._error(self._explain(error)) from None
        self.number = file.last_line
        self._finish()
        return self.profile

    def _stand_at(self, line: TextLine) -> None:
        """At a header line; the one behind it is not read from here."""
        self.number, self.text = line.number, line.text

    def _add_packed(self, found: NativePart, file: NativeFile) -> None:
        self._stand_at(TextLine(found.first_line, "\n"))
        part = self.open_part()
        if (found.events, found.columns, found.has_line, found.has_address) != (
            self.events, self.columns, self.has_line, self.has_address
        ) or found.is_own != self._is_own():  # fmt: skip
            raise _OtherwiseError
        part.functions = PackedFunctions(found.arrays, file.tables)
        tables = file.tables
        for key, name in found.definitions:
            self.defined_in[tables.keys[key]] = tables.names[name]
        for line in found.inner_lines:
            self._stand_at(line)
            self._read_header_line(line.text)
        if found.end is None:
            self.number, self.text = file.last_line, ""
            self._close_part()
            return
        self._stand_at(found.end)
        if found.end.text.strip(WHITE).startswith("totals:"):
            self._read_header_line(found.end.text)
        else:
            self._close_part()  # the line comes again, as a header line

    def _error(self, what: str) -> ProfileError:
        return ProfileError(self.path, self.number, what)

    def _explain(self, error: Exception) -> str:
        what, text = str(error), self.text.strip(WHITE)[:60]
        if not self.text:
            return f"the file ends too early: {what}"
        if not self.text.endswith("\n"):
            return f"the file ends in the middle of a line: {text!r}"
        if isinstance(error, IndexError) or isinstance(error, NumberError):
            return f"expected other numbers in {text!r}"
        return what

    def _finish(self) -> None:
        self._close_part()
        if self.profile.parts:
            return
        if self.number == 0:
            raise ProfileError(
                self.path,
                0,
                "empty file (with --separate-threads=yes the "
                "costs are in the files with -01, -02... at their ends)",
            )
        raise self._error("not a callgrind profile: there is no 'events:' line")

    def _read_other_line(self, text: str) -> str:
        key, equals, value = text.rstrip("\r\n").partition("=")
        if equals and key in self.body_handlers:
            return self.read_body_line(key, value)
        return self._read_header_line(text)

    # --- Header lines, and where parts begin and end ------------------------------------

    def _read_header_line(self, text: str) -> str:
        line = text.strip(WHITE)
        if not line or line[0] == "#":
            if line.startswith(DEFINITION) and self.function is not None:
                path = decode_text(line.removeprefix(DEFINITION))
                self.defined_in[self.function.key] = path
            return self.next_line()
        key, colon, value = line.partition(":")
        if colon and key == "totals":
            self._on_totals(value)
        elif colon and key in HEADER_LINES:
            if self.part is not None:
                if self._is_of_the_open_part(self.part, key, value.strip(WHITE)):
                    return self.next_line()
                self._close_part()
            HEADER_LINES[key](self.header, decode_text(value.strip(WHITE)))
            self.description_open = key == "desc"
        elif self.description_open:
            # A line break in the text of CALLGRIND_DUMP_STATS_AT is printed as it is.
            name, start = self.header.descriptions.pop()
            self.header.descriptions.append((name, f"{start}\n{decode_text(line)}"))
        elif not self._may_be_of_other_writers(line):
            raise self._error(self._describe_foreign(line))
        return self.next_line()

    def _is_of_the_open_part(self, part: Part, key: str, value: str) -> bool:
        """Whether a header line within a body says something of that, or nothing new.
        All others begin the next part."""
        if key not in WITHIN_BODY:
            return False
        said = PartHeader()
        HEADER_LINES[key](said, decode_text(value))
        if key == "summary":
            part.header.summary = said.summary
        elif key == "event":
            part.header.event_names.update(said.event_names)
        elif key == "events":
            return said.events == part.header.events
        else:
            return said.positions == part.header.positions
        return True

    def _may_be_of_other_writers(self, line: str) -> bool:
        """A header line, with a key that callgrind does not have."""
        known = bool(self.header.events or self.profile.parts or self.header.version)
        return (known and self.part is None and HEADER_LINE.match(line) is not None
                and not self._is_own())  # fmt: skip

    def _is_own(self) -> bool:
        return self.header.creator.startswith(OWN_CREATOR)

    def _describe_foreign(self, line: str) -> str:
        if not self.header.events and not self.profile.parts:
            return f"not a callgrind profile: {line[:60]!r}"
        if not self.text.endswith("\n"):
            return f"the file ends in the middle of a line: {line[:60]!r}"
        return f"unknown line {line[:60]!r}"

    def _on_totals(self, value: str) -> None:
        if self.part is None:
            self.open_part()
        self.header.totals = [parse_signed(cost) for cost in value.split()]
        self._close_part()

    def open_part(self) -> Part:
        if not self.header.events and self.profile.parts and not self._is_own():
            self.header.events = self.profile.parts[-1].header.events
        if not self.header.events:
            raise ValueError(
                "not a callgrind profile: costs before any 'events:' line"
                if not self.profile.parts
                else "part without an 'events:' line"
            )
        self.known_functions = {}
        self.part = Part(self.header, self.known_functions)
        self.profile.parts.append(self.part)
        self.columns = len(self.header.positions)
        self.has_line = "line" in self.header.positions
        self.has_address = self.header.positions[0] != "line"
        self.events = len(self.header.events)
        self.description_open = False
        self.parse_cost = parse_number if self._is_own() else parse_signed
        return self.part

    def _close_part(self) -> None:
        if self.part is None:
            if self.header.summary is not None and self.header.events:
                raise self._error("the file ends before its costs: it was cut")
            return
        self._drop_definitions()
        self._check_sizes(self.part)
        self._check_totals(self.part)
        if self.as_defined:
            put_where_defined(self.part, self.defined_in)
        self.defined_in = {}
        # A later part of the same process is written without the words on the process.
        last = self.header
        self.header = PartHeader(
            version=last.version, creator=last.creator, pid=last.pid, command=last.command
        )
        if not self._is_own():
            self.header.positions = last.positions
        self.part = None
        self.forget_body()

    def _drop_definitions(self) -> None:
        """An fn= line without costs only defines an id (cl-format 3.1.5)."""
        empty = [
            key
            for key, function in self.known_functions.items()
            if not any(function.self_cost) and not function.arcs and not function.jumps
        ]
        for key in empty:
            del self.known_functions[key]

    def _check_sizes(self, part: Part) -> None:
        """No cost is larger than what can be told as a share.  Here rather than at each
        line: there are millions of those."""
        for function in part.functions.values():
            if max(function.self_cost) > LARGEST:
                what = f"{function.key.name[:60]!r} has a cost of more than 128 bits"
                raise ProfileError(self.path, 0, f"{what}: the file is damaged")

    def _check_totals(self, part: Part) -> None:
        """callgrind closes each part with its sum: without it or off it, data is lost."""
        if not part.header.creator.startswith(OWN_CREATOR):
            return
        if part.header.totals is None:
            raise self._error("the part ends without a 'totals:' line: the file was cut")
        counted = part.sum_of_self_costs()
        missing = len(counted) - len(part.header.totals)
        if part.header.totals + [0] * missing != counted:
            raise self._error(
                f"totals: says {part.header.totals}, but the cost lines add up "
                f"to {counted}: the file is damaged"
            )
