# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads the body of a part of a callgrind profile: cost lines, calls, jumps, and the names
# that say where they belong.
#
# Owns: the state that body lines move on (object, file, function, position), and the hot
# loop.  Does not know of headers, parts and files: reader.py, which is built on
# this, opens a part when the first body line asks for one.
#
# Files of hundreds of megabytes are ordinary.  Nearly all of their lines are costs, calls
# and names of callees.  One loop reads these; it uses local variables, and look-ups in
# place of arithmetic.  All other lines go through a table of handlers.

"""The body lines of a callgrind profile."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Callable, Iterator, Optional

from profile_file.lexer import (
    WHITE,
    NameTable,
    decode_text,
    parse_number,
    parse_signed,
)
from profile_file.model import (
    NO_ADDRESS,
    UNKNOWN,
    Arc,
    ArcKey,
    FunctionKey,
    FunctionProfile,
    Jump,
    Part,
    Position,
    SourceKey,
    Vector,
    add_vector,
    new_vector,
)

COST_LINE_STARTS = frozenset("0123456789+-*")
END_OF_FILE = (0, "")

# Of all costs of a line together: with more, each is looked at for how large it is.
MOST_DIGITS = 200

# What a relative position adds, by its text: a look-up is faster than parsing it.
STEPS = {"*": 0}
STEPS.update((f"{distance:+d}", distance) for distance in range(-128, 129) if distance)


# How callgrind writes the name of an inlined function that looks like something else.
QUOTED = re.compile(r'"(\([0-9].*|\?\?\?)"')

# The place of an arc where places are not kept.
NO_SOURCE = SourceKey("", "")
NO_SITE = Position(NO_ADDRESS, 0)

# ArcKey(*fields) is make_tuple(ArcKey, fields), by way of a call that takes longer than
# all else that is done for an arc.
make_tuple = tuple.__new__


class Detail(IntEnum):
    """How finely costs are kept.  Memory grows with it; reading time hardly does."""

    FUNCTIONS = 0  # self cost per function, one arc per caller and callee
    LINES = 1  # costs and call sites per source line
    INSTRUCTIONS = 2  # and per instruction address, where the file has it


class BodyReader:
    """The state of reading body lines: every attribute may change with a line."""

    def __init__(self, detail: Detail) -> None:
        self.detail = detail
        self.objects = NameTable("object")
        self.files = NameTable("file")
        self.functions = NameTable("function")
        self.keys: dict[tuple[str, str, str], FunctionKey] = {}  # of callees
        self.line_positions: dict[int, Position] = {}
        self.lines: Iterator[tuple[int, str]] = iter(())
        self.number = 0  # of the line being read
        self.text = ""  # the line being read
        self.part: Optional[Part] = None  # the part that body lines go to
        self.known_functions: dict[FunctionKey, FunctionProfile] = {}  # the part's
        self.events = 0  # how many the part has
        self.columns, self.has_line, self.has_address = 1, True, False
        self.parse_cost: Callable[[str], int] = parse_signed
        self.forget_body()
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

    def open_part(self) -> Part:
        """A new part for the body line at hand; also sets events and positions."""
        raise NotImplementedError

    def forget_body(self) -> None:
        """Forget what a new part does not inherit.  Name ids live on."""
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

    def next_line(self) -> str:
        number, self.text = next(self.lines, END_OF_FILE)
        if number:
            self.number = number
        return self.text

    def read_body_line(self, key: str, value: str) -> str:
        """Read `key=value`, for a key of body_handlers; returns the next line."""
        if self.part is None:
            self.open_part()
        return self.body_handlers[key](value)

    def read_body_lines(self, text: str) -> str:
        """Read cost lines, calls and names of callees; returns the first other line.

        The hot loop: it uses local variables only.
        """
        lines, starts, step_of = self.lines, COST_LINE_STARTS, STEPS.get
        files, functions = self.files.resolve, self.functions.resolve
        objects = self.objects.resolve
        function = self.function or self._enter_function(UNKNOWN)
        self_cost, costs, only_event = function.self_cost, self.costs, self.events == 1
        columns, has_address, has_line = self.columns, self.has_address, self.has_line
        line_column = columns - 1
        keep_lines = self.detail is not Detail.FUNCTIONS
        keep_address = has_address and self.detail is Detail.INSTRUCTIONS
        known_line, line_position = self.line_positions.get, self._line_position
        parse_cost = self.parse_cost
        site: tuple[int, int]
        number, address, line = self.number, self.address, self.line
        try:
            while True:
                if text[0] in starts:
                    fields = text.split()
                    if has_address:
                        step = step_of(fields[0])
                        if step is None:
                            address = absolute(fields[0], address)
                        else:
                            address += step
                    if has_line:
                        step = step_of(fields[line_column])
                        if step is None:
                            line = absolute(fields[line_column], line)
                        else:
                            line += step
                    if only_event and len(fields) == columns + 1:
                        word = fields[columns]
                        # In Latin-1, which the lines are read as, these are 0 to 9.
                        cost = int(word) if word.isdecimal() else parse_cost(word)
                        self_cost[0] += cost
                        if keep_lines:
                            if keep_address:
                                site = address, line
                            else:
                                site = known_line(line) or line_position(line)
                            if site in costs:
                                costs[site][0] += cost
                            else:
                                costs[site] = [cost]
                    elif len(fields) > columns:
                        vector = self._costs(fields)
                        add_vector(self_cost, vector)
                        if keep_lines:
                            site = (address if keep_address else NO_ADDRESS, line)
                            if site in costs:
                                add_vector(costs[site], vector)
                            else:
                                costs[site] = vector
                elif text[:4] == "cfn=":
                    self.called_name = functions(text[4:-1])
                elif text[:4] == "cfi=":
                    self.called_file = files(text[4:-1])
                elif text[:4] == "cob=":
                    self.called_object = objects(text[4:-1])
                elif text[:6] == "calls=":
                    self.number, self.text, self.address, self.line = (
                        number,
                        text,
                        address,
                        line,
                    )
                    text = self._on_calls(text[6:])
                    number, address, line = self.number, self.address, self.line
                    if not text:
                        break
                    continue
                else:
                    break
                following, text = next(lines, END_OF_FILE)
                if not following:
                    break
                number = following
        finally:
            self.number, self.text, self.address, self.line = number, text, address, line
        return text

    # --- Costs and positions ------------------------------------------------------------

    def _costs(self, fields: list[str]) -> Vector:
        """The costs behind the positions, with the left-out zeros put back."""
        words = fields[self.columns :]
        joined = "".join(words)
        # Nearly always, so with one call for all of them.
        if joined.isdecimal() and len(joined) < MOST_DIGITS:
            vector = list(map(int, words))
        else:
            vector = list(map(self.parse_cost, words))
        missing = self.events - len(vector)
        if missing < 0:
            raise ValueError(
                f"{len(vector)} costs, but only {len(vector) + missing} events"
            )
        return vector + [0] * missing if missing else vector

    def _move(self, fields: list[str]) -> None:
        """Move to the position of a line, to which later lines are relative."""
        if self.has_address:
            self.address = absolute(fields[0], self.address)
        if self.has_line:
            column = fields[self.columns - 1]
            step = STEPS.get(column)
            self.line = absolute(column, self.line) if step is None else self.line + step

    def _target(self, columns: list[str], base: tuple[int, int]) -> Position:
        """The target of a call or jump; later lines are not relative to it."""
        address, line = base
        if columns and self.has_address:
            address = absolute(columns[0], address)
        if columns and self.has_line:
            line = absolute(columns[self.columns - 1], line)
        return Position(address, line)

    def _line_position(self, line: int) -> Position:
        """The position of a line without an address; one object for all its uses."""
        position = self.line_positions.get(line)
        if position is None:
            self.line_positions[line] = position = Position(NO_ADDRESS, line)
        return position

    def _target_line(self, column: str, base: tuple[int, int]) -> Position:
        step = STEPS.get(column)
        line = absolute(column, base[1]) if step is None else base[1] + step
        return self._line_position(line)

    def _site(self, position: Position) -> Position:
        """A position with no more detail than is kept."""
        if self.detail is Detail.INSTRUCTIONS:
            return position
        return Position(NO_ADDRESS, position.line if self.detail is Detail.LINES else 0)

    # --- Where costs go -----------------------------------------------------------------

    def _on_ob(self, value: str) -> str:
        self.object_file = self.objects.resolve(value)
        return self.next_line()

    def _on_fl(self, value: str) -> str:
        self.function_file = self.files.resolve(value)
        self._enter_source(self.function_file, "")
        return self.next_line()

    def _on_fi(self, value: str) -> str:
        self._enter_source(self.files.resolve(value), self.source.inlined)
        return self.next_line()

    def _on_cfni(self, value: str) -> str:
        name = decode_text(value.strip(WHITE))
        if QUOTED.fullmatch(name):
            self._enter_source(self.source.file, name[1:-1])
            return self.next_line()
        self._enter_source(self.source.file, "" if name == UNKNOWN else name)
        return self.next_line()

    def _on_fn(self, value: str) -> str:
        self._enter_function(self.functions.resolve(value))
        return self.next_line()

    def _enter_function(self, name: str) -> FunctionProfile:
        if self.part is None:
            self.open_part()
        key = FunctionKey(self.object_file, self.function_file, name)
        function = self.known_functions.get(key)
        if function is None:
            function = FunctionProfile(key, new_vector(self.events))
            self.known_functions[key] = function
        self.function = function
        self._enter_source(self.function_file, "")
        return function

    def _enter_source(self, file: str, inlined: str) -> None:
        self.source = SourceKey(file, inlined)
        if self.function is not None and self.detail is not Detail.FUNCTIONS:
            self.costs = self.function.sources.setdefault(self.source, {})

    # --- Calls --------------------------------------------------------------------------

    def _on_cob(self, value: str) -> str:
        self.called_object = self.objects.resolve(value)
        return self.next_line()

    def _on_cfi(self, value: str) -> str:
        self.called_file = self.files.resolve(value)
        return self.next_line()

    def _on_cfn(self, value: str) -> str:
        self.called_name = self.functions.resolve(value)
        return self.next_line()

    def _on_calls(self, value: str) -> str:
        function = self.function or self._enter_function(UNKNOWN)
        if self.called_name is None:
            raise ValueError("calls= without a cfn= before it")
        columns = value.split()
        count = parse_number(columns[0])
        base = (self.address, self.line)
        text = self.next_line()
        if not text or text[0] not in COST_LINE_STARTS:
            raise ValueError("calls= without a cost line after it")
        fields = text.split()
        if fields[0] != "*" or self.columns != 1:  # nearly always at the last position
            self._move(fields)
        if self.events == 1 and len(fields) == self.columns + 1:
            inclusive = [self.parse_cost(fields[-1])]
        else:
            inclusive = self._costs(fields)
        # Words left out mean where the cost lines are: an fi= counts for the cfi=.
        names = (
            self.called_object or self.object_file,
            self.called_file or self.source.file,
            self.called_name,
        )
        callee = self.keys.get(names)  # one key for all its arcs: millions add up
        if callee is None:
            self.keys[names] = callee = FunctionKey(*names)
        self.called_object = self.called_file = self.called_name = None
        # Without lines there is one arc per callee, wherever the calls stand.
        source, site, target = NO_SOURCE, NO_SITE, NO_SITE
        if self.detail is Detail.LINES and self.columns == 1 and self.has_line:
            source, site = self.source, self._line_position(self.line)
            column = columns[1] if len(columns) > 1 else "*"
            target = self._target_line(column, base)
        elif self.detail is not Detail.FUNCTIONS:
            keep_address = self.detail is Detail.INSTRUCTIONS
            site = Position(self.address if keep_address else NO_ADDRESS, self.line)
            source = self.source
            target = self._site(self._target(columns[1:], base))
        key = make_tuple(ArcKey, (callee, source, site))
        arc = function.arcs.get(key)
        if arc is None:
            function.arcs[key] = Arc(
                function.key, callee, source, site, target, count, inclusive
            )
        else:
            arc.count += count
            add_vector(arc.inclusive, inclusive)
        return self.next_line()

    # --- Jumps --------------------------------------------------------------------------

    def _on_jfi(self, value: str) -> str:
        self.jumped_file = self.files.resolve(value)
        return self.next_line()

    def _on_jfn(self, value: str) -> str:
        self.jumped_name = self.functions.resolve(value)
        return self.next_line()

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
        target = self._target(columns, (self.address, self.line))
        text = self.next_line()
        fields = text.split() if text and text[0] in COST_LINE_STARTS else []
        if len(fields) == self.columns:  # the line that says where the jump stands
            self._move(fields)
            text = self.next_line()
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


def absolute(column: str, base: int) -> int:
    """The position that a column stands for, when the last one was `base`."""
    first = column[0]
    if first == "*":
        return base
    if first == "+":
        return base + parse_number(column[1:])
    if first == "-":
        return base - parse_number(column[1:])
    return parse_number(column)
