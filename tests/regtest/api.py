# SPDX-License-Identifier: GPL-2.0-or-later
#
# How others run a regression test: one function for one .vgtest file.  tests/vg_regtest
# and pytest use it.  Owns: which launcher and build folder are the default.

"""Run one `.vgtest` file."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

from tests.regtest.places import TESTS_FOLDER, Trees
from tests.regtest.runner import (
    EXTRA_OPTIONS,
    Result,
    Settings,
    Verdict,
    run_test,
)

__all__ = ["Configuration", "Result", "UsageError", "Verdict", "run_vgtest"]


class UsageError(Exception):
    """What is to be tested is not there; the message says what, in one line."""


def _default_source() -> Path:
    return TESTS_FOLDER.parent


@dataclass(frozen=True)
class Configuration:
    """What is tested, and how."""

    source: Path = field(default_factory=_default_source)  # the source tree
    build: Optional[Path] = None  # None: $VG_BUILD, or build/ in the source tree
    launcher: Optional[str] = None  # a valgrind; None: vg-in-place in the build folder
    timeout: float = 600.0  # seconds, for each command of a test
    keep_unfiltered: bool = False  # keep the unfiltered outputs of tests that pass
    log: Callable[[str], None] = lambda line: None  # told of each command
    # Run each test without, with new and with old stored translations.
    warm: bool = field(default_factory=lambda: bool(os.environ.get("CT_WARM")))

    def trees(self) -> Trees:
        """The folders and the launcher; raises UsageError where they are not there."""
        source = self.source.resolve()
        if not source.is_dir():
            raise UsageError(f"source tree {source}: no such folder")
        build = Path(self.build or os.environ.get("VG_BUILD") or source / "build")
        build = build.resolve()
        return Trees(source, build, self._launcher_path(build))

    def _launcher_path(self, build: Path) -> Path:
        wanted = self.launcher or str(build / "vg-in-place")
        found = shutil.which(wanted)
        if found is not None:
            # Absolute but not resolved: a launcher may go by the name it is called by.
            return Path(os.path.abspath(found))
        if self.launcher is not None:
            raise UsageError(f"launcher {wanted}: no such program")
        raise UsageError(
            f"{wanted} is not there: run `make` first, or say --build=DIR or"
            " --launcher=PROG"
        )


def run_vgtest(path: Path, configuration: Optional[Configuration] = None) -> Result:
    """Run the test that a .vgtest file describes, in a folder of its own.

    The result's `verdict` is PASS, FAIL or SKIPPED; `reason` is one line, empty after a
    pass; `details` are the lines that explain a failure, such as diffs.  A test that is
    wrong itself fails.  Raises UsageError where the launcher is not there.  What stays of
    a test that failed is in its run folder.  Commands end with this function, also when
    an exception such as KeyboardInterrupt ends it.
    """
    chosen = configuration or Configuration()
    settings = Settings(
        keep_unfiltered=chosen.keep_unfiltered,
        limit=chosen.timeout,
        extra_options=os.environ.get(EXTRA_OPTIONS, ""),
        log=chosen.log,
    )
    if chosen.warm:
        # Not at the top: it needs the readers of profiles, which the others do not.
        from tests.regtest.warm import run_warm

        return run_warm(Path(path), chosen.trees(), settings)
    return run_test(Path(path), chosen.trees(), settings)
