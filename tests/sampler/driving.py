# SPDX-License-Identifier: GPL-2.0-or-later
#
# driver.c with the sampler's files, built under AddressSanitizer and UBSan (not under an
# emulator, which has no room for the former).  It can be one that reads and unwinds what
# was recorded on another machine.  And the sampler itself with oracle/, by which libdw's
# unwinder has its say on every sample.

"""Builds the driver and calls it; builds the sampler with its oracle."""

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

HERE = Path(__file__).resolve().parent
ORACLE = HERE / "oracle"
FLAGS = ["-std=c11", "-D_GNU_SOURCE", '-DSAMPLER_VERSION="test"', "-g", "-Wall",
         "-Wextra", "-Werror", "-pthread", f"-I{SOURCE / 'sampler'}",
         f"-I{SOURCE / 'shared'}", f"-I{ORACLE}"]
SANITIZERS = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FOR_MACHINE: dict[str, list[str]] = {AMD64: [], ARM64: ["-DSAMPLER_FOR_ARM64"]}


def fixtures(suffix: str) -> list[Path]:
    """Recordings of this machine, by the ending of their names."""
    folder = Path(__file__).resolve().parent / "fixtures"
    return [path for path in files_below(folder)
            if path.suffix == suffix and path.parent == folder]


def build(name: str, *words: Word) -> Path:
    """A program of the sampler's files but main.c, and others; gone at exit."""
    folder = Path(tempfile.mkdtemp(prefix=f"sampler-{name}."))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sources = sorted([*(SOURCE / "sampler").glob("*/*.c"),
                      *(SOURCE / "shared").glob("*/*.c"),
                      ORACLE / "libdw_unwind.c"])
    program = folder / name
    subprocess.run(["gcc", *FLAGS, "-o", program, *words, *sources, "-ldw", "-lelf"],
                   check=True)
    return program


@functools.lru_cache(maxsize=None)
def driver(machine: str) -> Path:
    """The driver for what is recorded on a machine; built on first use."""
    return build("driver", *FOR_MACHINE[machine],
                 *(["-O1"] if target() == ARM64 else SANITIZERS), HERE / "driver.c",
                 "-Wl,--wrap=syscall,--wrap=ioctl,--wrap=epoll_ctl")


@functools.lru_cache(maxsize=None)
def beside_libdw() -> Path:
    """A sampler that says how its unwinder and libdw's agree; built on first use."""
    return build("beside", "-O2", SOURCE / "sampler" / "main.c",
                 ORACLE / "beside_libdw.c",
                 "-Wl,--wrap=unwind_sample,--wrap=profile_finish")


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
