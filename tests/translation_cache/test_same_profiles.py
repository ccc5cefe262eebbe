# SPDX-License-Identifier: GPL-2.0-or-later
#
# The translation cache changes no profile: without it, while it is filled, and when it is
# used, a program's profile is the same to the byte.  These are samples of what
# `tests/differential/same_profiles --cached` compares for all programs and options.

"""Profiles without a translation cache, and with a cold and a warm one."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Iterator

import pytest

from tests.core_headers import request_flags
from tests.differential.cases import CASES
from tests.differential.options import build_folder
from tests.differential.profile_bytes import different_files, first_difference, run

# By program: options of the tool.  Each has another kind of code that counts.
OPTION_SETS: dict[str, list[list[str]]] = {
    "calls-O2": [
        [],
        ["--instr-atstart=no"],
        ["--collect-jumps=yes", "--dump-instr=yes"],
        ["--separate-threads=yes", "--separate-callers=2", "--read-inline-info=yes"],
        ["--dump-every-bb=5000", "--tail-calls=flat"],
        ["--fn-skip=circle_*", "--toggle-collect=words"],
        ["--steady=yes", "--cache-sim=yes"],
    ],
    "strides": [
        ["--cache-sim=yes", "--branch-sim=yes", "--ct-cold-runs=20"],
        ["--cache-sim=yes", "--ct-cold-runs=0", "--simulate-wb=yes"],
        ["--cacheuse=yes", "--collect-bus=yes"],
        ["--cache-sim=yes", "--branch-sim=yes", "--cycle-estimation=yes",
         "--cycle-model=graniterapids"],
    ],
    "switched": [["--instr-atstart=no", "--cache-sim=yes"]],
    "perl": [["--cache-sim=yes", "--branch-sim=yes"]],
}
USE = re.compile(rb"translation cache: (\d+) used, (\d+) stored, (\d+) changed, (\d+)")


@pytest.fixture(name="folder")
def fixture_folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="translation_cache."))
    yield path
    shutil.rmtree(path)


def uses(written: dict[str, bytes]) -> tuple[int, int, int, int]:
    """How many translations were used, stored, not as before, and not to be stored."""
    found = USE.search(written["output"])
    assert found, written["output"].decode()
    used, stored, changed, unfit = map(int, found.groups())
    return used, stored, changed, unfit


def assert_same(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    files = [name for name in different_files(one, other) if name != "output"]
    assert not files, first_difference(one, other, files[0])


@pytest.mark.parametrize(
    ("program", "options"),
    [(program, options) for program, sets in OPTION_SETS.items() for options in sets],
    ids=lambda value: value if isinstance(value, str) else " ".join(value) or "default",
)
def test_same_profiles(program: str, options: list[str], folder: Path) -> None:
    case = next(case for case in CASES if case.name == program)
    command = case.prepare(folder)
    cached = [*options, f"--translation-cache={folder / 'cache'}", "--stats=yes"]

    def profile(flags: list[str], *environment: tuple[str, str]) -> dict[str, bytes]:
        return run(build_folder(), folder, flags, command, environment)

    without = profile(options)
    cold = profile(cached)
    warm = profile(cached)
    assert_same(without, cold)
    assert_same(without, warm)
    _, stored, _, unfit = uses(cold)
    used, stored_again, changed, _ = uses(warm)
    # All but what is different each time, and what cannot be stored.
    assert used >= 0.99 * stored and stored_again + changed <= 0.01 * stored
    assert unfit <= 0.02 * stored

    other = ("WITH_ANOTHER_ENVIRONMENT", "x" * 500)
    assert_same(profile(options, other), profile(cached, other))


def program_that(folder: Path, name: str, does: str) -> str:
    """Small programs are as long as each other in memory: since 3.27 the core maps the
    dynamic linker behind the program, and code at another address is not shared."""
    source = f"#include <stdio.h>\nint main(void) {{ {does} }}\n"
    (folder / f"{name}.c").write_text(source, encoding="ascii")
    command = ["gcc", "-O1", "-o", name, f"{name}.c"]
    subprocess.run(command, cwd=folder, check=True)
    return str(folder / name)


def test_another_program_shares_libraries(folder: Path) -> None:
    """And every hit is what VEX makes: --ct-check=yes compares them."""
    silent = program_that(folder, "silent", "return fflush(stdout);")
    speaks = program_that(folder, "speaks", 'return puts("text") < 0;')
    cached = [f"--translation-cache={folder / 'cache'}", "--stats=yes", "--ct-check=yes"]
    first = run(build_folder(), folder, cached, [silent])
    second = run(build_folder(), folder, cached, [speaks])
    assert_same(run(build_folder(), folder, [], [speaks]), second)
    assert uses(first)[0] < 0.1 * uses(first)[1]
    assert uses(second)[0] > 500


@pytest.mark.parametrize("check", [[], ["--ct-check=yes"]], ids=["unchecked", "checked"])
def test_a_run_that_makes_nothing_new_writes_nothing(
    check: list[str], folder: Path
) -> None:
    """Each file stays the one that it was, also where all is translated and compared."""
    cached = [f"--translation-cache={folder / 'cache'}", "--stats=yes", *check]
    _, stored, _, _ = uses(run(build_folder(), folder, cached, ["/bin/true"]))
    before = {path: path.stat().st_ino for path in (folder / "cache").iterdir()}
    used, stored_again, _, _ = uses(run(build_folder(), folder, cached, ["/bin/true"]))
    assert (used, stored_again) == (stored - 1, 0)  # never the first one that counts
    assert {path: path.stat().st_ino for path in (folder / "cache").iterdir()} == before


def test_options_that_shape_code_are_kept_apart(folder: Path) -> None:
    cached = [f"--translation-cache={folder / 'cache'}", "--stats=yes"]
    sets: list[list[str]] = [[], ["--collect-jumps=yes"], ["--cache-sim=yes"]]
    for more in sets:
        first = run(build_folder(), folder, [*cached, *more], ["/bin/true"])
        again = run(build_folder(), folder, [*cached, *more], ["/bin/true"])
        assert uses(first)[0] < 0.1 * uses(first)[1]
        assert uses(again)[0] > 0.99 * uses(first)[1]
        assert_same(run(build_folder(), folder, more, ["/bin/true"]), again)


def test_start_and_stop(folder: Path) -> None:
    """Code that counts and code that does not are both kept."""
    program = build_folder() / "callgrind/tests/programs/start_stop"
    options = ["--instr-atstart=no", "--cache-sim=yes"]
    cached = [*options, f"--translation-cache={folder / 'cache'}", "--stats=yes"]
    without = run(build_folder(), folder, options, [str(program)])
    for _ in range(3):
        assert_same(without, run(build_folder(), folder, cached, [str(program)]))


INLINED = """
#include "callgrind.h"

