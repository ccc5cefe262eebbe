# SPDX-License-Identifier: GPL-2.0-or-later
#
# The suites.  Owns: their names, which tests each of them has, their order, and which
# tests are the quick ones.  Relies on nothing, so that --list works before anything is
# installed.

"""Which tests make up which suite."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Iterable, Optional


@dataclass(frozen=True)
class Suite:
    name: str
    # Folders and files below the top of the source tree.  A test belongs to the suite
    # that names the innermost of the folders it lies in, or its file.
    paths: tuple[str, ...]
    # Of these tests --quick runs those whose name matches one of the patterns.  A name
    # is the test's file, and for a Python test `::` and what is tested.
    quick: tuple[str, ...]


# In the order in which they run.  Suites with long tests come first: what runs at the end
# is short, and no processor waits long for another.
SUITES = (
    Suite(
        "programs",
        ("tests/groundtruth/real/test_real_programs.py",),
        quick=(),
    ),
    Suite(
        "differential",
        ("tests/differential/test_against_stock.py",),
        quick=(),
    ),
    Suite(
        "sampler",
        ("tests/sampler",),
        quick=(),
    ),
    Suite(
        "build",
        ("tests/build",),
        quick=(),
    ),
    Suite(
        "groundtruth",
        ("tests/groundtruth/test_programs.py",),
        quick=(),
    ),
    Suite(
        "report",
        ("callgrind/report/tests",),
        quick=(),
    ),
    Suite(
        "simulators",
        ("tests/simulators",),
        quick=(),
    ),
    Suite(
        "readers",
        ("tests/readers",),
        quick=(),
    ),
    Suite(
        "documents",
        ("tests/documents",),
        quick=(),
    ),
    Suite(
        "style",
        ("tests/style",),
        quick=(),
    ),
    Suite(
        "regression",
        ("callgrind/tests",),
        quick=(),
    ),
    Suite(
        "tools",
        (
            "tests/runner",
            "tests/regtest",
            "tests/differential",
            "tests/groundtruth",
            "tests/bench",
        ),
        quick=(),
    ),
)

NAMES = tuple(suite.name for suite in SUITES)
# Of a test that lies in no suite's folder, such as a file that somebody is trying out.
OTHER = "other"


def suite_of(name: str) -> Optional[Suite]:
    """The suite of a test, by the test's name or its path below the source tree."""
    path = name.split("::")[0]
    found: Optional[Suite] = None
    longest = 0
    for suite in SUITES:
        for place in suite.paths:
            inside = path == place or path.startswith(place + "/")
            if inside and len(place) > longest:
                found, longest = suite, len(place)
    return found


def suite_name(name: str) -> str:
    suite = suite_of(name)
    return suite.name if suite else OTHER


def rank(name: str) -> int:
    """The place of a test's suite in the order in which they run."""
    suite = suite_of(name)
    return SUITES.index(suite) if suite else len(SUITES)


def paths_of(names: Iterable[str]) -> list[str]:
    """The folders and files of these suites."""
    return [path for suite in SUITES if suite.name in names for path in suite.paths]


def is_quick(name: str) -> bool:
    suite = suite_of(name)
    if suite is None:
        return True
    return any(fnmatchcase(name, pattern) for pattern in suite.quick)
