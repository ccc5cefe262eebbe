# SPDX-License-Identifier: GPL-2.0-or-later
#
# What each source line costs, and what is called from it, over several files and parts.
#
# Owns: the sums by source line, and which source files are shown.  Code that was
# inlined belongs to the file and line that it came from.  Relies on profiles read with
# Detail.LINES, and on function_costs.py for what a call costs.

"""Costs of source lines."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Callable, Iterator, Optional, Sequence

from analysis.function_costs import CostError, FunctionCosts, smaller
from analysis.selection import is_above, pattern_of
from profile_file.model import (
    FunctionKey,
    FunctionProfile,
    Profile,
    Vector,
    add_vector,
    new_vector,
)


@dataclass
class LineCall:
    """The calls from one line to one function."""

    callee: FunctionKey
    count: int
    inclusive: Vector
    exact: bool


@dataclass
class LineCost:
    """One line of one source file."""

    self_cost: Vector
    calls: dict[FunctionKey, LineCall] = field(default_factory=dict)


@dataclass
class FileCost:
    """One source file, under the name that the profile has for it."""

    name: str
    self_cost: Vector
    lines: dict[int, LineCost] = field(default_factory=dict)


class LineCosts:
    """The lines of several profiles, for the events of `costs`."""

    def __init__(
        self,
        costs: FunctionCosts,
        key_of: Callable[[FunctionKey], FunctionKey],
        wanted: Optional[set[FunctionKey]] = None,
    ) -> None:
        """`key_of` gives a function's key in `costs`; `wanted` is None for all."""
        self.costs = costs
        self.files: dict[str, FileCost] = {}
        self._key_of = key_of
        self._wanted = wanted

    def add_files(self, profile: Profile) -> None:
        """The files with their sums; the lines of those that are shown come later."""
        for function, _, chosen in self._functions(profile):
            for source, sums in function.source_sums(chosen):
                add_vector(self._file(source.file).self_cost, sums)
            for name in function.calling_files():
                self._file(name)

    def add_lines(self, profile: Profile, names: set[str]) -> None:
        """The lines of the files of these names."""
        for function, caller, chosen in self._functions(profile):
            for name, number, cost in function.lines_in(names):
                vector = [cost[index] for index in chosen]
                add_vector(self._line(self._file(name), number).self_cost, vector)
            if names.isdisjoint(function.calling_files()):
                continue
            for arc in function.arcs.values():
                if arc.source.file in names:
                    line = self._line(self._file(arc.source.file), arc.site.line)
                    inclusive = [arc.inclusive[index] for index in chosen]
                    callee = self._key_of(arc.callee)
                    self._add_call(line, caller, callee, arc.count, inclusive)

    def _functions(
        self, profile: Profile
    ) -> Iterator[tuple[FunctionProfile, FunctionKey, list[int]]]:
        """The wanted ones, with their keys and the places of the events."""
        for part in profile.parts:
            chosen = [part.header.events.index(event) for event in self.costs.added_up]
            for key, function in part.functions.items():
                caller = self._key_of(key)
                if self._wanted is None or caller in self._wanted:
                    yield function, caller, chosen

    def _file(self, name: str) -> FileCost:
        file = self.files.get(name)
        if file is None:
            file = FileCost(name, new_vector(len(self.costs.added_up)))
            self.files[name] = file
        return file

    def _line(self, file: FileCost, number: int) -> LineCost:
        line = file.lines.get(number)
        if line is None:
            line = LineCost(new_vector(len(self.costs.added_up)))
            file.lines[number] = line
        return line

    def _add_call(
        self,
        line: LineCost,
        caller: FunctionKey,
        callee: FunctionKey,
        count: int,
        inclusive: Vector,
    ) -> None:
        bound, exact = self.costs.call_cost(self.costs.call(caller, callee))
        call = line.calls.get(callee)
        if call is None:
            line.calls[callee] = LineCall(callee, count, smaller(inclusive, bound), exact)
            return
        call.count += count
        add_vector(call.inclusive, inclusive)
        if not exact:
            call.exact = False
            call.inclusive = smaller(
                call.inclusive, self.costs.functions[callee].inclusive
            )


@dataclass
class FileList:
    """The source files to show, the costliest first, and what is left out."""

    shown: list[FileCost]
    left_out: int
    left_out_self: Vector


def file_list(
    lines: LineCosts, patterns: Sequence[str], limit: int, threshold: float
) -> FileList:
    """Files that a pattern matches, or else those above the threshold."""
    ranked = sorted(
        lines.files.values(), key=lambda file: (-file.self_cost[0], file.name)
    )
    if patterns:
        shown = []
        for pattern in patterns:
            found = [file for file in ranked if matches(file.name, pattern)]
            if not found:
                raise CostError(f"no source file is called {pattern!r}")
            shown += [file for file in found if file not in shown]
        return FileList(shown, 0, new_vector(len(lines.costs.added_up)))
    total = lines.costs.total[0]
    shown = [file for file in ranked if is_above(file.self_cost[0], total, threshold)]
    shown = shown[:limit] if limit else shown
    rest = new_vector(len(lines.costs.added_up))
    names = {file.name for file in shown}
    for file in ranked:
        if file.name not in names:
            add_vector(rest, file.self_cost)
    return FileList(shown, len(ranked) - len(shown), rest)


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern is a path, the end of one, or matches one."""
    expression = pattern_of(pattern)
    pieces = path.split(os.sep)
    ends = (os.sep.join(pieces[start:]) for start in range(len(pieces)))
    return any(expression.fullmatch(end) for end in (path, *ends))
