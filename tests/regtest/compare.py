# SPDX-License-Identifier: GPL-2.0-or-later
#
# Expected against actual output.  Owns: which files are alternatives of an expectation,
# what an absent one means, and which alternative a failure is explained with.

"""Comparing an output with its `.exp` alternatives."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Optional

LONGEST_DIFF = 400
LEFT_BY_EDITORS = ("~", ".orig", ".rej", ".swp", ".bak")


def alternatives(folder: Path, test_name: str, stream: str) -> list[Path]:
    """The expected outputs of a stream: NAME.STREAM.exp and all that begin like it."""
    stem = f"{test_name}.{stream}.exp"
    return sorted(
        path
        for path in folder.iterdir()
        if path.name.startswith(stem)
        and not path.name.endswith(LEFT_BY_EDITORS)
        and path.is_file()
    )


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


def compare(actual: Path, expectations: list[Path], stream: str) -> Optional[list[str]]:
    """None when the output is as one alternative wants it, else the shortest diff.

    Without any alternative the output has to be empty.
    """
    content = actual.read_bytes()
    wanted = [(path.name, path.read_bytes()) for path in expectations]
    if not wanted:
        wanted = [(f"(there is no .{stream}.exp file, so no output is expected)", b"")]
    if any(expected == content for _, expected in wanted):
        return None
    diffs = [_diff(expected, content, name, actual.name) for name, expected in wanted]
    shortest = min(diffs, key=len)
    hidden = len(shortest) - LONGEST_DIFF
    if hidden > 0:
        shortest[LONGEST_DIFF:] = [f"... {hidden} more lines of diff; see {actual}"]
    return shortest
