# SPDX-License-Identifier: GPL-2.0-or-later
"""The columns of the bench: which launcher runs the workload, with which options.

Owns the kinds of workloads, and the table of column sets: a new set is one entry in
SETS. Relies on nothing. The first column, `none`, is the base that all others are
divided by.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Optional, Sequence

# Kinds of workloads. Ordinary programs; those that ask for instrumentation themselves,
# and such as run beside them and never do; and those of the sets of these names.
PLAIN, ASKS, NEVER, REAL, PAIRS = "plain", "asks", "never", "real", "pairs"
SUITES = "suites"

# The folder and file names are filled in per run; %p keeps children apart.
PROFILE = "--callgrind-out-file={folder}/profile.%p"
# Its name begins as a profile's does, so that it is removed like one.
TREE = ("--call-tree=yes", "--call-tree-out-file={folder}/profile.%p.tree")
OFF = "--instr-atstart=no"
GATE_JSON = "gate.json"  # what callgrind_gate says that it has measured
CACHE = ("--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64")
BRANCH = ("--branch-sim=yes",)
BOTH = (*CACHE, *BRANCH)
# What the CodSpeed runner passes, but for options that only its own fork of Valgrind
# knows (no comparison with stock would be possible).
RUNNER = (
    "--trace-children=yes", *CACHE, OFF, "--collect-systime=nsec",
    "--read-inline-info=yes", "--compress-strings=no", "--combine-dumps=yes",
    "--dump-line=no", "--trace-children-skip=*esbuild,*.rustup-wrapped",
    "--log-file={folder}/valgrind.%p.log",
)  # fmt: skip
# For plain programs, which never ask for instrumentation.
DRIVER = tuple("--instr-atstart=yes" if word == OFF else word for word in RUNNER)
# Without what the tool reads for inlined functions.
LINES_ALONE = tuple(word for word in DRIVER if word != "--read-inline-info=yes")
# Which only its own Valgrind and ours can.
ESTIMATED = ("--cycle-estimation=yes",)
# What the runner folds away, which only its own Valgrind and ours can.
FOLDED = tuple(
    f"--obj-skip={os.path.realpath(program)}"
    for program in ("/usr/bin/python3", "/usr/bin/node")
)


@dataclass(frozen=True)
class Column:
    """One way to run a workload."""

    key: str  # in the JSON file and in goals.json
    title: str  # in the tables
    ours: bool  # which launcher
    tool: str = "callgrind"  # "": the program without Valgrind
    options: tuple[str, ...] = ()
    counts: Optional[bool] = True  # its profile counts something; None: writes none
    kinds: tuple[str, ...] = (PLAIN,)  # of workloads that it is for
    # The translation cache: "cold", empty before each command, or "warm", filled before.
    cache: Optional[str] = None
    by_gate: bool = False  # callgrind_gate runs the tool

    def suits(self, kind: str) -> bool:
        """Whether it is for a workload of a kind; every one has the base."""
        return self.tool == "none" or kind in self.kinds

    def of(self, kind: str) -> Column:
        """The column as it is for such a workload."""
        return replace(self, counts=kind == ASKS) if ASKS in self.kinds else self

    def command(self, launcher: Path, folder: Path) -> list[str]:
        """The words before the program's own; folder takes what the tool writes. It is
        quiet: what the tool says would otherwise be part of what is timed."""
        if not self.tool:
            return []
        if self.by_gate:
            return self._gate(launcher, folder)
        options = ["-q", f"--tool={self.tool}"]
        if self.counts is not None:
            options.append(PROFILE)
        options.extend(self.options)
        if self.cache is not None:
            options.append(f"--translation-cache={self.cache_folder(folder)}")
        filled = [option.replace("{folder}", str(folder)) for option in options]
        return [str(launcher), *filled]

    def _gate(self, launcher: Path, folder: Path) -> list[str]:
        """What it prints is not the program's; what it has measured is in a file."""
        own = [f"--translation-cache={self.cache_folder(folder)}", *self.options]
        return [
            str(launcher.parent / "callgrind_gate"), "run", "--suite=suite",
            f"--output={folder}/{self.key}.run", f"--json={folder / GATE_JSON}",
            *(f"--option={option}" for option in own), "--",
        ]  # fmt: skip

    def cache_folder(self, folder: Path) -> Path:
        return folder / f"{self.key}.translations"


