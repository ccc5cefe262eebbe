# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs a program without stored translations, while they are stored, and with them, and
# compares the profiles: for suites whose tests are to hold in each of these runs.
#
# Owns: the order of these runs, which files are compared, and what is said where they
# differ.  profile_bytes.py says what of a profile is of one run only.

"""Equal profiles without, with new and with old stored translations."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Callable, Iterable

from tests.differential.profile_bytes import content_of, different_files, first_difference

BEGINNINGS = (b"# callgrind format\n", b"callgrind-tree ")
# A program that differed with stored translations is run again until it has differed so
# often more, while it was always the same without them; at most so often in each way.
DIFFERING_RUNS = 4
MOST_ROUNDS = 20

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


def _differs_each_time(
    without: Files, run: Callable[[str], Files], none: str, snapshot: Path, place: Path
) -> bool:
    """Whether a program that differed once with stored translations does so because of
    them: it is run again, in turns without them and from the same store.

    What the kernel decides, as whose turn it is among threads, shows in either kind of
    run; which of them shows it first is chance.  What stored translations do shows each
    time that they are used.
    """
    differing = 0
    for _ in range(MOST_ROUNDS):
        if run(none) != without:
            return False
        shutil.rmtree(place)
        shutil.copytree(snapshot, place, symlinks=True)
        differing += run(f"--translation-cache={place}") != without
        if differing == DIFFERING_RUNS:
            return True
    return False


def compare_ways(run: Callable[[str], Files]) -> str:
    """Run a program in all three ways.

    run: runs it once, with one option of Valgrind's more, and returns its profiles;
    whatever it raises ends the comparison.  Where they are not the same, the program is
    run again in both ways: some are not the same each time, and there is nothing to
    compare.  Raises Differs; returns what was seen, for the log.
    """
    seen = []
    with tempfile.TemporaryDirectory(prefix="translations.") as name:
        # Where options are in the environment, all must be as long as ever.
        place, snapshot = Path(name, "used"), Path(name, "kept")
        place.mkdir(0o700)
        stored = f"--translation-cache={place}"
        none = "--translation-cache=no".ljust(len(stored))
        without = run(none)
        for way in ("stored", "used"):
            shutil.rmtree(snapshot, ignore_errors=True)
            shutil.copytree(place, snapshot, symlinks=True)
            before = _states(place)
            found = run(stored)
            names = different_files(without, found)
            if not names:
                continue
            if _differs_each_time(without, run, none, snapshot, place):
                where = first_difference(without, found, names[0]).strip()
                raise Differs(f"translations {way}: other profiles than without: {where}")
            seen.append("not the same each time")
            break
        else:
            seen.append(f"{len(without)} profiles the same")
            if not before:
                seen.append("nothing was stored")
            elif _states(place) != before:
                seen.append("the last run stored some more")
    return ", ".join(seen)
