# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads callgrind profile files: the one reader for every script of the project.
#
# Owns: the way from text to the data classes of profile_model.py, for all that the
# format's description (cl-format) and callgrind itself know: several parts in a file,
# name and position compression, `fi=`/`fe=`, `cfni=`, jumps, hexadecimal numbers,
# left-out trailing costs.  It takes what it can understand and refuses what it cannot;
# profile_grammar.py is the judge of good form.
#
# A file is a stream of lines, and files of hundreds of megabytes are ordinary.  So the
# cost line, which is most of them, is taken apart in one loop without a function call
# or a regular expression; everything else goes through a table of handlers.  Lines
# count from 1.

"""Read callgrind profile files into the data classes of profile_model."""

from __future__ import annotations

import gc
from enum import IntEnum
from pathlib import Path
from typing import Callable, Iterator, Optional, TextIO, Union

from profile_header import HEADER_LINES
from profile_model import (
    NO_ADDRESS,
    UNKNOWN,
    Arc,
    ArcKey,
    FunctionKey,
    FunctionProfile,
    Jump,
    Part,
    PartHeader,
    Position,
    Profile,
    SourceKey,
    Vector,
    add_vector,
    new_vector,
)
from profile_words import NameTable, decode_text, parse_number

ProgressCallback = Callable[[int], None]

COST_LINE_STARTS = frozenset("0123456789+-*")
LINES_PER_PROGRESS_CALL = 1 << 16
END_OF_FILE = (0, "")


class Detail(IntEnum):
    """How finely costs are kept: memory grows with it, the time to read hardly."""

    FUNCTIONS = 0  # self cost per function, one arc per caller and callee
    LINES = 1  # costs and call sites per source line
    INSTRUCTIONS = 2  # and per instruction address, where the file has it


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
) -> Profile:
    """Read one file.  `progress` is called now and then with the number of lines read."""
    # Nothing here makes reference cycles, and millions of small objects would make the
    # collector walk them all again and again: it doubles the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        # Latin-1 maps each byte to one character, at the speed of a copy: names are
        # turned into real text when they are defined, which is once each.
        with open(path, encoding="latin-1", newline="\n") as stream:
            return _Reader(Path(path), detail).read(stream, progress)
    except OSError as error:
        raise ProfileError(path, 0, error.strerror or str(error)) from error
    finally:
        if collecting:
            gc.enable()


def counted_lines(
    stream: TextIO, progress: Optional[ProgressCallback]
) -> Iterator[tuple[int, str]]:
    if progress is None:
        return enumerate(stream, 1)
    return _reported_lines(stream, progress)


def _reported_lines(
    stream: TextIO, progress: ProgressCallback
) -> Iterator[tuple[int, str]]:
    for number, text in enumerate(stream, 1):
        if number % LINES_PER_PROGRESS_CALL == 0:
            progress(number)
        yield number, text


