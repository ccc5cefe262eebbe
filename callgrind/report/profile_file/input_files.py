# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which profiles a report is about, and reading them.
#
# Owns: which files a folder means, and no name at all; the progress line for large files.
# Relies on reader.py.

"""Find and read the profiles of a report."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional, Sequence

from profile_file.model import Profile
from profile_file.reader import Detail, ProfileError, read_profile

# As the tool names what it writes: callgrind.out.PID[.PART][-THREAD].
PROFILE_NAME = re.compile(r"(callgrind\.out\.[0-9]+(?:\.[0-9]+)?)(-[0-9]+)?")

PROGRESS_FROM_BYTES = 8_000_000  # smaller files are read in a moment
SECONDS_PER_PROGRESS = 0.2


class ChoiceError(Exception):
    """There is no file to report about; the message says why."""


@dataclass(frozen=True)
class Choice:
    """Files, and how they came to be chosen, where the user has not named them."""

    paths: tuple[Path, ...]
    reason: str = ""


def profiles_in(folder: Path) -> list[Path]:
    """The files in a folder that are named as profiles are and are not empty."""
    try:
        found = [path for path in folder.iterdir() if PROFILE_NAME.fullmatch(path.name)]
        return sorted(path for path in found if path.is_file() and path.stat().st_size)
    except OSError as error:
        raise ChoiceError(f"{folder}: {error.strerror}") from None


def newest_profile(folder: Path) -> Choice:
    """The profile written last; one dump for each thread is one profile."""
    found = profiles_in(folder)
    if not found:
        raise ChoiceError(
            "no callgrind.out.* in this folder; name a profile, or make one with "
            "valgrind --tool=callgrind PROGRAM"
        )
    newest = max(found, key=lambda path: (path.stat().st_mtime_ns, path.name))
    match = PROFILE_NAME.fullmatch(newest.name)
    assert match is not None
    if match.group(2) is None:
        return Choice((newest,), "the newest here")
    threads = [
        path
        for path in found
        if re.fullmatch(re.escape(match.group(1)) + "-[0-9]+", path.name)
    ]
    return Choice(tuple(threads), f"the newest here, {len(threads)} threads")


def named_profiles(names: Sequence[Path]) -> Choice:
    """The files that names on the command line mean: a folder is all profiles in it."""
    paths: list[Path] = []
    for name in names:
        if name.is_dir():
            inside = profiles_in(name)
            if not inside:
                raise ChoiceError(f"{name}: no callgrind.out.* in this folder")
            paths += inside
        else:
            paths.append(name)
    return Choice(tuple(paths))


class Progress:
    """A line on the terminal that shows how much has been read; erased at the end."""

    def __init__(self, paths: Sequence[Path], shown: bool) -> None:
        sizes = [path.stat().st_size if path.is_file() else 0 for path in paths]
        self._whole = sum(sizes)
        self._shown = shown and self._whole >= PROGRESS_FROM_BYTES
        self._done = 0  # in the files before this one
        self._last = 0
        self._next = time.monotonic() + SECONDS_PER_PROGRESS
        self._width = 0

    def callback(self, path: Path) -> Optional[Callable[[int], None]]:
        self._done, self._last = self._done + self._last, 0
        if not self._shown:
            return None

        def show(read: int) -> None:
            self._last = read
            now = time.monotonic()
            if now >= self._next:
                self._next = now + SECONDS_PER_PROGRESS
                self._show(path, self._done + read)

        return show

    def _show(self, path: Path, read: int) -> None:
        percent = min(100, 100 * read // self._whole)
        text = f"reading {path.name}: {percent}% of {self._whole / 1e6:.0f} MB"
        self._width = max(self._width, len(text))
        sys.stderr.write(f"\r{text:<{self._width}}")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._width:
            sys.stderr.write(f"\r{' ' * self._width}\r")
            sys.stderr.flush()
            self._width = 0


def read_profiles(paths: Sequence[Path], detail: Detail, progress: bool) -> list[Profile]:
    """Read files one after the other.  The same file twice would count twice: refused."""
    seen: dict[tuple[int, int], Path] = {}
    for path in paths:
        if path.is_file():
            status = path.stat()
            identity = (status.st_dev, status.st_ino)
            if identity in seen:
                raise ChoiceError(f"{path}: is the same file as {seen[identity]}")
            seen[identity] = path
    watch = Progress(paths, progress)
    try:
        return [read_profile(path, detail, watch.callback(path)) for path in paths]
    finally:
        watch.clear()


__all__ = [
    "Choice",
    "ChoiceError",
    "ProfileError",
    "named_profiles",
    "newest_profile",
    "profiles_in",
    "read_profiles",
]
