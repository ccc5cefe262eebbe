# SPDX-License-Identifier: GPL-2.0-or-later
#
# driver.c with the sampler's files, built under AddressSanitizer and UBSan (not under an
# emulator, which has no room for the former).  It can be one that reads and unwinds what
# was recorded on another machine.

"""Builds the driver and calls it."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.groundtruth.architecture import AMD64, ARM64, target
from tests.sampler.recording import SIGNING
from tests.sampler.sampling import PATIENCE, SOURCE, Word
from tests.source_files import files_below

FLAGS = ["-std=c11", "-D_GNU_SOURCE", '-DSAMPLER_VERSION="test"', "-g", "-O1", "-Wall",
         "-Wextra", "-Werror", "-pthread"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FOR_MACHINE: dict[str, list[str]] = {AMD64: [], ARM64: ["-DSAMPLER_FOR_ARM64"]}


def fixtures(suffix: str) -> list[Path]:
    """Recordings of this machine, by the ending of their names."""
    folder = Path(__file__).resolve().parent / "fixtures"
    return [path for path in files_below(folder)
            if path.suffix == suffix and path.parent == folder]


@functools.lru_cache(maxsize=None)
def driver(machine: str) -> Path:
    """The driver for what is recorded on a machine; built on first use, gone at exit."""
    folder = Path(tempfile.mkdtemp(prefix="sampler-driver."))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    parts = [*files_below(SOURCE / "sampler"), *files_below(SOURCE / "shared")]
    sources = [path for path in parts if path.suffix == ".c" and path.name != "main.c"]
    program = folder / "driver"
    flags = [*FLAGS, *FOR_MACHINE[machine]]
    flags += [] if target() == ARM64 else SANITIZERS
    subprocess.run(["gcc", *flags, "-I", SOURCE / "sampler",
                    "-I", SOURCE / "shared", "-o", program,
                    Path(__file__).resolve().parent / "driver.c", *sources, "-ldw",
                    "-lelf", "-Wl,--wrap=syscall,--wrap=ioctl,--wrap=epoll_ctl"],
                   check=True)
    return program


def drive(*words: Word, seconds: float = PATIENCE, may_refuse: bool = False,
          machine: str = "") -> str:
    """What the driver prints; an error of a sanitizer, or a hang, raises.  With
    `may_refuse`, the driver may say that it cannot use a file at all."""
    emulator = {name: value for name, value in os.environ.items()
                if name.startswith("QEMU_")}
    done = subprocess.run([driver(machine or target()), *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=seconds,
                          text=True, errors="backslashreplace",
                          env={**emulator, **SIGNING,
                               "ASAN_OPTIONS": "detect_leaks=0",
                               "UBSAN_OPTIONS": "print_stacktrace=1"})
    if done.returncode != 0 and not (may_refuse and done.returncode == 2):
        raise AssertionError(f"driver {words[0]}: status {done.returncode}\n"
                             + done.stderr[-3000:])
    return done.stdout
