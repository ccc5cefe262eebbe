#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writes a large callgrind profile of an imaginary program, to measure readers with.
#
#    make_large_profile.py [--megabytes N] [--seed N] FILE
#
# The mixture of lines is that of a real profile by line (an interpreter's): of six lines
# one is a `calls=`, one the cost line of it, one the name of its callee.  The call graph
# has no cycles, and self costs add up to `totals:`; how often a function is called is
# drawn by lot.  Equal options write equal files.

"""Write a large callgrind profile of an imaginary program."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Optional, Sequence, TextIO

BYTES_PER_FUNCTION = 10_000  # about; what is written is counted
LINES_PER_FUNCTION = 360
CALL_EVERY = 2  # cost lines, of all cost lines
FUNCTIONS_PER_FILE = 12
FILES_PER_OBJECT = 40
REACH = 200  # a function calls some of so many behind it


class Program:
    """The functions written so far, the callees first, so that their costs are known."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.inclusive: list[int] = []
        self.total = 0
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
        own, below = 1, 0
        for index in range(LINES_PER_FUNCTION):
            cost = self.random.randrange(1, 100_000)
            own += cost
            pieces.append(f"+{self.random.randrange(1, 9)} {cost}\n")
            if number and index % CALL_EVERY == 0:
                callee = max(0, number - self.random.randrange(1, REACH))
                # Each call's cost is a sixteenth or so of all that the callee costs.
                cost = self.inclusive[callee] >> self.random.randrange(8, 12)
                below += cost
                pieces += self.call(number, callee, cost)
        self.inclusive.append(own + below)
        self.total += own
        return "".join(pieces)

    def call(self, caller: int, callee: int, cost: int) -> list[str]:
        file = callee // FUNCTIONS_PER_FILE
        lines = []
        if file // FILES_PER_OBJECT != caller // FUNCTIONS_PER_FILE // FILES_PER_OBJECT:
            lines.append(self.name("cob", file // FILES_PER_OBJECT, "unreached"))
        if file != caller // FUNCTIONS_PER_FILE:
            lines.append(self.name("cfi", file, "unreached"))
        lines.append(self.name("cfn", callee, "unreached"))
        lines.append(f"calls={self.random.randrange(1, 500)} *\n* {cost}\n")
        return lines


def write_profile(stream: TextIO, size: int, seed: int) -> None:
    program = Program(seed)
    written = stream.write(
        "# callgrind format\nversion: 1\ncreator: callgrind-large\npid: 1\n"
        "cmd:  ./imaginary\npart: 1\n\npositions: line\nevents: Ir\n"
    )
    while written < size:
        written += stream.write(program.function())
    stream.write(f"\ntotals: {program.total}\n")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--megabytes", type=float, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args(arguments)
    with open(options.file, "w", encoding="ascii") as stream:
        write_profile(stream, int(options.megabytes * 1_000_000), options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
