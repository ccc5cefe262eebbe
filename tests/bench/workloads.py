# SPDX-License-Identifier: GPL-2.0-or-later
"""The workloads of the bench, one entry each.

Owns the table of ordinary programs; benchmarks.py has what the columns of the set
`runner` run, and pairs.py and real.py have those of the sets of their names. A table says
what runs, how large, and what has to be made for it. To add one, add an entry. Its output
must not depend on anything but its arguments, because every run's output is compared.

The longer a program runs, the less of its time is start-up, and the higher all ratios
are. So sizes are chosen by what the distribution's callgrind takes with --cache-sim=yes.
Full: about as many times what no tool takes as the goals were set for (goals.json), 5.2
in the mean; that is half a second to four under `--tool=none`. Quick: about a quarter of
the work. Long: up to ten times the work, for who wants to know where ratios end up.
"""

from __future__ import annotations

from typing import Sequence

from tests.bench.benchmarks import BENCHMARKS
from tests.bench.inputs import (
    BZIP2,
    compiled,
    compiler_proper,
    installed,
    script,
    text_and_archive,
    together,
)
from tests.bench.pairs import PAIRS
from tests.bench.real import REAL
from tests.bench.workload import Workload

PROGRAMS: tuple[Workload, ...] = (
    Workload(
        "true",
        "start and end of a process, four times over",
        installed("/bin/true"),
        (("{program}",),) * 4,
        quick=1,
        full=1,
        long=1,
    ),
    Workload(
        "fib",
        "calls and returns, little else",
        compiled("fib.c", "-fno-inline", "-fno-optimize-sibling-calls", "-fno-ipa-cp"),
        (("{program}", "{size}"),),
        quick=33,
        full=35,
        long=35,
    ),
    Workload(
        "qsort",
        "sorting with a callback, snprintf",
        compiled("sorting.c"),
        (("{program}", "{size}"),),
        quick=25_000,
        full=100_000,
        long=500_000,
    ),
    Workload(
        "matrix",
        "product of two matrices of doubles",
        compiled("matrix.c"),
        (("{program}", "{size}"),),
        quick=200,
        full=300,
        long=560,
    ),
    Workload(
        "bzip2",
        "compresses and decompresses generated text",
        together(installed(BZIP2), text_and_archive),
        (
            ("{program}", "--best", "--stdout", "{text}"),
            ("{program}", "--decompress", "--stdout", "{archive}"),
        ),
        quick=1_200,
        full=5_000,
        long=6_000,
    ),
    Workload(
        "python3",
        "json, re, recursion in CPython",
        # Not -I: it would ignore PYTHONHASHSEED too. The bench's own environment
        # isolates as well.
        together(installed("/usr/bin/python3"), script("interpreted.py")),
        (("{program}", "-S", "-s", "-B", "{script}", "{size}"),),
        quick=2,
        full=9,
        long=16,
    ),
    Workload(
        "perl",
        "hashes, sorting, regular expressions in perl",
        together(installed("/usr/bin/perl"), script("words.pl")),
        (("{program}", "{script}", "{size}"),),
        quick=2,
        full=6,
        long=60,
    ),
    Workload(
        "cc1",
        "gcc's compiler proper, on a small program",
        compiler_proper("compiled.c"),
        # The size is the level of optimisation: code of cc1's own, run once or twice,
        # is what is special about this workload, and a longer input would dilute it.
        (("{program}", "-fpreprocessed", "-quiet", "-O{size}", "-o", "-", "{source}"),),
        quick=0,
        full=0,
        long=2,
    ),
)

WORKLOADS = (*PROGRAMS, *BENCHMARKS, *PAIRS, *REAL)


def chosen(names: Sequence[str]) -> list[Workload]:
    """The named workloads in the order of the table; all of them for no names."""
    return [workload for workload in WORKLOADS if not names or workload.name in names]
