# SPDX-License-Identifier: GPL-2.0-or-later
#
# The go command of this machine.  Owns: where it is looked for, that all tests of a build
# folder share what it has compiled, and that its pprof, which newer ones compile when it
# is first used, is compiled once: that takes a minute of processor time.

"""The go command, for tests."""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
import subprocess
from functools import lru_cache
from typing import Optional

from tests.differential.options import build_folder

# For tests that are skipped without it.
GO: Optional[str] = shutil.which("go") or next(
    iter(glob.glob("/usr/lib/go-*/bin/go")), None
)
# What it needs in its environment, beside a $HOME.
VARIABLES = {
    "GOCACHE": str(build_folder() / "tests" / "go"),
    "GOTOOLCHAIN": "local",
}


@lru_cache(maxsize=None)
def go_with_pprof() -> str:
    """The path of go, whose `go tool pprof` is compiled: of tests in several processes
    that ask at a time, one compiles it, and the others wait."""
    assert GO is not None, "a test that needs go is skipped without it"
    cache = build_folder() / "tests" / "go"
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "pprof.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        home = {**os.environ, "HOME": str(cache), **VARIABLES}
        subprocess.run([GO, "tool", "pprof", "-help"], env=home, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return GO
