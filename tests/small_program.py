# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program for tests that start Valgrind often and do not care what runs: it ends with
# the status that is its argument, and is linked statically.  Valgrind starts such a
# program in a quarter of the time, as there is no C library's debug information to read.
#
# Owns: its source, and where it is kept in the build folder (made once for all tests).
# Relies on gcc; where that cannot link statically, the program is an ordinary one.

"""The program that is soonest at its end."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import subprocess
from pathlib import Path

TEXT = """#include <stdlib.h>
int main(int argc, char** argv)
{
   return argc > 1 ? atoi(argv[1]) : 0;
}
"""
SOURCE = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()


@functools.lru_cache(maxsize=None)
def small_program() -> Path:
    """Its path.  Nobody changes it; everybody may run it."""
    folder = BUILD / "tests" / "small"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"end-{hashlib.sha256(TEXT.encode()).hexdigest()[:8]}"
    with open(folder / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            _compile(program)
    return program


def _compile(program: Path) -> None:
    new = program.with_suffix(".new")
    words = ["gcc", "-O1", "-x", "c", "-", "-o", str(new)]
    static = subprocess.run(
        [*words, "-static"], input=TEXT, text=True, capture_output=True, check=False
    )
    if static.returncode != 0:
        subprocess.run(words, input=TEXT, text=True, capture_output=True, check=True)
    new.replace(program)
