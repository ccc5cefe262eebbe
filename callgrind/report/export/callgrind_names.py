# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names as a callgrind profile has them.
#
# Owns: what every reader takes for a name.  Readers take `(1)` for the number of a name
# that was written before, so a name that looks like one is written behind a number of its
# own, as callgrind does; all others are written in full.  Of events readers know letters
# and digits.

"""Names of functions, files, objects and events in a callgrind profile."""

from __future__ import annotations

import re
from typing import Iterable

from export.error import ExportError

LOOKS_COMPRESSED = re.compile(rb"\([0-9]")
NOT_A_NAME = re.compile(r"[^A-Za-z0-9]")
KINDS = {"ob": "ob", "cob": "ob", "fl": "fl", "fi": "fl", "cfi": "fl", "fn": "fn",
         "cfn": "fn"}  # fmt: skip


class NameLines:
    """Lines that name something; for one file."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, bytes], int] = {}

    def line(self, key: str, name: bytes) -> bytes:
        """`key=name` with its line feed.  `name` is not empty and has no line feed."""
        return b"%s=%s\n" % (key.encode(), self._written(KINDS[key], name))

    def _written(self, kind: str, name: bytes) -> bytes:
        if not LOOKS_COMPRESSED.match(name):
            return name
        number = self._numbers.get((kind, name))
        if number is not None:
            return b"(%d)" % number
        self._numbers[kind, name] = number = len(self._numbers) + 1
        return b"(%d) %s" % (number, name)


def event_names(names: Iterable[str]) -> list[str]:
    found = [NOT_A_NAME.sub("", name) for name in names]
    if "" in found or len(set(found)) != len(found):
        raise ExportError("these events cannot be told apart in a callgrind profile; "
                          "name one with --event")
    return found
