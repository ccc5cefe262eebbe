# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which benchmarks there are: from a TOML file, or from words NAME=COMMAND.
#
# Owns: the keys of the file, and what is wrong with one.  Relies on tomllib (Python
# 3.11), or on the package tomli; a file called *.json holds the same as JSON.

"""The benchmarks to measure."""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

from gate.error import GateError
from gate.limits import GateLimit, parse_gate_limit

DEFAULT_FILE = "gate.toml"
NAME = re.compile(r"[^\x00-\x1f\x7f/]{1,200}")
STARTS = ("begin", "request")
DEFAULT_TIMEOUT = 600.0
MOST_SECONDS = 1_000_000  # eleven days
# Keys by names that they had: "limits" are of the total, as in callgrind_report.
FORMER = {"function-limits": "function-growth", "object-limits": "object-growth"}
MOST_BYTES = 1 << 24  # of a file of benchmarks


@dataclass
class Benchmark:
    """What is measured, and how much it may grow."""

    name: str
    command: list[str]
    folder: Path
    options: list[str] = field(default_factory=list)  # of Valgrind
    toggles: list[str] = field(default_factory=list)  # functions, for --toggle-collect
    start: str = "begin"  # request: with CALLGRIND_START_INSTRUMENTATION
    env: dict[str, str] = field(default_factory=dict)
    keep_env: list[str] = field(default_factory=list)  # variables that are passed on
    status: int = 0  # what the command ends with
    timeout: float = DEFAULT_TIMEOUT  # seconds that one measurement may take
    events: list[str] = field(default_factory=list)
    limits: list[GateLimit] = field(default_factory=list)

    def valgrind_options(self) -> list[str]:
        words = list(self.options)
        if self.start == "request":
            words.append("--instr-atstart=no")
        return words + [f"--toggle-collect={name}" for name in self.toggles]


def shard_of(benchmarks: Sequence[Benchmark], number: int, of: int) -> list[Benchmark]:
    """Each benchmark is in one of the shards 1 ... of."""
    return list(benchmarks)[number - 1::of]


def is_timeout(seconds: float) -> bool:
    return 0.001 <= seconds <= MOST_SECONDS


def read_benchmarks(path: Optional[Path], words: Sequence[str]) -> list[Benchmark]:
    """Those of the file (gate.toml, if there are no words), and of the words."""
    if path is None and not words:
        path = Path(DEFAULT_FILE)
        if not path.exists():
            raise GateError(
                f"no {DEFAULT_FILE} in this folder, and no NAME=COMMAND: nothing to run"
            )
    found = _File(path).benchmarks() if path is not None else []
    for word in words:
        name, equals, command = word.partition("=")
        if not equals or not is_name(name) or not command.strip():
            raise GateError(f"{word!r} is not NAME=COMMAND, as in parse='./bench parse'")
        found.append(Benchmark(name, _split(command, word), Path.cwd()))
    names = [benchmark.name for benchmark in found]
    for name in names:
        if names.count(name) > 1:
            raise GateError(f"two benchmarks are called {name!r}")
    if not found:
        raise GateError(f"{path}: names no benchmark; it needs [benchmarks.NAME]")
    return found


def is_name(text: str) -> bool:
    return NAME.fullmatch(text) is not None and _is_encodable(text)


