# SPDX-License-Identifier: GPL-2.0-or-later
#
# Expected against actual output.  Owns: how a difference is shown, and which alternative
# it is shown with.

"""Comparing an output with what is expected."""

from __future__ import annotations

import difflib
from typing import Optional, Sequence

LONGEST_DIFF = 400


def _lines(content: bytes) -> list[str]:
    """Lines for a diff: nothing but a newline ends one, and no byte is lost."""
    text = content.decode("utf-8", errors="backslashreplace")
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return [line for line in lines if line]


def _diff(
    expected: bytes, actual: bytes, expected_name: str, actual_name: str
) -> list[str]:
    result: list[str] = []
    for line in difflib.unified_diff(
        _lines(expected), _lines(actual), expected_name, actual_name
    ):
        result.append(line.rstrip("\n"))
        if not line.endswith("\n"):
            result.append("\\ No newline at end of file")
    # Bytes that differ though their readable forms do not.
    return result or [f"{expected_name} and {actual_name} differ in undecodable bytes"]


def compare(
    actual: bytes, alternatives: Sequence[bytes], expected_name: str, actual_name: str
) -> Optional[list[str]]:
    """None when the output is as one alternative wants it, else the shortest diff."""
    if actual in alternatives:
        return None
    diffs = [_diff(wanted, actual, expected_name, actual_name) for wanted in alternatives]
    shortest = min(diffs, key=len)
    hidden = len(shortest) - LONGEST_DIFF
    if hidden > 0:
        shortest[LONGEST_DIFF:] = [f"... {hidden} more lines of diff"]
    return shortest
