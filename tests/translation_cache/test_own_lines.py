# SPDX-License-Identifier: GPL-2.0-or-later
#
# Source lines that the tool reads without the core, and only those that are asked for:
# they are what the core would have said.

"""Source lines that are read without the core."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.differential.launching import default_stock
from tests.differential.profile_bytes import different_files, first_difference
from tests.translation_cache.test_late_lines import (
    compile_program, fixture_folder, frames_put_off_and_read, profile, put_off_and_read,
    pytestmark,
)

__all__ = ["fixture_folder", "pytestmark"]

OWN = re.compile(rb"source lines: of (\d+) objects read without the core")
MAIN = """
#include <stdlib.h>
int main(int argc, char** argv) { return work(atoi(argv[1])) == 77; }
"""
LOOP = """
static volatile int sum;
static int squared(int n) { return n * n; }
static int work(int n)
{
   for (int i = 0; i < n; i++) {
      sum += i % 3 == 0 ? squared(i) : i;
      if (sum > 100)
         sum -= 50;
   }
   return sum;
}
"""
# A header's line and the program's that follows it are of one number.
TWO_FILES = """
static volatile int sum;
static int work(int n)
{
   sum = n;
#line 20 "header.h"
   sum *= 3;
#line 20 "program.c"
   sum += 2; sum *= 3;
#line 1048575
   sum += 4;
   return sum;
}
"""
HIGH_LINE = LOOP.replace("   for (", "#line 1048576\n   sum = n;\n#line 9\n   for (")
LONG_ROW = LOOP.replace("return sum;", "if (n < 0) {\n" + "sum++; " * 900 + "}\n sum++;\n"
                        + "sum++; " * 900 + "\n sum--; return sum;")
UNUSED = LOOP + "int unused(int n)\n{\n" + "   sum += n;\n" * 50 + "   return 0;\n}\n"

CASES = {
    "plain": (LOOP, (), 1),
    "optimised": (LOOP, ("-O3", "-funroll-loops", "-finline"), 1),
    "not_optimised": (LOOP, ("-O0",), 1),
    "compressed": (LOOP, ("-gz",), 1),
    "relative_folder": (LOOP, ("-ffile-prefix-map={folder}=.",), 1),
    "other_folder": (LOOP, ("-ffile-prefix-map={folder}=/elsewhere/of/it",), 1),
    "two_files": (TWO_FILES, ("-O0",), 1),
    "high_line": (HIGH_LINE, ("-O0",), 1),
    "long_row": (LONG_ROW, ("-O0",), 1),
    "left_out": (UNUSED, ("-ffunction-sections", "-Wl,--gc-sections"), 1),
    "version_4": (LOOP, ("-gdwarf-4",), 0),
    "version_2": (LOOP, ("-gdwarf-2", "-gstrict-dwarf"), 0),
    # Core 3.19 takes the unit's identity, a hash of its text, for entries: some kill it.
    # With a folder of this name it is one that does not.
    "split": (LOOP, ("-gsplit-dwarf", "-ffile-prefix-map={folder}=/a"), 0),
}
EVERYTHING = ("--dump-instr=yes", "--collect-jumps=yes", "--stats=yes")


def read_without_the_core(written: dict[str, bytes]) -> int:
    found = OWN.search(written["output"])
    assert found, written["output"].decode()
    return int(found[1])


def core_reads(program: Path) -> bool:
    command = [default_stock(), "-q", "--tool=none", str(program), "9"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def assert_same_profiles(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    files = [name for name in different_files(one, other) if name != "output"]
    assert not files, first_difference(one, other, files[0])


@pytest.mark.parametrize("case", CASES)
def test_they_are_the_cores(folder: Path, case: str) -> None:
    source, given, own = CASES[case]
    flags = ("-gdwarf-5", *(flag.format(folder=folder) for flag in given))
    program = compile_program(folder, source + MAIN, *flags)
    if case == "split" and not core_reads(program):
        pytest.skip("this core ends at this compiler's split debug information")
    written = profile(folder, "9", options=EVERYTHING)
    assert read_without_the_core(written) == own
    assert own == 0 or b"program.c" in written["profile.out"]
    # With this option the core reads everything at once.
    by_core = profile(folder, "9", options=(*EVERYTHING, "--read-var-info=yes"))
    assert read_without_the_core(by_core) == 0
    assert_same_profiles(written, by_core)
    # With this one each line is compared.
    checked = profile(folder, "9", options=(*EVERYTHING, "--ct-check=yes"))
    assert put_off_and_read(checked) == (own, own)
    assert_same_profiles(written, checked)


@pytest.mark.parametrize("kept", ["nothing", "the entries", "the lines", "the texts"])
def test_sections_that_are_missing(folder: Path, kept: str) -> None:
    """The core knows nothing of lines without entries, and own lines do not either."""
    program = compile_program(folder, LOOP + MAIN, "-gdwarf-5")
    names = {"the entries": ".debug_info", "the lines": ".debug_line",
             "the texts": ".debug_line_str"}
    removed = [f"--remove-section={name}" for what, name in names.items() if what != kept]
    subprocess.run(["objcopy", *removed, str(program)], check=True)
    written = profile(folder, "9", options=EVERYTHING)
    assert read_without_the_core(written) == 0
    by_core = profile(folder, "9", options=(*EVERYTHING, "--read-var-info=yes"))
    assert_same_profiles(written, by_core)


def test_the_core_reads_neither_lines_nor_frames(folder: Path) -> None:
    compile_program(folder, LOOP + MAIN, "-gdwarf-5")
    written = profile(folder, "9", options=EVERYTHING)
    assert put_off_and_read(written) == (1, 0)
    assert frames_put_off_and_read(written) == (1, 0)


def test_a_line_that_only_the_core_knows(folder: Path) -> None:
    """It reads all when it is asked for that one."""
    compile_program(folder, HIGH_LINE + MAIN, "-gdwarf-5", "-O0")
    written = profile(folder, "9", options=EVERYTHING)
    assert put_off_and_read(written) == (1, 1)
    assert read_without_the_core(written) == 1
