# SPDX-License-Identifier: GPL-2.0-or-later
#
# The real programs: what runs, with what input, and where a measurement may begin in it.
#
# Owns: the table, and how each program and its input come to be.  To add a program, add
# an entry.  Knows nothing of profilers.

"""The programs whose profiles have to obey the conservation law."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

PROGRAMS = Path(__file__).resolve().parent / "programs"
INCLUDE = PROGRAMS.parents[3] / "include"
TEXT_LINES = 1500
SAID = 300  # characters of a compiler's message that are passed on

Maker = Callable[[Path], list[str]]


class Unavailable(Exception):
    """The machine lacks what a program needs; the program is skipped."""


@dataclass(frozen=True)
class Program:
    """One program.  `make` is given a folder and returns the command line."""

    name: str
    make: Maker
    # The measurement in the middle begins at this call of malloc: deep in the program's
    # work, with no other thread under way.  0: nowhere.
    start_after: int
    why_no_start: str = ""


def needed(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise Unavailable(f"{name} is not installed")
    return path


def build(words: list[str], what: str) -> None:
    """Run a compiler; a file that it does not accept is a reason to skip."""
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        said = " ".join(result.stderr.split())[:SAID]
        raise Unavailable(f"{what} does not compile here: {said}")


def script(interpreter: str, name: str, *options: str) -> Maker:
    def make(folder: Path) -> list[str]:
        path = folder / name
        shutil.copyfile(PROGRAMS / name, path)
        return [needed(interpreter), *options, str(path)]

    return make


def installed(name: str) -> Maker:
    return lambda folder: [needed(name)]


def bzip2(folder: Path) -> list[str]:
    """Compress text with some order in it, the same on every machine."""
    text, state = [], 12345
    for _ in range(TEXT_LINES):
        state = (state * 1103515245 + 12345) % (1 << 31)
        text.append(f"{state % 997:03d} {'abcdefgh'[state >> 16 & 7] * (state % 5)}\n")
    path = folder / "bzip2-input"
    path.write_text("".join(text), encoding="ascii")
    return [needed("/usr/bin/bzip2"), "--best", "--stdout", str(path)]


def compiler_proper(folder: Path) -> list[str]:
    gcc = needed("gcc")
    result = subprocess.run(
        [gcc, "-print-prog-name=cc1"], capture_output=True, text=True, check=False
    )
    cc1 = needed(result.stdout.strip() or "cc1")
    source = str(PROGRAMS / "translated.c")
    return [cc1, "-fpreprocessed", "-quiet", "-O0", "-o", "-", source]


def cplusplus(folder: Path) -> list[str]:
    program = folder / "objects"
    source = str(PROGRAMS / "objects.cpp")
    flags = ["-std=c++17", "-O1", "-g", "-pthread"]
    build([needed("g++"), *flags, "-o", str(program), source], "objects.cpp")
    return [str(program)]


def rust(folder: Path) -> list[str]:
    program = folder / "collections"
    source = str(PROGRAMS / "collections.rs")
    flags = ["--edition", "2021", "-O", "-g"]
    build([needed("rustc"), *flags, "-o", str(program), source], "collections.rs")
    return [str(program)]


def start_library(folder: Path) -> Path:
    """What makes START in the middle; see programs/start_at_allocation.c."""
    library = folder / "start_at_allocation.so"
    result = subprocess.run(
        ["pkg-config", "--variable=includedir", "valgrind"],
        capture_output=True,
        text=True,
        check=False,
    )
    core = Path(result.stdout.strip() or "/usr/include/valgrind")
    folders = [f"-I{INCLUDE}", f"-I{core}", f"-I{core / 'valgrind'}"]
    source = str(PROGRAMS / "start_at_allocation.c")
    flags = ["-O1", "-shared", "-fPIC", *folders]
    build([needed("gcc"), *flags, "-o", str(library), source], source)
    return library


# The longest first: they run side by side.
TABLE = [
    Program("node", script("node", "interpreted.js", "--allow-natives-syntax"), 5000),
    Program("cc1", compiler_proper, 2000),
    # -S: no site packages, which differ between machines.
    Program("python3", script("/usr/bin/python3", "interpreted.py", "-S"), 20000),
    Program("rust", rust, 150),
    Program("c++", cplusplus, 150),
    Program("perl", script("/usr/bin/perl", "interpreted.pl"), 3000),
    Program("bzip2", bzip2, 2),
    Program("true", installed("/bin/true"), 0, "it allocates nothing to speak of"),
]
