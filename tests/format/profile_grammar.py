#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks, line by line, whether a file keeps strictly to the callgrind format.
#
# Owns: the grammar of cl-format and what is added to it here (the order of a part's
# header, `cfni=`, `totals:` closing each part).  It shares no code with the reader in
# callgrind/report/profile_file/, so that a mistake there does not hide the same one in
# the writer.
#
#     profile_grammar.py FILE...    one line per violation; exit status 1 if there is one

"""Check callgrind profile files strictly against the grammar of the format."""

from __future__ import annotations

import re
import sys
from operator import add
from pathlib import Path
from typing import Iterator, Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # when run as a command

from tests.format.lint_cli import (  # noqa: E402
    GrammarError,
    Violation,
    check_lines,
    lint_files,
)

NUMBER = r"(?:0x[0-9a-fA-F]+|[0-9]+)"
SUBPOSITION = rf"(?:\+{NUMBER}|-{NUMBER}|{NUMBER}|\*)"
COST_LINE = re.compile(rf"{SUBPOSITION}(?: {SUBPOSITION})*(?: {NUMBER})* ?")
SUBPOSITION_WORD = re.compile(SUBPOSITION)
NUMBER_WORD = re.compile(NUMBER)
COMPRESSED_NAME = re.compile(r"\(([0-9]+)\)(?: (.+))?")
SPECIFICATION = re.compile(r"([a-z]+)=(.*)")
HEADER = re.compile(r"([a-z]+):(.*)")
EVENT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")

# Which table of ids a specification uses.  cfni= names are never compressed.
NAME_TABLES = {
    "ob": "object",
    "cob": "object",
    "fl": "file",
    "fi": "file",
    "fe": "file",
    "cfi": "file",
    "cfl": "file",
    "jfi": "file",
    "fn": "function",
    "cfn": "function",
    "jfn": "function",
}

# The order of header lines; desc: has five places; the name after it says which.
HEADER_ORDER = (
    "version",
    "creator",
    "pid",
    "cmd",
    "part",
    "desc",
    "thread",
    "cache",
    "trigger as given",
    "timerange",
    "trigger",
    "positions",
    "event",
    "events",
    "summary",
)
REPEATED_HEADERS = ("desc", "cache", "event")
NUMBER_HEADERS = ("pid", "part", "thread")
CACHE_DESCRIPTIONS = ("I1 cache", "D1 cache", "LL cache")
PLACED_DESCRIPTIONS = ("Trigger as given", "Timerange", "Trigger")
MAXIMUM_COST = (1 << 64) - 1


def number_of(word: str) -> int:
    return int(word, 16) if word.startswith("0x") else int(word)


