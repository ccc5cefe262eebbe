# SPDX-License-Identifier: GPL-2.0-or-later
#
# What git says of commits; every answer may be missing, where there is no git.
#
# Owns: which commit a run belongs to, and which stored run is its base.

"""Commits and their order."""

from __future__ import annotations

import subprocess
from typing import Optional, Sequence

from gate.run import COMMIT, Run

MOST_ANCESTORS = 10_000


def _ask(*words: str) -> Optional[str]:
    try:
        done = subprocess.run(
            ["git", *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def head() -> Optional[str]:
    """The commit that is checked out."""
    found = _ask("rev-parse", "--verify", "--quiet", "HEAD")
    return found if found and COMMIT.fullmatch(found) else None


def full_name(commit: str) -> str:
    """The whole name of a commit that may be a branch, a tag, or shortened."""
    name = f"{commit}^{{commit}}"
    return _ask("rev-parse", "--verify", "--quiet", "--end-of-options", name) or commit


def time_of(commit: str) -> Optional[int]:
    found = _ask("show", "-s", "--format=%ct", "--end-of-options", commit)
    return int(found) if found and found.isascii() and found.isdecimal() else None


def title_of(commit: str) -> str:
    return _ask("show", "-s", "--format=%s", "--end-of-options", commit) or ""


def ancestors(commit: str) -> list[str]:
    """The commit and what it was made of, the newest first."""
    words = ("rev-list", "--topo-order", f"--max-count={MOST_ANCESTORS}")
    return (_ask(*words, "--end-of-options", commit) or "").split()


def base_of(commit: str, stored: Sequence[str]) -> Optional[str]:
    """The nearest ancestor that is stored."""
    known = set(stored)
    return next((each for each in ancestors(commit) if each in known), None)


def in_order(runs: Sequence[Run]) -> list[Run]:
    """The oldest first: as git orders them, and by time where it does not know them."""
    newest = max(runs, key=lambda run: run.time).commit if runs else ""
    place = {name: -index for index, name in enumerate(ancestors(newest))} if runs else {}
    if all(run.commit in place for run in runs):
        return sorted(runs, key=lambda run: place[run.commit])
    return sorted(runs, key=lambda run: (run.time, run.commit))
