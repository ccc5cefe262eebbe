# SPDX-License-Identifier: GPL-2.0-or-later
#
# Source lines that are stored, and read only when one is asked for that is not: the
# profile is the same, whatever has happened to the debug information since.  The programs
# have debug information of version 4, whose lines the core reads; test_own_lines.py is
# for those that are read without it.

"""Stored source lines: when they are used, when not, and that they are right."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Iterator

import pytest

from tests.core_headers import request_flags
from tests.differential.options import build_folder
from tests.differential.profile_bytes import different_files, first_difference, run

PROGRAM = """
#include <signal.h>
#include <stdlib.h>
static volatile int sum;
static void often(int n) { for (int i = 0; i < n; i++) sum += i; }
static void seldom(void)
{
   sum *= 3;
   sum++;
}
int main(int argc, char** argv)
{
   often(atoi(argv[1]));
   if (argc > 2) seldom();
   if (argc > 3) raise(SIGABRT);
   return 0;
}
"""
SAID = re.compile(rb"source lines: of (\d+) objects put off, of (\d+) read when asked")
FRAMES = re.compile(rb"frame information: of (\d+) objects put off, of (\d+) read when")
READ_SAID = re.compile(rb"debug information of (\d+) objects read by the tool")
INLINED_SAID = re.compile(rb"inlined functions: of (\d+) objects put off, of (\d+) read")
CONFIG = (build_folder() / "config.h").read_text(encoding="utf-8")
pytestmark = pytest.mark.skipif(
    "#define CORE_LINES_CAN_BE_PUT_OFF 1" not in CONFIG,
    reason="the reading of lines cannot be put off on this core",
)
# Since 3.22 the core itself leaves lines for later, until something is asked of the
# object; then it is known whether they are wanted.  Call frame information it reads at
# once, before it knows of a separate file.
IN_TWO_STEPS = "#define CORE_READS_DEBUG_IN_TWO_STEPS 1" in CONFIG


@pytest.fixture(name="folder")
def fixture_folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="late_lines."))
    yield path
    shutil.rmtree(path)


def compile_program(folder: Path, source: str = PROGRAM, *flags: str) -> Path:
    # Lines are put off only where there is more debug information than symbols.
    types = "".join(f"struct type_{n} {{ int a_{n}, b_{n}; }};" for n in range(5000))
    (folder / "program.c").write_text(types + "\n" + source, encoding="utf-8")
    # Static: of the libraries, debug information may be installed or not.
    command = [
        "gcc", "-gdwarf-4", "-O1", "-static", "-fno-inline", *flags,
        "-fno-eliminate-unused-debug-types", "-o", "program",
    ]
    subprocess.run([*command, "program.c"], cwd=folder, check=True)
    return folder / "program"


def profile(
    folder: Path, *arguments: str, options: tuple[str, ...] = ()
) -> dict[str, bytes]:
    program = str(folder / "program")
    return run(build_folder(), folder, list(options), [program, *arguments])


def cached(
    folder: Path, *arguments: str, options: tuple[str, ...] = ()
) -> dict[str, bytes]:
    own = (f"--translation-cache={folder / 'cache'}", "--stats=yes")
    return profile(folder, *arguments, options=(*options, *own))


def put_off_and_read(
    written: dict[str, bytes], said: re.Pattern[bytes] = SAID
) -> tuple[int, int]:
    found = said.search(written["output"])
    assert found, written["output"].decode()
    return int(found[1]), int(found[2])


def frames_put_off_and_read(written: dict[str, bytes]) -> tuple[int, int]:
    """Of the program; those of the tool itself, which is stripped, wait, too."""
    put_off, read = put_off_and_read(written, FRAMES)
    return put_off - 1, read


STARTED = """
#include <stdlib.h>
#include "callgrind.h"
static volatile int sum;
static void often(int n) { for (int i = 0; i < n; i++) sum += i; }
static void start(int n, int starts)
{
   if (n > 0) start(n - 1, starts);
   else if (starts) CALLGRIND_START_INSTRUMENTATION;
   often(n);
}
int main(int argc, char** argv)
{
   start(atoi(argv[1]), argc > 2);
   return 0;
}
"""


def off(folder: Path, *arguments: str, others: tuple[str, ...] = ()) -> dict[str, bytes]:
    options = ("--instr-atstart=no", "--stats=yes", *others)
    return profile(folder, *arguments, options=options)


def assert_same(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    files = [name for name in different_files(one, other) if name != "output"]
    assert not files, first_difference(one, other, files[0])


def test_lines_that_are_stored_are_not_read(folder: Path) -> None:
    compile_program(folder)
    without = profile(folder, "9")
    assert b"program.c" in without["profile.out"]
    for expected in ((0, 0), (1, 0), (1, 0)):
        written = cached(folder, "9")
        assert put_off_and_read(written) == expected
        assert_same(without, written)


def test_options_share_them(folder: Path) -> None:
    compile_program(folder)
    cached(folder, "9")
    # Targets of jumps that were not executed are asked for with --collect-jumps only.
    for options, read in (
        (("--cache-sim=yes", "--separate-recs=3"), 0),
        (("--dump-instr=yes", "--collect-jumps=yes"), 1),
        (("--dump-instr=yes", "--collect-jumps=yes"), 0),
    ):
        written = cached(folder, "9", options=options)
        assert put_off_and_read(written) == (1, read)
        assert_same(profile(folder, "9", options=options), written)


def test_a_line_that_is_not_stored_is_read_and_then_stored(folder: Path) -> None:
    compile_program(folder)
    cached(folder, "9")
    without = profile(folder, "9", "seldom")
    for expected in ((1, 1), (1, 0)):
        written = cached(folder, "9", "seldom")
        assert put_off_and_read(written) == expected
        assert_same(without, written)
    assert_same(profile(folder, "9"), cached(folder, "9"))


def test_without_a_cache_none_are_read_while_instrumentation_is_off(folder: Path) -> None:
    compile_program(folder, STARTED, *request_flags())
    put_off = 0 if IN_TWO_STEPS else 1
    assert put_off_and_read(off(folder, "9")) == (put_off, 0)
    started = off(folder, "9", "start")
    assert put_off_and_read(started) == (put_off, put_off)
    assert frames_put_off_and_read(started) == (1, 1)
    assert_same(started, off(folder, "9", "start", others=("--read-var-info=yes",)))
    line = 1 + STARTED.split("often(int", maxsplit=1)[0].count("\n")
    body = rb"\nfn=\(\d+\)\n%d \d+\n" % (line + 1)
    assert re.search(body, started["profile.out"])


def test_without_a_cache_all_are_read_while_it_is_on(folder: Path) -> None:
    compile_program(folder)
    written = profile(folder, "9", options=("--stats=yes",))
    assert put_off_and_read(written) == (0, 0)
    assert frames_put_off_and_read(written) == (1 if IN_TWO_STEPS else 0, 0)


def test_frames_wait_where_there_are_no_lines(folder: Path) -> None:
    """START looks for the callers on the stack, for which they are read."""
    flags = (*request_flags(), "-fomit-frame-pointer", "-s")
    compile_program(folder, STARTED, *flags)
    written = profile(folder, "9", options=("--stats=yes",))
    assert frames_put_off_and_read(written) == (1, 0)
    started = off(folder, "9", "start")
    assert frames_put_off_and_read(started) == (1, 1)
    whole = off(folder, "9", "start", others=("--read-var-info=yes",))
    assert_same(started, whole)


INLINED = """
#include <stdlib.h>
static volatile int sum;
static inline __attribute__((always_inline)) void inner(int n) { sum += n; }
static inline __attribute__((always_inline)) void outer(int n) { inner(n); sum *= 3; }
int main(int argc, char** argv)
{
   for (int i = 0; i < atoi(argv[1]); i++) outer(i);
   return 0;
}
"""


@pytest.mark.parametrize("version", [4, 5])
def test_inlined_functions_are_read_without_the_core(folder: Path, version: int) -> None:
    """Whether the core reads lines at once (version 4) or not, and with stored ones; and
    it knows of as many, when --ct-check=yes asks it."""
    compile_program(folder, INLINED, f"-gdwarf-{version}")
    options = ("--read-inline-info=yes", "--stats=yes")
    whole = profile(folder, "9", options=(*options, "--read-var-info=yes"))
    assert put_off_and_read(whole, INLINED_SAID) == (0, 0)
    for function in (b"inner", b"outer"):
        assert b"\ncfni=" + function + b"\n" in whole["profile.out"]
    for run_with in (profile, cached, cached):
        written = run_with(folder, "9", options=options)
        assert put_off_and_read(written, INLINED_SAID) == (1, 0)
        assert_same(whole, written)
    checked = profile(folder, "9", options=(*options, "--ct-check=yes"))
    assert put_off_and_read(checked, INLINED_SAID) == (1, 1)
    assert_same(whole, checked)


# A function that begins with code of another file: the profile says where it is.  Two
# are inlined, each into the next, and one of them alone as well.
FROM_HEADER = """
#include <stdlib.h>
#include "program.h"
static inline __attribute__((always_inline)) void outer(int n) { inner(n); sum *= 3; }
__attribute__((noinline)) static void begins_elsewhere(int n)
{
   inner(n);
   outer(n);
}
static void later(int n) { outer(n); inner(n); }
int main(int argc, char** argv)
{
   for (int i = 0; i < atoi(argv[1]); i++) begins_elsewhere(i);
   if (argc > 2) later(1);
   return 0;
}
"""
HEADER = """
static volatile int sum;
static inline __attribute__((always_inline)) void inner(int n) { sum += n; }
"""


def times_read(written: dict[str, bytes]) -> int:
    """How many objects' debug information was read for inlined functions."""
    found = READ_SAID.search(written["output"])
    assert found, written["output"].decode()
    return int(found[1])


