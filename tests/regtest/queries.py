# SPDX-License-Identifier: GPL-2.0-or-later
#
# Answers the `post:` lines that only ask profile_query or tree_query, without starting a
# process for each: a start of Python takes longer than most answers.  Owns: which
# commands these are.  A command that needs the shell is left to it.

"""Queries of regression tests, answered in the runner's own process."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional, Sequence

from tests.regtest import profile_query, timeline_query, tree_query

QUERIES: dict[str, Callable[[Sequence[str], Path], int]] = {
    "profile_query": profile_query.main,
    "timeline_query": timeline_query.main,
    "tree_query": tree_query.main,
}

# Words that a shell would take as they stand, and quoted ones.
PLAIN_WORDS = re.compile(r"(?:[\w./:,@%+=-]|'[^']*'|[ ])+", re.ASCII)


@dataclass(frozen=True)
class Query:
    """A command line of profile_query or tree_query."""

    name: str
    arguments: Sequence[str]

    def answer(self, folder: Path) -> tuple[int, str]:
        """The status and all output of the command, as if it was run in that folder."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                status = QUERIES[self.name](self.arguments, folder)
            except SystemExit as bad_usage:  # of argparse
                status = bad_usage.code if isinstance(bad_usage.code, int) else 2
        return status, output.getvalue()


def parse(command: str) -> Optional[Query]:
    """The query that a command is; None when it is anything else."""
    if PLAIN_WORDS.fullmatch(command) is None:
        return None
    name, *arguments = shlex.split(command)
    return Query(name, arguments) if name in QUERIES else None
