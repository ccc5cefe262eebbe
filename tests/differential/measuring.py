# SPDX-License-Identifier: GPL-2.0-or-later
#
# One program with one set of options: the runs that it takes, and what is compared.
#
# Owns: the chain of comparisons that makes every number of our profile answer for itself.
#
#     stock, with addresses  ==by rules==  ours, with addresses
#                                                  ==
#                                          ours, as asked for
#
# Parts are compared one by one, except where each side's own count of superblocks says
# when one is written: then all are added up.  The times of system calls are no run's like
# another's, and are left out; their number is compared.
#
# The rules (explaining.py) need addresses, so both sides run with --dump-instr=yes, as a
# pair, for each set of options that changes what is measured; sets that differ in the
# format alone share it.  Then our profile as asked for (by lines, uncompressed...) must
# say the same as our own with addresses, number by number and without exception; large
# programs are asked with some sets only.  The distribution's is not asked for by lines:
# what it would say has no part in what ours is.
#
# The distribution's half of a pair may come from stock_cache.py.  What has been compared
# before, by the same rules and to the last byte, is not compared again: verdicts.py.

"""Run and compare one case with one option set."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Iterable

from profile_file.reader import Detail, ProfileError, read_profile
from tests.format.profile_grammar import violations
from profile_file.model import Part, Profile
from tests.differential.cases import (
    FORMAT_OPTIONS,
    OPTION_SETS,
    OURS_ONLY,
    PARTS_BY_SUPERBLOCKS,
    Case,
    CaseUnavailable,
)
from tests.differential.code_map import CodeMap, load_addresses
from tests.differential.comparison import (
    blank_times,
    compare_parts,
    consistency_errors,
    part_label,
    shape_errors,
)
from tests.differential.explaining import explain
from tests.differential.flat_profile import Flattener
from tests.differential.launching import RunResult, Surroundings
from tests.differential.stock_cache import StockCache, make_key
from tests.differential.verdicts import Comparison, Verdict

SHOWN_VIOLATIONS = 3
STOCK, OURS = "stock", "ours"
SIDES = (STOCK, OURS)
# Twice past -q: then the core says where it finds each object.
SAY_LOAD_ADDRESSES = ["-v", "-v", "-v"]
COUNT_JUMPS = "--collect-jumps=yes"
PAIRED = ["--dump-instr=yes", COUNT_JUMPS]
TOGGLE = "--toggle-collect="
# The only line of a profile that differs between two equal runs.
PROCESS = re.compile(rb"^pid: \d+$", re.M)
NOT_YET = "not available in callgrind-exact yet"


@dataclass
class Side:
    """The profiles of one run, by what follows the base name of its files."""

    result: RunResult
    base: Path  # the path that all of its files begin with

    @cached_property
    def profiles(self) -> dict[str, Profile]:
        return read_all(self.base) if self.result.status == 0 else {}

    @property
    def parts(self) -> list[Part]:
        return [part for profile in self.profiles.values() for part in profile.parts]


@dataclass
class Pair:
    """Both sides with addresses, and what the rules left of their differences."""

    ours: Side
    comparison: Comparison


def files_of(base: Path) -> list[Path]:
    """Empty files do not count: --separate-threads=yes leaves one."""
    found = sorted(base.parent.glob(base.name + "*"))
    return [path for path in found if path.stat().st_size]


def read_all(base: Path) -> dict[str, Profile]:
    profiles = {}
    for path in files_of(base):
        profile = read_profile(path, Detail.INSTRUCTIONS, as_defined=False)
        blank_times(profile)
        profiles[path.name[len(base.name) :]] = profile
    return profiles


def measuring_options(case: Case, options: str) -> tuple[str, ...]:
    """The options of a set that change what is measured.  Sets that have the same ones
    share a pair."""
    flags = [*case.flags, *OPTION_SETS[options]]
    return tuple(flag for flag in flags if not flag.startswith(FORMAT_OPTIONS))


def has_any(flags: Iterable[str], options: tuple[str, ...]) -> bool:
    return any(flag.startswith(options) for flag in flags)


class Measurement:
    """Runs of one case, whose command line is given, with sets of options that share a
    pair.  Programs run in `work`, a folder of the case's own, since Python counts what is
    there.  Profiles are written to a folder of each set below `kept`."""

    def __init__(
        self,
        case: Case,
        command: list[str],
        surroundings: Surroundings,
        work: Path,
        kept: Path,
        cache: StockCache,
    ) -> None:
        self.case = case
        self.command = command
        self.surroundings = surroundings
        self.work, self.kept = work, kept
        self.cache = cache
        self._pairs: dict[tuple[str, ...], Pair] = {}

    def compare(self, options: str) -> Comparison:
        """Everything that can be said of one option set."""
        folder = self.kept / self.case.name / options
        try:
            pair = self._pair(measuring_options(self.case, options), folder / "addresses")
            comparison = Comparison(
                errors=list(pair.comparison.errors),
                differences=list(pair.comparison.differences),
                explained=Counter(pair.comparison.explained),
                summary=pair.comparison.summary,
            )
            if not comparison.errors:
                self._compare_as_asked(options, folder, pair.ours, comparison)
        except ProfileError as error:
            comparison = Comparison(errors=[str(error)])
        return comparison

    # --- Runs -----------------------------------------------------------------------

    def _run(self, side: str, folder: Path, flags: list[str]) -> Side:
        folder.mkdir(parents=True, exist_ok=True)
        base = folder / f"{side}.out"
        for old in folder.glob(base.name + "*"):
            old.unlink()
        launcher = getattr(self.surroundings, side)
        result = launcher.run(
            [f"--callgrind-out-file={base}", *flags], self.command, self.work
        )
        if result.status != 0 and side == OURS and NOT_YET in result.errors:
            raise CaseUnavailable(f"{' '.join(flags)}: {NOT_YET}")
        return Side(result, base)

    # --- Stock and ours, with addresses ---------------------------------------------

    def _pair(self, kind: tuple[str, ...], folder: Path) -> Pair:
        """Both sides with options of one kind, compared by the rules; made once."""
        if kind not in self._pairs:
            self._pairs[kind] = self._make_pair(kind, folder)
        return self._pairs[kind]

    def _make_pair(self, kind: tuple[str, ...], folder: Path) -> Pair:
        flags = [*kind, *PAIRED]
        ours = self._run(OURS, folder, flags)
        flags += SAY_LOAD_ADDRESSES
        stock_launcher = self.surroundings.stock
        # Where addresses are random, no two runs are alike.
        key = (
            make_key(stock_launcher, flags, self.command, self.work, self.case.reads())
            if self.surroundings.addresses_are_fixed
            else None
        )
        kept = key and self.cache.find(self.case.name, flags, key)
        verdicts = self.cache.entry(self.case.name, flags) / "compared.json"
        if kept:
            result, entry = kept
            stock = Side(result, entry / f"{STOCK}.out")
            verdict = Verdict(verdicts, [kind, *said_by(stock), *said_by(ours)])
            comparison = verdict.known() or compare_sides(stock, ours, kind)
            if comparison.passed:
                verdict.keep(comparison)
                return Pair(ours, comparison)
        stock = self._run(STOCK, folder, flags)
        comparison = compare_sides(stock, ours, kind)
        if comparison.passed and key is not None:
            files = files_of(stock.base)
            self.cache.keep(self.case.name, flags, key, stock.result, files)
            what = [kind, *said_by(stock), *said_by(ours)]
            Verdict(verdicts, what).keep(comparison)
        return Pair(ours, comparison)

    # --- Ours, as asked for and with addresses --------------------------------------

    def _compare_as_asked(
        self, options: str, folder: Path, detailed: Side, comparison: Comparison
    ) -> None:
        """Our profile as the set asks for it, against our own with addresses."""
        flags = [*self.case.flags, *OPTION_SETS[options], *OURS_ONLY.get(options, [])]
        kind = measuring_options(self.case, options)
        kept = self.cache.folder / f"{self.case.name}.asked"
        if set(flags) == {*kind, *PAIRED} or not self.case.is_asked(options):
            # It is what was asked for.
            verdict = Verdict(kept / f"{options}.json", said_by(detailed))
            found = verdict.known() or Comparison(
                file_errors(detailed), summary=comparison.summary
            )
        else:
            asked = self._run(OURS, folder, flags)
            verdict = Verdict(
                kept / f"{options}.json", [flags, *said_by(detailed), *said_by(asked)]
            )
            found = verdict.known() or compare_as_asked(detailed, asked, flags)
        if found.passed:
            verdict.keep(found)
        comparison.summary = found.summary
        comparison.errors += found.errors
        comparison.differences += found.differences


def said_by(side: Side) -> list[object]:
    """All that a side says that is compared."""
    texts = [PROCESS.sub(b"", path.read_bytes()) for path in files_of(side.base)]
    names = [path.name for path in files_of(side.base)]
    return [side.result.status, side.result.output, side.result.errors, names, *texts]


def compare_as_asked(detailed: Side, asked: Side, flags: list[str]) -> Comparison:
    comparison = Comparison(run_errors(OURS, asked), summary=describe(asked.parts))
    if comparison.errors:
        return comparison
    if asked.result.output != detailed.result.output:
        comparison.errors.append("the program's output differs")
    if list(asked.profiles) != list(detailed.profiles):
        comparison.errors.append(
            f"ours: files {list(asked.profiles)}, with addresses "
            f"{list(detailed.profiles)}"
        )
        return comparison
    comparison.errors += file_errors(asked)
    for suffix, profile in asked.profiles.items():
        comparison.errors += shape_errors(
            detailed.profiles[suffix], profile, ("with addresses", "as asked")
        )
        parts = zip(detailed.profiles[suffix].parts, profile.parts)
        for left, right in parts:
            label = f"ours {part_label(right)}, with addresses and as asked"
            comparison.differences += [
                difference
                for difference in compare_parts(left, right, label)
                if difference.category != "jump" or COUNT_JUMPS in flags
            ]
    return comparison


@lru_cache(maxsize=4)
def code_map(addresses: tuple[tuple[str, int], ...]) -> CodeMap:
    """What is known of the objects of a process.  Options of callgrind do not change
    where they lie: so what was found out of their code serves for all sets of a case."""
    return CodeMap(dict(addresses))


def run_errors(name: str, side: Side) -> list[str]:
    if side.result.status == 0:
        return []
    said = side.result.errors.strip()[-300:]
    return [f"{name}: exit status {side.result.status}: {said}"]


def file_errors(side: Side) -> list[str]:
    """What is wrong with files of ours, each by itself."""
    errors = []
    for suffix, profile in side.profiles.items():
        path = side.base.with_name(side.base.name + suffix)
        errors += [str(found) for found in list(violations(path))[:SHOWN_VIOLATIONS]]
        errors += consistency_errors(profile)
    return errors


def compare_sides(stock: Side, ours: Side, kind: tuple[str, ...]) -> Comparison:
    """Compare by the rules; the options are the same on both sides, with addresses."""
    comparison = Comparison(summary=describe(ours.parts))
    errors = comparison.errors
    errors += run_errors(STOCK, stock) + run_errors(OURS, ours)
    if stock.result.output != ours.result.output:
        errors.append("the program's output differs")
    for profile in ours.profiles.values():
        errors += consistency_errors(profile)
    added_up = has_any(kind, PARTS_BY_SUPERBLOCKS)
    if added_up:
        errors += [
            f"{name}: only one part"
            for name, side in ((STOCK, stock), (OURS, ours))
            if len(side.parts) < 2
        ]
    elif list(stock.profiles) != list(ours.profiles):
        errors.append(
            f"files differ: stock {list(stock.profiles)}, ours {list(ours.profiles)}"
        )
    if errors:
        return comparison
    code = code_map(tuple(load_addresses(stock.result.errors).items()))
    if added_up:
        _explain(stock.parts, ours.parts, kind, code, comparison)
        return comparison
    for suffix, theirs in stock.profiles.items():
        profile = ours.profiles[suffix]
        errors += shape_errors(theirs, profile)
        for left, right in zip(theirs.parts, profile.parts):
            _explain([left], [right], kind, code, comparison)
    return comparison


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


def describe(parts: list[Part]) -> str:
    functions = sum(len(part.functions) for part in parts)
    arcs = sum(1 for part in parts for _ in part.arcs())
    total = sum(part.sum_of_self_costs()[0] for part in parts)
    return f"{total:,} Ir, {functions:,} functions, {arcs:,} call sites"