class _Reader:
    """One file on its way in.  Everything that a line can change is an attribute."""

    def __init__(self, path: Path, detail: Detail) -> None:
        self.path = path
        self.detail = detail
        self.profile = Profile(path)
        self.objects = NameTable("object")
        self.files = NameTable("file")
        self.functions = NameTable("function")
        self.lines: Iterator[tuple[int, str]] = iter(())
        self.number = 0  # of the line being read
        self.text = ""  # the line being read
        self.header = PartHeader()
        self.part: Optional[Part] = None  # the part that body lines go to
        self.description_open = False
        self.columns, self.has_line, self.has_address = 1, True, False
        self._forget_body()
        self.body_handlers: dict[str, Callable[[str], str]] = {
            "fn": self._on_fn,
            "fl": self._on_fl,
            "fi": self._on_fi,
            "fe": self._on_fi,
            "ob": self._on_ob,
            "cfni": self._on_cfni,
            "cfn": self._on_cfn,
            "cfi": self._on_cfi,
            "cfl": self._on_cfi,
            "cob": self._on_cob,
            "calls": self._on_calls,
            "jump": self._on_jump,
            "jcnd": self._on_jcnd,
            "jfi": self._on_jfi,
            "jfn": self._on_jfn,
        }

    def _forget_body(self) -> None:
        """What a new part does not inherit.  Names live to the end of the file."""
        self.object_file = UNKNOWN
        self.function_file = UNKNOWN
        self.function: Optional[FunctionProfile] = None
        self.source = SourceKey(UNKNOWN, "")
        self.costs: dict[tuple[int, int], Vector] = {}  # of this function and source
        self.address = NO_ADDRESS
        self.line = 0
        self._forget_called()
        self._forget_jumped()

    def _forget_called(self) -> None:
        self.called_object: Optional[str] = None
        self.called_file: Optional[str] = None
        self.called_name: Optional[str] = None

    def _forget_jumped(self) -> None:
        self.jumped_file: Optional[str] = None
        self.jumped_name: Optional[str] = None

    # --- The stream: every handler returns the next line, '' at the end of the file. ---

    def read(self, stream: TextIO, progress: Optional[ProgressCallback]) -> Profile:
        self.lines = counted_lines(stream, progress)
        try:
            text = self._next_line()
            while text:
                if text[0] in COST_LINE_STARTS:
                    text = self._read_cost_lines(text)
                else:
                    text = self._read_other_line(text)
        except (ValueError, IndexError) as error:
            raise self._error(self._explain(error)) from None
        self._finish()
        return self.profile

    def _next_line(self) -> str:
        number, self.text = next(self.lines, END_OF_FILE)
        if number:
            self.number = number
        return self.text

    def _error(self, what: str) -> ProfileError:
        return ProfileError(self.path, self.number, what)

    def _explain(self, error: Exception) -> str:
        what, text = str(error), self.text.strip()[:60]
        if not self.text:
            return f"the file ends too early: {what}"
        if not self.text.endswith("\n"):
            return f"the file ends in the middle of a line: {text!r}"
        if isinstance(error, IndexError) or what.startswith("invalid literal"):
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

    # --- Cost lines ---------------------------------------------------------------------

    def _read_cost_lines(self, text: str) -> str:
        """Take in a run of cost lines.  The hot loop: it works on local names only."""
        lines, starts = self.lines, COST_LINE_STARTS
        function = self.function or self._enter_function(UNKNOWN)
        self_cost, costs, events = function.self_cost, self.costs, len(function.self_cost)
        columns, has_line, has_address = self.columns, self.has_line, self.has_address
        keep_lines = self.detail is not Detail.FUNCTIONS
        keep_address = has_address and self.detail is Detail.INSTRUCTIONS
        number, address, line = self.number, self.address, self.line
        try:
            while text[0] in starts:
                fields = text.split()
                if has_address:
                    column = fields[0]
                    first = column[0]
                    if first == "+":
                        address += int(column[1:], 16 if column[1:3] == "0x" else 10)
                    elif first == "-":
                        address -= int(column[1:], 16 if column[1:3] == "0x" else 10)
                    elif first != "*":
                        address = int(column, 16 if column[:2] == "0x" else 10)
                if has_line:
                    column = fields[columns - 1]
                    first = column[0]
                    if first == "+":
                        line += int(column[1:], 16 if column[1:3] == "0x" else 10)
                    elif first == "-":
                        line -= int(column[1:], 16 if column[1:3] == "0x" else 10)
                    elif first != "*":
                        line = int(column, 16 if column[:2] == "0x" else 10)
                count = len(fields) - columns
                if count == 1:
                    column = fields[columns]
                    cost = int(column, 16 if column[:2] == "0x" else 10)
                    self_cost[0] += cost
                    if keep_lines:
                        site = (address if keep_address else NO_ADDRESS, line)
                        vector = costs.get(site)
                        if vector is None:
                            costs[site] = vector = [0] * events
                        vector[0] += cost
                elif count:
                    vector = self._costs(fields)
                    add_vector(self_cost, vector)
                    if keep_lines:
                        site = (address if keep_address else NO_ADDRESS, line)
                        if site in costs:
                            add_vector(costs[site], vector)
                        else:
                            costs[site] = vector
                number, text = next(lines, END_OF_FILE)
                if not number:
                    break
                self.number = number
        finally:
            self.text, self.address, self.line = text, address, line
        return text

    def _costs(self, fields: list[str]) -> Vector:
        """The costs behind the positions, with the left-out zeros put back."""
        vector = [parse_number(value) for value in fields[self.columns :]]
        missing = len(self.header.events) - len(vector)
        if missing < 0:
            raise ValueError(
                f"{len(vector)} costs, but only {len(vector) + missing} events"
            )
        return vector + [0] * missing

    def _positions(self, fields: list[str]) -> Position:
        """Absolute positions of the columns, without moving what later lines refer to."""
        address, line = self.address, self.line
        if self.has_address:
            address = self._absolute(fields[0], address)
        if self.has_line:
            line = self._absolute(fields[self.columns - 1], line)
        return Position(address, line)

    @staticmethod
    def _absolute(column: str, base: int) -> int:
        if column[0] == "*":
            return base
        if column[0] == "+":
            return base + parse_number(column[1:])
        if column[0] == "-":
            return base - parse_number(column[1:])
        return parse_number(column)

    def _site(self, position: Position) -> Position:
        """As much of a position as the wanted detail keeps."""
        if self.detail is Detail.INSTRUCTIONS:
            return position
        return Position(NO_ADDRESS, position.line if self.detail is Detail.LINES else 0)

    # --- Where costs go -----------------------------------------------------------------

    def _read_other_line(self, text: str) -> str:
        key, equals, value = text.rstrip("\r\n").partition("=")
        handler = self.body_handlers.get(key) if equals else None
        if handler is None:
            return self._read_header_line(text)
        if self.part is None:
            self._open_part()
        self.description_open = False
        return handler(value)

    def _on_ob(self, value: str) -> str:
        self.object_file = self.objects.resolve(value)
        return self._next_line()

    def _on_fl(self, value: str) -> str:
        self.function_file = self.files.resolve(value)
        self._enter_source(self.function_file, "")
        return self._next_line()

    def _on_fi(self, value: str) -> str:
        self._enter_source(self.files.resolve(value), self.source.inlined)
        return self._next_line()

    def _on_cfni(self, value: str) -> str:
        name = decode_text(value.strip())
        self._enter_source(self.source.file, "" if name == UNKNOWN else name)
        return self._next_line()

    def _on_fn(self, value: str) -> str:
        self._enter_function(self.functions.resolve(value))
        return self._next_line()

    def _enter_function(self, name: str) -> FunctionProfile:
        if self.part is None:
            self._open_part()
        assert self.part is not None
        key = FunctionKey(self.object_file, self.function_file, name)
        function = self.part.functions.get(key)
        if function is None:
            function = FunctionProfile(key, new_vector(len(self.header.events)))
            self.part.functions[key] = function
        self.function = function
        self._enter_source(self.function_file, "")
        return function

    def _enter_source(self, file: str, inlined: str) -> None:
        self.source = SourceKey(file, inlined)
        if self.function is not None and self.detail is not Detail.FUNCTIONS:
            self.costs = self.function.sources.setdefault(self.source, {})

    # --- Calls and jumps ----------------------------------------------------------------

    def _on_cob(self, value: str) -> str:
        self.called_object = self.objects.resolve(value)
        return self._next_line()

    def _on_cfi(self, value: str) -> str:
        self.called_file = self.files.resolve(value)
        return self._next_line()

    def _on_cfn(self, value: str) -> str:
        self.called_name = self.functions.resolve(value)
        return self._next_line()

    def _callee(self) -> FunctionKey:
        """Words left out mean where the cost lines are: an fi= counts for the cfi=."""
        return FunctionKey(
            self.called_object or self.object_file,
            self.called_file or self.source.file,
            self.called_name or UNKNOWN,
        )

    def _on_calls(self, value: str) -> str:
        function = self.function or self._enter_function(UNKNOWN)
        if self.called_name is None:
            raise ValueError("calls= without a cfn= before it")
        count, *columns = value.split()
        target = self._positions(columns or ["*"] * self.columns)
        text = self._next_line()
        if not text or text[0] not in COST_LINE_STARTS:
            raise ValueError("calls= without a cost line after it")
        fields = text.split()
        position = self._positions(fields)
        self.address, self.line = position
        self._add_arc(
            function,
            self._site(position),
            target,
            parse_number(count),
            self._costs(fields),
        )
        self._forget_called()
        return self._next_line()

    def _add_arc(
        self,
        function: FunctionProfile,
        site: Position,
        target: Position,
        count: int,
        inclusive: Vector,
    ) -> None:
        # Without lines there is one arc per callee, wherever the calls stand.
        source = SourceKey("", "") if self.detail is Detail.FUNCTIONS else self.source
        key = ArcKey(self._callee(), source, site)
        arc = function.arcs.get(key)
        if arc is None:
            function.arcs[key] = Arc(
                function.key, key.callee, source, site, target, count, inclusive
            )
        else:
            arc.count += count
            add_vector(arc.inclusive, inclusive)

    def _on_jfi(self, value: str) -> str:
        self.jumped_file = self.files.resolve(value)
        return self._next_line()

    def _on_jfn(self, value: str) -> str:
        self.jumped_name = self.functions.resolve(value)
        return self._next_line()

    def _on_jump(self, value: str) -> str:
        count, *columns = value.split()
        times = parse_number(count)
        return self._add_jump(False, times, times, columns)

    def _on_jcnd(self, value: str) -> str:
        """callgrind writes jumped/executed, and cl-format describes `executed jumped`."""
        first, *columns = value.split()
        followed, slash, executed = first.partition("/")
        if not slash:
            executed, followed = first, columns.pop(0)
        return self._add_jump(
            True, parse_number(executed), parse_number(followed), columns
        )

    def _add_jump(
        self, conditional: bool, executed: int, followed: int, columns: list[str]
    ) -> str:
        function = self.function or self._enter_function(UNKNOWN)
        target = self._positions(columns)
        text = self._next_line()
        fields = text.split() if text and text[0] in COST_LINE_STARTS else []
        if len(fields) == self.columns:  # the line that says where the jump stands
            self.address, self.line = self._positions(fields)
            text = self._next_line()
        if self.detail is not Detail.FUNCTIONS:
            self._store_jump(function, conditional, executed, followed, target)
        self._forget_jumped()
        return text

    def _store_jump(
        self,
        function: FunctionProfile,
        conditional: bool,
        executed: int,
        followed: int,
        target: Position,
    ) -> None:
        site = self._site(Position(self.address, self.line))
        target_file = self.jumped_file or self.source.file
        goal = function.key
        if self.jumped_name is not None:
            goal = FunctionKey(self.object_file, target_file, self.jumped_name)
        target = self._site(target)
        key = (self.source, site, goal, target_file, target, conditional)
        jump = function.jumps.get(key)
        if jump is None:
            function.jumps[key] = Jump(
                function.key,
                self.source,
                site,
                goal,
                target_file,
                target,
                conditional,
                executed,
                followed,
            )
        else:
            jump.executed += executed
            jump.followed += followed

    # --- Header lines, and where parts begin and end ------------------------------------

    def _read_header_line(self, text: str) -> str:
        line = text.strip()
        if not line or line[0] == "#":
            return self._next_line()
        key, colon, value = line.partition(":")
        if colon and key == "totals":
            self._on_totals(value)
        elif colon and key in HEADER_LINES:
            if self.part is not None:
                self._close_part()
            HEADER_LINES[key](self.header, decode_text(value.strip()))
            self.description_open = key == "desc"
        elif self.description_open:
            # A line break in the text of CALLGRIND_DUMP_STATS_AT is printed as it is.
            name, start = self.header.descriptions.pop()
            self.header.descriptions.append((name, f"{start}\n{decode_text(line)}"))
        else:
            raise self._error(self._describe_foreign(line))
        return self._next_line()

    def _describe_foreign(self, line: str) -> str:
        if not self.header.events and not self.profile.parts:
            return f"not a callgrind profile: {line[:60]!r}"
        if not self.text.endswith("\n"):
            return f"the file ends in the middle of a line: {line[:60]!r}"
        return f"unknown line {line[:60]!r}"

    def _on_totals(self, value: str) -> None:
        if self.part is None:
            self._open_part()
        self.header.totals = [parse_number(cost) for cost in value.split()]
        self._close_part()

    def _open_part(self) -> None:
        if not self.header.events:
            raise ValueError(
                "not a callgrind profile: costs before any 'events:' line"
                if not self.profile.parts
                else "part without an 'events:' line"
            )
        self.part = Part(self.header)
        self.profile.parts.append(self.part)
        self.columns = len(self.header.positions)
        self.has_line = "line" in self.header.positions
        self.has_address = self.header.positions[0] != "line"

    def _close_part(self) -> None:
        if self.part is None:
            if self.header.summary is not None and self.header.events:
                raise self._error("the file ends before its costs: it was cut")
            return
        self._drop_definitions(self.part)
        self._check_totals(self.part)
        # A later part of the same process is written without the words on the process.
        last = self.header
        self.header = PartHeader(
            version=last.version, creator=last.creator, pid=last.pid, command=last.command
        )
        self.part = None
        self._forget_body()

    @staticmethod
    def _drop_definitions(part: Part) -> None:
        """An fn= line without costs only defines an id (cl-format 3.1.5)."""
        empty = [
            key
            for key, function in part.functions.items()
            if not any(function.self_cost) and not function.arcs and not function.jumps
        ]
        for key in empty:
            del part.functions[key]

    def _check_totals(self, part: Part) -> None:
        """callgrind closes each part with its sum: without it or off it, data is lost."""
        if not part.header.creator.startswith("callgrind"):
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
