# SPDX-License-Identifier: GPL-2.0-or-later
"""The workloads of the set `real`: programs as distributions have them, one entry each.

Owns the table, and makes what only these need. A program that is missing costs its row
only, with a note that names Debian's package.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Iterator

from tests.bench.inputs import (
    Maker,
    Place,
    Unavailable,
    compiler_proper,
    make_by,
    random_lines,
    script,
    together,
)
from tests.bench.workload import Workload

R_HOME = "/usr/lib/R"
COMMITS = 40


def packaged(path: str, package: str) -> Maker:
    """{program}: a program of a package of Debian."""

    def make(place: Place, size: int) -> dict[str, str]:
        if not os.access(path, os.X_OK):
            raise Unavailable(f"{path} is not installed (package {package})")
        return {"program": path}

    return make


def needs(command: str, package: str) -> None:
    if shutil.which(command) is None:
        raise Unavailable(f"{command} is not installed (package {package})")


def queries(place: Place, size: int) -> dict[str, str]:
    """{queries}: a file of SQL, for a table of so many rows."""
    text = (place.sources / "real.sql").read_text(encoding="ascii")
    target = place.build / "real.sql"
    target.write_text(text.replace("@ROWS@", str(size)), encoding="ascii")
    return {"queries": str(target)}


def text(place: Place, size: int) -> dict[str, str]:
    """{text}: so many KiB of generated text."""
    target = place.build / "real.txt"
    with target.open("w", encoding="ascii") as file:
        file.writelines(random_lines(size, seed=1))
    return {"text": str(target)}


def commits(lines: list[str]) -> Iterator[str]:
    """What git fast-import reads: a file of which each commit changes some lines."""
    for number in range(COMMITS):
        lines[number :: COMMITS * 2] = [
            f"{number} {line}" for line in lines[number :: COMMITS * 2]
        ]
        content = "".join(lines)
        yield "commit refs/heads/main\n"
        yield f"committer A <a@example.org> {1_700_000_000 + number} +0000\n"
        yield "data 6\nchange\n"
        yield f"M 644 inline text\ndata {len(content)}\n{content}\n"


def repository(place: Place, size: int) -> dict[str, str]:
    """{repository}: a bare one, with a file of so many KiB in its history."""
    target = place.build / "real.git"
    needs("git", "git")
    shutil.rmtree(target, ignore_errors=True)
    make_by(["git", "init", "--quiet", "--bare", str(target)])
    stream = "".join(commits(list(random_lines(size, seed=1))))
    subprocess.run(
        ["git", f"--git-dir={target}", "fast-import", "--quiet"],
        input=stream, text=True, check=True,
    )
    return {"repository": str(target)}


def classes(place: Place, size: int) -> dict[str, str]:
    """{classes}: the folder of the compiled class."""
    needs("javac", "default-jdk-headless")
    target = place.build / "classes"
    make_by(["javac", "-d", str(target), str(place.sources / "Real.java")])
    return {"classes": str(target)}


def go_program(place: Place, size: int) -> dict[str, str]:
    needs("go", "golang-go")
    target = place.build / "real-go"
    make_by(["go", "build", "-o", str(target), str(place.sources / "real.go")])
    return {"program": str(target)}


def r_program() -> Maker:
    """The program itself: what is on PATH is a shell script that starts it."""
    return packaged(str(Path(R_HOME, "bin", "exec", "R")), "r-base-core")


def _real(
    name: str, what: str, make: Maker, command: tuple[str, ...],
    sizes: tuple[int, int, int], **variables: str,
) -> Workload:
    quick, full, long = sizes
    return Workload(
        name, what, make, (command,), quick, full, long,
        real=True, variables=tuple(variables.items()),
    )


REAL: tuple[Workload, ...] = (
    _real(
        "sqlite", "a table, an index, a join in sqlite3",
        together(packaged("/usr/bin/sqlite3", "sqlite3"), queries),
        ("{program}", "-batch", ":memory:", ".read {queries}"),
        (6_000, 25_000, 80_000),
    ),
    _real(
        "R", "vectors, linear models, strings in R",
        together(r_program(), script("real.R")),
        ("{program}", "--vanilla", "--no-echo", "--file={script}", "--args", "{size}"),
        (2, 10, 100), R_HOME=R_HOME,
    ),
    _real(
        "ruby", "hashes, sorting, regular expressions in ruby",
        together(packaged("/usr/bin/ruby", "ruby"), script("real.rb")),
        ("{program}", "--disable-gems", "{script}", "{size}"),
        (5, 20, 200),
    ),
    _real(
        "lua", "tables, sorting, patterns in Lua",
        together(packaged("/usr/bin/lua5.4", "lua5.4"), script("real.lua")),
        ("{program}", "{script}", "{size}"),
        (5, 40, 400),
    ),
    _real(
        "git", "the history of a file, with its differences",
        together(packaged("/usr/bin/git", "git"), repository),
        ("{program}", "--git-dir={repository}", "log", "-p", "main"),
        (50, 200, 1_500),
    ),
    _real(
        "zstd", "compresses generated text",
        together(packaged("/usr/bin/zstd", "zstd"), text),
        ("{program}", "-q", "-12", "--single-thread", "--stdout", "{text}"),
        (400, 2_000, 20_000),
    ),
    _real(
        "gcc", "gcc's compiler proper, which optimises a small program",
        compiler_proper("compiled.c"),
        ("{program}", "-fpreprocessed", "-quiet", "-O{size}", "-o", "-", "{source}"),
        (0, 1, 2),
    ),
    _real(
        "java", "maps, sorting, strings in Java",
        together(packaged("/usr/bin/java", "default-jdk-headless"), classes),
        ("{program}", "-XX:+UseSerialGC", "-Xmx256m", "-cp", "{classes}", "Real",
         "{size}"),
        (1, 4, 100),
    ),
    _real(
        "go", "maps, sorting, strings in Go",
        go_program,
        ("{program}", "{size}"),
        (25, 100, 1_000),
    ),
)
