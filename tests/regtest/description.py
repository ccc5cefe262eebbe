# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a .vgtest file says.  Owns: its syntax, the set of keys, and which combinations of
# them make sense.  Relies on nothing but the file; whether a program or a filter exists
# is settled by `places` when the test runs.  The format is described in docs/testing.md.

"""Reading `.vgtest` files."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Optional


class BadTest(Exception):
    """A test that cannot be run or judged; the message says why, in one line."""


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
    post: Optional[str]
    cleanup: Optional[str]

    @property
    def name(self) -> str:
        return self.path.name[: -len(".vgtest")]

    @property
    def programs(self) -> tuple[Program, ...]:
        return (self.main,) if self.second is None else (self.main, self.second)

    @property
    def streams(self) -> tuple[str, ...]:
        """The outputs that are compared, by the name they have in file names."""
        programs = [
            f"{stream}{program.suffix}"
            for program in self.programs
            for stream in ("stdout", "stderr")
        ]
        return (*programs, "post") if self.post is not None else tuple(programs)


def _program_keys(suffix: str) -> tuple[str, ...]:
    return (
        f"prog{suffix}",
        f"prog{suffix}-asis",
        f"args{suffix}",
        f"env{suffix}",
        f"stdin{suffix}",
        f"stdout{suffix}_filter",
        f"stderr{suffix}_filter",
        f"stdout{suffix}_filter_args",
        f"stderr{suffix}_filter_args",
    )


KEYS = (*_program_keys(""), "vgopts", "prereq", "post", "cleanup", *_program_keys("B"))
REPEATABLE = ("env", "envB", "vgopts")
ALL_STREAMS = ("stdout", "stderr", "stdoutB", "stderrB", "post")


def _may_be_empty(key: str) -> bool:
    return key.startswith(("args", "vgopts")) or key.endswith("_args")


def _parse(path: Path) -> dict[str, list[str]]:
    """The file's values by key, in the order of its lines."""
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise BadTest(f"cannot read {path}: {error.strerror}") from error
    values: dict[str, list[str]] = {}
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        where = f"{path.name}:{number}"
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            raise BadTest(f"{where}: `{line}` is not of the form `key: value`")
        if key not in KEYS:
            raise BadTest(f"{where}: unknown key `{key}`; known are {', '.join(KEYS)}")
        if key in values and key not in REPEATABLE:
            raise BadTest(f"{where}: `{key}` is given a second time")
        if not value and not _may_be_empty(key):
            raise BadTest(f"{where}: `{key}` has no value")
        if key.startswith("env"):
            _check_assignments(where, key, value)
        values.setdefault(key, []).append(value)
    return values


def _check_assignments(where: str, key: str, value: str) -> None:
    """A stray word in `env` would be run as the command; refuse it where it stands."""
    try:
        words = shlex.split(value)
    except ValueError as error:
        raise BadTest(f"{where}: `{key}`: {str(error).lower()}") from error
    for word in words:
        if re.match(r"[A-Za-z_][A-Za-z_0-9]*=", word) is None:
            raise BadTest(
                f"{where}: `{key}`: `{word}` is not NAME=value"
                " (quote a value with spaces)"
            )


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
    values = _parse(path)
    main = _program(path, values, "")
    if main is None:
        raise BadTest(f"{path.name}: neither `prog` nor `prog-asis` says what to run")
    for key in KEYS:
        if key.endswith("_filter_args") and key in values:
            filter_key = key[: -len("_args")]
            if filter_key not in values and filter_key != "stderr_filter":
                raise BadTest(f"{path.name}: `{key}` without `{filter_key}`")
    return Description(
        path=path,
        main=main,
        second=_program(path, values, "B"),
        vgopts=tuple(values.get("vgopts", ())),
        prereq=_one(values, "prereq"),
        post=_one(values, "post"),
        cleanup=_one(values, "cleanup"),
    )