def _ours(key: str, title: str, *options: str, **more: Any) -> Column:
    return Column(f"ours-{key}", f"ours {title}", True, options=options, **more)


def _each(key: str, title: str, *options: str, **more: Any) -> tuple[Column, Column]:
    """Stock's and ours, with one set of options."""
    ours = _ours(key, title, *options, **more)
    return replace(ours, key=f"stock-{key}", title=f"stock {title}", ours=False), ours


BASE = Column("none", "none", ours=False, tool="none", counts=None)
_IR = _each("ir", "Ir")
_OFF = _each("off", "off", OFF, counts=False)
_RUNNER = (ASKS, NEVER)
_SHORT = (NEVER,)

SETS: dict[str, tuple[Column, ...]] = {
    "ir": (*_IR, _OFF[1]),
    "cache": _each("cache", "cache", *CACHE),
    "branch": _each("branch", "branch", *BRANCH),
    "both": _each("both", "both", *BOTH),
    "off": _OFF,
    "tree": (_IR[1], _ours("tree", "tree", *TREE)),
    "cycles": (
        _IR[1],
        _ours("costs", "costs", "--cycle-estimation=yes"),
        _ours("model", "model", "--cycle-model=skylake"),
    ),
    # Programs that never ask, with instrumentation off: run by the processor itself, too.
    "native": (
        Column("bare", "no Valgrind", ours=False, tool="", counts=None, kinds=_SHORT),
        *_each("short-off", "off", OFF, counts=False, kinds=_SHORT),
        _ours("native", "native", OFF, "--off=native", counts=False, kinds=_SHORT),
    ),
    "driver": _each("driver", "driver", *DRIVER),
    # The runner's whole command line, and what of it takes how long.
    "runner-line": (
        *_each("line-less", "line less inlined", *LINES_ALONE),
        *_each("line", "line", *DRIVER),
        _ours("line-cycles", "line and cycles", *DRIVER, *ESTIMATED),
        _ours("line-all", "line and all", *DRIVER, *BRANCH, *ESTIMATED),
    ),
    "runner": (
        *_each("runner", "runner", *RUNNER, kinds=_RUNNER),
        _ours("folded", "folded", *RUNNER, *FOLDED, kinds=_RUNNER),
    ),
    "real": (
        *_each("real-ir", "Ir", kinds=(REAL,)),
        *_each("real-cache", "cache", *CACHE, kinds=(REAL,)),
        *_each("real-both", "both", *BOTH, kinds=(REAL,)),
    ),
    "pairs": (
        *_each("pairs-ir", "Ir", OFF, kinds=(PAIRS,)),
        *_each("pairs-cache", "cache", OFF, *CACHE, kinds=(PAIRS,)),
    ),
    # A suite of benchmarks under callgrind_gate, all of its own work included.
    "suites": (
        _ours("suite-cold", "gate cold", kinds=(SUITES,), cache="cold", by_gate=True),
        _ours("suite-warm", "gate warm", kinds=(SUITES,), cache="warm", by_gate=True),
    ),
    # Short runs of programs that never ask, counted from the start, with and without
    # translations that an earlier run has stored.
    "warm": (
        _ours("short", "Ir", kinds=_SHORT),
        _ours("short-cold", "cold", kinds=_SHORT, cache="cold"),
        _ours("short-warm", "warm", kinds=_SHORT, cache="warm"),
        _ours("short-both", "both", *BOTH, kinds=_SHORT),
        _ours("short-both-warm", "both warm", *BOTH, kinds=_SHORT, cache="warm"),
        _ours("short-line-warm", "line and cycles warm", *DRIVER, *ESTIMATED,
              kinds=_SHORT, cache="warm"),
    ),
}


def columns_of(sets: Sequence[str], with_ours: bool) -> list[Column]:
    """The base and the columns of the named sets, in order, each once."""
    every = (BASE, *(column for name in sets for column in SETS[name]))
    return [column for column in dict.fromkeys(every) if with_ours or not column.ours]


def sets_for(kind: str) -> list[str]:
    """The names of the sets for workloads of a kind."""
    return [name for name, columns in SETS.items() if columns[-1].suits(kind)]
