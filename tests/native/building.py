# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of the tool, built for this host with fake_core.c in place of Valgrind's core.

"""Builds single files of the tool as programs with a sanitizer."""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
BUILD = Path(os.environ.get("VG_BUILD", SOURCE / "build"))

FLAGS = [
    "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra",
    "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
]


UNUSED_DAYS = 7  # after which a program that was kept is removed


@lru_cache(maxsize=None)
def folder() -> str:
    """For what a test's programs leave; gone at exit."""
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


def compile_program(
    program: str, sources: list[Path], flags: list[str], general: list[str] = FLAGS
) -> str:
    """The program that is made of these sources.  It is kept in the build folder, under
    a digest of all that the compiler reads, for all tests and later runs."""
    words = shlex.split(os.environ.get("CC", "gcc"))
    words += [*general, *flags, f"-I{HERE}"]
    names = [str(source) for source in sources]
    read = subprocess.run([*words, "-E", *names], check=True, stdout=subprocess.PIPE)
    version = subprocess.run([words[0], "--version"], check=True, stdout=subprocess.PIPE)
    digest = hashlib.sha256(repr((words, names)).encode() + read.stdout + version.stdout)
    kept = BUILD / "tests" / "native"
    kept.mkdir(parents=True, exist_ok=True)
    built = kept / f"{program}.{digest.hexdigest()[:16]}"
    with open(f"{built}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            remove_unused(kept)
            subprocess.run([*words, "-o", f"{built}.new", *names], check=True)
            os.replace(f"{built}.new", built)
        os.utime(built)
    return str(built)


def remove_unused(kept: Path) -> None:
    """Removes programs that no test has asked for in a long time."""
    oldest = time.time() - UNUSED_DAYS * 24 * 60 * 60
    for path in kept.iterdir():
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
        except FileNotFoundError:  # another process was faster
            pass


@lru_cache(maxsize=None)
def build(program: str, *files: str, flags: tuple[str, ...] = ()) -> str:
    """The program of PROGRAM.c, fake_core.c and these files of callgrind/."""
    sources = [HERE / name for name in (f"{program}.c", "fake_core.c", "faults.c")]
    sources += [SOURCE / "callgrind" / name for name in files]
    return build_of(program, *sources, flags=flags)


@lru_cache(maxsize=None)
def build_of(program: str, *sources: Path, flags: tuple[str, ...] = ()) -> str:
    """As build(), of just these sources."""
    trees = ("callgrind", "coregrind", "shared")
    includes = [f"-I{BUILD}", *(f"-I{SOURCE / tree}" for tree in trees)]
    return compile_program(program, list(sources), [*core_flags(), *includes, *flags])


@lru_cache(maxsize=None)
def build_for_arm64(program: str, *files: str) -> str:
    """The program of PROGRAM.c and these files of callgrind/, which treat the guest as
    arm64's do, on any host."""
    sources = [HERE / f"{program}.c", HERE / "fake_core.c", HERE / "faults.c",
               *(SOURCE / "callgrind" / name for name in files)]
    trees = ("callgrind", "coregrind")
    includes = [f"-I{BUILD}", *(f"-I{SOURCE / tree}" for tree in trees)]
    platform = [flag.replace("amd64", "arm64") for flag in core_flags()]
    return compile_program(program, sources, [*platform, *includes])


@lru_cache(maxsize=None)
def build_sampler(program: str, wrapped: tuple[str, ...], *files: str) -> str:
    """The program of PROGRAM.c and these files of sampler/, whose calls of the functions
    in `wrapped` PROGRAM.c takes."""
    sources = [HERE / f"{program}.c", HERE / "faults.c"]
    sources += [SOURCE / "sampler" / name for name in files]
    wraps = [f"-Wl,--wrap={name}" for name in wrapped]
    return compile_program(
        program, sources, ["-D_GNU_SOURCE", f"-I{SOURCE}/sampler", *wraps]
    )
