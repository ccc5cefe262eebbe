# SPDX-License-Identifier: GPL-2.0-or-later
#
# driver.c with the sampler's files, built under AddressSanitizer and UBSan.

"""Builds the driver and calls it."""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.sampler.sampling import PATIENCE, SOURCE, Word

FLAGS = ["-std=c11", "-D_GNU_SOURCE", '-DSAMPLER_VERSION="test"', "-g", "-O1", "-Wall",
         "-Wextra", "-Werror", "-fsanitize=address,undefined",
         "-fno-sanitize-recover=all", "-pthread"]


@functools.lru_cache(maxsize=None)
def driver() -> Path:
    """The driver; built on first use, gone at exit."""
    folder = Path(tempfile.mkdtemp(prefix="sampler-driver."))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sources = sorted([*(SOURCE / "sampler").glob("*/*.c"),
                      *(SOURCE / "shared").glob("*/*.c")])
    program = folder / "driver"
    subprocess.run(["gcc", *FLAGS, "-I", SOURCE / "sampler",
                    "-I", SOURCE / "shared", "-o", program,
                    Path(__file__).resolve().parent / "driver.c", *sources, "-ldw",
                    "-lelf", "-Wl,--wrap=syscall,--wrap=ioctl"], check=True)
    return program


def drive(*words: Word, seconds: float = PATIENCE, may_refuse: bool = False) -> str:
    """What the driver prints; an error of a sanitizer, or a hang, raises.  With
    `may_refuse`, the driver may say that it cannot use a file at all."""
    done = subprocess.run([driver(), *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=seconds,
                          text=True, errors="backslashreplace",
                          env={"ASAN_OPTIONS": "detect_leaks=0",
                               "UBSAN_OPTIONS": "print_stacktrace=1"})
    if done.returncode != 0 and not (may_refuse and done.returncode == 2):
        raise AssertionError(f"driver {words[0]}: status {done.returncode}\n"
                             + done.stderr[-3000:])
    return done.stdout
