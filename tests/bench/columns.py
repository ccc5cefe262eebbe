# SPDX-License-Identifier: GPL-2.0-or-later
"""The columns of the bench: which launcher runs the workload, with which options.

Owns the table of column sets. A new set is one entry in SETS; nothing else changes.
Relies on nothing. The first column, `none`, is the base that all others are divided by.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional, Sequence

# Every column is quiet: what the tool says would otherwise be part of what is timed.
COMMON = ("-q",)

# The folder and file names are filled in per run; %p keeps children apart.
PROFILE = "--callgrind-out-file={folder}/profile.%p"

CACHE = (
    "--cache-sim=yes",
    "--I1=32768,8,64",
    "--D1=32768,8,64",
    "--LL=8388608,16,64",
)

BOTH = (*CACHE, "--branch-sim=yes")

# Its name begins as a profile's does, so that it is removed like one.
TREE = ("--call-tree=yes", "--call-tree-out-file={folder}/profile.%p.tree")

# What the CodSpeed runner passes, but for two things: options that only its own
# fork of Valgrind knows (no comparison with stock would be possible), and
# instrumentation, which is on from the start because plain programs never ask for it.
DRIVER = (
    "--trace-children=yes",
    *CACHE,
    "--instr-atstart=yes",
    "--collect-systime=nsec",
    "--read-inline-info=yes",
    "--compress-strings=no",
    "--combine-dumps=yes",
    "--dump-line=no",
    "--trace-children-skip=*esbuild,*.rustup-wrapped",
    "--log-file={folder}/valgrind.%p.log",
)

# The same for programs that ask for instrumentation themselves.
RUNNER = tuple(
    "--instr-atstart=no" if option == "--instr-atstart=yes" else option
    for option in DRIVER
)

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
    tool: str
    options: tuple[str, ...] = ()
    counts: Optional[bool] = None  # its profile counts something; None: writes none
    runner: bool = False  # is for workloads that ask for instrumentation, or never do
    only: Optional[str] = None  # is for workloads of this set alone
    short: bool = False  # is for those that never do, which are short, and counts there
    # The translation cache: "cold", empty before each command, or "warm", filled before.
    cache: Optional[str] = None

    def suits(self, asks: Optional[bool], only: Optional[str] = None) -> bool:
        """Whether it is for a workload; every one has the base."""
        if self.tool == "none":
            return True
        if self.only is not None or only is not None:
            return self.only == only
        if self.short:
            return asks is False
        return self.runner == (asks is not None)

    def of(self, asks: Optional[bool]) -> Column:
        """The column as it is for such a workload."""
        return replace(self, counts=asks) if self.runner else self

    def command(self, launcher: Path, folder: Path) -> list[str]:
        """The words before the program's own; folder takes what the tool writes."""
        options = [*COMMON, f"--tool={self.tool}"]
        if self.counts is not None:
            options.append(PROFILE)
        options.extend(self.options)
        if self.cache is not None:
            options.append(f"--translation-cache={self.cache_folder(folder)}")
        filled = [option.replace("{folder}", str(folder)) for option in options]
        return [str(launcher), *filled]

    def cache_folder(self, folder: Path) -> Path:
        return folder / f"{self.key}.translations"


def _callgrind(
    who: str, key: str, title: str, options: tuple[str, ...],
    counts: Optional[bool] = True, runner: bool = False,
) -> Column:
    return Column(
        f"{who}-{key}", f"{who} {title}", who == "ours", "callgrind", options, counts,
        runner,
    )


def _real(key: str, title: str, options: tuple[str, ...] = ()) -> tuple[Column, ...]:
    return tuple(
        replace(_callgrind(who, f"real-{key}", title, options), only="real")
        for who in ("stock", "ours")
    )


def _pairs(key: str, title: str, options: tuple[str, ...] = ()) -> tuple[Column, ...]:
    off = ("--instr-atstart=no", *options)
    return tuple(
        replace(_callgrind(who, f"pairs-{key}", title, off), only="pairs")
        for who in ("stock", "ours")
    )


def _short(
    key: str, title: str, options: tuple[str, ...] = (), cache: Optional[str] = None
) -> Column:
    return Column(
        f"ours-{key}", f"ours {title}", ours=True, tool="callgrind", options=options,
        counts=True, short=True, cache=cache,
    )


BASE = Column("none", "none", ours=False, tool="none")

SETS: dict[str, tuple[Column, ...]] = {
    "ir": (
        _callgrind("stock", "ir", "Ir", ()),
        _callgrind("ours", "ir", "Ir", ()),
        _callgrind("ours", "off", "off", ("--instr-atstart=no",), counts=False),
    ),
    "cache": (
        _callgrind("stock", "cache", "cache", CACHE),
        _callgrind("ours", "cache", "cache", CACHE),
    ),
    "branch": (
        _callgrind("stock", "branch", "branch", ("--branch-sim=yes",)),
        _callgrind("ours", "branch", "branch", ("--branch-sim=yes",)),
    ),
    "both": (
        _callgrind("stock", "both", "both", BOTH),
        _callgrind("ours", "both", "both", BOTH),
    ),
    "off": (
        _callgrind("stock", "off", "off", ("--instr-atstart=no",), counts=False),
        _callgrind("ours", "off", "off", ("--instr-atstart=no",), counts=False),
    ),
    "tree": (
        _callgrind("ours", "ir", "Ir", ()),
        _callgrind("ours", "tree", "tree", TREE),
    ),
    "cycles": (
        _callgrind("ours", "ir", "Ir", ()),
        _callgrind("ours", "costs", "costs", ("--cycle-estimation=yes",)),
        _callgrind("ours", "model", "model", ("--cycle-model=skylake",)),
    ),
    "driver": (
        _callgrind("stock", "driver", "driver", DRIVER),
        _callgrind("ours", "driver", "driver", DRIVER),
    ),
    # Its workloads are those of benchmarks.py, and no others.
    "runner": (
        _callgrind("stock", "runner", "runner", RUNNER, None, runner=True),
        _callgrind("ours", "runner", "runner", RUNNER, None, runner=True),
        _callgrind("ours", "folded", "folded", (*RUNNER, *FOLDED), None, runner=True),
    ),
    # Its workloads are those of real.py, and no others.
    "real": (
        *_real("ir", "Ir"), *_real("cache", "cache", CACHE), *_real("both", "both", BOTH)
    ),
    # Its workloads are those of pairs.py, and no others.
    "pairs": (*_pairs("ir", "Ir"), *_pairs("cache", "cache", CACHE)),
    # Short runs of the same programs, counted from the start, with and without
    # translations that an earlier run has stored.
    "warm": (
        _short("short", "Ir"),
        _short("short-cold", "cold", cache="cold"),
        _short("short-warm", "warm", cache="warm"),
        _short("short-both", "both", BOTH),
        _short("short-both-warm", "both warm", BOTH, "warm"),
    ),
}


def columns_of(sets: Sequence[str], with_ours: bool) -> list[Column]:
    """The base and the columns of the named sets, in order, each once."""
    chosen = [BASE]
    for name in sets:
        for column in SETS[name]:
            if column not in chosen and (with_ours or not column.ours):
                chosen.append(column)
    return chosen
