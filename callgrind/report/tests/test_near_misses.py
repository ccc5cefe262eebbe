# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the Python commands say of a misspelt option, command or format.

"""A near miss is told with what was meant."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

REPORT = Path(__file__).resolve().parent.parent


def said(command: str, *words: str) -> str:
    done = subprocess.run([sys.executable, REPORT / f"callgrind_{command}.py", *words],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


class NearMisses(unittest.TestCase):
    def test_what_was_meant_is_named(self) -> None:
        for command, words, meant in (
            ("report", ["--dif", "old", "new"], "--diff"),
            ("report", ["--fail-abov=1%", "profile"], "--fail-above"),
            ("export", ["--to", "html", "--timline=x", "tree"], "--timeline"),
            ("export", ["--to", "htlm", "tree"], "html"),
            ("gate", ["compre", "baseline"], "compare"),
            ("gate", ["compare", "--alow-missing", "baseline"], "--allow-missing"),
        ):
            self.assertIn(f"; did you mean {meant}?; see ", said(command, *words), words)

    def test_what_is_like_nothing_is_only_told(self) -> None:
        for command, words in (("report", ["--zzz", "profile"]),
                               ("export", ["--to", "zzz", "tree"])):
            self.assertNotIn("did you mean", said(command, *words))
