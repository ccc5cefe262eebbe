# SPDX-License-Identifier: GPL-2.0-or-later
"""The workloads of the bench, one entry each.

Owns the table: what runs, how large, and what has to be made for it. To add one,
add an entry. Its size is chosen so that it takes one to two seconds of CPU time under
`--tool=none` (the quick size: about a quarter of the work); its output must not depend
on anything but its arguments, because every run's output is compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from inputs import (
    BZIP2,
    Maker,
    compiled,
    compiler_proper,
    installed,
    script,
    text_and_archive,
    together,
)


@dataclass(frozen=True)
class Workload:
    """One row of the tables: commands that run one after the other."""

    name: str
    what: str
    make: Maker
    commands: tuple[tuple[str, ...], ...]  # {size} and what make() returns are put in
    full: int
    quick: int

    def size(self, quick: bool) -> int:
        return self.quick if quick else self.full

    def filled(self, size: int, values: dict[str, str]) -> list[list[str]]:
        return [
            [word.format(size=size, **values) for word in command]
            for command in self.commands
        ]


WORKLOADS: tuple[Workload, ...] = (
    Workload(
        "true",
        "start and end of a process, four times over",
        installed("/bin/true"),
        (("{program}",),) * 4,
        full=1,
        quick=1,
    ),
    Workload(
        "fib",
        "calls and returns, little else",
        compiled("fib.c", "-fno-inline", "-fno-optimize-sibling-calls", "-fno-ipa-cp"),
        (("{program}", "{size}"),),
        # Start-up has the share in it that makes stock callgrind 6 to 7 times slower than
        # no tool at all, as on short benchmarks; a longer run drives all ratios up.
        full=35,
        quick=33,
    ),
    Workload(
        "qsort",
        "sorting with a callback, snprintf",
        compiled("sorting.c"),
        (("{program}", "{size}"),),
        full=500_000,
        quick=125_000,
    ),
    Workload(
        "matrix",
        "product of two matrices of doubles",
        compiled("matrix.c"),
        (("{program}", "{size}"),),
        full=560,
        quick=350,
    ),
    Workload(
        "bzip2",
        "compresses and decompresses generated text",
        together(installed(BZIP2), text_and_archive),
        (
            ("{program}", "--best", "--stdout", "{text}"),
            ("{program}", "--decompress", "--stdout", "{archive}"),
        ),
        full=6000,
        quick=1500,
    ),
    Workload(
        "python3",
        "json, re, recursion in CPython",
        # Not -I: it would ignore PYTHONHASHSEED too. The bench's own environment
        # isolates as well.
        together(installed("/usr/bin/python3"), script("interpreted.py")),
        (("{program}", "-S", "-s", "-B", "{script}", "{size}"),),
        full=16,
        quick=4,
    ),
    Workload(
        "perl",
        "hashes, sorting, regular expressions in perl",
        together(installed("/usr/bin/perl"), script("words.pl")),
        (("{program}", "{script}", "{size}"),),
        full=60,
        quick=15,
    ),
    Workload(
        "cc1",
        "gcc's compiler proper, on a small program",
        compiler_proper("compiled.c"),
        # The size is the level of optimisation: code of cc1's own, run once or twice,
        # is what is special about this workload, and a longer input would dilute it.
        (("{program}", "-fpreprocessed", "-quiet", "-O{size}", "-o", "-", "{source}"),),
        full=2,
        quick=0,
    ),
)


def chosen(names: Sequence[str]) -> list[Workload]:
    """The named workloads in the order of the table; all of them for no names."""
    return [workload for workload in WORKLOADS if not names or workload.name in names]
