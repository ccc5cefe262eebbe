# SPDX-License-Identifier: GPL-2.0-or-later
#
# The list of what does not conserve, or is not counted, for a good reason.
#
# Owns: the form of exceptions.ini, and which finding an entry covers.  An entry without a
# reason is an error, and so is one that covers nothing in all the programs it is for.
# Lists for other rules have the same form (tests/runtimes/).

"""Read and apply the list of exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Iterable, Optional

from tests.differential.ini_sections import IniError, read_sections

COUNT_RULES = ("call", "jump", "start", "site")
RULES = ("root", *COUNT_RULES)
KNOWN_KEYS = {"rules", "match", "programs", "reason", "sometimes"}
REQUIRED_KEYS = {"rules", "match", "reason"}


class ExceptionListError(Exception):
    """exceptions.ini is not what it should be."""


@dataclass(frozen=True)
class Listed:
    """One entry: what, where, and why."""

    name: str
    rules: tuple[str, ...]
    match: tuple[str, ...]
    programs: tuple[str, ...]
    reason: str
    # Why some runs have nothing that it covers; empty: each has.
    sometimes: str = ""

    def is_for(self, program: str) -> bool:
        return any(fnmatchcase(program, pattern) for pattern in self.programs)

    def matching(self, program: str, rule: str, name: str) -> Optional[str]:
        """The first of its patterns that covers a finding."""
        if rule not in self.rules or not self.is_for(program):
            return None
        for pattern in self.match:
            if fnmatchcase(name, pattern):
                return pattern
        return None


# An entry's name and one of its patterns: each pattern has to be of use.
Use = tuple[str, str]


def use_for(
    listed: Iterable[Listed], program: str, rule: str, name: str
) -> Optional[Use]:
    """The entry and pattern that cover a finding."""
    for entry in listed:
        pattern = entry.matching(program, rule, name)
        if pattern is not None:
            return entry.name, pattern
    return None


def unused(listed: Iterable[Listed], uses: set[Use], programs: set[str]) -> list[Use]:
    """What covers nothing, though a program that it is for was run in full.

    Where an entry names programs by a pattern, all those that ran count together; where
    none of them ran, nothing is known.
    """
    return [
        (entry.name, pattern)
        for entry in listed
        if not entry.sometimes and any(entry.is_for(program) for program in programs)
        for pattern in entry.match
        if (entry.name, pattern) not in uses
    ]


def read_exceptions(path: Path, rules: tuple[str, ...] = RULES) -> list[Listed]:
    try:
        sections = read_sections(path)
    except IniError as error:
        raise ExceptionListError(str(error)) from error
    return [_entry(path, name, keys, rules) for name, keys in sections]


def _entry(
    path: Path, name: str, keys: dict[str, str], all_rules: tuple[str, ...]
) -> Listed:
    place = f"{path}: [{name}]"
    given = {key for key, value in keys.items() if value.strip()}
    missing = sorted(REQUIRED_KEYS - given)
    if missing:
        raise ExceptionListError(f"{place}: {', '.join(missing)} is missing: add it")
    unknown = sorted(keys.keys() - KNOWN_KEYS)
    if unknown:
        raise ExceptionListError(f"{place}: {', '.join(unknown)}: no such key")
    rules = tuple(keys["rules"].split())
    if not set(rules) <= set(all_rules):
        raise ExceptionListError(f"{place}: rules are {' '.join(all_rules)}")
    return Listed(
        name,
        rules,
        tuple(line.strip() for line in keys["match"].splitlines() if line.strip()),
        tuple(keys.get("programs", "*").split()),
        " ".join(keys["reason"].split()),
        " ".join(keys.get("sometimes", "").split()),
    )