def test_inlined_functions_are_stored(folder: Path) -> None:
    """Then debug information is not read; what an earlier run has not asked for is, and
    with --ct-check=yes all of it, to compare."""
    (folder / "program.h").write_text(HEADER, encoding="utf-8")
    compile_program(folder, FROM_HEADER)
    inlined = "--read-inline-info=yes"
    for more, times in (((), (1, 0, 0)), (("later",), (1, 0))):
        whole = profile(folder, "9", *more, options=(inlined,))
        for function in (b"inner", b"outer"):
            assert b"\ncfni=" + function + b"\n" in whole["profile.out"]
        assert re.search(rb"\n# defined in: .*/program.c\ncfni=inner\n",
                         whole["profile.out"])
        for read in times:
            written = cached(folder, "9", *more, options=(inlined,))
            assert_same(whole, written)
            assert times_read(written) == read
    checked = cached(folder, "9", "later", options=(inlined, "--ct-check=yes"))
    assert_same(whole, checked)
    assert times_read(checked) == 1


def test_what_is_inlined_is_stored_beside_lines_that_were(folder: Path) -> None:
    """By a run that did not ask for it."""
    (folder / "program.h").write_text(HEADER, encoding="utf-8")
    compile_program(folder, FROM_HEADER)
    inlined = "--read-inline-info=yes"
    without, whole = profile(folder, "9"), profile(folder, "9", options=(inlined,))
    assert_same(without, cached(folder, "9"))
    for read in (1, 0):
        written = cached(folder, "9", options=(inlined,))
        assert_same(whole, written)
        assert times_read(written) == read
    assert_same(without, cached(folder, "9"))


