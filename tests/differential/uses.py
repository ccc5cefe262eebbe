# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which entries of a list of exceptions were of use, over all tests of one run of pytest,
# which may go on in several processes.
#
# Owns: a folder of notes, one for each test that has ended.  The test that ends last
# finds the notes of all others, and can say what was of no use to any of them.

"""Find entries that cover nothing in a full run."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import time
from pathlib import Path
from typing import Iterable, Optional

import pytest

FORGOTTEN_AFTER = 24 * 3600.0  # seconds: notes of runs that were interrupted


class Uses:
    """The notes of one run about the entries of one list."""

    def __init__(self, folder: Path, config: pytest.Config) -> None:
        worker = getattr(config, "workerinput", None)
        # One in all processes of a run, and in no other run.
        name = worker["testrunuid"] if worker else f"{os.getpid()}-{id(config)}"
        self.folder: Path = folder / str(name)
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            if old.stat().st_mtime < time.time() - FORGOTTEN_AFTER:
                shutil.rmtree(old, ignore_errors=True)
        self.folder.mkdir(exist_ok=True)

    def add(
        self, test: str, uses: Optional[Iterable[str]], tests: Iterable[str]
    ) -> Optional[dict[str, list[str]]]:
        """Notes that a test has ended, and what was of use to it; None if it was skipped.

        If it was the last of `tests`: the uses of each that was not skipped."""
        lock = self.folder.with_suffix(".lock")
        with open(lock, "w", encoding="ascii") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            noted = None if uses is None else sorted(uses)
            self._note(test).write_text(json.dumps(noted), encoding="utf-8")
            notes = {name: self._note(name) for name in tests}
            if not all(path.exists() for path in notes.values()):
                return None
            found = {
                name: json.loads(path.read_text(encoding="utf-8"))
                for name, path in notes.items()
            }
            lock.unlink()
            shutil.rmtree(self.folder, ignore_errors=True)
        return {name: used for name, used in found.items() if used is not None}

    def _note(self, test: str) -> Path:
        return self.folder / hashlib.sha256(test.encode()).hexdigest()[:24]
