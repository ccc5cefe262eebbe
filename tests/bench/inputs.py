# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes what the workloads need: compiled programs, generated files, found programs.

Each maker in here takes the place to work in and the workload's size, and returns
what to put in for the {placeholders} of the workload's commands. What is missing on
this machine is told by Unavailable, and costs that one workload only.

Nothing large is held in memory here: a process's peak memory, as the kernel tells it,
begins with the peak of the process that started it.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable, Iterator, Optional, Sequence

from callgrind.report.tests.npm_packages import Absent, npm_folder

SOURCE = Path(__file__).resolve().parents[2]
# callgrind.h, and what it includes.
INCLUDED = (f"-I{SOURCE / 'include'}", "-I/usr/include/valgrind")
BZIP2 = "/usr/bin/bzip2"
LINES = 80  # of a file: each commit changes one of so many


class Unavailable(Exception):
    """This machine cannot run the workload; the text says what is missing."""


@dataclass(frozen=True)
class Place:
    """Where sources are, where what is made from them goes, and the compiler."""

    sources: Path
    build: Path
    compiler: str


Maker = Callable[[Place, int], dict[str, str]]


def made_by(command: Sequence[str], pieces: Iterable[str] = ()) -> str:
    """Run a build step that reads these pieces; its standard output."""
    with tempfile.TemporaryFile("w+", errors="replace") as output, \
            tempfile.TemporaryFile("w+", errors="replace") as errors:
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output,
                                       stderr=errors, text=True)
        except OSError as error:
            raise Unavailable(f"cannot run {command[0]}: {error.strerror}") from error
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # its status tells
            process.stdin.writelines(pieces)
            process.stdin.close()
        if process.wait() != 0:
            errors.seek(0)
            said = next(iter(errors.read().strip().splitlines()), "it says nothing")
            raise Unavailable(f"{' '.join(command)} failed: {said}")
        output.seek(0)
        return output.read()


def together(*makers: Maker) -> Maker:
    def make(place: Place, size: int) -> dict[str, str]:
        made = (maker(place, size) for maker in makers)
        return {name: value for values in made for name, value in values.items()}

    return make


def installed(path: str, package: str = "") -> Maker:
    """{program}: a program of the system, by its path, so that no wrapper found on
    PATH is measured in its stead; and the package of Debian that has it."""

    def make(place: Place, size: int) -> dict[str, str]:
        if not os.access(path, os.X_OK):
            hint = f" (package {package})" if package else ""
            raise Unavailable(f"{path} is not installed{hint}")
        return {"program": path}

    return make


def pytest_of(python: str) -> Maker:
    """Nothing to put in; this Python has to have pytest."""

    def make(place: Place, size: int) -> dict[str, str]:
        try:
            made_by([python, "-c", "import pytest"])
        except Unavailable:
            raise Unavailable(f"{python} has no pytest (python3-pytest)") from None
        return {}

    return make


def needs(command: str, package: str) -> None:
    if shutil.which(command) is None:
        raise Unavailable(f"{command} is not installed (package {package})")


def script(name: str) -> Maker:
    """{script}: a checked-in program for an interpreter."""
    return lambda place, size: {"script": str(place.sources / name)}


def compiled(name: str, *flags: str, what: str = "program") -> Maker:
    """{program}, or another name: a checked-in C or C++ source, optimised, with debug
    information."""
    language = ["-std=c++17", "-lstdc++"] if name.endswith(".cpp") else ["-std=c11"]

    def make(place: Place, size: int) -> dict[str, str]:
        target = place.build / f"{Path(name).stem}.{what}"
        made_by([place.compiler, "-O2", "-g", *INCLUDED, *flags, "-o", str(target),
                 str(place.sources / name), *language])
        return {what: str(target)}

    return make


def built(what: str, command: str, package: str, name: str) -> Maker:
    """{what}: what a compiler of a package makes of a checked-in source."""

    def make(place: Place, size: int) -> dict[str, str]:
        words = command.split()
        needs(words[0], package)
        target = place.build / f"{name}.{what}"
        made_by([*words, str(target), str(place.sources / name)])
        return {what: str(target)}

    return make


