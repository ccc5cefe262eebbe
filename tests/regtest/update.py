# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes what a test printed into its .vgtest file, as the expected output; see
# `vg_regtest --update`.  Owns: how expected output is written.  Relies on `description`
# for where it stands in the file.

"""Accept the outputs of a test."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping

from tests.regtest.description import Expectation

INDENTATION = "   "


def _written(output: bytes) -> list[bytes]:
    """The lines of expected output that stand for an output."""
    lines = output.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    begin = INDENTATION.encode() + b"|"
    return [begin + b" " + line if line else begin for line in lines]


def update(path: Path, printed: Mapping[Expectation, bytes]) -> None:
    """Replace the expected outputs that were not met.

    One with alternatives stays as it is: only its author knows which of them is out of
    date.  So does an output that the file does not name.
    """
    lines = path.read_bytes().split(b"\n")
    # From the end, so that the places of those before stay right.
    for expected in sorted(printed, key=lambda one: one.first, reverse=True):
        output = printed[expected]
        if len(expected.alternatives) == 1 and output not in expected.alternatives:
            lines[slice(expected.first, expected.end)] = _written(output)
    path.write_bytes(b"\n".join(lines))
