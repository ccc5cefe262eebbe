# SPDX-License-Identifier: GPL-2.0-or-later
#
# Symbols that are read only when somebody asks for them, as code runs natively until
# then: the profile is the same as if they had been read when the object was mapped.

"""Late symbols: when they are put off, when they are read, and that nothing is lost."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.core_headers import request_flags
from tests.differential.options import build_folder
from tests.differential.profile_bytes import run
from tests.translation_cache.test_late_lines import (
    CONFIG, STARTED, assert_same, compile_program, fixture_folder, put_off_and_read,
)

__all__ = ["fixture_folder"]
SYMBOLS = re.compile(rb"symbols: of (\d+) objects put off, of (\d+) read when asked")
LINES = re.compile(rb"source lines: of (\d+) objects put off, of (\d+) read when asked")
# What it tells of time passes while code is translated alone.
TIME = re.compile(rb"^desc: Timerange: .*\n", re.M)
OFF = ("--instr-atstart=no", "--stats=yes")


def runs_natively() -> bool:
    ended = subprocess.run(
        [str(build_folder() / "vg-in-place"), "--tool=callgrind", "-v", *OFF,
         "--off=native", "--callgrind-out-file=/dev/null", "true"],
        check=False, capture_output=True,
    )
    return b"instrumented runs natively" in ended.stderr


pytestmark = pytest.mark.skipif(
    "#define CORE_SYMBOLS_CAN_BE_PUT_OFF 1" not in CONFIG or not runs_natively(),
    reason="the reading of symbols cannot be put off here",
)


def profile(folder: Path, *arguments: str, off: str, others: tuple[str, ...] = ()
            ) -> dict[str, bytes]:
    options = [*OFF, f"--off={off}", "--compress-strings=no", *others]
    written = run(build_folder(), folder, options, [str(folder / "program"), *arguments])
    return {name: TIME.sub(b"", text) for name, text in written.items()}


def native(folder: Path, *arguments: str, others: tuple[str, ...] = ()
           ) -> dict[str, bytes]:
    """Checks that what runs natively leaves the profile of translated code."""
    written = profile(folder, *arguments, off="native", others=others)
    assert_same(profile(folder, *arguments, off="translated", others=others), written)
    return written


@pytest.mark.parametrize("flags", [
    ("-gdwarf-4",), ("-gdwarf-5",), ("-g0", "-fomit-frame-pointer"),
    ("-gdwarf-5", "-fomit-frame-pointer"), ("-gdwarf-4", "-gz"),
])
def test_they_are_read_at_start(folder: Path, flags: tuple[str, ...]) -> None:
    """Of the object that runs and lies on the stack, with all that goes with them."""
    compile_program(folder, STARTED, *request_flags(), *flags)
    assert put_off_and_read(native(folder, "9"), SYMBOLS) == (2, 0)
    written = native(folder, "9", "start", others=("--dump-instr=yes",))
    assert put_off_and_read(written, SYMBOLS) == (2, 1)
    assert re.search(rb"\nfn=often\n", written["profile.out"])
    assert re.search(rb"\nfn=start\n", written["profile.out"])


def test_those_of_libraries_that_run_are_read(folder: Path) -> None:
    """Each library that runs, as all do at the end; the tool does not."""
    source = STARTED.replace("often(n);", "often(n); if (starts) qsort(of, 9, 4, less);")
    source = source.replace("static void start(", """
