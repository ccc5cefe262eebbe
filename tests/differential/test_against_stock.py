# SPDX-License-Identifier: GPL-2.0-or-later
#
# The differential test: the same program, with the same options, under the distribution's
# callgrind and under ours; everything that both profiles say is compared.
#
# Owns: which test is which comparison, and what is shown of one that fails.  cases.py
# says what runs, launching.py in which surroundings, measuring.py how often and what is
# compared with what; explaining.py has the rules by which ours differs on purpose, and
# deviations.ini what else may differ.
#
# Sets of options that share their runs with addresses are one xdist_group: one process
# makes them all, one after the other.

"""Compare our callgrind's profiles with the distribution's, number by number."""

from __future__ import annotations

import fcntl
import gc
import shutil
import tempfile
from pathlib import Path
from typing import Iterator, Optional

import pytest

from tests.differential.cases import CASES, Case, CaseUnavailable
from tests.differential.deviations import Deviation, read_deviations, split_differences
from tests.differential.explaining import RULES
from tests.differential.launching import default_stock, equal_surroundings
from tests.differential.measuring import Comparison, Measurement, measuring_options
from tests.differential.options import Options, build_folder
from tests.differential.stock_cache import StockCache
from tests.differential.uses import Uses

SHOWN_DIFFERENCES = 20
# Those of --long, too: a deviation is of no use when it covers nothing in any of them.
ALL_TESTS = [f"{case.name}/{name}" for case in CASES for name in case.option_sets]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "options" not in metafunc.fixturenames:
        return
    chosen = Options.of(metafunc.config)
    metafunc.parametrize(
        ("case", "options"),
        [
            pytest.param(
                case,
                name,
                id=f"{case.name}/{name}",
                marks=pytest.mark.xdist_group(group_name(case, name)),
            )
            for case in CASES
            for name in case.option_sets
            if chosen.has(case.name, name, name in case.long_only)
        ],
    )


def group_name(case: Case, options: str) -> str:
    """The name of all sets that share a pair: that of the first of them."""
    kind = measuring_options(case, options)
    same = [n for n in case.option_sets if measuring_options(case, n) == kind]
    return f"differential {case.name}/{same[0]}"


class Comparer:
    """Makes comparisons, one after the other, in one process."""

    def __init__(self, config: pytest.Config) -> None:
        self.chosen = Options.of(config)
        self.verbose = config.getoption("verbose") > 0
        self.accepted = read_deviations(self.chosen.deviations)
        self.work = build_folder() / "tests" / "differential"
        self.work.mkdir(parents=True, exist_ok=True)
        self.uses = Uses(self.work / "uses", config)
        self.temporary = Path(tempfile.mkdtemp(prefix="differential."))
        self.surroundings = equal_surroundings(
            self.chosen.stock or default_stock(), self.chosen.ours, self.work
        )
        self._group = self._case = ""
        self._measurement: Optional[Measurement] = None

    def close(self) -> None:
        shutil.rmtree(self.temporary, ignore_errors=True)

    def compare(self, case: Case, options: str) -> Comparison:
        comparison = self._measurement_for(case, options).compare(options)
        comparison.differences, comparison.accepted = split_differences(
            comparison.differences, self.accepted, case.name, options
        )
        return comparison

    def _measurement_for(self, case: Case, options: str) -> Measurement:
        group = group_name(case, options)
        if self._measurement is None or group != self._group:
            self._measurement = None
            shutil.rmtree(self.temporary, ignore_errors=True)
            if case.name != self._case:
                gc.collect()  # what is known of the code of the last case
                self._case = case.name
            folder = self.work / "cases" / case.name
            folder.mkdir(parents=True, exist_ok=True)
            with open(f"{folder}.lock", "w", encoding="ascii") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                command = case.prepare(folder)
            kept = self.chosen.keep or self.temporary
            cache = StockCache(self.work / "stock")
            self._measurement = Measurement(
                case, command, self.surroundings, folder, kept, cache
            )
            self._group = group
        return self._measurement

    def unused_deviations(self, test: str, skipped: bool) -> list[Deviation]:
        """In the last test of a full run: the entries that covered nothing."""
        used = [entry.name for entry in self.accepted if entry.used]
        found = self.uses.add(test, None if skipped else used, ALL_TESTS)
        if found is None or len(found) < len(ALL_TESTS):
            return []
        all_used = {name for names in found.values() for name in names}
        return [
            entry
            for entry in self.accepted
            if entry.name not in all_used and not entry.chance
        ]


@pytest.fixture(scope="session")
def comparer(request: pytest.FixtureRequest) -> Iterator[Comparer]:
    found = Comparer(request.config)
    yield found
    found.close()


@pytest.fixture(scope="module")
def without_collecting() -> Iterator[None]:
    """Profiles are millions of small objects without circles, and looking through them
    again and again for what is no longer needed took half of the time.  Nor is there a
    collection after each test: it would look through what is known of the code."""
    gc.disable()
    yield
    gc.enable()


def described(comparison: Comparison, comparer: Comparer) -> str:
    """What is wrong, and what the rules explained."""
    lines = [comparison.summary, *comparer.surroundings.notes, *comparison.errors]
    differences = comparison.differences
    shown = differences if comparer.verbose else differences[:SHOWN_DIFFERENCES]
    lines += [str(difference) for difference in shown]
    if len(shown) < len(differences):
        lines.append(f"... and {len(differences) - len(shown):,} more (-v shows all)")
    lines += explained(comparison)
    return "\n".join(line for line in lines if line)


def explained(comparison: Comparison) -> list[str]:
    lines = [
        f"{comparison.explained[rule]:>8,} by rule  {rule}: {why}"
        for rule, why in RULES.items()
        if comparison.explained[rule]
    ]
    if comparison.accepted:
        lines.append(f"{comparison.accepted:>8,} deviations as listed")
    return lines


@pytest.mark.usefixtures("without_collecting")
def test_against_stock(case: Case, options: str, comparer: Comparer) -> None:
    test = f"{case.name}/{options}"
    skipped = ""
    comparison = Comparison()
    try:
        comparison = comparer.compare(case, options)
    except CaseUnavailable as error:
        skipped = str(error)
    unused = comparer.unused_deviations(test, bool(skipped))
    if skipped:
        pytest.skip(skipped)
    again = f"tests/differential/run --case {case.name} --options {options} --keep FOLDER"
    print(comparison.summary, *explained(comparison), sep="\n")
    if not comparison.passed:
        text = described(comparison, comparer)
        pytest.fail(f"{test}: {text}\nagain: {again}", pytrace=False)
    if unused:
        names = ", ".join(f"[{entry.name}]" for entry in unused)
        pytest.fail(
            f"{comparer.chosen.deviations}: {names} covered nothing in all "
            f"{len(ALL_TESTS)} tests, of which this was the last: remove it",
            pytrace=False,
        )
