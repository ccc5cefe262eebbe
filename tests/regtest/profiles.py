# SPDX-License-Identifier: GPL-2.0-or-later
#
# Finds the profiles that a test has written and judges their form, whatever the test
# itself looks at.  Owns: which files are profiles of ours, and which have been judged
# already.  Relies on callgrind/report/profile_grammar.py for the judgement.

"""Check the form of every profile that a test leaves."""

from __future__ import annotations

import itertools
import stat
import sys
from pathlib import Path

REPORT = Path(__file__).resolve().parent.parent.parent / "callgrind" / "report"
sys.path.insert(0, str(REPORT))

from profile_grammar import violations  # noqa: E402

BEGINNING = b"# callgrind format\nversion: 1\ncreator: callgrind-exact-"
MOST_TOLD = 5


class ProfileWatch:
    """The files of a folder that come or change from now on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen = self._states()

    def _states(self) -> dict[Path, tuple[int, int, int]]:
        found: dict[Path, tuple[int, int, int]] = {}
        for path in sorted(self.folder.iterdir()):
            try:
                status = path.stat()
            except OSError:  # gone, or a link to nowhere
                continue
            if stat.S_ISREG(status.st_mode):
                found[path] = (status.st_ino, status.st_mtime_ns, status.st_size)
        return found

    def breaches(self) -> list[str]:
        """What is wrong with the profiles written since the last time."""
        found: list[str] = []
        for path, state in self._states().items():
            if self.seen.get(path) == state:
                continue
            self.seen[path] = state
            if self._is_profile(path):
                found += map(str, itertools.islice(violations(path), MOST_TOLD))
        return found

    @staticmethod
    def _is_profile(path: Path) -> bool:
        with open(path, "rb") as stream:
            return stream.read(len(BEGINNING)) == BEGINNING
