# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a .vgtest file says.  Owns: its syntax, the set of keys, and which combinations of
# them make sense.  Relies on nothing but the file; whether a program or a filter exists
# is found out by `places` when the test runs.  docs/testing.md describes the format.

"""Reading `.vgtest` files."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional


class BadTest(Exception):
    """A test that cannot be run or judged; the message says why, in one line."""


@dataclass(frozen=True)
class Expectation:
    """What an output has to be: one of the alternatives."""

    alternatives: tuple[bytes, ...]
    line: int  # where its key stands in the file
    first: int  # its lines of expected output, as a slice of the file's lines;
    end: int  # empty, behind the key, when no output is expected


@dataclass(frozen=True)
class Post:
    """A command that looks at what the program left, and what it has to print."""

    command: str
    expected: Expectation


@dataclass(frozen=True)
class Filter:
    """A command that an output is piped through before it is compared."""

    command: Optional[str]  # None: not filtered
    args: Optional[str]  # None: the default, as described in docs/testing.md


@dataclass(frozen=True)
class Program:
    """One of the programs of a test: what to start, and what is done with its output."""

    suffix: str  # of its keys and files: "" for prog, "B" for progB
    name: str
    as_is: bool  # looked up in PATH by the shell, not in the test's folders
    args: str
    env: tuple[str, ...]
    stdin: Optional[str]
    stdout: Filter
    stderr: Filter


@dataclass(frozen=True)
class Description:
    """A whole .vgtest file.  Commands and arguments are shell text, as in the file."""

    path: Path
    main: Program
    second: Optional[Program]
    vgopts: tuple[str, ...]
    prereq: Optional[str]
    outputs: dict[str, Expectation]  # by stream; one that is not there must be empty
    posts: tuple[Post, ...]
    cleanup: Optional[str]

    @property
    def name(self) -> str:
        return self.path.name[: -len(".vgtest")]

    @property
    def programs(self) -> tuple[Program, ...]:
        return (self.main,) if self.second is None else (self.main, self.second)


def _program_keys(suffix: str) -> tuple[str, ...]:
    return (
        f"prog{suffix}",
        f"prog{suffix}-asis",
        f"args{suffix}",
        f"env{suffix}",
        f"stdin{suffix}",
        f"stdout{suffix}",
        f"stderr{suffix}",
        f"stdout{suffix}_filter",
        f"stderr{suffix}_filter",
        f"stdout{suffix}_filter_args",
        f"stderr{suffix}_filter_args",
    )


OR = "or"
KEYS = (
    *_program_keys(""),
    "vgopts",
    "prereq",
    "post",
    OR,
    "cleanup",
    *_program_keys("B"),
)
REPEATABLE = ("env", "envB", "vgopts", "post")
STREAMS = ("stdout", "stderr", "stdoutB", "stderrB")


@dataclass
class _Entry:
    """A key, its value, and the expected output below it."""

    key: str
    value: str
    line: int
    first: int  # see Expectation
    end: int
    alternatives: list[list[str]] = field(default_factory=lambda: [[]])

    def expectation(self) -> Expectation:
        return Expectation(
            tuple(
                "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
                for lines in self.alternatives
            ),
            self.line,
            self.first,
            self.end,
        )


class _Reader:
    """Reads the lines of a file into entries."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[_Entry] = []
        self.number = 0
        self.is_continued = False

    def bad(self, reason: str, line: Optional[int] = None) -> BadTest:
        return BadTest(f"{self.path.name}:{line or self.number}: {reason}")

    def read(self) -> list[_Entry]:
        try:
            # As bytes, for an expected line may hold a carriage return.
            text = self.path.read_bytes().decode("utf-8", errors="surrogateescape")
        except OSError as error:
            raise BadTest(f"cannot read {self.path}: {error.strerror}") from error
        for self.number, line in enumerate(text.split("\n"), start=1):
            stripped = line.strip()
            if self.is_continued:
                self._continue(stripped)
            elif stripped.startswith("|"):
                self._expect(line.lstrip()[1:])
            elif stripped and not stripped.startswith("#"):
                self._begin(stripped)
        if self.is_continued:
            raise self.bad("a line is to continue, but there is no other")
        for entry in self.entries:
            self._check_value(entry)
        return self.entries

    def _continue(self, line: str) -> None:
        entry = self.entries[-1]
        self.is_continued = line.endswith("\\")
        entry.value += " " + line.rstrip("\\").rstrip()
        entry.first = entry.end = self.number

    def _expect(self, text: str) -> None:
        entry = self.entries[-1] if self.entries else None
        if entry is None or entry.key not in (*STREAMS, "post"):
            raise self.bad("`|` begins expected output, but no output stands above it")
        entry.alternatives[-1].append(text[1:] if text.startswith(" ") else text)
        entry.end = self.number

    def _begin(self, line: str) -> None:
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            raise self.bad(f"`{line}` is not of the form `key: value`")
        if key not in KEYS:
            raise self.bad(f"unknown key `{key}`; known are {', '.join(KEYS)}")
        if key == OR:
            self._begin_alternative()
            return
        if key not in REPEATABLE and any(entry.key == key for entry in self.entries):
            raise self.bad(f"`{key}` is given a second time")
        self.is_continued = value.endswith("\\")
        value = value.rstrip("\\").rstrip()
        self.entries.append(_Entry(key, value, self.number, self.number, self.number))

    def _begin_alternative(self) -> None:
        """The value of `or` says when it applies, and is for readers only."""
        if not self.entries or self.entries[-1].key not in (*STREAMS, "post"):
            raise self.bad(f"`{OR}` begins another expected output, but no output stands"
                           " above it")
        self.entries[-1].alternatives.append([])
        self.entries[-1].end = self.number

    def _check_value(self, entry: _Entry) -> None:
        key, value = entry.key, entry.value
        if key in STREAMS:
            if value:
                raise self.bad(f"`{key}` has a value; expected output stands below it, in"
                               " lines that begin with `|`", entry.line)
        elif not value and not _may_be_empty(key):
            raise self.bad(f"`{key}` has no value", entry.line)
        if key.startswith("env"):
            problem = _bad_assignment(value)
            if problem:
                raise self.bad(f"`{key}`: {problem}", entry.line)


