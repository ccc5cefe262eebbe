# SPDX-License-Identifier: GPL-2.0-or-later
#
# `go tool pprof` of this machine.  Newer ones compile it when it is first used, which
# takes a minute of processor time.  Owns: where go is looked for, and that all tests of a
# build folder share what it has compiled.

"""The go command, for tests of pprof files."""

from __future__ import annotations

import glob
import shutil
from typing import Optional

from callgrind.report.tests.npm_packages import BUILD

# For tests that are skipped without it.
GO: Optional[str] = shutil.which("go") or next(
    iter(glob.glob("/usr/lib/go-*/bin/go")), None
)
# What it needs in its environment, beside a $HOME.
VARIABLES = {"GOCACHE": str(BUILD / "tests" / "go"), "GOTOOLCHAIN": "local"}
