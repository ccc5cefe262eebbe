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
from pathlib import Path
from typing import Any, Callable, Iterable, Optional, Sequence

from gate.benchmark import Benchmark
from gate.error import GateError
from gate.filters import BEHIND_FILE
from gate.frameworks import FRAMEWORKS, as_framework, framework_of
from gate.limits import parse_gate_limit
from gate.suites import REPEATS, Rule, Suite

DEFAULT_FILE = "gate.toml"
NAME = re.compile(r"[^\x00-\x1f\x7f/]{1,200}")
STARTS = ("begin", "request")
MOST_SECONDS = 1_000_000  # eleven days
# Keys by names that they had: "limits" are of the total, as in callgrind_report.
FORMER = {"function-limits": "function-growth", "object-limits": "object-growth"}
MOST_BYTES = 1 << 24  # of a file of benchmarks


def is_timeout(seconds: float) -> bool:
    return 0.001 <= seconds <= MOST_SECONDS


def read_benchmarks(path: Optional[Path], words: Sequence[str]) -> list[Benchmark]:
    """Those of the file (gate.toml, if there are no words), and of the words."""
    if path is None and not words:
        path = Path(DEFAULT_FILE)
        if not path.exists():
            raise GateError(
                f"no {DEFAULT_FILE} in this folder, and no NAME=COMMAND: nothing to run; "
                "give one, or a suite behind --, or write the file (docs/gate.md)"
            )
    found = _File(path).benchmarks() if path is not None else []
    for word in words:
        name, equals, command = word.partition("=")
        if not equals or not is_name(name) or not command.strip():
            raise GateError(f"{word!r} is not NAME=COMMAND, as in parse='./bench parse'")
        found.append(Benchmark(name, _split(command, word), Path.cwd()))
    if not found:
        raise GateError(
            f"{path}: names no benchmark; it needs [benchmarks.NAME], or [suites.NAME]"
        )
    return found


def check_names(benchmarks: Sequence[Benchmark]) -> None:
    """GateError if two have one name, or a suite the name of a benchmark."""
    known: set[str] = set()
    for benchmark in benchmarks:
        if benchmark.name in known:
            raise GateError(f"two benchmarks are called {benchmark.name!r}")
        known.add(benchmark.name)


def suite_of(command: Sequence[str], name: Optional[str]) -> Suite:
    """The suite of a command line; called as its framework is, or as its program."""
    framework = framework_of(command)
    wanted = name or framework.suite or os.path.basename(command[0])
    if not is_name(wanted):
        raise GateError(f"{wanted!r} is no name of a suite; --suite gives one")
    return as_framework(Suite(wanted, list(command), Path.cwd()))


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
        return toml_reader()(content)
    except OSError as error:
        raise GateError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # of TOML, JSON and UTF-8 alike
        raise GateError(f"{path}: {error}") from None


def toml_reader() -> Callable[[str], Any]:
    """What reads a text of TOML; GateError if this Python has nothing for that."""
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

# What growth is allowed to: keys, and scopes of limits.
LIMITS = {"limits": "total", "function-growth": "function", "object-growth": "object"}
OF_RULES = (*LIMITS, "events")
OF_SUITES = ("framework", "repeat", "select", "shard", "benchmarks")
KEYS = (
    "command", "options", "toggle", "keep-env", "events", *LIMITS, "env", "folder",
    "start", "status", "timeout",
)  # fmt: skip


