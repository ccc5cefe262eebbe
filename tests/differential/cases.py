# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the differential tests run: programs, and the option sets that each runs with.
#
# Owns: the table of cases, and how each case's program and input come to be.  Knows
# nothing of profilers.

"""The programs and option sets of the differential tests."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

PROGRAMS = Path(__file__).resolve().parent / "programs"
INPUT_BYTES = 200_000

OPTION_SETS: dict[str, list[str]] = {
    "default": [],
    "instr": ["--dump-instr=yes"],
    "instr-only": ["--dump-instr=yes", "--dump-line=no"],
    "uncompressed": ["--compress-strings=no", "--compress-pos=no"],
    "instr-uncompressed": [
        "--dump-instr=yes",
        "--compress-strings=no",
        "--compress-pos=no",
    ],
    "jumps": ["--collect-jumps=yes"],
    "jumps-instr": ["--collect-jumps=yes", "--dump-instr=yes"],
    "skip-plt=no": ["--skip-plt=no"],
    "recs=1": ["--separate-recs=1"],
    "recs=4": ["--separate-recs=4"],
    "direct-rec=yes": ["--skip-direct-rec=yes"],
    "direct-rec=no": ["--skip-direct-rec=no"],
    "bus": ["--collect-bus=yes"],
    "systime": ["--collect-systime=yes"],
    "systime-usec": ["--collect-systime=usec", "--dump-instr=yes"],
    "systime-nsec": ["--collect-systime=nsec", "--collect-bus=yes"],
    "callers=1": ["--separate-callers=1"],
    "callers=3": ["--separate-callers=3", "--collect-jumps=yes"],
    "callers-recs": ["--separate-callers=2", "--separate-recs=3"],
    "callers-of": [
        "--separate-callers=1",
        "--separate-callers3=square",
        "--separate-callers2=circle_?",
    ],
    # Not more than --separate-recs=: the distribution's then prints wrong names.
    "recs-of": [
        "--separate-recs=4",
        "--separate-recs1=fibonacci",
        "--separate-recs3=circle_*",
    ],
    "dump-before": ["--dump-before=apply_all*", "--dump-before=tail_first"],
    "dump-after": ["--dump-after=apply_all*", "--dump-after=words"],
    # Without looking through stubs: what they cost their callers is not zeroed there, and
    # hides here how often a call was collected.
    "zero-before": ["--zero-before=circle_c", "--skip-plt=no"],
    "dump-zero": [
        "--dump-before=circle_a",
        "--zero-before=leap",
        "--dump-after=words",
        "--skip-plt=no",
    ],
    "toggle": ["--toggle-collect=circle_a", "--skip-plt=no"],
    "toggle-several": [
        "--toggle-collect=tail_*",
        "--toggle-collect=words",
        "--skip-plt=no",
    ],
    "every-bb": ["--dump-every-bb=3000"],
    "threads": ["--separate-threads=yes"],
    "threads-combined": ["--separate-threads=yes", "--combine-dumps=yes"],
}
# These change how a profile is written, not what it says.  (Jumps are always counted
# where two sides are compared.)
FORMAT_OPTIONS = ("--dump-instr", "--dump-line", "--compress-", "--collect-jumps")
# These write parts when so many superblocks have run, which each side counts for itself.
PARTS_BY_SUPERBLOCKS = ("--dump-every-bb",)
FEW = ["default", "instr", "jumps-instr"]
SINGLE_THREAD = [name for name in OPTION_SETS if not name.startswith("threads")]
# What the compiler makes of the program matters to the others only.
OPTIMISED = [
    name
    for name in SINGLE_THREAD
    if name
    not in (
        "systime",
        "systime-usec",
        "callers=1",
        "callers-of",
        "recs-of",
        "dump-after",
        "zero-before",
        "toggle",
    )
]


class CaseUnavailable(Exception):
    """The machine lacks what the case needs; the case is skipped."""


@dataclass(frozen=True)
class Case:
    """One program.  `prepare` is given the work folder and returns the command line."""

    name: str
    prepare: Callable[[Path], list[str]]
    option_sets: list[str]


def compiled(source: str, *flags: str) -> Callable[[Path], list[str]]:
    """A C program of programs/, compiled into the work folder."""

    def prepare(folder: Path) -> list[str]:
        compiler = need_program("gcc")
        binary = folder / (Path(source).stem + "".join(flags).replace("/", "_"))
        newest = binary.stat().st_mtime if binary.exists() else 0.0
        if newest < (PROGRAMS / source).stat().st_mtime:
            # A relative source name keeps the place of the repository out of the profile.
            result = subprocess.run(
                [compiler, "-std=gnu11", "-g", *flags, "-o", str(binary), source],
                cwd=PROGRAMS,
                capture_output=True,
                text=True,
                check=False,
            )
            if result.returncode != 0:
                raise CaseUnavailable(
                    f"{source} does not compile: {result.stderr.strip()}"
                )
        return [str(binary)]

    return prepare


def interpreted(interpreter: str, *words: str) -> Callable[[Path], list[str]]:
    """A script of programs/; its path is the same for both sides."""

    def prepare(folder: Path) -> list[str]:
        script = folder / words[-1]
        script.write_bytes((PROGRAMS / words[-1]).read_bytes())
        return [need_program(interpreter), *words[:-1], script.name]

    return prepare


def bzip2(folder: Path) -> list[str]:
    """Compress a file with as much order as text has, the same on every machine."""
    source = folder / "bzip2-input"
    if not source.exists():
        text, state = bytearray(), 12345
        while len(text) < INPUT_BYTES:
            state = (state * 1103515245 + 12345) % (1 << 31)
            letters = "abcdefgh"[state % 8] * (state % 5)
            text += f"{state % 997:03d} {letters}\n".encode("ascii")
        source.write_bytes(text)
    return [need_program("/usr/bin/bzip2"), "-c", "-9", source.name]


def need_program(name: str) -> str:
    path: Optional[str] = shutil.which(name)
    if path is None:
        raise CaseUnavailable(f"{name} is not installed")
    return path


CASES = [
    Case("calls-O0", compiled("calls.c", "-O0"), SINGLE_THREAD),
    Case("calls-O2", compiled("calls.c", "-O2"), OPTIMISED),
    Case(
        "jumps-O1",
        compiled(
            "../../../callgrind/tests/jumps.c",
            *("-O1", "-I../../../include", "-I/usr/include/valgrind"),
        ),
        ["jumps", "jumps-instr"],
    ),
    Case(
        "threads-O0",
        compiled("threads.c", "-O0", "-pthread"),
        [*FEW, "jumps", "bus", "threads", "threads-combined"],
    ),
    Case("bzip2", bzip2, [*FEW, "jumps", "skip-plt=no"]),
    Case(
        "perl",
        interpreted("/usr/bin/perl", "work.pl"),
        [*FEW, "recs=1", "recs=4", "bus"],
    ),
    # -S: no site packages; PYTHONHASHSEED must be obeyed, so not -E or -I.
    Case(
        "python3",
        interpreted("/usr/bin/python3", "-S", "work.py"),
        [*FEW, "recs=1", "recs=4", "direct-rec=yes", "skip-plt=no"],
    ),
]
