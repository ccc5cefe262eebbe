# SPDX-License-Identifier: GPL-2.0-or-later
"""The workloads of the bench, one entry each: what runs, how large, what is made for it.

Owns the table. Output must not depend on anything but arguments, because every run's
output is compared.

The longer a program runs, the less of its time is start-up, and the higher all ratios
are. So sizes are chosen by what the distribution's callgrind takes with --cache-sim=yes.
Full: about as many times what no tool takes as the goals were set for (goals.json), 5.2
in the mean; that is half a second to four under `--tool=none`. Quick: about a quarter of
the work. Long: up to ten times the work, for who wants to know where ratios end up.

What the set `runner` runs asks for instrumentation itself, as the integrations of
CodSpeed's runner do, or never does: then it runs with instrumentation off. Sizes are such
that stock takes one to ten seconds.

A row of the set `pairs` is a run with many pairs of START and STOP less one with a single
pair, which runs right after it: the start and the end of the program are in neither. What
is measured between START and STOP is in the rows, and so is what the program does once
before each START, to warm up.

Rows of the set `suites` are one command with as many benchmarks as the size says, which
callgrind_gate measures: they are beside the same command under `--tool=none`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import Any, Optional, Sequence

from tests.bench.columns import ASKS, NEVER, PAIRS, PLAIN, REAL, SUITES
from tests.bench.inputs import (
    BZIP2,
    Maker,
    built,
    compiled,
    compiler_proper,
    installed,
    plugins,
    pytest_of,
    queries,
    r_program,
    repository,
    script,
    text,
    text_and_archive,
    together,
)

SIZES = ("quick", "full", "long")
PYTHON, NODE, PERL = "/usr/bin/python3", "/usr/bin/node", "/usr/bin/perl"

# The integration asks for these, and does nothing without some of them.
NODE_OPTIONS = (
    "--interpreted-frames-native-stack", "--allow-natives-syntax", "--hash-seed=1",
    "--random-seed=1", "--no-opt", "--predictable", "--predictable-gc-schedule",
    "--expose-gc", "--no-concurrent-sweeping", "--max-old-space-size=4096",
)  # fmt: skip


@dataclass(frozen=True)
class Workload:
    """One row: commands that run one after the other."""

    name: str
    what: str
    make: Maker
    commands: str  # between " ; "; {size} and what make() returns are put in
    sizes: tuple[int, int, int]  # quick, full, long
    kind: str = PLAIN  # which says the columns that it is for
    variables: tuple[tuple[str, str], ...] = ()  # added to the environment
    # A size whose run is made after each, and subtracted from it.
    less: Optional[int] = None
    # By how much two profilers may differ, as it does not execute the same twice; None:
    # they cannot be compared.
    varies: Optional[float] = 0.001

    def filled(self, size: int, values: dict[str, str]) -> list[list[str]]:
        return [[word.format(size=size, **values) for word in shlex.split(command)]
                for command in self.commands.split(" ; ")]

    def environment(self, values: dict[str, str]) -> tuple[tuple[str, str], ...]:
        """The variables, with what make() returns put in."""
        return tuple((name, value.format(**values)) for name, value in self.variables)


PROGRAMS = (
    Workload("true", "start and end of a process, four times over",
             installed("/bin/true"), " ; ".join(("{program}",) * 4), (1, 1, 1)),
    Workload("fib", "calls and returns, little else",
             compiled("fib.c", "-fno-inline", "-fno-optimize-sibling-calls",
                      "-fno-ipa-cp"), "{program} {size}", (33, 35, 35)),
    Workload("qsort", "sorting with a callback, snprintf", compiled("sorting.c"),
             "{program} {size}", (25_000, 100_000, 500_000)),
    Workload("matrix", "product of two matrices of doubles", compiled("matrix.c"),
             "{program} {size}", (200, 300, 560)),
    Workload("bzip2", "compresses and decompresses generated text",
             together(installed(BZIP2), text_and_archive),
             "{program} --best --stdout {text} ; "
             "{program} --decompress --stdout {archive}", (1_200, 5_000, 6_000)),
    # Not -I: it would ignore PYTHONHASHSEED too. The bench's own environment isolates as
    # well.
    Workload("python3", "json, re, recursion in CPython",
             together(installed(PYTHON), script("interpreted.py")),
             "{program} -S -s -B {script} {size}", (2, 9, 16)),
    Workload("perl", "hashes, sorting, regular expressions in perl",
             together(installed(PERL), script("words.pl")),
             "{program} {script} {size}", (2, 6, 60)),
    # The size is the level of optimisation: code of cc1's own, run once or twice, is what
    # is special about this workload, and a longer input would dilute it.
    Workload("cc1", "gcc's compiler proper, on a small program", compiler_proper(3),
             "{program} -fpreprocessed -quiet -O{size} -o - {source}", (0, 0, 2)),
)


def _benchmarks(
    name: str, what: str, make: Maker, words: str, *sizes: int, **more: Any
) -> Workload:
    """Programs whose benchmarks ask for instrumentation."""
    quick, full, long = sizes
    return Workload(name, what, make, words, (quick, full, long), ASKS, **more)


_PLUGIN = (together(installed(NODE), script("words.mjs"), plugins),
           " ".join(("{program}", *NODE_OPTIONS, "{script} {size} {folder}")))
_REQUESTS = together(installed(PYTHON), script("requests.py"),
                     compiled("requests.c", "-fPIC", "-shared", what="library"))
_SMALL = (_REQUESTS, "{program} -S -s -B {script} {library} {size} 1")

BENCHMARKS = (
    _benchmarks("plugin", "four benchmarks of tinybench, by CodSpeed's plugin in node",
                *_PLUGIN, 1, 4, 8),
    _benchmarks("sixty", "the same, sixty benchmarks in one process",
                *_PLUGIN, 10, 60, 240),
    _benchmarks("pytest", "benchmarks in python3, as pytest's plugin runs them",
                _REQUESTS, "{program} -S -s -B {script} {library} 4 {size}", 2, 6, 10),
    _benchmarks("small", "small benchmarks in python3, one after another",
                *_SMALL, 10, 42, 420),
    _benchmarks("cxx", "benchmarks in C++, each between START and STOP",
                compiled("benchmarks.cpp"), "{program} {size}", 2_000, 50_000, 500_000),
)


def _off(name: str, *sizes: int, **other: Any) -> Workload:
    """A program of the first table, for the columns that leave instrumentation to it."""
    (program,) = (workload for workload in PROGRAMS if workload.name == name)
    quick, full, long = sizes or program.sizes
    return replace(program, name=f"off-{name}", sizes=(quick, full, long), kind=NEVER,
                   **other)


NEVER_ASKING = (
    _off("true"),
    Workload("off-json", "python3 imports json", installed(PYTHON),
             "{program} -c 'import json'", (1, 1, 1), NEVER),
    _off("perl", 2, 12, 600),
    _off("bzip2", 1_200, 5_000, 300_000, what="compresses generated text",
         commands="{program} --best --stdout {text}",
         make=together(installed(BZIP2), text)),
    _off("python3", 5, 40, 2_000),
    _off("cc1"),
    Workload("off-node", "words and recursion in node, with its compilers",
             together(installed(NODE), script("words.mjs")), "{program} {script} {size}",
             (1, 20, 20_000), NEVER),
)


def _pairs(name: str, what: str, make: Maker, words: str, *sizes: int,
           **more: Any) -> Workload:
    asking = _benchmarks(f"pairs-{name}", what, make, words, *sizes, **more)
    return replace(asking, kind=PAIRS, less=1)


PAIRED = (
    _pairs("python3", "small benchmarks in python3, but the first",
           *_SMALL, 10, 42, 420),
    _pairs("node", "benchmarks of tinybench, by CodSpeed's plugin in node, but the first",
           *_PLUGIN, 10, 60, 240),
    _pairs("empty", "pairs with next to nothing between them in C, but the first",
           compiled("pairs.c"), "{program} {size}", 1_000, 10_001, 100_001,
           varies=None),  # of so little, most is right before a STOP
)


def _suite(name: str, what: str, make: Maker, words: str, *sizes: int) -> Workload:
    """Benchmarks that callgrind_gate measures; the size is how many there are."""
    asking = _benchmarks(f"suite-{name}", what, make, words, *sizes)
    return replace(asking, kind=SUITES)


OF_SUITES = (
    _suite("pytest", "sixty benchmarks of pytest, by the gate",
           together(installed(PYTHON), pytest_of(PYTHON), script("suite.py"),
                    compiled("requests.c", "-fPIC", "-shared", what="library")),
           "{program} -s -B {script} {library} {size}", 15, 60, 240),
    _suite("node", "sixty benchmarks of tinybench, by its plugin and the gate", *_PLUGIN,
           15, 60, 240),
)


def _real(name: str, what: str, make: Maker, words: str, quick: int,
          varies: Optional[float] = 0.001, **variables: str) -> Workload:
    """A program as distributions have it. Quick is a quarter of the work, long ten times
    as much as full. If it is missing, that is told with Debian's package."""
    return Workload(name, what, make, words, (quick, 4 * quick, 40 * quick), REAL,
                    tuple(variables.items()), varies=varies)


