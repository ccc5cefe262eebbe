# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of the tool, built for this host with fake_core.c in place of Valgrind's core.

"""Builds single files of the tool as programs with a sanitizer."""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
BUILD = Path(os.environ.get("VG_BUILD", SOURCE / "build"))

FLAGS = [
    "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra",
    "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
]


@lru_cache(maxsize=None)
def folder() -> str:
    """Where programs are built; gone at exit."""
    path = tempfile.mkdtemp(prefix="native.")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


@lru_cache(maxsize=None)
def core_flags() -> list[str]:
    """Where the core's headers are, and for which platform, as configure found."""
    makefile = (BUILD / "Makefile").read_text(encoding="utf-8")
    found = re.search(r"^TOOL_CPPFLAGS = (.*)$", makefile, re.M)
    assert found, f"{BUILD}/Makefile has no TOOL_CPPFLAGS"
    return shlex.split(found[1])


@lru_cache(maxsize=None)
def build(program: str, *files: str) -> str:
    """The program of PROGRAM.c, fake_core.c and these files of callgrind/."""
    built = os.path.join(folder(), program)
    sources = [HERE / f"{program}.c", HERE / "fake_core.c"]
    sources += [SOURCE / "callgrind" / name for name in files]
    includes = [f"-I{BUILD}", f"-I{SOURCE}/callgrind", f"-I{SOURCE}/coregrind"]
    compiler = shlex.split(os.environ.get("CC", "gcc"))
    subprocess.run(
        [*compiler, *FLAGS, *core_flags(), *includes, "-o", built, *map(str, sources)],
        check=True,
    )
    return built
