# SPDX-License-Identifier: GPL-2.0-or-later
#
# In which surroundings two sets of profiles were measured, and what differs.
#
# Owns: which `desc:` lines tell of surroundings, and which events each of them can move
# although the program is the same.  The tool writes them with --steady=yes
# (callgrind/surroundings/description.c); the shapes of caches are in every profile.

"""Differences between the surroundings of profiles."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Callable, Optional, Sequence

from profile_file.model import PartHeader, Profile, unique

Moves = Callable[[str], bool]

# Counted by instruction: no cache has a part in them.
WITHOUT_CACHES = re.compile(r"Ir|Dr|Dw|Bc|Bcm|Bi|Bim|Ge|sys\w+")
# Where code is has no part in them.
WHEREVER_CODE_IS = re.compile(r"Ir|Dr|Dw|D1m[rw]|Bc|Bi|Ge|sys\w+")
# Not of the last level: what misses in either first level changes what that holds.
INSTRUCTION_MISSES = re.compile(r"I1mr")
DATA_MISSES = re.compile(r"D1m[rw]")
LAST_LEVEL_MISSES = re.compile(r"[ID]L\w*")
FIRST_LEVEL = re.compile(r"[ID]1\w*")


def _any(event: str) -> bool:
    return True


def _of_caches(event: str) -> bool:
    return not WITHOUT_CACHES.fullmatch(event)


def _of_code_cache(event: str) -> bool:
    return _of_caches(event) and not DATA_MISSES.fullmatch(event)


def _of_data_cache(event: str) -> bool:
    return _of_caches(event) and not INSTRUCTION_MISSES.fullmatch(event)


def _of_last_level(event: str) -> bool:
    return _of_caches(event) and not FIRST_LEVEL.fullmatch(event)


def _of_code_layout(event: str) -> bool:
    return not WHEREVER_CODE_IS.fullmatch(event)


# By the name of the `desc:` line, in the order in which differences are told.
MOVES: dict[str, Moves] = {
    "Steady": _any,
    "Core": _any,
    "Tool": _any,
    "Guest CPU": _any,
    "Processors": _any,
    "Threads": _any,
    "Clock": _any,
    "libc build id": _any,
    "Kernel": _any,
    "Environment": _any,
    "Arguments": _any,
    "Program path": _any,
    "Working folder": _any,
    "Stack begins at": _of_caches,
    "I1 cache": _of_code_cache,
    "D1 cache": _of_data_cache,
    "LL cache": _of_last_level,
    "Layout": _of_code_layout,
}
# One side alone says these, and with that what the other does not say.
TOLD_OF_ONE = ("Steady", "Layout")

# What is not derived from a `desc:` line.
CREATOR = "Creator"
COMMAND = "Command"

SURROUNDINGS = (*MOVES, CREATOR, COMMAND)

# Without these on both sides the events of caches are counts of different things.
SIMULATED = ("I1 cache", "D1 cache", "LL cache")


def can_move(name: str, event: str) -> bool:
    """Whether what a `desc:` line names can move an event although the program is the
    same; what is not known here can move all."""
    return MOVES.get(name, _any)(event)


@dataclass(frozen=True)
class SurroundingsDifference:
    """One thing that differs; a side that does not say is ''."""

    name: str
    old: str
    new: str
    events: tuple[str, ...]  # of those compared, that it can move


def surroundings_differences(
    old: Sequence[Profile], new: Sequence[Profile], events: Sequence[str]
) -> list[SurroundingsDifference]:
    """What differs, and can move one of `events`.

    What only one side says is told only of Steady and Layout: the other was measured
    without it, and that says all."""
    old_facts, new_facts = facts(old), facts(new)
    found = []
    for name in SURROUNDINGS:
        was, became = old_facts.get(name, ""), new_facts.get(name, "")
        is_told = bool(was and became) or (name in TOLD_OF_ONE and _say_who(old, new))
        movable = tuple(event for event in events if can_move(name, event))
        if was != became and is_told and movable:
            found.append(SurroundingsDifference(name, was, became, movable))
    return found


def _say_who(old: Sequence[Profile], new: Sequence[Profile]) -> bool:
    """True if each side says what has written it: both are whole profiles."""
    return all(
        any(part.header.creator for profile in side for part in profile.parts)
        for side in (old, new)
    )


def facts(profiles: Sequence[Profile]) -> dict[str, str]:
    """What the profiles say; several values of one thing are joined."""
    found: dict[str, list[str]] = {}
    for profile in profiles:
        for part in profile.parts:
            for name, value in _facts_of(part.header):
                found.setdefault(name, []).append(value)
    return {name: ", ".join(unique(values)) for name, values in found.items()}


def _facts_of(header: PartHeader) -> list[tuple[str, str]]:
    told = [pair for pair in header.descriptions if pair[0] in MOVES and pair[1]]
    if header.creator and not header.description("Tool"):
        told.append((CREATOR, header.creator))
    command = _command(header.command)
    if command is not None:
        told.append((COMMAND, command))
    return told


def _command(text: str) -> Optional[str]:
    """The command line; of the program only its name: builds lie in various folders."""
    program, _, arguments = text.strip().partition(" ")
    if not program:
        return None
    return " ".join([os.path.basename(program), arguments]).strip()
