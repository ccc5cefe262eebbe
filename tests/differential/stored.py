# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a program without stored translations, while they are stored, and with them, and
# compares the profiles: for suites whose tests are to hold in each of these runs.
#
# Owns: the order of these runs, which files are compared, and what is said where they
# differ.  profile_bytes.py says what of a profile is of one run only.

"""The same profiles without, with new and with old stored translations."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Callable, Iterable

from tests.differential.profile_bytes import content_of, different_files, first_difference

BEGINNINGS = (b"# callgrind format\n", b"callgrind-tree ")
# How often a program is run again to find out whether it is never the same twice.
MORE_RUNS = 5

Files = dict[str, bytes]


class Differs(Exception):
    """A profile is another one with stored translations; the text says where."""


def profiles_of(paths: Iterable[Path]) -> Files:
    """The profiles and trees among files; numbers of processes are not in their names."""
    found: dict[str, list[bytes]] = {}
    for path in sorted(paths):
        if not path.is_file() or path.is_symlink():
            continue
        with path.open("rb") as file:
            start = file.read(max(map(len, BEGINNINGS)))
        if start.startswith(BEGINNINGS):
            name = re.sub(r"\d{2,}", "N", path.name)
            found.setdefault(name, []).append(content_of(path))
    return {
        name if at == 0 else f"{name} ({at + 1})": content
        for name, contents in found.items()
        for at, content in enumerate(sorted(contents))
    }


def _states(folder: Path) -> set[tuple[str, int, int]]:
    """By which the files of a folder are known to be those of before."""
    return {
        (path.name, path.stat().st_ino, path.stat().st_size) for path in folder.iterdir()
    }


def _ever_differs(first: Files, again: Callable[[], Files]) -> bool:
    return any(again() != first for _ in range(MORE_RUNS))


def compare_ways(run: Callable[[str], Files]) -> str:
    """Run a program in all three ways.

    run: runs it once, with one option of Valgrind's more, and returns its profiles;
    whatever it raises ends the comparison.  Where they are not the same, the program is
    run again without stored translations: some are never the same twice, and there is
    nothing to compare.  Raises Differs; returns what was seen, for the log.
    """
    seen = []
    with tempfile.TemporaryDirectory(prefix="translations.") as name:
        folder = Path(name)
        stored = f"--translation-cache={folder}"
        # Where options are in the environment, this must be as long as ever.
        none = "--translation-cache=no".ljust(len(stored))
        without = run(none)
        before: set[tuple[str, int, int]] = set()
        for way in ("stored", "used"):
            before = _states(folder)
            found = run(stored)
            names = different_files(without, found)
            if not names:
                continue
            if not _ever_differs(without, lambda: run(none)):
                where = first_difference(without, found, names[0]).strip()
                raise Differs(f"translations {way}: other profiles than without: {where}")
            seen.append("never the same twice")
            break
        else:
            seen.append(f"{len(without)} profiles the same")
            if not before:
                seen.append("nothing was stored")
            elif _states(folder) != before:
                seen.append("the last run stored some more")
    return ", ".join(seen)
