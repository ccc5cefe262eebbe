# SPDX-License-Identifier: GPL-2.0-or-later
#
# What can be said to the differential tests on pytest's command line.
# tests/differential/run loads it (pytest -p tests.differential.options); without it all
# have their defaults.

"""pytest's options for the differential tests."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Optional, Sequence

import pytest

from tests.differential.cases import CASES, OPTION_SETS
from tests.runner.series import is_long

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
DEVIATIONS = HERE / "deviations.ini"


def build_folder() -> Path:
    return Path(os.environ.get("VG_BUILD") or REPOSITORY / "build").resolve()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("differential")
    group.addoption(
        "--case",
        action="append",
        metavar="NAME",
        help=f"only this case: {', '.join(case.name for case in CASES)} "
        f"(repeatable, with wildcards)",
    )
    group.addoption(
        "--options",
        action="append",
        metavar="NAME",
        help=f"only this option set: {', '.join(OPTION_SETS)} (the same)",
    )
    group.addoption(
        "--keep", type=Path, metavar="DIR", help="keep the profiles in DIR"
    )
    group.addoption(
        "--stock",
        metavar="PATH",
        help="the launcher to compare with (default: the distribution's)",
    )
    group.addoption(
        "--ours",
        metavar="PATH",
        help="the launcher under test (default: vg-in-place of $VG_BUILD, or of build/)",
    )
    group.addoption(
        "--deviations",
        type=Path,
        metavar="FILE",
        help="what may differ (default: deviations.ini)",
    )


def pytest_configure(config: pytest.Config) -> None:
    for option, names in (
        ("--case", [case.name for case in CASES]),
        ("--options", list(OPTION_SETS)),
    ):
        check_names(option, config.getoption(option) or [], names)


def check_names(option: str, patterns: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a pattern that matches nothing."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            known = ", ".join(names)
            raise pytest.UsageError(f"{option} {pattern}: there are: {known}")


@dataclass(frozen=True)
class Options:
    """What was said, or its defaults."""

    cases: Sequence[str]
    sets: Sequence[str]
    keep: Optional[Path]
    stock: Optional[str]
    ours: str
    deviations: Path

    @classmethod
    def of(cls, config: pytest.Config) -> Options:
        def said(name: str) -> Optional[str]:
            value: Optional[str] = config.getoption(name, default=None)
            return value

        keep = said("--keep")
        return cls(
            said("--case") or ["*"],
            said("--options") or ["*"],
            Path(keep).resolve() if keep else None,
            said("--stock"),
            said("--ours") or str(build_folder() / "vg-in-place"),
            Path(said("--deviations") or DEVIATIONS),
        )

    def has(self, case: str, options: str, long_only: bool = False) -> bool:
        """Whether to compare these; long_only: not unless somebody asks for more."""
        if long_only and not (is_long() or self.is_chosen):
            return False
        return any(fnmatchcase(case, name) for name in self.cases) and any(
            fnmatchcase(options, name) for name in self.sets
        )

    @property
    def is_chosen(self) -> bool:
        """Whether cases or sets were named."""
        return [*self.cases, *self.sets] != ["*", "*"]
