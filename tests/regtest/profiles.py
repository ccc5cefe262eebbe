# SPDX-License-Identifier: GPL-2.0-or-later
#
# Finds the profiles and trees that a test has written and judges their form, whatever the
# test itself looks at.  Owns: which files are profiles or trees of ours, and which have
# been judged already.  Relies on tests/format/ for the judgement.

"""Check the form of every profile that a test leaves."""

from __future__ import annotations

import itertools
import stat
from pathlib import Path
from typing import Any, Callable, Iterable, Optional

from tests.format import tree_grammar
from tests.regtest.profile_query import breaches_of_form
from tests.regtest.remembered import State, state_of

Judge = Callable[[Path], Iterable[Any]]

# How files of ours begin, and who judges them.
JUDGES: dict[bytes, Judge] = {
    b"# callgrind format\nversion: 1\ncreator: callgrind-exact-":
        breaches_of_form,
    b"callgrind-tree 1\ncreator callgrind-exact ": tree_grammar.violations,
}
MOST_TOLD = 5


class ProfileWatch:
    """The files of a folder that come or change from now on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen = self._states()

    def _states(self) -> dict[Path, State]:
        found: dict[Path, State] = {}
        for path in sorted(self.folder.iterdir()):
            try:
                status = path.stat()
            except OSError:  # gone, or a link to nowhere
                continue
            if stat.S_ISREG(status.st_mode):
                found[path] = state_of(status)
        return found

    def breaches(self) -> list[str]:
        """What is wrong with the profiles written since the last time."""
        found: list[str] = []
        for path, state in self._states().items():
            if self.seen.get(path) == state:
                continue
            self.seen[path] = state
            violations = self._judge(path)
            if violations is not None:
                found += map(str, itertools.islice(violations(path), MOST_TOLD))
        return found

    @staticmethod
    def _judge(path: Path) -> Optional[Judge]:
        with open(path, "rb") as stream:
            start = stream.read(max(map(len, JUDGES)))
        for beginning, judge in JUDGES.items():
            if start.startswith(beginning):
                return judge
        return None
