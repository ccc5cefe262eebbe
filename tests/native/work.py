# SPDX-License-Identifier: GPL-2.0-or-later
#
# How much work a part of the tool takes: built for this host, it is itself run under the
# tool, which counts its instructions.  So a test compares numbers that are the same on
# every machine, however busy.

"""Counts the instructions of programs made of files of the tool."""

from __future__ import annotations

import re
import subprocess
from functools import lru_cache
from pathlib import Path

from tests.native.building import (
    BUILD,
    HERE,
    SOURCE,
    compile_program,
    core_flags,
    folder,
)

# Static: Valgrind starts it in a quarter of the time, as there is no C library's debug
# information to read.
FLAGS = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-static"]


@lru_cache(maxsize=None)
def build_plain(program: str, *files: str) -> str:
    """The program of PROGRAM.c, the replacements of the core, and these files, which are
    given from the top of the source tree; without a sanitizer."""
    names = [HERE / name for name in (f"{program}.c", "fake_core.c", "fake_tables.c",
                                      "faults.c")]
    trees = ("callgrind", "coregrind", "shared", "sampler")
    includes = [f"-I{BUILD}", *(f"-I{SOURCE / tree}" for tree in trees)]
    return compile_program(
        f"{program}.plain",
        [*names, *(SOURCE / name for name in files)],
        [*core_flags(), *includes],
        FLAGS,
    )


def instructions(*command: str) -> int:
    """How many instructions a program executes."""
    out = Path(folder(), "counted")
    words = [f"{BUILD}/vg-in-place", "-q", "--tool=callgrind",
             f"--callgrind-out-file={out}", "--main-stacksize=64000000", *command]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    found = re.search(r"^totals: (\d+)", out.read_text(encoding="latin-1"), re.M)
    assert found, "a profile without totals"
    return int(found[1])


def growth(program: str, *words: str, size: int) -> float:
    """How much more the work grows from 2 n to 4 n than from n to 2 n, where n is `size`,
    the last argument.  What every run takes, such as to start, is left out.  2 where the
    work goes by the number; 4 where it goes by its square."""
    once, twice, four_times = (
        instructions(program, *words, str(n)) for n in (size, 2 * size, 4 * size)
    )
    return (four_times - twice) / max(1, twice - once)


# Between a number and its square.  Sorting, and tables that double, take a bit more than
# 2.
LINEAR = 2.7
