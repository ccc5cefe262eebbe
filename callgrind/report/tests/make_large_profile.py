#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes a large callgrind profile of an imaginary program, to measure readers with.
#
#    make_large_profile.py [--megabytes N] [--kind KIND] [--seed N] FILE
#
# The mixture of lines is that of a real profile by line.  `interpreter`: of six lines one
# is a `calls=`, one the cost line of it, one the name of its callee.  `browser`: many
# more functions, of 160 lines with 13 calls, and three events.  The call graph has no
# cycles, and self costs add up to `totals:`; how often a function is called is drawn by
# lot.  Equal options write equal files.

"""Write a large callgrind profile of an imaginary program."""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass
from operator import add
from pathlib import Path
from typing import Optional, Sequence, TextIO

FUNCTIONS_PER_FILE = 12
FILES_PER_OBJECT = 40
REACH = 200  # a function calls some of so many behind it


@dataclass(frozen=True)
class Kind:
    """What the functions of a program are like."""

    lines: int
    call_every: int  # lines, of all lines
    events: tuple[str, ...]


KINDS = {
    "interpreter": Kind(360, 2, ("Ir",)),
    "browser": Kind(160, 13, ("Ir", "Dr", "Dw")),
}


class Program:
    """The functions written so far, the callees first, so that their costs are known."""

    def __init__(self, kind: Kind, seed: int) -> None:
        self.kind = kind
        self.random = random.Random(seed)
        self.inclusive: list[list[int]] = []
        self.total = [0] * len(kind.events)
        self.named: set[str] = set()

    def name(self, key: str, identifier: int, text: str) -> str:
        """`key=(id) text`, the text the first time only."""
        kind = {"cob": "ob", "cfi": "fl", "cfn": "fn"}.get(key, key)
        word = f"{kind}{identifier}"
        if word in self.named:
            return f"{key}=({identifier})\n"
        self.named.add(word)
        return f"{key}=({identifier}) {text}\n"

    def function(self) -> str:
        """The text of one more function, which calls earlier ones."""
        number = len(self.inclusive)
        file = number // FUNCTIONS_PER_FILE
        pieces = [
            "\n",
            self.name("ob", file // FILES_PER_OBJECT, f"/usr/lib/lib{file // 40}.so"),
            self.name("fl", file, f"/usr/src/source_{file}.c"),
            self.name("fn", number, f"function_{number}"),
            f"{self.random.randrange(1, 5000)} 1\n",
        ]
        inclusive = [0] * len(self.total)
        inclusive[0] = 1
        self.total[0] += 1
        for index in range(self.kind.lines):
            cost = self.line_cost()
            self.total = list(map(add, self.total, cost))
            inclusive = list(map(add, inclusive, cost))
            pieces.append(f"+{self.random.randrange(1, 9)} {words(cost)}\n")
            if number and index % self.kind.call_every == 0:
                callee = max(0, number - self.random.randrange(1, REACH))
                # Each call's cost is a small part of all that the callee costs.
                share = self.random.randrange(8, 12)
                cost = [value >> share for value in self.inclusive[callee]]
                inclusive = list(map(add, inclusive, cost))
                pieces += self.call(number, callee, cost)
        self.inclusive.append(inclusive)
        return "".join(pieces)

    def line_cost(self) -> list[int]:
        cost = [self.random.randrange(1, 100_000)]
        while len(cost) < len(self.total):
            cost.append(self.random.randrange(cost[-1] + 1) >> 4)
        return cost

    def call(self, caller: int, callee: int, cost: Sequence[int]) -> list[str]:
        file = callee // FUNCTIONS_PER_FILE
        lines = []
        if file // FILES_PER_OBJECT != caller // FUNCTIONS_PER_FILE // FILES_PER_OBJECT:
            lines.append(self.name("cob", file // FILES_PER_OBJECT, "unreached"))
        if file != caller // FUNCTIONS_PER_FILE:
            lines.append(self.name("cfi", file, "unreached"))
        lines.append(self.name("cfn", callee, "unreached"))
        lines.append(f"calls={self.random.randrange(1, 500)} *\n* {words(cost)}\n")
        return lines


def words(cost: Sequence[int]) -> str:
    return " ".join(map(str, cost))


def write_profile(stream: TextIO, size: int, kind: Kind, seed: int) -> None:
    program = Program(kind, seed)
    written = stream.write(
        "# callgrind format\nversion: 1\ncreator: callgrind-large\npid: 1\n"
        "cmd:  ./imaginary\npart: 1\n\npositions: line\n"
        f"events: {' '.join(kind.events)}\n"
    )
    while written < size:
        written += stream.write(program.function())
    stream.write(f"\ntotals: {words(program.total)}\n")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--megabytes", type=float, default=200, metavar="N")
    parser.add_argument("--kind", choices=KINDS, default="interpreter")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args(arguments)
    with open(options.file, "w", encoding="ascii") as stream:
        write_profile(stream, int(options.megabytes * 1_000_000), KINDS[options.kind],
                      options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
