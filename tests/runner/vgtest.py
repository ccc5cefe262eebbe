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

# The top of this tree, which is a made-up one where the runner itself is tested.
SOURCE = Path(__file__).resolve().parents[2]


class Failed(Exception):
    """A regression test has failed; the text says how."""


class VgtestItem(pytest.Item):
    """One regression test."""

    def runtest(self) -> None:
        # Not at the top: a fault in tests/regtest must not end the tests of all suites.
        from tests.regtest.api import Configuration, UsageError, Verdict, run_vgtest

        try:
            result = run_vgtest(self.path, Configuration(source=SOURCE, log=print))
        except UsageError as error:
            raise Failed(str(error)) from error
        if result.verdict is Verdict.SKIPPED:
            pytest.skip(result.reason)
        if result.verdict is not Verdict.PASS:
            raise Failed("\n".join([result.reason, *result.details]))

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
    # A hidden one is an editor's.
    if file_path.suffix == ".vgtest" and not file_path.name.startswith("."):
        collected: pytest.Collector = VgtestFile.from_parent(parent, path=file_path)
        return collected
    return None