def _is_encodable(text: str) -> bool:
    """Whether a program can be given it: half a character, as JSON can have, is none."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _split(command: str, where: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise GateError(f"{where}: {error} in the command") from None


def _load(path: Path) -> Any:
    try:
        with open(path, "rb") as stream:  # it may be a pipe, as of <(...)
            packed = stream.read(MOST_BYTES + 1)
        if len(packed) > MOST_BYTES:
            raise GateError(f"{path}: is too large for a file of benchmarks")
        content = packed.decode("utf-8")
        if path.suffix == ".json":
            return json.loads(content)
        return _toml_reader()(content)
    except OSError as error:
        raise GateError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # of TOML, JSON and UTF-8 alike
        raise GateError(f"{path}: {error}") from None


def _toml_reader() -> Callable[[str], Any]:
    for module in ("tomllib", "tomli"):
        try:
            found: Callable[[str], Any] = __import__(module).loads
            return found
        except ImportError:
            continue
    raise GateError(
        "a TOML file needs Python 3.11, or the package tomli for this Python; the same "
        "as JSON, in a file *.json, needs neither"
    )


# --- The keys of the file ---------------------------------------------------------------


class _File:
    """A file of benchmarks, and the key that is being read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._document = _load(path)

    def _wrong(self, where: str, what: str) -> GateError:
        return GateError(f"{self._path}: {where}: {what}")

    def benchmarks(self) -> list[Benchmark]:
        document = self._table(self._document, "the file")
        unknown = set(document) - {"gate", "benchmarks"}
        if unknown:
            raise self._wrong(sorted(unknown)[0], "is none of gate, benchmarks")
        shared = self._table(document.get("gate", {}), "gate")
        tables = self._table(document.get("benchmarks", {}), "benchmarks")
        return [self._benchmark(name, table, shared) for name, table in tables.items()]

    def _benchmark(self, name: str, table: Any, shared: dict[str, Any]) -> Benchmark:
        where = f"benchmarks.{name}"
        if not is_name(name):
            raise self._wrong(
                where, "a name has no '/', no control characters, and 200 at most"
            )
        table = self._table(table, where)
        command = table.get("command")
        if isinstance(command, str):
            command = _split(command, f"{self._path}: {where}")
        self._words(command, f"{where}.command")
        if not command:
            raise self._wrong(f"{where}.command", "is empty")
        benchmark = Benchmark(name, command, self._path.resolve().parent)
        for key, value in shared.items():
            self._set(benchmark, key, value, f"gate.{key}", shared=True)
        for key, value in table.items():
            if key != "command":
                self._set(benchmark, key, value, f"{where}.{key}", shared=False)
        return benchmark

    def _set(
        self, into: Benchmark, key: str, value: Any, where: str, shared: bool
    ) -> None:
        """Lists of the table [gate] hold for all benchmarks, whose own come on top."""
        limits = {"limits": "total", "function-growth": "function",
                  "object-growth": "object"}  # fmt: skip
        lists = {"options": into.options, "toggle": into.toggles,
                 "keep-env": into.keep_env, "events": into.events}  # fmt: skip
        if key in lists:
            lists[key] += self._words(value, where)
        elif key in limits:
            # A benchmark's own limits take the place of those for all.
            scope = limits[key]
            if not shared:
                into.limits = [each for each in into.limits if each.scope != scope]
            for text in self._words(value, where):
                try:
                    into.limits.append(parse_gate_limit(scope, text))
                except ValueError as error:
                    raise self._wrong(where, str(error)) from None
        elif key == "env":
            for name, text in self._table(value, where).items():
                if not name or "=" in self._words([name], where)[0]:
                    raise self._wrong(where, f"{name!r} is no name of a variable")
                into.env[name] = self._words([text], f"{where}.{name}")[0]
        elif key == "folder":
            into.folder = self._path.resolve().parent / self._words([value], where)[0]
        elif key == "start":
            if value not in STARTS:
                raise self._wrong(where, f"is none of {', '.join(STARTS)}")
            into.start = value
        elif key == "status" and type(value) is int and 0 <= value <= 255:
            into.status = value
        elif key == "status":
            raise self._wrong(where, "is no exit status, 0 to 255")
        elif key == "timeout" and type(value) in (int, float) and is_timeout(value):
            into.timeout = float(value)
        elif key == "timeout":
            raise self._wrong(where, f"is no number of seconds, up to {MOST_SECONDS}")
        else:
            if key in FORMER:
                raise self._wrong(where, f"is called {FORMER[key]} now")
            others = ("env", "folder", "start", "status", "timeout")
            known = ", ".join(["command", *lists, *limits, *others])
            raise self._wrong(where, f"is no key; there are {known}")

    def _table(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._wrong(where, "has to be a table")
        return value

    def _words(self, value: Any, where: str) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(w, str) for w in value):
            raise self._wrong(where, "has to be a list of strings")
        if any("\0" in word for word in value):
            raise self._wrong(where, "has a zero byte in it")
        if not all(map(_is_encodable, value)):
            raise self._wrong(where, "has half a character in it (a surrogate)")
        return value
