# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of callgrind_export's formats have in common: the command run in a folder
# of its own, and the self costs by path that every format has to give back.

"""Run callgrind_export in tests."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from typing import Sequence

from callgrind_export import main
from tests.format.tree_examples import HOSTILE
from tree_file.escape import unescape, unicode_text

REPORT = Path(__file__).resolve().parent.parent
SCRIPT = REPORT / "callgrind_export.py"
Stack = tuple[str, ...]


class ExportCase(unittest.TestCase):
    """Runs the command in a folder of its own."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def file(self, content: bytes, name: str = "a.tree") -> str:
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def run_main(self, *arguments: str) -> tuple[int, str]:
        """The exit status and what was said."""
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            try:
                status = main(arguments)
            except SystemExit as left:
                status = int(left.code or 0)
        return status, errors.getvalue()

    def exported(self, *arguments: str) -> bytes:
        out = self.folder / "out"
        status, errors = self.run_main("-o", str(out), *arguments)
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(sorted(self.folder.glob(".callgrind*")), [])
        return out.read_bytes()


EXAMPLE_SELF: dict[Stack, list[int]] = {
    ("main",): [120, 0],
    ("main", "parse"): [900, 0],
    ("main", "parse", "skip_blanks"): [60, 0],
    ("main", "parse", "read"): [30, 4500],
    ("main", "read"): [10, 1500],
}
HOSTILE_SELF = {
    tuple(HOSTILE[: cost + 1]): [(cost + 1) * 3, 0, (cost + 1) * 2]
    for cost in range(len(HOSTILE))
}


def only(found: dict[Stack, list[int]], event: int) -> dict[Stack, int]:
    return {stack: costs[event] for stack, costs in found.items() if costs[event]}


def in_unicode(found: dict[Stack, int]) -> dict[Stack, int]:
    return {tuple(map(unicode_text, stack)): cost for stack, cost in found.items()}


def add(found: dict[Stack, int], stack: Sequence[str], cost: int) -> None:
    found[tuple(stack)] = found.get(tuple(stack), 0) + cost


def totals_of(content: bytes) -> list[int]:
    """From the last line of the file."""
    words = content.splitlines()[-1].split()
    return [int(word) for word in words[3:]]


def read_folded(text: bytes) -> dict[Stack, int]:
    """Self costs of folded stacks."""
    found: dict[Stack, int] = {}
    assert text.endswith(b"\n")
    for line in text[:-1].split(b"\n"):
        stack, _, cost = line.rpartition(b" ")
        add(found, [unescape(name) for name in stack.split(b";")], int(cost))
    return found
