# SPDX-License-Identifier: GPL-2.0-or-later
#
# What source lines cost, and their text, for the page.
#
# Owns: which lines go into a page.  A tree knows functions; lines are in the callgrind
# profile of the same run, which the user names.  Sources are read only on request.

"""Source lines for a page."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence

from analysis.source_files import find_source
from export.error import ExportError
from profile_file.body import Detail
from profile_file.input_files import read_profiles
from profile_file.model import Profile
from tree_file.escape import unicode_text

MOST_LINES = 20_000  # the costliest, by share of the event in which they count most
MOST_TEXT = 20_000_000  # characters of all sources together

Lines = dict[tuple[str, int], list[int]]


@dataclass(frozen=True)
class LineOptions:
    """What the user has asked for."""

    profiles: Sequence[Path] = ()
    with_source: bool = False
    folders: Sequence[Path] = ()


def source_lines(options: LineOptions, names: Sequence[str]) -> Optional[dict[str, Any]]:
    """The lines of profiles that have these events; None where no profile is given."""
    if not options.profiles:
        return None
    costs: Lines = defaultdict(lambda: [0] * len(names))
    for profile in read_profiles(options.profiles, Detail.LINES, False):
        _add_profile(profile, names, costs)
    totals = [max(sum(column), 1) for column in zip(*costs.values())] or [1] * len(names)

    def rank(place: tuple[str, int]) -> float:
        return max(cost / total for cost, total in zip(costs[place], totals))

    kept = sorted((place for place in costs if any(costs[place])), key=rank, reverse=True)
    files: dict[str, int] = {}
    lines = [
        [files.setdefault(file, len(files)), line, *costs[file, line]]
        for file, line in kept[:MOST_LINES]
    ]
    return {
        "lines": lines,
        "leftOut": max(len(kept) - MOST_LINES, 0),
        "files": _files(list(files), options),
    }


def _add_profile(profile: Profile, names: Sequence[str], costs: Lines) -> None:
    for part in profile.parts:
        events = part.header.events
        missing = [name for name in names if name not in events]
        if missing:
            raise ExportError(
                f"{profile.path}: has no event {missing[0]}, as the tree has; name the "
                "profile of the same run, or events with --event"
            )
        chosen = [events.index(name) for name in names]
        for function in part.functions.values():
            for source, found in function.sources.items():
                for (_, line), cost in found.items():
                    sums = costs[source.file, line]
                    for place, event in enumerate(chosen):
                        sums[place] += cost[event]


def _files(names: Sequence[str], options: LineOptions) -> list[list[Any]]:
    """Of each file its name, its text or None, and whether it is newer than the profile.

    The costliest come first, so their texts are those that there is room for."""
    times = [path.stat().st_mtime for path in options.profiles if path.is_file()]
    room = MOST_TEXT
    found: list[list[Any]] = []
    for name in names:
        text, is_newer = None, False
        if options.with_source:
            source = find_source(name, options.folders, min(times, default=None))
            size = sum(map(len, source.lines)) if source else 0
            if source and not source.refused and size <= room:
                room -= size
                text, is_newer = list(map(unicode_text, source.lines)), source.is_newer
        found.append([unicode_text(name), text, is_newer])
    return found
