# SPDX-License-Identifier: GPL-2.0-or-later
#
# The call graph of real programs: does every function pass on exactly what it is given,
# and was every call instruction executed as often as its arcs count calls?
#
# Owns: which test is which run of which program, and what is shown of one that fails.
# program_table.py says what runs, measuring_program.py what is demanded, exceptions.ini
# what is excused and why.  A pattern there that covers nothing fails the test that ends
# last in a full run.
#
# The runs of a program are one xdist_group: they share what was read of its files.

"""Check conservation and call counts in profiles of real programs."""

from __future__ import annotations

import gc
import json
import shutil
import tempfile
from pathlib import Path
from typing import Iterator, Optional

import pytest

from tests.differential.options import build_folder
from tests.differential.uses import Uses
from tests.groundtruth.real.exception_list import Use, read_exceptions, unused
from tests.groundtruth.real.measuring_program import RUNS, Measurement, Verdict
from tests.groundtruth.real.options import Options
from tests.groundtruth.real.program_table import TABLE, Program

EXCEPTIONS = Path(__file__).resolve().parent / "exceptions.ini"
SHOWN_FAILURES = 20
ALL_TESTS = [f"{program.name}/{run}" for program in TABLE for run in RUNS]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "program" not in metafunc.fixturenames:
        return
    chosen = Options.of(metafunc.config)
    metafunc.parametrize(
        ("program", "run"),
        [
            pytest.param(
                program,
                run,
                id=f"{program.name}/{run}",
                marks=pytest.mark.xdist_group(f"programs {program.name}"),
            )
            for program in TABLE
            for run in RUNS
            if chosen.has(program.name)
        ],
    )


class Judge:
    """Judges one run after the other, in one process."""

    def __init__(self, config: pytest.Config) -> None:
        self.chosen = Options.of(config)
        self.verbose = config.getoption("verbose") > 0
        self.listed = read_exceptions(EXCEPTIONS)
        work = build_folder() / "tests" / "programs"
        work.mkdir(parents=True, exist_ok=True)
        self.uses = Uses(work / "uses", config)
        self.temporary = Path(tempfile.mkdtemp(prefix="real_programs."))
        self._program: Optional[Program] = None
        self._measurement: Optional[Measurement] = None

    def close(self) -> None:
        shutil.rmtree(self.temporary, ignore_errors=True)

    def judge(self, program: Program, run: str) -> Verdict:
        if program is not self._program or self._measurement is None:
            self._measurement = None
            gc.collect()
            folder = (self.chosen.keep or self.temporary) / program.name
            folder.mkdir(parents=True, exist_ok=True)
            self._program = program
            self._measurement = Measurement(
                program, self.chosen.launcher, folder, self.listed
            )
        return self._measurement.judge(run)

    def useless_patterns(self, test: str, verdict: Verdict) -> list[str]:
        """In the last test of a full run: what of exceptions.ini covered nothing."""
        used = None if verdict.skipped else [json.dumps(use) for use in verdict.uses]
        found = self.uses.add(test, used, ALL_TESTS)
        if found is None:
            return []
        uses: set[Use] = set()
        for each in found.values():
            uses |= {(name, pattern) for name, pattern in map(json.loads, each)}
        measured = {name.partition("/")[0] for name in found}
        return [
            f"exceptions.ini: [{name}]: {pattern!r} matches nothing in all "
            f"{len(ALL_TESTS)} tests, of which this was the last: remove it"
            for name, pattern in unused(self.listed, uses, measured)
        ]


@pytest.fixture(scope="session")
def judge(request: pytest.FixtureRequest) -> Iterator[Judge]:
    found = Judge(request.config)
    yield found
    found.close()


@pytest.fixture
def without_collecting() -> Iterator[None]:
    """There are millions of objects without circles, which live to the end."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collecting")
def test_real_program(program: Program, run: str, judge: Judge) -> None:
    verdict = judge.judge(program, run)
    useless = judge.useless_patterns(f"{program.name}/{run}", verdict)
    if verdict.skipped and not useless:
        pytest.skip(verdict.skipped)
    failures = verdict.failures + useless
    excused = [f"excused: {what}: {why}" for what, why in verdict.excused.items()]
    print(verdict.summary, *excused, sep="\n")
    if failures:
        shown = failures if judge.verbose else failures[:SHOWN_FAILURES]
        more = len(failures) - len(shown)
        lines = [f"{verdict.name}: {verdict.summary}", *shown]
        lines += [f"... and {more:,} more (-v shows all)"] * bool(more)
        again = f"tests/groundtruth/real_programs --program {program.name} --keep FOLDER"
        pytest.fail("\n".join([*lines, f"again: {again}"]), pytrace=False)