def plugins(place: Place, size: int) -> dict[str, str]:
    """{folder}: where npm's tinybench and its plugin for CodSpeed's runner are, with
    what the plugin takes for the top of a work tree. The tests of runtimes have the list
    of the packages."""
    try:
        folder = npm_folder("plugins", "tinybench", SOURCE / "tests/runtimes",
                            place.build)
    except Absent as absent:
        raise Unavailable(str(absent)) from absent
    (folder / ".git").mkdir(exist_ok=True)
    return {"folder": str(folder)}


def random_lines(kibibytes: int) -> Iterator[str]:
    """Words of a made-up language, frequent ones short: compresses like prose. The
    last line ends somewhere beyond the size."""
    source = random.Random(1)
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


def text(place: Place, size: int) -> dict[str, str]:
    """{text}: so many KiB of generated text."""
    target = place.build / "text.txt"
    with target.open("w", encoding="ascii") as file:
        file.writelines(random_lines(size))
    return {"text": str(target)}


def text_and_archive(place: Place, size: int) -> dict[str, str]:
    """{text}, and {archive}: the same, compressed."""
    values = text(place, size)
    made_by([BZIP2, "--best", "--keep", "--force", values["text"]])
    return {**values, "archive": values["text"] + ".bz2"}


def compiler_proper(copies: Optional[int] = None) -> Maker:
    """{program}: gcc's cc1; {source}: so many copies of a small program, or as many as
    the size says, each with its number in place of N; preprocessed."""

    def make(place: Place, size: int) -> dict[str, str]:
        program = made_by([place.compiler, "-print-prog-name=cc1"]).strip()
        found = shutil.which(program)
        if found is None:
            raise Unavailable(f"{place.compiler} has no cc1 of its own (use --cc=gcc)")
        one = (place.sources / "compiled.c").read_text(encoding="ascii")
        original, source = (place.build / f"compiled.{end}" for end in "ci")
        original.write_text("".join(
            re.sub(r"(\b|_)N\b", rf"\g<1>{number}", one)
            for number in range(copies or size)
        ), encoding="ascii")
        made_by([place.compiler, "-E", "-o", str(source), str(original)])
        return {"program": found, "source": str(source)}

    return make


def queries(place: Place, size: int) -> dict[str, str]:
    """{queries}: a file of SQL, for a table of so many rows."""
    sql = (place.sources / "real.sql").read_text(encoding="ascii")
    target = place.build / "real.sql"
    target.write_text(sql.replace("@ROWS@", str(size)), encoding="ascii")
    return {"queries": str(target)}


def commits(lines: list[str], count: int) -> Iterator[str]:
    """What git fast-import reads: a file of which each commit changes some lines."""
    for number in range(count):
        for line in range(number % LINES, len(lines), LINES):
            lines[line] = f"{number} {lines[line].split(' ', 1)[1]}"
        content = "".join(lines)
        yield (f"commit refs/heads/main\n"
               f"committer A <a@example.org> {1_700_000_000 + number} +0000\n"
               f"data 6\nchange\n"
               f"M 644 inline text\ndata {len(content)}\n{content}\n")


def repository(place: Place, size: int) -> dict[str, str]:
    """{repository}: a bare one, with so many commits to a file of about 60 KiB."""
    target = place.build / "real.git"
    needs("git", "git")
    shutil.rmtree(target, ignore_errors=True)
    made_by(["git", "init", "--quiet", "--bare", str(target)])
    made_by(["git", f"--git-dir={target}", "fast-import", "--quiet"],
            commits(list(random_lines(60)), size))
    return {"repository": str(target)}


def r_program(place: Place, size: int) -> dict[str, str]:
    """{program}: R itself, which the shell script on PATH starts; {home}: its folder."""
    needs("R", "r-base-core")
    home = made_by(["R", "RHOME"]).strip()
    return {"home": home, **installed(f"{home}/bin/exec/R", "r-base-core")(place, size)}
