# SPDX-License-Identifier: GPL-2.0-or-later
#
# One program with one set of options: the runs that it takes, and what is compared.
#
# Owns: the chain of comparisons that makes every number of our profile answer for itself.
#
#     stock, with addresses  ==by rules==  ours, with addresses
#            ==                                   ==
#     stock, as asked for                  ours, as asked for
#
# Parts are compared one by one, except where each side's own count of superblocks says
# when one is written: then all are added up.  The times of system calls are no run's like
# another's, and are left out; their number is compared.
#
# The rules (explaining.py) need addresses, so both sides run with --dump-instr=yes for
# each set of options that changes what is measured.  Then each side's profile as asked
# for (by lines, uncompressed...) must say the same as its own profile with addresses,
# number by number and without exception.

"""Run and compare one case with one option set."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable

from cases import (
    FORMAT_OPTIONS,
    OURS_ONLY,
    OPTION_SETS,
    PARTS_BY_SUPERBLOCKS,
    Case,
    CaseUnavailable,
)
from code_map import CodeMap, load_addresses
from comparison import (
    Difference,
    compare_parts,
    blank_times,
    consistency_errors,
    part_label,
    shape_errors,
)
from explaining import explain
from flat_profile import Flattener
from launching import RunResult, Surroundings
from profile_file.model import Part, Profile
from profile_file.reader import Detail, ProfileError, read_profile
from tests.format.profile_grammar import violations

SHOWN_VIOLATIONS = 3
SIDES = ("stock", "ours")
# Twice past -q: then the core says where it finds each object.
SAY_LOAD_ADDRESSES = ["-v", "-v", "-v"]
ADDRESSES = ["--dump-instr=yes"]
COUNT_JUMPS = "--collect-jumps=yes"
TOGGLE = "--toggle-collect="
NOT_YET = "not available in callgrind-exact yet"


@dataclass
class Comparison:
    """What came of one case with one option set."""

    errors: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    explained: Counter[str] = field(default_factory=Counter)
    accepted: int = 0
    summary: str = ""

    @property
    def passed(self) -> bool:
        return not self.errors and not self.differences


@dataclass
class Side:
    """The profiles of one run, by what follows the base name of its files."""

    result: RunResult
    profiles: dict[str, Profile]


def read_all(base: Path) -> dict[str, Profile]:
    """Empty files do not count: --separate-threads=yes leaves one."""
    profiles = {}
    for path in sorted(base.parent.glob(base.name + "*")):
        if path.stat().st_size:
            profile = read_profile(path, Detail.INSTRUCTIONS)
            blank_times(profile)
            profiles[path.name[len(base.name) :]] = profile
    return profiles


def kind_of_options(case: Case, options: str) -> tuple[str, ...]:
    """What of an option set changes what is measured.  Sets of one kind share their runs
    with addresses."""
    flags = [*case.flags, *OPTION_SETS[options]]
    return tuple(flag for flag in flags if not flag.startswith(FORMAT_OPTIONS))


def has_any(kind: Iterable[str], options: tuple[str, ...]) -> bool:
    return any(flag.startswith(options) for flag in kind)


def all_parts(side: Side) -> list[Part]:
    return [part for profile in side.profiles.values() for part in profile.parts]


class Measurement:
    """Runs of one case, whose command line is given; those with addresses are made once
    for each kind of options."""

    def __init__(
        self,
        case: Case,
        command: list[str],
        surroundings: Surroundings,
        work: Path,
        kept: Path,
    ):
        self.case = case
        self.command = command
        self.surroundings = surroundings
        self.work, self.kept = work, kept
        self._with_addresses: dict[tuple[str, ...], dict[str, Side]] = {}

    def compare(self, options: str) -> Comparison:
        """Everything that can be said of one option set."""
        folder = self.kept / self.case.name / options
        flags = [*self.case.flags, *OPTION_SETS[options]]
        kind = kind_of_options(self.case, options)
        added_up = has_any(kind, PARTS_BY_SUPERBLOCKS)
        comparison = Comparison()
        try:
            own = {"stock": [], "ours": OURS_ONLY.get(options, [])}
            sides = {
                side: self._run(side, folder, [*flags, *own[side]]) for side in SIDES
            }
            self._check_runs(sides, added_up, comparison)
            if comparison.passed:
                self._check_files(folder, sides, added_up, comparison)
            if comparison.passed and kind not in self._with_addresses:
                self._measure_with_addresses(kind, folder, comparison)
            if not comparison.errors:
                self._compare_with_own_addresses(sides, kind, flags, comparison)
        except ProfileError as error:
            comparison.errors.append(str(error))
        return comparison

    def _run(self, side: str, folder: Path, flags: list[str]) -> Side:
        folder.mkdir(parents=True, exist_ok=True)
        base = folder / f"{side}.out"
        for old in folder.glob(base.name + "*"):
            old.unlink()
        launcher = getattr(self.surroundings, side)
        result = launcher.run(
            [f"--callgrind-out-file={base}", *flags], self.command, self.work
        )
        if result.status != 0 and side == "ours" and NOT_YET in result.errors:
            raise CaseUnavailable(f"{' '.join(flags)}: {NOT_YET}")
        return Side(result, read_all(base) if result.status == 0 else {})

    @staticmethod
    def _check_runs(
        sides: dict[str, Side], added_up: bool, comparison: Comparison
    ) -> None:
        for name, side in sides.items():
            if side.result.status != 0:
                said = side.result.errors.strip()[-300:]
                comparison.errors.append(
                    f"{name}: exit status {side.result.status}: {said}"
                )
        stock, ours = sides["stock"], sides["ours"]
        if stock.result.output != ours.result.output:
            comparison.errors.append("the program's output differs")
        if added_up:
            comparison.errors += [
                f"{name}: only one part"
                for name in SIDES
                if len(all_parts(sides[name])) < 2
            ]
        elif list(stock.profiles) != list(ours.profiles):
            comparison.errors.append(
                f"files differ: stock {list(stock.profiles)}, ours {list(ours.profiles)}"
            )

    @staticmethod
    def _check_files(
        folder: Path, sides: dict[str, Side], added_up: bool, comparison: Comparison
    ) -> None:
        for suffix, profile in sides["ours"].profiles.items():
            comparison.errors += [
                str(found)
                for found in list(violations(folder / f"ours.out{suffix}"))[
                    :SHOWN_VIOLATIONS
                ]
            ]
            comparison.errors += consistency_errors(profile)
            if not added_up:
                stock = sides["stock"].profiles[suffix]
                comparison.errors += shape_errors(stock, profile)
        comparison.summary = describe(list(sides["ours"].profiles.values()))

    def _measure_with_addresses(
        self, kind: tuple[str, ...], folder: Path, comparison: Comparison
    ) -> None:
        """Run both sides with addresses, and compare them by the rules."""
        inner = folder / "addresses"
        more = {"stock": SAY_LOAD_ADDRESSES, "ours": []}
        sides = {
            side: self._run(side, inner, [*kind, *ADDRESSES, COUNT_JUMPS, *more[side]])
            for side in SIDES
        }
        added_up = has_any(kind, PARTS_BY_SUPERBLOCKS)
        self._check_runs(sides, added_up, comparison)
        if comparison.errors:
            return
        self._with_addresses[kind] = sides
        code = CodeMap(load_addresses(sides["stock"].result.errors))
        if added_up:
            parts = [all_parts(sides[name]) for name in SIDES]
            self._explain(*parts, kind, code, comparison)
            return
        for suffix, stock in sides["stock"].profiles.items():
            ours = sides["ours"].profiles[suffix]
            comparison.errors += shape_errors(stock, ours)
            for left, right in zip(stock.parts, ours.parts):
                self._explain([left], [right], kind, code, comparison)

    @staticmethod
    def _explain(
        stock: list[Part],
        ours: list[Part],
        kind: tuple[str, ...],
        code: CodeMap,
        comparison: Comparison,
    ) -> None:
        outcome = explain(
            Flattener(code, settle_names=True).flatten(*stock),
            Flattener(code, settle_names=False).flatten(*ours),
            code,
            [flag[len(TOGGLE) :] for flag in kind if flag.startswith(TOGGLE)],
        )
        comparison.differences += outcome.differences
        comparison.explained += outcome.explained

    def _compare_with_own_addresses(
        self,
        sides: dict[str, Side],
        kind: tuple[str, ...],
        flags: list[str],
        comparison: Comparison,
    ) -> None:
        """Each side's profile as asked for, against its own with addresses."""
        for name, side in sides.items():
            detailed = self._with_addresses[kind][name].profiles
            for suffix, profile in side.profiles.items():
                if suffix not in detailed:
                    comparison.errors.append(f"{name}: no file {suffix} with addresses")
                    continue
                comparison.errors += shape_errors(detailed[suffix], profile)
                for left, right in zip(detailed[suffix].parts, profile.parts):
                    label = f"{name} {part_label(right)}, with addresses and as asked"
                    comparison.differences += [
                        difference
                        for difference in compare_parts(left, right, label)
                        if difference.category != "jump" or COUNT_JUMPS in flags
                    ]


def describe(profiles: list[Profile]) -> str:
    parts = [part for profile in profiles for part in profile.parts]
    functions = sum(len(part.functions) for part in parts)
    arcs = sum(1 for part in parts for _ in part.arcs())
    total = sum(part.sum_of_self_costs()[0] for part in parts)
    return f"{total:,} Ir, {functions:,} functions, {arcs:,} call sites"
