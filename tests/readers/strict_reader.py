# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reads a profile as the strictest programs do that are known to read callgrind's, and
# stops at what those stop at.  No copy of any of them: it holds what they demand of a
# file.
#
#    strict_benchmark()   gungraun (once iai-callgrind): one part with one header, known
#                         keys and events only, no derived events
#    strict_flame_graph() an importer of flame graphs, as speedscope: a line is a header,
#                         an assignment or costs; `calls=` is followed by its costs; names
#                         are defined before they are used; parts may follow each other
#
# Owns: these demands.  Shares no code with callgrind/report.

"""Two strict readers of callgrind profiles."""

from __future__ import annotations

import collections
import re
from dataclasses import dataclass, field
from typing import Iterable, Optional

BENCHMARK_KEYS = set(
    "ob fl fn fi fe cob cfi cfl cfn calls jump jcnd jfi jfn".split()
)
BENCHMARK_EVENTS = set(
    "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim Ge sysCount sysTime"
    " sysCpuTime AcCost1 SpLoss1 AcCost2 SpLoss2 ILdmr DLdmr DLdmw Ct Cl Cy".split()
)
BENCHMARK_HEADERS = set(
    "version creator pid cmd part thread desc positions events summary totals".split()
)
FLAME_GRAPH_KEYS = set("fe fi fl fn ob cfn cfi cfl cob calls".split())

NAME_KINDS = {
    "ob": "object", "cob": "object",
    "fl": "file", "fi": "file", "fe": "file", "cfi": "file", "cfl": "file", "jfi": "file",
    "fn": "function", "cfn": "function", "jfn": "function",
}  # fmt: skip

HEADER = re.compile(r"([a-z]+): ?(.*)")
ASSIGNMENT = re.compile(r"([a-z]+)=(.*)")
NUMBER = r"(?:0x[0-9a-f]+|\d+)"
COSTS = re.compile(rf"(?:[+-]?{NUMBER}|\*)(?: (?:[+-]?{NUMBER}|\*))*")
COMPRESSED = re.compile(r"\((\d+)\)(?: (.*))?")


class StrictError(Exception):
    """A line that such a reader stops at."""


@dataclass
class Costs:
    """What a reader makes of a file."""

    events: list[str] = field(default_factory=list)
    self_costs: collections.Counter[str] = field(default_factory=collections.Counter)
    calls: collections.Counter[tuple[str, str]] = field(
        default_factory=collections.Counter
    )
    total: int = 0


class _Reader:
    """What both have in common: lines, names, and what costs belong to."""

    def __init__(self, keys: Optional[set[str]], headers: Optional[set[str]]) -> None:
        self.keys = keys
        self.headers = headers
        self.costs = Costs()
        self.names: dict[tuple[str, str], str] = {}
        self.n_positions = 1
        self.function = ""
        self.callee = ""
        self.call_count = 0
        self.awaits_costs = False

    def read(self, lines: Iterable[str]) -> Costs:
        for number, line in enumerate(lines, 1):
            try:
                self._line(line.rstrip("\n"))
            except StrictError as error:
                raise StrictError(f"line {number}: {error}: {line!r}") from None
        if self.awaits_costs:
            raise StrictError("calls= is the last line")
        return self.costs

    def _line(self, line: str) -> None:
        if not line or line.startswith("#"):
            return
        if COSTS.fullmatch(line):
            self._costs(line.split(" "))
            return
        if self.awaits_costs:
            raise StrictError("calls= is not followed by its costs")
        assignment = ASSIGNMENT.fullmatch(line)
        header = HEADER.fullmatch(line)
        if assignment:
            self._assignment(*assignment.groups())
        elif header:
            self._header(*header.groups())
        else:
            raise StrictError("neither a header nor an assignment nor costs")

    def _header(self, key: str, value: str) -> None:
        if self.headers is not None and key not in self.headers:
            raise StrictError(f"unknown header {key}")
        if key == "events":
            self.costs.events = value.split()
        elif key == "positions":
            self.n_positions = len(value.split())
        elif key == "totals":
            self.costs.total += int(value.split()[0])

    def _assignment(self, key: str, value: str) -> None:
        if self.keys is not None and key not in self.keys:
            raise StrictError(f"unknown key {key}")
        if key == "calls":
            self.call_count = int(value.split()[0])
            self.awaits_costs = True
        elif key in NAME_KINDS:
            name = self._name(NAME_KINDS[key], value)
            if key == "fn":
                self.function = name
            elif key == "cfn":
                self.callee = name

    def _name(self, kind: str, value: str) -> str:
        compressed = COMPRESSED.fullmatch(value)
        if compressed is None:
            return value
        number, name = compressed.groups()
        if name is not None:
            self.names[kind, number] = name
        elif (kind, number) not in self.names:
            raise StrictError(f"{kind} ({number}) is not defined")
        return self.names[kind, number]

    def _costs(self, words: list[str]) -> None:
        counts = words[self.n_positions :]
        if not self.function:
            raise StrictError("costs outside of a function")
        if len(words) < self.n_positions or len(counts) > len(self.costs.events):
            raise StrictError("more or fewer numbers than positions and events")
        if self.awaits_costs:
            self.awaits_costs = False
            self.costs.calls[self.function, self.callee] += self.call_count
        elif counts:
            self.costs.self_costs[self.function] += int(counts[0])


class _BenchmarkReader(_Reader):
    """One header per file: a second one is that of another benchmark."""

    def __init__(self) -> None:
        super().__init__(BENCHMARK_KEYS, BENCHMARK_HEADERS)
        self.seen: set[str] = set()

    def _header(self, key: str, value: str) -> None:
        if key != "desc" and key in self.seen:
            raise StrictError(f"a second {key}:")
        self.seen.add(key)
        if key == "events":
            unknown = set(value.split()) - BENCHMARK_EVENTS
            if unknown:
                raise StrictError(f"unknown event {sorted(unknown)[0]}")
        super()._header(key, value)


def strict_benchmark(text: str) -> Costs:
    lines = text.splitlines(keepends=True)
    if not lines or lines[0] != "# callgrind format\n":
        raise StrictError("line 1: not the format's first line")
    return _BenchmarkReader().read(lines)


def strict_flame_graph(text: str) -> Costs:
    return _Reader(FLAME_GRAPH_KEYS, None).read(text.splitlines(keepends=True))