DISTRIBUTED = (
    _real("sqlite", "a table, an index, a join in sqlite3",
          together(installed("/usr/bin/sqlite3", "sqlite3"), queries),
          "{program} -batch :memory: '.read {queries}'", 16_000),
    _real("R", "vectors, linear models, strings in R",
          together(r_program, script("real.R")),
          "{program} --vanilla --no-echo --file={script} --args {size}", 4,
          R_HOME="{home}", LD_LIBRARY_PATH="{home}/lib"),
    _real("ruby", "hashes, sorting, regular expressions in ruby",
          together(installed("/usr/bin/ruby", "ruby"), script("real.rb")),
          "{program} --disable-gems {script} {size}", 5),
    _real("lua", "tables, sorting, patterns in Lua",
          together(installed("/usr/bin/lua5.4", "lua5.4"), script("real.lua")),
          "{program} {script} {size}", 10),
    _real("git", "the history of a file, with its differences",
          together(installed("/usr/bin/git", "git"), repository),
          "{program} --git-dir={repository} log -p main", 200),
    _real("zstd", "compresses generated text",
          together(installed("/usr/bin/zstd", "zstd"), text),
          "{program} -q -12 --single-thread --stdout {text}", 600),
    _real("gcc", "gcc's compiler proper, on copies of a small program",
          compiler_proper(), "{program} -fpreprocessed -quiet -O0 -o - {source}", 8),
    # Which of its functions Java compiles, and when, is different in each run. With its
    # first compiler alone; the second one alone takes longer than all else.
    _real("java", "maps, sorting, strings in Java",
          together(installed("/usr/bin/java", "default-jdk-headless"),
                   built("classes", "javac -d", "default-jdk-headless", "Real.java")),
          "{program} -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx256m -cp {classes} "
          "Real {size}", 2, varies=None),
    # The seeds of Go's maps are random, and with them how long a search takes, and the
    # order from which is sorted: twelve runs under stock lay 0.9 % apart. Go interrupts
    # itself by SIGURG, of which stock's Valgrind dies now and then.
    _real("go", "maps, sorting, strings in Go",
          built("program", "go build -o", "golang-go", "real.go"), "{program} {size}", 40,
          varies=0.02, GODEBUG="asyncpreemptoff=1"),
)

WORKLOADS = (*PROGRAMS, *BENCHMARKS, *NEVER_ASKING, *PAIRED, *OF_SUITES, *DISTRIBUTED)


def chosen(names: Sequence[str]) -> list[Workload]:
    """The named workloads in the order of the table; all of them for no names."""
    return [workload for workload in WORKLOADS if not names or workload.name in names]
