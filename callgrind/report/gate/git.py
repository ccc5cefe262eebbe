# SPDX-License-Identifier: GPL-2.0-or-later
#
# What git says of commits; every answer may be missing, where there is no git.
#
# Owns: which commit a run belongs to, what has changed since, and which stored run is its
# base.

"""Commits and their order."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Optional, Sequence

from gate.run import COMMIT, Run, without_changes

MOST_ANCESTORS = 10_000


def _ask(*words: str, raw: bool = False) -> Optional[str]:
    try:
        done = subprocess.run(
            ["git", *words],
            capture_output=True,
            text=True,
            errors="surrogateescape" if raw else "replace",
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError:
        return None
    if done.returncode != 0:
        return None
    return done.stdout if raw else done.stdout.strip()


def head() -> Optional[str]:
    """The commit that is checked out."""
    found = _ask("rev-parse", "--verify", "--quiet", "HEAD")
    return found if found and COMMIT.fullmatch(found) else None


def changed_files() -> list[Path]:
    """What git keeps and differs from the commit that is checked out, added files too."""
    top = _ask("rev-parse", "--show-toplevel")
    words = ("--no-optional-locks", "status", "--porcelain=v1", "-z", "--no-renames",
             "--untracked-files=no", "--ignore-submodules=untracked")  # fmt: skip
    # Of each: two letters and a blank, then the path from the top.
    found = (_ask(*words, raw=True) or "").split("\0") if top else []
    return [Path(top or "", line[3:]) for line in found if line]


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
    """The nearest ancestor that is stored; a changed work tree comes after its commit."""
    known = set(stored)
    found = ancestors(without_changes(commit))
    return next((each for each in found if each in known), None)


def in_order(runs: Sequence[Run]) -> list[Run]:
    """The oldest first: as git orders them, and by time where it does not know them."""
    newest = max(runs, key=lambda run: run.time).commit if runs else ""
    found = ancestors(without_changes(newest)) if runs else []
    place = {name: -index for index, name in enumerate(found)}
    if all(without_changes(run.commit) in place for run in runs):
        return sorted(runs, key=lambda r: (place[without_changes(r.commit)], r.commit))
    return sorted(runs, key=lambda run: (run.time, run.commit))
