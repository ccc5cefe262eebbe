# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes what the workloads need: compiled programs, generated files, found programs.

Each maker in here takes the place to work in and the workload's size, and returns
what to put in for the {placeholders} of the workload's commands. What is missing on
this machine is told by Unavailable, and costs that one workload only.

Nothing large is held in memory here: a process's peak memory, as the kernel tells it,
begins with the peak of the process that started it.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable, Iterator, Sequence

from callgrind.report.tests.npm_packages import Absent, npm_folder

HERE = Path(__file__).resolve().parent

# callgrind.h, and what it includes.
INCLUDED = ("-I", str(HERE.parent.parent / "include"), "-I", "/usr/include/valgrind")

BZIP2 = "/usr/bin/bzip2"


class Unavailable(Exception):
    """This machine cannot run the workload; the text says what is missing."""


@dataclass(frozen=True)
class Place:
    """Where sources are, where what is made from them goes, and the compiler."""

    sources: Path
    build: Path
    compiler: str


Maker = Callable[[Place, int], dict[str, str]]


def make_by(command: Sequence[str]) -> str:
    """Run a build step; its standard output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unavailable(f"cannot run {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise Unavailable(f"{' '.join(command)} failed: {_first_line(done.stderr)}")
    return done.stdout


def _first_line(complaint: str) -> str:
    return next(iter(complaint.strip().splitlines()), "it says nothing")


def make_from(command: Sequence[str], pieces: Iterable[str]) -> None:
    """Run a build step that reads its standard input, piece by piece."""
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=errors,
                text=True,
            )
        except OSError as error:
            raise Unavailable(f"cannot run {command[0]}: {error.strerror}") from error
        assert process.stdin is not None
        try:
            for piece in pieces:
                process.stdin.write(piece)
            process.stdin.close()
        except BrokenPipeError:
            pass  # its status tells
        if process.wait() != 0:
            errors.seek(0)
            said = _first_line(errors.read())
            raise Unavailable(f"{' '.join(command)} failed: {said}")


def together(*makers: Maker) -> Maker:
    def make(place: Place, size: int) -> dict[str, str]:
        values: dict[str, str] = {}
        for maker in makers:
            values.update(maker(place, size))
        return values

    return make


def installed(path: str) -> Maker:
    """{program}: a program of the system, by its path, so that no wrapper found on
    PATH is measured in its stead."""

    def make(place: Place, size: int) -> dict[str, str]:
        if not os.access(path, os.X_OK):
            raise Unavailable(f"{path} is not installed")
        return {"program": path}

    return make


def script(name: str) -> Maker:
    """{script}: a checked-in program for an interpreter."""
    return lambda place, size: {"script": str(place.sources / name)}


def _compile(place: Place, name: str, target: Path, flags: Sequence[str]) -> None:
    is_cxx = name.endswith(".cpp")
    options = ["-std=c++17" if is_cxx else "-std=c11", "-O2", "-g", *INCLUDED, *flags]
    libraries = ["-lstdc++"] if is_cxx else []
    source = place.sources / name
    make_by([place.compiler, *options, "-o", str(target), str(source), *libraries])


def compiled(name: str, *flags: str) -> Maker:
    """{program}: a checked-in C or C++ program, optimised, with debug information."""

    def make(place: Place, size: int) -> dict[str, str]:
        program = place.build / Path(name).stem
        _compile(place, name, program, flags)
        return {"program": str(program)}

    return make


def library(name: str) -> Maker:
    """{library}: a shared library of a checked-in C source."""

    def make(place: Place, size: int) -> dict[str, str]:
        target = place.build / f"lib{Path(name).stem}.so"
        _compile(place, name, target, ["-fPIC", "-shared"])
        return {"library": str(target)}

    return make


def tinybench(place: Place, size: int) -> dict[str, str]:
    """{folder}: where npm's tinybench and its plugin for CodSpeed's runner are, with
    what the plugin takes for the top of a work tree."""
    try:
        folder = npm_folder("tinybench", "tinybench", HERE / "packages", place.build)
    except Absent as absent:
        raise Unavailable(str(absent)) from absent
    (folder / ".git").mkdir(exist_ok=True)
    return {"folder": str(folder)}


def random_lines(kibibytes: int, seed: int) -> Iterator[str]:
    """Words of a made-up language, frequent ones short: compresses like prose. The
    last line ends somewhere beyond the size."""
    source = random.Random(seed)
    letters = "etaoinshrdlu"
    vocabulary = []
    for rank in range(4000):
        length = 2 + rank.bit_length() // 2
        word = "".join(letters[int(source.random() * 12)] for _ in range(length))
        vocabulary.append(word)
    written = 0
    while written < kibibytes * 1024:
        line = " ".join(
            vocabulary[int(len(vocabulary) * source.random() ** 3)] for _ in range(12)
        )
        written += len(line) + 1
        yield line + "\n"


def text_and_archive(place: Place, size: int) -> dict[str, str]:
    """{text}: so many KiB of generated text; {archive}: the same, compressed."""
    text = place.build / "text.txt"
    with text.open("w", encoding="ascii") as file:
        file.writelines(random_lines(size, seed=1))
    make_by([BZIP2, "--best", "--keep", "--force", str(text)])
    return {"text": str(text), "archive": f"{text}.bz2"}


def compiler_proper(name: str, copies: bool = False) -> Maker:
    """{program}: gcc's cc1; {source}: a checked-in C file, preprocessed; or so many
    copies of it as the size says, each with its number in place of N."""

    def make(place: Place, size: int) -> dict[str, str]:
        program = make_by([place.compiler, "-print-prog-name=cc1"]).strip()
        found = shutil.which(program)
        if found is None:
            raise Unavailable(f"{place.compiler} has no cc1 of its own (use --cc=gcc)")
        original = place.sources / name
        if copies:
            text = original.read_text(encoding="ascii")
            original = place.build / name
            original.write_text("".join(
                re.sub(r"(\b|_)N\b", rf"\g<1>{number}", text) for number in range(size)
            ), encoding="ascii")
        source = place.build / f"{Path(name).stem}.i"
        make_by([place.compiler, "-E", "-o", str(source), str(original)])
        return {"program": found, "source": str(source)}

    return make
