# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is to run on another machine, and the sum of what has run there.  Owns: the form of
# the last line, as the test runner prints it.

"""The choice of tests, and their count."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterable, Optional

from tests.runner.suites import WARM_SUITES

LAST_LINE = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$")

# What runs there besides test suites; each is named as one.  The package of `make deb`;
# and that of the tarball of `make dist`, which must be the same.
PACKAGE, TARBALL = "package", "tarball"
OF_THE_MACHINE = (PACKAGE, TARBALL)


@dataclass(frozen=True)
class Choice:
    suites: tuple[str, ...] = ()  # none: all that are for this machine
    quick: bool = False
    fresh: bool = False
    long: bool = False  # all of each long series
    warm: bool = False  # with stored translations and without: suites WARM_SUITES
    jobs: str = "auto"
    runtimes: str = ""  # their names, separated by commas: suite `runtimes` as well
    for_pytest: tuple[str, ...] = ()

    def suites_of(self, default_suites: tuple[str, ...]) -> tuple[str, ...]:
        """Those that were named; else those that --warm is for; else all."""
        return self.suites or (WARM_SUITES if self.warm else default_suites)

    def arguments(self, default_suites: tuple[str, ...]) -> list[str]:
        """For tests/run_suites."""
        return [
            *(["--quick"] if self.quick else []),
            *(["--long"] if self.long else []),
            *(["--warm"] if self.warm else []),
            f"--jobs={self.jobs}",
            *([f"--runtimes={self.runtimes}"] if self.runtimes else []),
            *(name for name in self.suites_of(default_suites)
              if name not in OF_THE_MACHINE),
            "--",
            *self.for_pytest,
        ]


@dataclass
class Sum:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other: "Sum") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def line(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"

    def status(self) -> int:
        return 1 if self.failed else 0


def sum_of(line: str) -> Optional[Sum]:
    """What a last line says; None if it is another line."""
    match = LAST_LINE.match(line.strip())
    return Sum(*map(int, match.groups())) if match else None


def shown(lines: Iterable[str]) -> Sum:
    """Prints what a suite says as it comes, but for its last line, which is part of ours
    and is returned; a suite that ends without one has failed."""
    result = Sum(failed=1)
    for line in lines:
        found = sum_of(line)
        if found is None:
            print(line, end="", flush=True)
        else:
            result = found
    return result
