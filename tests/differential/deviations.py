# SPDX-License-Identifier: GPL-2.0-or-later
#
# The list of differences from the distribution's callgrind that are meant to be.
#
# Owns: the form of deviations.ini, and which difference an entry covers.  An entry
# without a reason is an error, and an entry that covers nothing is reported.

"""Read and apply the list of accepted deviations."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tests.differential.comparison import CATEGORIES, Difference
from tests.differential.ini_sections import IniError, read_sections

KNOWN_KEYS = {"what", "match", "cases", "options", "may", "reason", "chance"}
REQUIRED_KEYS = {"what", "match", "may", "reason"}


class DeviationError(Exception):
    """deviations.ini is not what it should be."""


@dataclass
class Deviation:
    """One entry: which items, where, how far, and why."""

    name: str
    what: list[str]
    match: list[str]
    cases: list[str]
    options: list[str]
    may: str
    reason: str
    chance: str  # why it may cover nothing; '' where it has to cover something
    used: int = 0

    def applies_to(self, case: str, options: str) -> bool:
        return any(fnmatchcase(case, pattern) for pattern in self.cases) and any(
            fnmatchcase(options, pattern) for pattern in self.options
        )

    def covers(self, difference: Difference) -> bool:
        return (
            difference.category in self.what
            and any(fnmatchcase(difference.name, pattern) for pattern in self.match)
            and self._permits(difference)
        )

    def _permits(self, difference: Difference) -> bool:
        if self.may == "missing":
            return difference.ours is None or not any(difference.ours)
        if self.may == "extra":
            return difference.stock is None or not any(difference.stock)
        if self.may.startswith("by "):
            return difference.largest <= int(self.may[3:])
        return True


def read_deviations(path: Path) -> list[Deviation]:
    try:
        sections = read_sections(path)
    except IniError as error:
        raise DeviationError(str(error)) from error
    return [_deviation(path, name, keys) for name, keys in sections]


def _deviation(path: Path, name: str, entry: dict[str, str]) -> Deviation:
    place = f"{path}: [{name}]"
    if REQUIRED_KEYS - entry.keys():
        raise DeviationError(
            f"{place} lacks {', '.join(sorted(REQUIRED_KEYS - entry.keys()))}"
        )
    if entry.keys() - KNOWN_KEYS:
        raise DeviationError(
            f"{place} has {', '.join(sorted(entry.keys() - KNOWN_KEYS))}, "
            f"which means nothing"
        )
    what = entry["what"].split()
    if not what or set(what) - set(CATEGORIES):
        raise DeviationError(
            f"{place} what = {entry['what']}, expected some of " f"{' '.join(CATEGORIES)}"
        )
    may = " ".join(entry["may"].split())
    if may not in ("differ", "missing", "extra") and not (
        may.startswith("by ") and may[3:].isdigit()
    ):
        raise DeviationError(
            f"{place} may = {may}, expected differ, missing, extra or by N"
        )
    if len(entry["reason"].split()) < 3:
        raise DeviationError(f"{place} gives no reason that a reader could judge")
    patterns = [line.strip() for line in entry["match"].splitlines() if line.strip()]
    if not patterns:
        raise DeviationError(f"{place} matches nothing")
    return Deviation(
        name,
        what,
        patterns,
        entry.get("cases", "*").split(),
        entry.get("options", "*").split(),
        may,
        entry["reason"],
        entry.get("chance", ""),
    )


def split_differences(
    differences: list[Difference], deviations: list[Deviation], case: str, options: str
) -> tuple[list[Difference], int]:
    """The differences that no entry covers, and how many were covered."""
    applicable = [entry for entry in deviations if entry.applies_to(case, options)]
    left = []
    for difference in differences:
        covering = [entry for entry in applicable if entry.covers(difference)]
        for entry in covering:
            entry.used += 1
        if not covering:
            left.append(difference)
    return left, len(differences) - len(left)