class _Checker:
    """The state that the rules of the format need, moved on by one line at a time."""

    def __init__(self) -> None:
        self.names: dict[str, dict[str, str]] = {"object": {}, "file": {}, "function": {}}
        self.parts = 0
        self._start_part()

    def _start_part(self) -> None:
        self.header_place = -1
        self.seen: dict[str, str] = {}
        self.positions = ["line"]
        self.events: list[str] = []
        self.in_body = False
        self.closed = False
        self.sums: list[int] = []
        self.last_positions: Optional[list[int]] = None
        self.calls = 0  # of the last calls=
        self.function: Optional[str] = None
        self.file: Optional[str] = None
        self.calling: list[str] = []  # cob, cfi, cfn seen since the last call
        self.jumping: list[str] = []
        self.awaited: Optional[
            str
        ] = None  # "call" or "jump": the next line is its cost line

    # --- one line -----------------------------------------------------------------------

    def check(self, number: int, text: str) -> None:
        if not text.endswith("\n"):
            raise GrammarError("the last line does not end with a line break")
        line = text[:-1]
        if "\r" in line:
            raise GrammarError("carriage return in the line")
        is_cost_line = COST_LINE.fullmatch(line) is not None
        if self.awaited is not None and not is_cost_line:
            awaited, self.awaited = self.awaited, None
            raise GrammarError(f"{awaited} line is not followed by a cost line")
        if not line or line.startswith("#"):
            self._check_comment(number, line)
        elif is_cost_line:
            self._check_cost_line(line.split())
        elif SPECIFICATION.fullmatch(line):
            key, _, value = line.partition("=")
            self._check_specification(key, value)
        elif HEADER.fullmatch(line):
            key, _, value = line.partition(":")
            self._check_header(key, value)
        else:
            raise GrammarError(
                f"neither header, cost line nor specification: {line[:60]!r}"
            )

    def finish(self) -> None:
        if self.parts == 0:
            raise GrammarError("no part: 'events:' never appears")
        if not self.closed:
            raise GrammarError("the last part is not closed by 'totals:'")

    def _check_comment(self, number: int, line: str) -> None:
        if number == 1 and line != "# callgrind format":
            raise GrammarError("the first line is not '# callgrind format'")

    # --- header -------------------------------------------------------------------------

    def _check_header(self, key: str, value: str) -> None:
        if key == "totals":
            self._check_totals(value)
            return
        if self.in_body and not self.closed:
            raise GrammarError(
                f"header line {key}: in the body of a part without totals:"
            )
        if self.closed:
            self._start_part()
        place = self._header_kind(key, value)
        if place not in HEADER_ORDER:
            raise GrammarError(f"unknown header line {key}:")
        rank = HEADER_ORDER.index(place)
        if rank < self.header_place:
            raise GrammarError(f"{key}: stands after {HEADER_ORDER[self.header_place]}:")
        if place in self.seen and place not in REPEATED_HEADERS:
            raise GrammarError(f"{key}: stands twice in one part")
        self.header_place = rank
        self.seen[place] = value
        self._check_header_value(key, value.strip())

    @staticmethod
    def _header_kind(key: str, value: str) -> str:
        if key != "desc":
            return key
        name = value.strip().partition(":")[0].strip()
        if name in CACHE_DESCRIPTIONS:
            return "cache"
        return name.lower() if name in PLACED_DESCRIPTIONS else "desc"

    def _check_header_value(self, key: str, value: str) -> None:
        if key == "version" and value != "1":
            raise GrammarError(f"version: {value}, expected 1")
        if key in NUMBER_HEADERS and not NUMBER_WORD.fullmatch(value):
            raise GrammarError(f"{key}: {value!r} is not a number")
        if key == "desc" and ":" not in value:
            raise GrammarError("desc: without 'type: value'")
        if key == "positions":
            self.positions = value.split()
            allowed = [name for name in ("instr", "bb", "line") if name in self.positions]
            if not self.positions or self.positions != allowed:
                raise GrammarError(f"positions: {value!r}")
        if key == "events":
            self._check_events(value.split())
        if key == "summary":
            self._costs(value.split())

    def _check_events(self, events: list[str]) -> None:
        if not events or len(set(events)) != len(events):
            raise GrammarError("events: names none, or one twice")
        for event in events:
            if not EVENT_NAME.fullmatch(event):
                raise GrammarError(f"events: {event!r} is not a name")
        self.events = events
        self.sums = [0] * len(events)

    def _costs(self, words: Sequence[str]) -> list[int]:
        if not self.events:
            raise GrammarError("costs before events:")
        if len(words) > len(self.events):
            raise GrammarError(f"{len(words)} costs for {len(self.events)} events")
        digits = "".join(words)
        if digits.isdecimal() and digits.isascii():  # nearly always
            costs = list(map(int, words))
        elif all(NUMBER_WORD.fullmatch(word) for word in words):
            costs = list(map(number_of, words))
        else:
            raise GrammarError(f"not a cost among {' '.join(words)!r}")
        if costs and max(costs) > MAXIMUM_COST:
            raise GrammarError("cost does not fit into 64 bits")
        return costs + [0] * (len(self.events) - len(costs))

    def _check_totals(self, value: str) -> None:
        if self.closed:
            raise GrammarError("totals: stands twice in one part")
        self._require_body()
        totals = self._costs(value.split())
        self.closed = True
        if totals != self.sums:
            raise GrammarError(f"totals: {totals}, but self costs add up to {self.sums}")
        if "summary" in self.seen:
            summary = self._costs(self.seen["summary"].split())
            if any(whole < part for whole, part in zip(summary, totals)):
                raise GrammarError(f"summary: {summary} is less than totals: {totals}")

    # --- body ---------------------------------------------------------------------------

    def _require_body(self) -> None:
        if self.closed:
            raise GrammarError("body line after totals:, without a header of a new part")
        if not self.events:
            raise GrammarError("body line before events:")
        if not self.in_body:
            self.in_body = True
            self.parts += 1

    def _check_specification(self, key: str, value: str) -> None:
        self._require_body()
        if key in NAME_TABLES:
            name = self._resolve(NAME_TABLES[key], value)
            self._check_name_place(key, name)
        elif key == "cfni":
            self._check_inlined(value)
        elif key == "calls":
            self._check_calls(value.split())
        elif key in ("jump", "jcnd"):
            self._check_jump(key, value.split())
        else:
            raise GrammarError(f"unknown specification {key}=")

    def _resolve(self, table: str, value: str) -> str:
        match = COMPRESSED_NAME.fullmatch(value)
        if match is None:
            if not value or value != value.strip():
                raise GrammarError(f"{table} name {value!r}")
            if re.match(r"\([0-9]", value):
                raise GrammarError(f"malformed compressed name {value!r}")
            return value
        identifier, name = match.groups()
        known = self.names[table].get(identifier)
        if name is None and known is None:
            raise GrammarError(f"{table} id ({identifier}) is used before it is defined")
        if name is not None and known not in (None, name):
            raise GrammarError(
                f"{table} id ({identifier}) is {known!r} already, and now {name!r}"
            )
        if name is not None:
            self.names[table][identifier] = name
        return self.names[table][identifier]

    def _check_name_place(self, key: str, name: str) -> None:
        if key[0] == "c":
            if self.jumping:
                raise GrammarError(f"{key}= between {self.jumping[-1]}= and its jump")
            rank = {"cob": 0, "cfi": 1, "cfl": 1, "cfn": 2}
            if any(rank[known] >= rank[key] for known in self.calling):
                raise GrammarError(
                    f"{key}= after {self.calling[-1]}= without calls= between"
                )
            self.calling.append(key)
            return
        if self.calling:
            raise GrammarError(f"{key}= between {self.calling[-1]}= and its calls=")
        if key[0] == "j":
            self.jumping.append(key)
            return
        if self.jumping:
            raise GrammarError(f"{key}= between {self.jumping[-1]}= and its jump")
        if key == "fn":
            if self.file is None:
                raise GrammarError("fn= without an fl= before it")
            self.function = name
        elif key in ("fi", "fe") and self.function is None:
            raise GrammarError(f"{key}= outside of a function")
        elif key == "fl":
            self.file, self.function = name, None
        elif key == "ob":
            self.file = self.function = None

    def _check_inlined(self, value: str) -> None:
        if self.function is None:
            raise GrammarError("cfni= outside of a function")
        if not value or re.match(r"\([0-9]", value):
            raise GrammarError(f"cfni={value}: empty or compressed")

    def _check_calls(self, words: list[str]) -> None:
        if "cfn" not in self.calling:
            raise GrammarError("calls= without a cfn= before it")
        self.calling = []
        if len(words) != 1 + len(self.positions) or not NUMBER_WORD.fullmatch(words[0]):
            raise GrammarError(
                f"calls={' '.join(words)}: expected a count and "
                f"{len(self.positions)} positions"
            )
        self._move(words[1:])
        self.calls = number_of(words[0])
        self.awaited = "calls="

    def _check_jump(self, key: str, words: list[str]) -> None:
        """callgrind writes jcnd=jumped/executed; cl-format has `executed jumped`."""
        columns = len(self.positions)
        counts = words[:-columns]
        if key == "jcnd" and len(counts) == 1 and counts[0].count("/") == 1:
            followed, executed = counts[0].split("/")
            counts = [executed, followed]
        if len(counts) != (2 if key == "jcnd" else 1) or not all(
            NUMBER_WORD.fullmatch(word) for word in counts
        ):
            raise GrammarError(f"{key}={' '.join(words)}: expected counts and positions")
        if key == "jcnd" and number_of(counts[1]) > number_of(counts[0]):
            raise GrammarError(f"{key}={' '.join(words)}: more jumps than executions")
        self._move(words[-columns:])
        self.jumping = []
        self.awaited = f"{key}="

    def _move(self, words: Sequence[str]) -> list[int]:
        """The absolute positions that the words stand for."""
        absolute = []
        for column, word in enumerate(words):
            if word == "*" and self.last_positions is not None:  # very often
                absolute.append(self.last_positions[column])
                continue
            if not SUBPOSITION_WORD.fullmatch(word):
                raise GrammarError(f"{word!r} is not a position")
            if word[0] not in "+-*":
                absolute.append(number_of(word))
                continue
            if self.last_positions is None:
                raise GrammarError(f"relative position {word} before any absolute one")
            step = 0 if word == "*" else number_of(word[1:])
            absolute.append(
                self.last_positions[column] + (-step if word[0] == "-" else step)
            )
        if min(absolute) < 0:
            raise GrammarError(f"{' '.join(words)} leads to a negative position")
        return absolute

    def _check_cost_line(self, words: list[str]) -> None:
        self._require_body()
        if self.function is None:
            raise GrammarError("cost line outside of a function")
        if self.calling or self.jumping:
            raise GrammarError(
                f"{(self.calling + self.jumping)[-1]}= is not followed by its "
                "calls= or jump line"
            )
        columns = len(self.positions)
        if len(words) < columns:
            raise GrammarError(f"{len(words)} of {columns} positions in a cost line")
        self.last_positions = self._move(words[:columns])
        costs = self._costs(words[columns:])
        awaited, self.awaited = self.awaited, None
        if awaited == "calls=" and self.calls == 0 and any(costs):
            raise GrammarError("a cost of no calls: readers take it for the caller's own")
        if awaited is None:
            self.sums = list(map(add, self.sums, costs))
        elif awaited != "calls=" and len(words) > columns:
            raise GrammarError("the position of a jump carries costs")


def violations(path: Path) -> Iterator[Violation]:
    """Every violation, in the order of the file."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
        yield from check_lines(path, stream, _Checker())


def main(arguments: Optional[Sequence[str]] = None) -> int:
    return lint_files(violations, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