def _may_be_empty(key: str) -> bool:
    return key.startswith(("args", "vgopts")) or key.endswith("_args")


def _bad_assignment(value: str) -> str:
    """A stray word in `env` would be run as the command; refuse it where it stands."""
    try:
        words = shlex.split(value)
    except ValueError as error:
        return str(error).lower()
    for word in words:
        if re.match(r"[A-Za-z_][A-Za-z_0-9]*=", word) is None:
            return f"`{word}` is not NAME=value (quote a value with spaces)"
    return ""


def _one(values: dict[str, list[str]], key: str) -> Optional[str]:
    return values[key][0] if key in values else None


def _program(path: Path, values: dict[str, list[str]], suffix: str) -> Optional[Program]:
    """The program whose keys end in `suffix`; None when the file does not name it."""
    plain, as_is = f"prog{suffix}", f"prog{suffix}-asis"
    if plain in values and as_is in values:
        raise BadTest(f"{path.name}: `{plain}` and `{as_is}` exclude each other")
    name = _one(values, plain) or _one(values, as_is)
    if name is None:
        for key in _program_keys(suffix):
            if key in values and suffix:
                raise BadTest(f"{path.name}: `{key}` without `{plain}` or `{as_is}`")
        return None
    # Only the first program runs under Valgrind, whose messages have to be filtered.
    default = None if suffix else "filter_stderr"
    return Program(
        suffix=suffix,
        name=name,
        as_is=as_is in values,
        args=_one(values, f"args{suffix}") or "",
        env=tuple(values.get(f"env{suffix}", ())),
        stdin=_one(values, f"stdin{suffix}"),
        stdout=Filter(
            _one(values, f"stdout{suffix}_filter"),
            _one(values, f"stdout{suffix}_filter_args"),
        ),
        stderr=Filter(
            _one(values, f"stderr{suffix}_filter") or default,
            _one(values, f"stderr{suffix}_filter_args"),
        ),
    )


def read_description(path: Path) -> Description:
    """Read a .vgtest file; raises BadTest where it is not a valid one."""
    entries = _Reader(path).read()
    values: dict[str, list[str]] = {}
    for entry in entries:
        values.setdefault(entry.key, []).append(entry.value)
    main = _program(path, values, "")
    if main is None:
        raise BadTest(f"{path.name}: neither `prog` nor `prog-asis` says what to run")
    second = _program(path, values, "B")
    for key in KEYS:
        if key.endswith("_filter_args") and key in values:
            filter_key = key[: -len("_args")]
            if filter_key not in values and filter_key != "stderr_filter":
                raise BadTest(f"{path.name}: `{key}` without `{filter_key}`")
    if not any(key in values for key in (*STREAMS, "post")):
        raise BadTest(
            f"{path.name}: no output is expected; say `stdout:` or `stderr:` alone for a"
            " program that prints nothing"
        )
    return Description(
        path=path,
        main=main,
        second=second,
        vgopts=tuple(values.get("vgopts", ())),
        prereq=_one(values, "prereq"),
        outputs={
            entry.key: entry.expectation() for entry in entries if entry.key in STREAMS
        },
        posts=tuple(
            Post(entry.value, entry.expectation())
            for entry in entries
            if entry.key == "post"
        ),
        cleanup=_one(values, "cleanup"),
    )
