# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which regression tests run on arm64.  Owns: the choice, by what arm64_left_out.ini says,
# and what of the tests' programs is built.  Relies on tests/build_programs to build them.

"""The regression tests for arm64."""

from __future__ import annotations

import configparser
import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tests.regtest.description import read_description

SOURCE = Path(__file__).resolve().parents[2]
TESTS = SOURCE / "callgrind" / "tests"
LEFT_OUT = Path(__file__).resolve().parent / "arm64_left_out.ini"
OF_THIS_MACHINE = "its program is this machine's"
SUFFIXES = (".c", ".cpp")


@dataclass(frozen=True)
class Reason:
    text: str
    programs: tuple[str, ...]  # by source file, without suffix
    tests: tuple[str, ...]  # by name, with wildcards
    emulator_before: int = sys.maxsize  # only under an emulator of an earlier version


def reasons(path: Path = LEFT_OUT) -> list[Reason]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(path.read_text(encoding="utf-8"))
    return [
        Reason(
            title,
            tuple(parser.get(title, "programs", fallback="").split()),
            tuple(parser.get(title, "tests", fallback="").split()),
            parser.getint(title, "emulator_before", fallback=sys.maxsize),
        )
        for title in parser.sections()
    ]


def why_left_out(test: Path, table: list[Reason]) -> str:
    """Empty if the test runs."""
    for reason in table:
        if any(fnmatchcase(test.stem, pattern) for pattern in reason.tests):
            return reason.text
    programs = read_description(test).programs
    if any(program.as_is for program in programs):
        return OF_THIS_MACHINE
    for reason in table:
        if any(Path(program.name).name in reason.programs for program in programs):
            return reason.text
    return ""


@dataclass
class Chosen:
    tests: list[Path]
    left_out: dict[str, list[Path]]  # by reason


def choose(table: list[Reason], emulator: int = 0) -> Chosen:
    """`emulator`: its version; 0 where that is not known."""
    table = [reason for reason in table if emulator < reason.emulator_before]
    chosen = Chosen([], {})
    for test in sorted(TESTS.rglob("*.vgtest")):
        reason = why_left_out(test, table)
        if reason:
            chosen.left_out.setdefault(reason, []).append(test)
        else:
            chosen.tests.append(test)
    return chosen


def link_sources(top: Path, table: list[Reason]) -> Path:
    """A folder of the programs that can be built, with the headers of the tests."""
    folder = top / "callgrind" / "tests"
    folder.mkdir(parents=True, exist_ok=True)
    for link in folder.iterdir():
        link.unlink()
    left_out = {name for reason in table for name in reason.programs}
    for source in TESTS.rglob("*"):
        if source.suffix == ".h" or (
            source.suffix in SUFFIXES and source.stem not in left_out
        ):
            (folder / source.name).symlink_to(source)
    return folder
