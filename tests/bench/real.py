# SPDX-License-Identifier: GPL-2.0-or-later
"""The workloads of the set `real`: programs as distributions have them, one entry each.

Owns the table, and makes what only these need. A program that is missing costs its row
only, with a note that names Debian's package.
"""

from __future__ import annotations

import os
import shutil
from typing import Iterator, Optional

from tests.bench.inputs import (
    Maker,
    Place,
    Unavailable,
    compiler_proper,
    make_by,
    make_from,
    random_lines,
    script,
    together,
)
from tests.bench.workload import Workload

LINES = 80  # of a file: each commit changes one of so many


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


def commits(lines: list[str], count: int) -> Iterator[str]:
    """What git fast-import reads: a file of which each commit changes some lines."""
    for number in range(count):
        for line in range(number % LINES, len(lines), LINES):
            lines[line] = f"{number} {lines[line].split(' ', 1)[1]}"
        content = "".join(lines)
        yield "commit refs/heads/main\n"
        yield f"committer A <a@example.org> {1_700_000_000 + number} +0000\n"
        yield "data 6\nchange\n"
        yield f"M 644 inline text\ndata {len(content)}\n{content}\n"


def repository(place: Place, size: int) -> dict[str, str]:
    """{repository}: a bare one, with so many commits to a file of about 60 KiB."""
    target = place.build / "real.git"
    needs("git", "git")
    shutil.rmtree(target, ignore_errors=True)
    make_by(["git", "init", "--quiet", "--bare", str(target)])
    make_from(
        ["git", f"--git-dir={target}", "fast-import", "--quiet"],
        commits(list(random_lines(60, seed=1)), size),
    )
    return {"repository": str(target)}


def classes(place: Place, size: int) -> dict[str, str]:
    """{classes}: the folder of the compiled class."""
    needs("javac", "default-jdk-headless")
    target = place.build / "classes"
    make_by(["javac", "-d", str(target), str(place.sources / "Real.java")])
    return {"classes": str(target)}


def go_program(place: Place, size: int) -> dict[str, str]:
    """{program}: a checked-in program in Go, compiled."""
    needs("go", "golang-go")
    target = place.build / "real-go"
    make_by(["go", "build", "-o", str(target), str(place.sources / "real.go")])
    return {"program": str(target)}


def r_program(place: Place, size: int) -> dict[str, str]:
    """{program}: R itself, which the shell script on PATH starts; {home}: its folder."""
    needs("R", "r-base-core")
    home = make_by(["R", "RHOME"]).strip()
    return {"home": home, **packaged(f"{home}/bin/exec/R", "r-base-core")(place, size)}


def _real(
    name: str, what: str, make: Maker, command: tuple[str, ...], quick: int,
    varies: Optional[float] = 0.001, **variables: str,
) -> Workload:
    """Quick is a quarter of the work, long ten times as much as full."""
    return Workload(
        name, what, make, (command,), quick, 4 * quick, 40 * quick,
        only="real", variables=tuple(variables.items()),
        varies=varies,
    )


REAL: tuple[Workload, ...] = (
    _real(
        "sqlite", "a table, an index, a join in sqlite3",
        together(packaged("/usr/bin/sqlite3", "sqlite3"), queries),
        ("{program}", "-batch", ":memory:", ".read {queries}"), 16_000,
    ),
    _real(
        "R", "vectors, linear models, strings in R",
        together(r_program, script("real.R")),
        ("{program}", "--vanilla", "--no-echo", "--file={script}", "--args", "{size}"),
        4, R_HOME="{home}", LD_LIBRARY_PATH="{home}/lib",
    ),
    _real(
        "ruby", "hashes, sorting, regular expressions in ruby",
        together(packaged("/usr/bin/ruby", "ruby"), script("real.rb")),
        ("{program}", "--disable-gems", "{script}", "{size}"), 5,
    ),
    _real(
        "lua", "tables, sorting, patterns in Lua",
        together(packaged("/usr/bin/lua5.4", "lua5.4"), script("real.lua")),
        ("{program}", "{script}", "{size}"), 10,
    ),
    _real(
        "git", "the history of a file, with its differences",
        together(packaged("/usr/bin/git", "git"), repository),
        ("{program}", "--git-dir={repository}", "log", "-p", "main"), 200,
    ),
    _real(
        "zstd", "compresses generated text",
        together(packaged("/usr/bin/zstd", "zstd"), text),
        ("{program}", "-q", "-12", "--single-thread", "--stdout", "{text}"), 600,
    ),
    _real(
        "gcc", "gcc's compiler proper, on copies of a small program",
        compiler_proper("real.c", copies=True),
        ("{program}", "-fpreprocessed", "-quiet", "-O0", "-o", "-", "{source}"), 8,
    ),
    # Which of its functions Java compiles, and when, is different in each run. With its
    # first compiler alone; the second one alone takes longer than all else.
    _real(
        "java", "maps, sorting, strings in Java",
        together(packaged("/usr/bin/java", "default-jdk-headless"), classes),
        ("{program}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m",
         "-cp", "{classes}", "Real", "{size}"),
        2, varies=None,
    ),
    # The seeds of Go's maps are random, and with them how long a search takes, and the
    # order from which is sorted: twelve runs under stock lay 0.9 % apart. Go interrupts
    # itself by SIGURG, of which stock's Valgrind dies now and then.
    _real(
        "go", "maps, sorting, strings in Go",
        go_program, ("{program}", "{size}"), 40,
        varies=0.02, GODEBUG="asyncpreemptoff=1",
    ),
)
