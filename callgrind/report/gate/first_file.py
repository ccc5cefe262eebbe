# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first gate.toml of a project.
#
# Owns: its text, with a comment for each key that people change, and how it is written: a
# file that is there is never replaced.  Relies on projects.py for what the project has.

"""Write a project's first file of benchmarks."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Sequence

from console.untrusted_text import printable
from gate.error import GateError
from gate.folder import Folder, open_folder
from gate.projects import FoundSuite, measured, obstacle, suites_of
from gate.settings import DEFAULT_FILE, is_name, toml_reader

HEAD = """\
# Benchmarks for callgrind_gate; docs/gate.md has all keys.
#
#    callgrind_gate run                  measures them, into gate-run/
#    callgrind_gate accept baseline      keeps that run, as what others are compared with
#    callgrind_gate compare baseline     judges the last run

[gate]
# By how much the cost of a benchmark may grow; without limits it is 1 %.
limits = ["Ir:1%"]
# Options of Valgrind for all of them: simulated caches, say.
#options = ["--cache-sim=yes"]
"""
TAIL = """\
# How many seconds all of them may take together.
#timeout = 600
# Limits of those whose names match; `callgrind_gate log gate-run` lists the names.
#[suites.{name}.benchmarks."*parse*"]
#limits = ["Ir:0.5%"]
#function-growth = ["parse*:2%"]
"""
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def write_first_file(path: Path) -> tuple[list[FoundSuite], list[FoundSuite]]:
    """Write gate.toml into a project's folder; the suites in it, and those that cannot be
    measured as they are.  GateError if there is nothing to write, or one is there."""
    toml_reader()  # a file that nobody can read would be of no use
    project = open_folder(path)
    if project is None:
        raise GateError(f"{path}: no such folder")
    try:
        if DEFAULT_FILE in project.names():
            raise _is_there(path)
        found = suites_of(project)
        suites = _named(measured(found))
        others = [suite for suite in found if not suite.framework]
        if not suites:
            raise GateError(
                obstacle(others[0]) if others else
                f"{path}: no suite of benchmarks is known here (docs/frameworks.md has "
                "those that are); [benchmarks.NAME] in a gate.toml takes any command "
                "(docs/gate.md)"
            )  # fmt: skip
        _write(project, path, first_text(suites, others))
        return suites, others
    finally:
        project.close()


def _write(project: Folder, path: Path, text: str) -> None:
    try:
        project.create(DEFAULT_FILE, text.encode("utf-8", "replace"))
    except FileExistsError:
        raise _is_there(path) from None


def _is_there(path: Path) -> GateError:
    return GateError(f"{path / DEFAULT_FILE}: is there already, and stays as it is; "
                     "remove it first, or name another folder")  # fmt: skip


def _named(suites: Sequence[FoundSuite]) -> list[FoundSuite]:
    """With names that differ, and are names."""
    found: list[FoundSuite] = []
    taken: set[str] = set()
    for suite in suites:
        wanted = suite.name if is_name(suite.name) else suite.framework
        name, number = wanted, 1
        while name in taken:
            number += 1
            name = f"{wanted}-{number}"
        taken.add(name)
        found.append(replace(suite, name=name))
    return found


def first_text(suites: Sequence[FoundSuite], others: Sequence[FoundSuite]) -> str:
    """The text of the file: a table for each suite, a comment for each of the others."""
    pieces = [HEAD]
    for suite in suites:
        name = suite.name if BARE_KEY.fullmatch(suite.name) else quoted(suite.name)
        lines = [f"# {printable(suite.source)} has {suite.what}."]
        if suite.first:
            lines.append(f"# Before: {suite.first}.")
        lines += [f"[suites.{name}]", f"command = {quoted(suite.command)}",
                  f"framework = {quoted(suite.framework)}"]  # fmt: skip
        pieces.append("\n".join(lines) + "\n" + TAIL.replace("{name}", name))
    pieces += [f"# Not measured: {printable(obstacle(suite))}.\n" for suite in others]
    return "\n".join(pieces)


def quoted(text: str) -> str:
    """A string as TOML has it, which is as JSON does, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
