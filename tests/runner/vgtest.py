# SPDX-License-Identifier: GPL-2.0-or-later
#
# Regression tests as tests of pytest: each .vgtest file is one.  Relies on tests/regtest,
# which runs them, and on a finished build, named in VG_BUILD.

"""Collects .vgtest files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterator, Optional, Union

import pytest

SOURCE = Path(__file__).resolve().parents[2]
TIME_LIMIT = 600.0  # seconds for one command: a safety net


class Failed(Exception):
    """A regression test has failed; the text says how."""


def run(path: Path) -> tuple[str, str]:
    """Run one test: `pass`, `skipped` or `FAIL`, and what there is to say about it."""
    from tests.regtest.places import Trees
    from tests.regtest.runner import Settings, run_test
    from tests.regtest.shell import Processes

    build = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()
    launcher = build / "vg-in-place"
    if not os.access(launcher, os.X_OK):
        raise Failed(f"{launcher} is missing: run make, or ./check, first")
    settings = Settings(
        keep_unfiltered=False,
        limit=TIME_LIMIT,
        extra_options=os.environ.get("EXTRA_REGTEST_OPTS", ""),
        log=print,
        processes=Processes(),
    )
    result = run_test(path, Trees(SOURCE, build, launcher), settings)
    said = [result.reason] if result.reason else []
    return result.verdict.value, "\n".join([*said, *result.details])


class VgtestItem(pytest.Item):
    """One regression test."""

    def runtest(self) -> None:
        verdict, said = run(self.path)
        if verdict == "skipped":
            pytest.skip(said)
        if verdict != "pass":
            raise Failed(said)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None
    ) -> Any:
        if isinstance(excinfo.value, Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Union["os.PathLike[str]", str], Optional[int], str]:
        return self.path, None, self.nodeid


class VgtestFile(pytest.File):
    """A .vgtest file: the test has the file's name."""

    def collect(self) -> Iterator[VgtestItem]:
        yield VgtestItem.from_parent(self, name=self.path.stem, nodeid=self.nodeid)


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Optional[pytest.Collector]:
    if file_path.suffix == ".vgtest":
        collected: pytest.Collector = VgtestFile.from_parent(parent, path=file_path)
        return collected
    return None
