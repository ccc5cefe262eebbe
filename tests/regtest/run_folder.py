# SPDX-License-Identifier: GPL-2.0-or-later
#
# The folder that one test runs in.  Owns: what is in it before the test and what stays
# after it, and the lock that keeps a second run of the same test out meanwhile.

"""A folder for one run of one test."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from fnmatch import fnmatchcase
from pathlib import Path
from types import TracebackType
from typing import Optional, Sequence

SUFFIX = ".run"
# What no test runs or reads: hidden files, folders of tests, object files, and profiles
# that somebody made there by hand.
LEFT_OUT = (".*", f"*{SUFFIX}", "*.o", "callgrind.out", "callgrind.out.*")


class RunFolder:
    """NAME.run in a folder of the build tree, with all that the folder of programs holds.

    Its files are there as hard links (symbolic ones where those cannot be), so a program
    finds itself, its libraries and the other programs beside it, as in the build folder,
    and whatever the test writes is apart from what others write.  What a test must not do
    is write into a program.
    """

    def __init__(self, build: Path, name: str, programs: Path) -> None:
        self.path = build / (name + SUFFIX)
        self._build = build
        self._programs = programs
        self._descriptor = -1

    def __enter__(self) -> RunFolder:
        """Make the folder, free it of what an earlier run left, and fill it."""
        self._build.mkdir(parents=True, exist_ok=True)
        self._lock()
        try:
            self._empty()
            entries = self._programs.iterdir() if self._programs.is_dir() else ()
            for entry in entries:
                if not any(fnmatchcase(entry.name, pattern) for pattern in LEFT_OUT):
                    self._link(entry)
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        os.close(self._descriptor)

    def clear(self, kept: Sequence[str] = ()) -> None:
        """Remove what the test left, except files of these patterns; without any of them
        in it, the folder too."""
        self._empty(kept)
        with contextlib.suppress(OSError):  # something is in it
            self.path.rmdir()

    def _lock(self) -> None:
        """Wait until no other run has the folder; the folder is what is locked."""
        while True:
            self.path.mkdir(exist_ok=True)
            try:
                self._descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
            except FileNotFoundError:  # the other run has removed it meanwhile
                continue
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX)
                # The other run may have removed it before the lock was had.
                if os.path.samestat(os.fstat(self._descriptor), self.path.stat()):
                    return
            except FileNotFoundError:
                pass
            except BaseException:  # the waiting was interrupted
                os.close(self._descriptor)
                raise
            os.close(self._descriptor)

    def _empty(self, kept: Sequence[str] = ()) -> None:
        """Remove what can be removed: what cannot, such as a file system that an earlier
        run has mounted there, is left to the test's `prereq`."""
        for entry in self.path.iterdir():
            if any(fnmatchcase(entry.name, pattern) for pattern in kept):
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    entry.unlink()

    def _link(self, entry: Path) -> None:
        link = self.path / entry.name
        with contextlib.suppress(FileExistsError):  # what could not be removed
            if entry.is_dir() and not entry.is_symlink():
                link.symlink_to(entry)
                return
            try:
                os.link(entry, link, follow_symlinks=False)
            except FileExistsError:
                raise
            except OSError:  # the system has none, or not to other people's files
                link.symlink_to(entry)
