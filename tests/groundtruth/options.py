# SPDX-License-Identifier: GPL-2.0-or-later
#
# What can be said to the ground-truth tests on pytest's command line, and which programs
# it means.  tests/groundtruth/run loads it (pytest -p tests.groundtruth.options); without
# it all have their defaults.

"""pytest's options for the ground-truth tests."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Optional, Sequence

import pytest

from tests.differential.options import build_folder, check_names
from tests.groundtruth import kinds
from tests.groundtruth.case import FLAT_OPTION, TREE_STEM, Case
from tests.runner.series import in_turn, is_long

STOCK = "/usr/bin/valgrind"
TREE_OPTIONS = ["--call-tree=yes", f"--call-tree-out-file={TREE_STEM}.%p"]
CHECK_OPTION = "--ct-check=all"
# One program in so many is run with the tool's own checks; one with flat tail calls.
CHECKED_SHARE = 4
FLAT_SHARE = 3


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"`{text}` is no number above 0")
    return int(text)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("groundtruth")
    group.addoption(
        "--kind",
        action="append",
        metavar="K",
        help="only this kind (repeatable, with wildcards; see --list)",
    )
    group.addoption(
        "--seed", action="append", type=int, metavar="N", help="only this seed"
    )
    group.addoption(
        "--seeds",
        type=_positive,
        metavar="COUNT",
        help="as many programs, equally many of each kind (default: a selection)",
    )
    group.addoption(
        "--first", type=int, default=0, metavar="N", help="count seeds from N on (0)"
    )
    group.addoption(
        "--keep", type=Path, metavar="DIR", help="keep sources, programs and profiles"
    )
    group.addoption("--list", action="store_true", help="name the kinds, and end")
    group.addoption(
        "--tool",
        choices=("ours", "stock"),
        default="ours",
        help="stock: the distribution's callgrind, to see where it is wrong",
    )
    group.addoption(
        "--launcher",
        metavar="PATH",
        help="the valgrind to test (vg-in-place of $VG_BUILD, or of build/)",
    )
    group.addoption(
        "--check",
        action="store_true",
        help=f"run every program with {CHECK_OPTION}, too",
    )
    group.addoption(
        "--flat",
        action="store_true",
        help=f"run every program with {FLAT_OPTION}, too",
    )
    group.addoption(
        "--long",
        action="store_true",
        help="all of the selection, as continuous integration has it",
    )
    group.addoption(
        "--warm",
        action="store_true",
        help="run every program without, with new and with old stored translations",
    )
    group.addoption(
        "--brief",
        action="store_true",
        help="do not print the sources of programs that fail",
    )


def pytest_configure(config: pytest.Config) -> None:
    check_names("--kind", config.getoption("--kind") or [], list(kinds.KINDS))


def pytest_cmdline_main(config: pytest.Config) -> Optional[int]:
    if not config.getoption("--list"):
        return None
    for kind in Options.of(config).kinds:
        print(f"{kind:<16} {kinds.KINDS[kind]:>3}  {kinds.describe(kind)}")
    return 0


@dataclass(frozen=True)
class Options:
    """What was said, or its defaults."""

    kinds: Sequence[str] = tuple(kinds.KINDS)
    seed: Sequence[int] = ()
    seeds: Optional[int] = None
    first: int = 0
    keep: Optional[Path] = None
    tool: str = "ours"
    launcher: str = ""
    check: bool = False
    flat: bool = False
    long: bool = False
    warm: bool = False
    brief: bool = False

    @classmethod
    def of(cls, config: pytest.Config) -> Options:
        def said(name: str) -> Any:
            return config.getoption(name, default=None)

        wanted = said("--kind") or ["*"]
        chosen = [
            kind
            for kind in kinds.KINDS
            if any(fnmatchcase(kind, pattern) for pattern in wanted)
        ]
        tool = said("--tool") or "ours"
        ours = said("--launcher") or str(build_folder() / "vg-in-place")
        keep = said("--keep")
        return cls(
            kinds=chosen,
            seed=said("--seed") or (),
            seeds=said("--seeds"),
            first=said("--first") or 0,
            keep=keep.resolve() if keep else None,
            tool=tool,
            launcher=STOCK if tool == "stock" else ours,
            check=bool(said("--check")),
            flat=bool(said("--flat")),
            long=bool(said("--long")) or is_long(),
            warm=bool(said("--warm")) or bool(os.environ.get("CT_WARM")),
            brief=bool(said("--brief")),
        )

    def programs(self) -> list[tuple[str, int]]:
        """Kind and seed of each program; kinds take turns: each is seen early."""
        if self.seed:
            return [(kind, seed) for seed in self.seed for kind in self.kinds]
        kept: list[tuple[str, int]] = []
        if self.seeds:
            share, rest = divmod(self.seeds, len(self.kinds))
            chosen = {
                kind: list(range(share + (at < rest)))
                for at, kind in enumerate(self.kinds)
            }
        else:
            left_out = kinds.ALL_LONG_ONLY
            long_only = set(in_turn(left_out) if self.long else ())
            chosen = {
                kind: [seed for seed in kinds.seeds(kind, True)
                       if (kind, seed) not in left_out or (kind, seed) in long_only]
                for kind in self.kinds
            }
            kept = [(kind, at) for kind in self.kinds for at in kinds.KEPT.get(kind, ())]
        most = 1 + max(max(seeds) for seeds in chosen.values() if seeds)
        return [
            (kind, self.first + at)
            for at in range(most)
            for kind in self.kinds
            if at in chosen[kind]
        ] + kept

    def option_sets(self, case: Case) -> list[list[str]]:
        """With which options of callgrind a program is run.

        All keep the call tree.  One in four runs with the tool's own checks, too; with
        --check each does, in a run more.  Programs that are about tail calls, and one in
        three of the others, run with flat ones besides; with --flat or --check, all."""
        if self.tool != "ours":
            return [[]]
        plain = TREE_OPTIONS if case.may_have_tree else []
        flat = [FLAT_OPTION, *(TREE_OPTIONS if case.may_have_flat_tree else plain)]
        is_flat = self.check or self.flat or case.has_tail_calls
        is_flat = is_flat or case.seed % FLAT_SHARE == 0
        sets = [plain, flat] if is_flat else [plain]
        if not case.may_be_checked:
            return sets
        if self.check:
            return [*sets, *([*options, CHECK_OPTION] for options in sets)]
        if case.seed % CHECKED_SHARE == 0:
            return [[*options, CHECK_OPTION] for options in sets]
        return sets

    def again(self, kind: str, seed: int) -> str:
        """The command that runs a program again."""
        more = " --check" if self.check else " --flat" if self.flat else ""
        more += " --warm" if self.warm else ""
        more += " --tool stock" if self.tool == "stock" else ""
        return f"tests/groundtruth/run --kind {kind} --seed {seed} --keep FOLDER{more}"
