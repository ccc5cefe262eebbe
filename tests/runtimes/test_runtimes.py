# SPDX-License-Identifier: GPL-2.0-or-later
#
# Real runtimes: the call graph of programs that are interpreted, compiled at run time,
# or run on stacks of their own making.
#
# Owns: which test is which run, and what is excused.  documented.ini lists what is right
# and documented, such as roots; shortfalls.ini what is known to be wrong.  Everything
# else that is not as demanded is a failure, and so is a pattern that covers nothing in
# all runs of a runtime: a shortfall that has been mended has to be taken off the list.

"""Check the call graph in real runtimes."""

from __future__ import annotations

import collections
import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.differential.options import build_folder
from tests.differential.uses import Uses
from tests.groundtruth.real.exception_list import Use, read_exceptions, unused, use_for
from tests.runtimes.measuring_runtime import RULES, measure
from tests.runtimes.runtime_table import RUNTIMES, TABLE, Run, Unavailable

HERE = Path(__file__).resolve().parent
LISTS = ("documented.ini", "shortfalls.ini")
SHOWN_FAILURES = 20
CHOICE = "CT_RUNTIMES"  # names, separated by commas; all if it is not set


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "run" not in metafunc.fixturenames:
        return
    chosen = os.environ.get(CHOICE)
    runs = [run for run in TABLE if not chosen or run.runtime in chosen.split(",")]
    metafunc.parametrize("run", runs, ids=[run.test for run in runs])


@pytest.mark.parametrize("name", LISTS)
def test_lists_name_runs_that_exist(name: str) -> None:
    for entry in read_exceptions(HERE / name, RULES):
        for program in entry.programs:
            assert any(entry.is_for(run.test) for run in TABLE), (entry.name, program)


def test_all_runtimes_have_packages() -> None:
    lines = (HERE / "packages").read_text(encoding="utf-8").splitlines()
    listed = [line.split()[0] for line in lines if not line.startswith("#")]
    assert listed == list(RUNTIMES)


def test_runtime(run: Run, request: pytest.FixtureRequest) -> None:
    work = build_folder() / "tests" / "runtimes"
    work.mkdir(parents=True, exist_ok=True)
    uses = Uses(work / f"uses-{run.runtime}", request.config)
    all_tests = [each.test for each in TABLE if each.runtime == run.runtime]
    folder = Path(tempfile.mkdtemp(prefix=f"{run.runtime}-{run.name}.", dir=work))
    try:
        outcome = measure(run, str(build_folder() / "vg-in-place"), folder)
    except Unavailable as error:
        uses.add(run.test, None, all_tests)
        pytest.skip(str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    failures: list[str] = []
    excused: collections.Counter[str] = collections.Counter()
    found: set[tuple[str, Use]] = set()
    lists = {name: read_exceptions(HERE / name, RULES) for name in LISTS}
    for finding in outcome.findings:
        for name, listed in lists.items():
            use = use_for(listed, run.test, finding.rule, finding.name)
            if use is not None:
                found.add((name, use))
                excused[f"{name} [{use[0]}] {finding.rule}"] += 1
                break
        else:
            failures.append(str(finding))
    noted = uses.add(run.test, [json.dumps(use) for use in found], all_tests)
    for name, listed in lists.items() if noted is not None else ():
        used = {
            (use[0], use[1])
            for each in (noted or {}).values()
            for of, use in map(json.loads, each)
            if of == name
        }
        failures += [
            f"{name}: [{entry}]: {text!r} covers nothing in all runs of {run.runtime},"
            " of which this was the last: remove it"
            for entry, text in unused(listed, used, set(noted or ()))
        ]
    as_listed = [f"as listed: {what}: {count}" for what, count in excused.items()]
    figures = f"{run.test}: {', '.join(outcome.figures)}"
    print(figures, *as_listed, sep="\n")
    if failures:
        shown = [*failures[:SHOWN_FAILURES], *as_listed]
        more = len(failures) - SHOWN_FAILURES
        shown += [f"... and {more:,} more"] * (more > 0)
        pytest.fail("\n".join([figures, *shown]), pytrace=False)