class _File:
    """A file of benchmarks, and the key that is being read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._document = _load(path)

    def _wrong(self, where: str, what: str) -> GateError:
        return GateError(f"{self._path}: {where}: {what}")

    def benchmarks(self) -> list[Benchmark]:
        """The benchmarks, and then the suites."""
        document = self._table(self._document, "the file")
        unknown = set(document) - {"gate", "benchmarks", "suites"}
        if unknown:
            raise self._wrong(sorted(unknown)[0], "is none of gate, benchmarks, suites")
        shared = self._table(document.get("gate", {}), "gate")
        found: list[Benchmark] = []
        for kind, make in (("benchmarks", Benchmark), ("suites", Suite)):
            tables = self._table(document.get(kind, {}), kind)
            for name, table in tables.items():
                found.append(self._benchmark(make, f"{kind}.{name}", name, table, shared))
        return found

    def _benchmark(
        self,
        make: Callable[[str, list[str], Path], Benchmark],
        where: str,
        name: str,
        table: Any,
        shared: dict[str, Any],
    ) -> Benchmark:
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
        found = make(name, command, self._path.resolve().parent)
        if isinstance(found, Suite):
            found.framework = self._choice(table, where, "framework", FRAMEWORKS)
            as_framework(found)
        for key, value in shared.items():
            self._set(found, key, value, f"gate.{key}", shared=True)
        for key, value in table.items():
            if key == "command" or (isinstance(found, Suite) and key == "framework"):
                continue
            if isinstance(found, Suite) and key in OF_SUITES:
                self._set_of_suite(found, key, table, where)
            else:
                self._set(found, key, value, f"{where}.{key}", shared=False)
        return found

    def _choice(
        self, table: dict[str, Any], where: str, key: str, choices: Iterable[str]
    ) -> str:
        """One of these words; '' if the key is not there."""
        value = table.get(key, "")
        if key in table and (not isinstance(value, str) or value not in choices):
            raise self._wrong(f"{where}.{key}", f"is none of {', '.join(choices)}")
        return str(value)

    def _set_of_suite(
        self, suite: Suite, key: str, table: dict[str, Any], where: str
    ) -> None:
        if key == "repeat":
            suite.repeat = self._choice(table, where, key, REPEATS)
        elif key == "select":
            suite.select = self._template(table[key], f"{where}.{key}", ("{}",))
            suite.sees = BEHIND_FILE
        elif key == "shard":
            suite.shard = self._template(table[key], f"{where}.{key}", ("{i}", "{n}"))
        else:
            rules = self._table(table[key], f"{where}.{key}")
            for pattern, said in rules.items():
                suite.rules.append(self._rule(pattern, said, f"{where}.{key}.{pattern}"))

    def _template(
        self, words: Any, where: str, places: Sequence[str]
    ) -> list[str]:
        """Words for a framework, in which something is put in later."""
        if isinstance(words, str):
            words = _split(words, f"{self._path}: {where}")
        for place in places:
            if self._words(words, where) and not any(place in word for word in words):
                raise self._wrong(where, f"has no {place}, where something goes")
        return self._words(words, where)

    def _rule(self, pattern: str, table: Any, where: str) -> Rule:
        """Keys of benchmarks of a suite; the patterns are told later, if none matches."""
        table = self._table(table, where)
        unknown = [key for key in table if key not in OF_RULES]
        if unknown:
            known = ", ".join(OF_RULES)
            what = f"is no key here; there are {known}"
            raise self._wrong(f"{where}.{unknown[0]}", what)
        said = Benchmark("", [], self._path)
        for key, value in table.items():
            self._set(said, key, value, f"{where}.{key}", shared=False)
        scopes = [scope for key, scope in LIMITS.items() if key in table]
        return Rule(pattern, said.limits, scopes, said.events)

    def _set(
        self, into: Benchmark, key: str, value: Any, where: str, shared: bool
    ) -> None:
        """Lists of the table [gate] hold for all benchmarks, whose own come on top."""
        lists = {"options": into.options, "toggle": into.toggles,
                 "keep-env": into.keep_env, "events": into.events}  # fmt: skip
        if key in lists:
            lists[key] += self._words(value, where)
        elif key in LIMITS:
            self._set_limits(into, LIMITS[key], self._words(value, where), where, shared)
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
            known = (*KEYS, *OF_SUITES) if isinstance(into, Suite) else KEYS
            raise self._wrong(where, f"is no key; there are {', '.join(known)}")

    def _set_limits(
        self, into: Benchmark, scope: str, texts: list[str], where: str, shared: bool
    ) -> None:
        """A benchmark's own limits take the place of those for all."""
        if not shared:
            into.limits = [each for each in into.limits if each.scope != scope]
        for text in texts:
            try:
                into.limits.append(parse_gate_limit(scope, text))
            except ValueError as error:
                raise self._wrong(where, str(error)) from None

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
