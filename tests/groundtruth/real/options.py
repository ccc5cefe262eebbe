# SPDX-License-Identifier: GPL-2.0-or-later
#
# What can be said to the tests of real programs on pytest's command line.
# tests/groundtruth/real_programs loads it (pytest -p tests.groundtruth.real.options);
# without it all have their defaults.

"""pytest's options for the tests of real programs."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Optional, Sequence

import pytest

from tests.differential.options import build_folder, check_names
from tests.groundtruth.real.program_table import TABLE


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("programs")
    names = ", ".join(program.name for program in TABLE)
    group.addoption(
        "--program",
        action="append",
        metavar="NAME",
        help=f"only this program: {names} (repeatable, with wildcards)",
    )
    group.addoption(
        "--keep", type=Path, metavar="DIR", help="keep programs and profiles in DIR"
    )
    group.addoption(
        "--launcher",
        metavar="PATH",
        help="the valgrind to test (vg-in-place of $VG_BUILD, or of build/)",
    )


def pytest_configure(config: pytest.Config) -> None:
    names = [program.name for program in TABLE]
    check_names("--program", config.getoption("--program") or [], names)


@dataclass(frozen=True)
class Options:
    """What was said, or its defaults."""

    programs: Sequence[str]
    keep: Optional[Path]
    launcher: str

    @classmethod
    def of(cls, config: pytest.Config) -> Options:
        def said(name: str) -> Any:
            return config.getoption(name, default=None)

        keep = said("--keep")
        return cls(
            said("--program") or ["*"],
            keep.resolve() if keep else None,
            said("--launcher") or str(build_folder() / "vg-in-place"),
        )

    def has(self, program: str) -> bool:
        return any(fnmatchcase(program, pattern) for pattern in self.programs)
