# SPDX-License-Identifier: GPL-2.0-or-later
#
# What came of a comparison, and which comparisons need not be made again.
#
# A comparison is a function of the files that are compared and of the code that compares
# them.  Where all of these are, byte by byte, what they were when it passed, it passes.
# Our profiles are measured anew in every run; only reading and comparing them, which take
# longer than to measure them, are spared.
#
# Owns: the result of a comparison, and the files that say what has passed, one for each
# comparison that a test makes.  Relies on reuse.py: with CT_FRESH=1 all is compared.

"""Comparisons that have been made before."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Iterable, Optional

from tests.differential.comparison import Difference
from tests.differential.reuse import contents, is_fresh

SOURCE = Path(__file__).resolve().parents[2]
# All that reads and compares profiles.
CODE = ("tests/differential", "tests/format", "callgrind/report/console",
        "callgrind/report/profile_file", "callgrind/report/tree_file")  # fmt: skip


@dataclass
class Comparison:
    """What came of one case with one option set."""

    errors: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    explained: Counter[str] = field(default_factory=Counter)
    accepted: int = 0
    summary: str = ""

    @property
    def passed(self) -> bool:
        return not self.errors and not self.differences


@lru_cache(maxsize=None)
def code_digest() -> str:
    paths = sorted(path for name in CODE for path in (SOURCE / name).rglob("*.py"))
    told = [sys.version, *((str(path), contents(path)) for path in paths)]
    return hashlib.sha256(repr(told).encode()).hexdigest()


class Verdict:
    """That of one comparison, whose result follows from `what`."""

    def __init__(self, path: Path, what: Iterable[object]) -> None:
        self.path = path
        digest = hashlib.sha256(code_digest().encode())
        for each in what:
            digest.update(hashlib.sha256(repr(each).encode()).digest())
        self.digest = digest.hexdigest()

    def known(self) -> Optional[Comparison]:
        """The result, if it has passed before."""
        if is_fresh():
            return None
        try:
            said = json.loads(self.path.read_text(encoding="utf-8"))
            if said["digest"] != self.digest:
                return None
            return Comparison(
                explained=Counter(said["explained"]), summary=said["summary"]
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None  # none, or one that was not written to its end

    def keep(self, comparison: Comparison) -> None:
        """It has passed."""
        said = {
            "digest": self.digest,
            "explained": comparison.explained,
            "summary": comparison.summary,
        }
        new = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(json.dumps(said), encoding="utf-8")
            new.replace(self.path)
        except OSError:
            new.unlink(missing_ok=True)  # a full disk is no failed test