static int of[9] = {3, 1, 2};
static int less(const void* a, const void* b) { return *(int*)a - *(int*)b; }
static void start(""")
    (folder / "program.c").write_text(source, encoding="utf-8")
    subprocess.run(["gcc", "-g", "-O1", "-fno-inline", *request_flags(), "-o", "program",
                    "program.c", "-Wl,--no-as-needed", "-lm"], cwd=folder, check=True)
    off = put_off_and_read(native(folder, "9"), SYMBOLS)
    assert off[0] >= 3 and off[1] == 0
    written = native(folder, "0", "start")
    assert put_off_and_read(written, SYMBOLS) == (off[0], off[0] - 1)
    assert re.search(rb"\ncob=\S*libc\.so", written["profile.out"])


WRAPS = """
int _vgw00000ZU_NONE_often(int n);
int _vgw00000ZU_NONE_often(int n) { return n; }
"""


def test_what_wraps_functions_is_known_at_once(folder: Path) -> None:
    """The names of such functions begin so; see Valgrind's manual.  Of all other objects
    symbols are known, too, wherever they are wrapped."""
    compile_program(folder, STARTED + WRAPS, *request_flags())
    for arguments in (("9",), ("9", "start")):
        assert put_off_and_read(native(folder, *arguments), SYMBOLS) == (0, 0)


def test_a_library_that_wraps_functions(folder: Path) -> None:
    """The program is mapped before it."""
    (folder / "wraps.c").write_text(WRAPS, encoding="utf-8")
    (folder / "program.c").write_text(STARTED, encoding="utf-8")
    for command in (
        ["gcc", "-g", "-O1", "-shared", "-fPIC", "-o", "libwraps.so", "wraps.c"],
        ["gcc", "-g", "-O1", "-fno-inline", *request_flags(), "-o", "program",
         "program.c", "-Wl,--no-as-needed", "-L.", "-lwraps", f"-Wl,-rpath,{folder}"],
    ):
        subprocess.run(command, cwd=folder, check=True)
    put_off, read = put_off_and_read(native(folder, "9", "start"), SYMBOLS)
    assert put_off == read > 0


def test_the_core_can_ask_for_symbols(folder: Path) -> None:
    """It prints where a fatal signal came from."""
    source = STARTED.replace("start(atoi", "if (argc > 3) abort();\n   start(atoi")
    compile_program(folder, source, *request_flags())
    ended = subprocess.run(
        [str(build_folder() / "vg-in-place"), "--tool=callgrind", *OFF, "--off=native",
         "--callgrind-out-file=/dev/null", str(folder / "program"), "9", "a", "b"],
        check=False, capture_output=True,
    )
    assert re.search(rb"main \(program.c:\d+\)", ended.stderr), ended.stderr
    found = SYMBOLS.search(ended.stderr)
    assert found and found.groups() == (b"2", b"1")


REMOVING = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static __attribute__((unused)) void remove_by_another(const char* path)
{
   char line[999];
   snprintf(line, sizeof line, "rm %s", path);
   if (system(line) != 0) abort();
}
"""
REMOVALS = {
    "unlink": "unlink(argv[0]);",
    "unlinkat": "unlinkat(AT_FDCWD, argv[0], 0);",
    "renamed": "rename(argv[0], argv[2]);",
    "replaced": "rename(argv[2], argv[0]);",
    "by another process": "remove_by_another(argv[0]);",
}


@pytest.mark.parametrize("way", REMOVALS)
def test_a_file_that_is_removed(folder: Path, way: str) -> None:
    """It is read before; if another process does it, a line says what is lost."""
    source = REMOVING + STARTED.replace(
        "start(atoi", "if (argc > 2) {" + REMOVALS[way] + "}\n   start(atoi")
    program = compile_program(folder, source, *request_flags())
    before = program.read_bytes()
    written = {}
    for off in ("translated", "native"):
        program.unlink(missing_ok=True)
        (folder / "other").write_text("another")
        program.write_bytes(before)
        program.chmod(0o755)
        written[off] = profile(folder, "9", str(folder / "other"), off=off)
        assert not program.exists() or program.read_bytes() != before
    lost = written["native"]["output"].count(b"cannot be read any more")
    if way == "by another process":
        assert lost == 1
        totals = [out["profile.out"].split(b"totals: ")[1].split()[0]
                  for out in written.values()]
        assert totals[0] == totals[1]
    else:
        assert lost == 0
        assert_same(written["translated"], written["native"])