def test_two_programs_with_the_same_code(folder: Path) -> None:
    """They share what is stored; each has functions of its own."""
    (folder / "program.h").write_text(HEADER, encoding="utf-8")
    program = compile_program(folder, FROM_HEADER)
    inlined = "--read-inline-info=yes"
    cached(folder, "9", options=(inlined,))
    shutil.copy(program, folder / "other")
    program.unlink()
    (folder / "other").rename(program)
    written = cached(folder, "9", options=(inlined,))
    assert times_read(written) == 0
    assert_same(profile(folder, "9", options=(inlined,)), written)


@pytest.mark.parametrize("build_id", ["sha1", "none", "0x1234"])
def test_lines_that_have_moved(folder: Path, build_id: str) -> None:
    """The code is the same, and so are size and time: only the lines are others."""
    flag = f"-Wl,--build-id={build_id}"
    program = compile_program(folder, PROGRAM, flag)
    before, code = program.stat(), program.read_bytes()
    cached(folder, "9")
    compile_program(folder, PROGRAM.replace("   sum++;\n", "\n   sum++;"), flag)
    os.utime(program, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert program.stat().st_size == before.st_size and program.read_bytes() != code
    without = profile(folder, "9", "seldom")
    assert_same(without, cached(folder, "9", "seldom"))
    assert_same(without, cached(folder, "9", "seldom"))


def test_every_stored_line_is_the_cores(folder: Path) -> None:
    """--ct-check=yes asks the core, too."""
    compile_program(folder)
    cached(folder, "9")
    written = cached(folder, "9", options=("--ct-check=yes",))
    assert put_off_and_read(written) == (1, 1)
    assert_same(profile(folder, "9"), written)


def test_the_core_can_ask_for_lines(folder: Path) -> None:
    """It prints where a fatal signal came from."""
    compile_program(folder)
    command = [
        str(build_folder() / "vg-in-place"), "--tool=callgrind", "--stats=yes",
        f"--translation-cache={folder / 'cache'}",
        f"--callgrind-out-file={folder / 'out'}",
        str(folder / "program"), "9", "seldom", "raise",
    ]
    for n in (b"0", b"1"):
        ended = subprocess.run(command, check=False, capture_output=True)
        assert b"main (program.c:16)" in ended.stderr
        assert b"of %s objects put off, of %s read" % (n, n) in ended.stderr


@pytest.mark.parametrize("by_itself", [True, False])
def test_a_file_that_is_removed_before_a_line_is_wanted(
    folder: Path, by_itself: bool
) -> None:
    """Its lines are read before; if another process removes it, a line says that they are
    lost.  Counts are as ever."""
    removes = "remove(argv[2])" if by_itself else 'run("rm", argv[2])'
    source = """
#include <stdio.h>
static void run(const char* command, const char* path)
{
   char line[999];
   snprintf(line, sizeof line, "%s %s", command, path);
   if (system(line) != 0) abort();
}
""" + PROGRAM.replace("   often(", f"   {removes};\n   often(")
    source = source.replace("argc > 2", "argv[3][0] == 's'").replace("argc > 3", "0")
    program = compile_program(folder, "#include <stdlib.h>\n" + source)
    spare = folder / "another"  # a path of the same length: the same code reads it
    shutil.copy(program, spare)

    def counted(written: dict[str, bytes]) -> bytes:
        return written["profile.out"].split(b"totals: ")[1].split()[0]

    assert put_off_and_read(cached(folder, "9", str(spare), "n")) == (0, 0)
    shutil.copy(program, spare)
    without = profile(folder, "9", str(spare), "s")
    written = cached(folder, "9", str(program), "s")
    assert not program.exists()
    assert put_off_and_read(written) == (1, 1 if by_itself else 0)
    lost = written["output"].count(b"cannot be read any more")
    assert lost == (0 if by_itself else 1)
    assert counted(without) == counted(written)


def test_damaged_lines_are_not_used(folder: Path) -> None:
    compile_program(folder)
    without = profile(folder, "9")
    cached(folder, "9")
    in_cache = list((folder / "cache").iterdir())
    files = [path for path in in_cache if b"program.c" in path.read_bytes()]
    assert len(files) == 1
    whole = files[0].read_bytes()
    for at in range(60, len(whole), len(whole) // 12):
        files[0].write_bytes(whole[:at] + bytes([whole[at] ^ 0xff]) + whole[at + 1:])
        assert_same(without, cached(folder, "9"))