#define INLINED static inline __attribute__((always_inline))
#define OPAQUE __attribute__((noinline, noclone))

static volatile long numbers[64];

INLINED void innermost(long i) { numbers[i & 63] += i; }
INLINED void middle(long i) { innermost(i); innermost(3 * i); }

OPAQUE static void leaf(long i) { middle(i); }
OPAQUE static void measured(long i)
{
   middle(i);
   if (i & 1)
      leaf(i);
   innermost(i);
}

/* A round more before the first START: part of the code is met while off.  */
int main(void)
{
   measured(1);
   for (long i = 0; i < 40; i++) {
      CALLGRIND_START_INSTRUMENTATION;
      measured(i);
      if (i % 4)
         CALLGRIND_STOP_INSTRUMENTATION;
      leaf(i);
      CALLGRIND_STOP_INSTRUMENTATION;
   }
   return 0;
}
"""
INLINED_OPTIONS: list[list[str]] = [
    [],
    ["--dump-inlined=no"],
    ["--dump-instr=yes", "--collect-jumps=yes"],
    ["--cache-sim=yes", "--branch-sim=yes", "--ct-cold-runs=20"],
    ["--separate-recs=3", "--separate-callers=2", "--dump-line=no"],
]


@pytest.mark.parametrize("more", INLINED_OPTIONS, ids=lambda more: " ".join(more))
def test_inlined_functions_between_start_and_stop(more: list[str], folder: Path) -> None:
    """Their calls are made when code is instrumented, with a skeleton or without one."""
    (folder / "inlined.c").write_text(INLINED, encoding="ascii")
    subprocess.run(["gcc", "-O1", "-g", *request_flags(), "-o", "inlined", "inlined.c"],
                   cwd=folder, check=True)
    command = [str(folder / "inlined")]
    options = ["--instr-atstart=no", "--read-inline-info=yes", *more]
    cached = [*options, f"--translation-cache={folder / 'cache'}", "--stats=yes"]
    without = run(build_folder(), folder, options, command)
    tells = "--dump-inlined=no" not in more
    assert (b"cfni=" in without["profile.out"]) == tells
    cold = run(build_folder(), folder, cached, command)
    assert_same(without, cold)
    warm = run(build_folder(), folder, cached, command)
    assert_same(without, warm)
    assert uses(warm)[0] >= 0.99 * uses(cold)[1] > 0
    assert uses(warm)[1] + uses(warm)[2] <= 0.01 * uses(cold)[1]
    # Has VEX make each of them again; code that counts is of another set of options.
    for _ in range(2):
        checked = run(build_folder(), folder, [*cached, "--ct-check=yes"], command)
        assert_same(without, checked)
    assert uses(checked)[0] >= 0.99 * uses(cold)[1]
    # From the start, with what was stored between START and STOP.
    counted = run(build_folder(), folder, options[1:], command)
    assert_same(counted, run(build_folder(), folder, cached[1:], command))
