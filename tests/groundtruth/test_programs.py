# SPDX-License-Identifier: GPL-2.0-or-later
#
# The ground-truth test: generated programs count their own calls, and the profile that
# callgrind writes must say the same.
#
# Owns: which test is which program, where it is built, and what is shown of one that
# fails.  options.py chooses the programs, kinds/ makes them, building.py builds them,
# measuring.py runs them, checker.py judges.

"""Check the call graph of generated programs against the counts they keep themselves."""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import pytest

from tests.differential import stored
from tests.differential.options import build_folder
from tests.groundtruth import kinds
from tests.groundtruth.building import Program, build
from tests.groundtruth.case import Case, CaseError, CaseUnavailable
from tests.groundtruth.checker import check
from tests.groundtruth.measuring import forget_runs, measure
from tests.groundtruth.options import Options

SHOWN_PROBLEMS = 40


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        programs = Options.of(metafunc.config).programs()
        ids = [f"{kind}/{seed}" for kind, seed in programs]
        metafunc.parametrize(("kind", "seed"), programs, ids=ids)


@contextmanager
def alone_in(path: Path) -> Iterator[None]:
    """Waits for another run of these tests in the same build folder, whose profile and
    counts would be taken for ours."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@pytest.fixture
def folder(
    kind: str, seed: int, pytestconfig: pytest.Config, tmp_path: Path
) -> Iterator[Path]:
    """Where the program is built and run.  Those of a usual run stay, and are not built
    again as long as they are the same; other seeds, of which there is no end, go."""
    keep = Options.of(pytestconfig).keep
    is_usual = kinds.is_usual(kind, seed)
    if keep is not None:
        path = keep / f"{kind}-{seed}"
    elif is_usual:
        path = build_folder() / "tests" / "groundtruth" / f"{kind}-{seed}"
    else:
        path = tmp_path
    path.mkdir(parents=True, exist_ok=True)
    with alone_in(path):
        yield path
        if keep is None and is_usual:
            forget_runs(path)
    if keep is None and not is_usual:
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def shared() -> Path:
    """For what is the same for all programs."""
    path = build_folder() / "tests" / "groundtruth" / "shared"
    path.mkdir(parents=True, exist_ok=True)
    return path


class WrongCounts(Exception):
    """A profile does not say what the program has counted."""

    def __init__(self, command: str, problems: list[str]) -> None:
        super().__init__(command)
        self.command = command
        self.problems = problems


def run_checked(program: Program, launcher: str, options: list[str]) -> None:
    run = measure(program, launcher, options)
    problems = check(program.case, run)
    if problems:
        raise WrongCounts(run.command, problems)


def run_warm(program: Program, launcher: str, options: list[str]) -> None:
    """Without, with new and with old stored translations; each must be right."""

    def run(option: str) -> stored.Files:
        run_checked(program, launcher, [option.strip(), *options])
        return stored.profiles_of(program.folder.iterdir())

    print(f"{program.case.label}: {stored.compare_ways(run)}")


def test_program(
    kind: str, seed: int, folder: Path, shared: Path, pytestconfig: pytest.Config
) -> None:
    options = Options.of(pytestconfig)
    command = ""
    problems: list[str] = []
    try:
        case = kinds.generate(kind, seed)
        program = build(case, folder, shared)
        for extra in options.option_sets(case):
            if options.warm:
                run_warm(program, options.launcher, extra)
            else:
                run_checked(program, options.launcher, extra)
    except WrongCounts as wrong:
        command, problems = wrong.command, wrong.problems
    except stored.Differs as difference:
        problems = [str(difference)]
    except CaseUnavailable as error:
        pytest.skip(str(error))
    except CaseError as error:
        problems = str(error).splitlines()
    if problems:
        again = options.again(kind, seed)
        text = described(case, problems, command, again, options.brief)
        pytest.fail(text, pytrace=False)


def described(
    case: Case, problems: list[str], command: str, again: str, is_brief: bool
) -> str:
    """What a person needs to find out what is wrong."""
    lines = [case.label]
    if not is_brief:
        for name, text in all_sources(case):
            lines += [f"--- {name}", text.rstrip()]
        lines.append("---")
    if case.description:
        lines.append(f"   built: {case.description}")
    if command:
        lines.append(f"   run:   {command}")
    lines.append(f"   again: {again}")
    lines += [f"   {problem}" for problem in problems[:SHOWN_PROBLEMS]]
    if len(problems) > SHOWN_PROBLEMS:
        lines.append(f"   ... and {len(problems) - SHOWN_PROBLEMS:,} more")
    return "\n".join(lines)


def all_sources(case: Case) -> Iterator[tuple[str, str]]:
    yield from case.sources.items()
    for library in case.libraries:
        yield from library.sources.items()
