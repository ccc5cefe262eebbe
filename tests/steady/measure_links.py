#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Links programs several times, with their functions in random orders, with an unused
# function more, at fixed addresses or not, and prints how far their counts differ.
# Needs gold, which takes an order of sections.
#
#    measure_links.py [--links 8] [--only C,Rust] > table
#
# VG_BUILD names the build folder.  Owns: the programs, and how they are linked.

"""How far links of one program differ."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Optional

TOP = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TOP), str(TOP / "callgrind" / "report")]

from profile_file.model import Profile  # noqa: E402
from profile_file.reader import Detail, read_profile  # noqa: E402
from tests.steady.linked_programs import LinkedPrograms  # noqa: E402
from tests.steady.program_table import PROGRAMS, SOURCES  # noqa: E402

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/", "LANG": "C.UTF-8"}
OPTIONS = (
    "--tool=callgrind", "-q", "--steady=yes", "--cache-sim=yes", "--branch-sim=yes",
    "--dump-before=main",
)  # fmt: skip
SHOWN = ("Ir", "I1mr", "ILmr", "Bcm", "Bim", "D1m", "DLm", "estimate")
UNUSED = "int more[9];\nint unused(int x) { return more[x & 7] += x / 11; }\n"


@dataclass(frozen=True)
class Linked:
    """A program, and how it is made: words that end in `-o`, what goes in, and whether
    more C may go in."""

    name: str
    words: tuple[str, ...]
    takes_c: bool
    arguments: tuple[str, ...] = ()
    reads: Path = Path("/dev/null")


def programs(work: Path) -> list[Linked]:
    """Those that can be made here."""
    functions = work / "functions"
    functions.mkdir()
    LinkedPrograms(functions)
    (functions / "more.c").unlink()
    c = ("-O2", "-g", "-ffunction-sections", "-fuse-ld=gold")
    reader = [str(path) for path in sorted((TOP / "reader").rglob("*.c"))]
    many = [str(path) for path in sorted(functions.glob("*.c"))]
    found = [
        Linked("functions", ("gcc", *c, "-fno-jump-tables", *many, "-o"), True),
        Linked("text parser",
               ("gcc", "-std=c11", *c, f"-I{TOP / 'reader'}", *reader, "-o"),
               True, ("functions",), work / "parsed"),
        Linked("C", ("gcc", *c, str(SOURCES / "words.c"), "-o"), True),
        Linked("C++", ("g++", *c, str(SOURCES / "shapes.cpp"), "-o"), True),
    ]  # fmt: skip
    rust = next(each for each in PROGRAMS if each.language == "Rust").tool()
    if rust is not None:
        words = (rust, "-g", "-O", "-Clink-arg=-fuse-ld=gold", str(SOURCES / "graph.rs"))
        found.append(Linked("Rust", (*words, "-o"), False))
    return found


def link(program: Linked, folder: Path, number: int, names: list[str]) -> Path:
    """The program in a folder of its own; number 0 in the linker's own order."""
    made = folder / f"{number:03}" / "program"
    made.parent.mkdir(parents=True)
    chance = random.Random(number)
    words = [*program.words, str(made)]
    if number:
        order = made.parent / "order"
        chance.shuffle(names)
        order.write_text("".join(f".text.{name}\n" for name in names))
        option = f"-Wl,--section-ordering-file={order}"
        words.append(option if program.takes_c else f"-Clink-arg={option}")
    if number and program.takes_c:
        unused = made.parent / "unused.c"
        unused.write_text(UNUSED)
        words += [str(unused)] if chance.random() < 0.5 else []
        words += ["-no-pie"] if chance.random() < 0.5 else []
    subprocess.run(words, check=True)
    return made


def function_names(program: Path) -> list[str]:
    listed = subprocess.run(["nm", "--defined-only", str(program)], check=True,
                            capture_output=True, text=True).stdout  # fmt: skip
    fields = (line.split() for line in listed.splitlines())
    return sorted({name for _, kind, name in fields if kind in "tTwW"})


Counts = dict[str, int]


def with_sums(costs: Counts) -> Counts:
    """What is shown of the events of a profile."""
    first = costs["I1mr"] + costs["D1mr"] + costs["D1mw"]
    data = costs["DLmr"] + costs["DLmw"]
    return {
        **costs,
        "D1m": costs["D1mr"] + costs["D1mw"],
        "DLm": data,
        "estimate": costs["Ir"] + 10 * first + 100 * (costs["ILmr"] + data),
    }


def counts(program: Linked, made: Path, layout: str) -> tuple[Counts, Counts]:
    """Of the whole run, and of what comes from main() on."""
    build = Path(os.environ.get("VG_BUILD", TOP / "build")).resolve()
    for old in made.parent.glob("out*"):
        old.unlink()
    command = [str(build / "vg-in-place"), *OPTIONS, f"--layout={layout}",
               f"--callgrind-out-file={made.parent / 'out'}", str(made),
               *program.arguments]  # fmt: skip
    with open(program.reads, "rb") as read:
        subprocess.run(command, env=ENVIRONMENT, check=True, stdin=read,
                       stdout=subprocess.DEVNULL)  # fmt: skip
    parts = [read_profile(path, Detail.FUNCTIONS)
             for path in sorted(made.parent.glob("out*"))]  # fmt: skip
    totals = [totals_of(part) for part in parts if part.parts]
    whole = {event: sum(each[event] for each in totals) for event in totals[0]}
    before = totals_of(read_profile(made.parent / "out.1", Detail.FUNCTIONS))
    behind = {event: whole[event] - before[event] for event in whole}
    return with_sums(whole), with_sums(behind)


def totals_of(profile: Profile) -> Counts:
    """The sums of what functions cost themselves."""
    sums = dict.fromkeys(profile.events, 0)
    for part in profile.parts:
        for function in part.functions.values():
            for event, cost in zip(profile.events, function.self_cost):
                sums[event] += cost
    return sums


def spread(values: Iterable[int]) -> str:
    """The highest less the lowest, of the mean."""
    found = list(values)
    mean = sum(found) / len(found)
    share = (max(found) - min(found)) / mean if mean else 0.0
    return "0" if share == 0 else f"{100 * share:.2g} %"


def rows(program: Linked, work: Path, links: int) -> None:
    folder = work / program.name.replace(" ", "_")
    first = link(program, folder, 0, [])
    names = function_names(first)
    made = [first, *(link(program, folder, i, names) for i in range(1, links))]
    for layout in ("real", "names"):
        found = [counts(program, each, layout) for each in made]
        for which, part in enumerate(("whole", "from main on")):
            cells = [spread(each[which][event] for each in found) for event in SHOWN]
            print("| " + " | ".join([program.name, part, layout, *cells]) + " |",
                  flush=True)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, default=8, metavar="N")
    parser.add_argument("--only", metavar="NAMES", help="of programs, between commas")
    options = parser.parse_args()
    if shutil.which("ld.gold") is None:
        parser.error("gold is not here: install binutils-gold")
    only: Optional[list[str]] = options.only.split(",") if options.only else None
    with tempfile.TemporaryDirectory(prefix="links.") as scratch:
        work = Path(scratch).resolve()
        lines = [f"fn=f{i}\n{i} {i * 7}\ncfn=f{i * 31 % 1999}\ncalls=1 {i}\n{i} 5\n"
                 for i in range(12000)]  # fmt: skip
        (work / "parsed").write_text("events: Ir\n" + "".join(lines))
        print("| program | run | `--layout` | " + " | ".join(SHOWN) + " |")
        print("|---" * (len(SHOWN) + 3) + "|")
        for program in programs(work):
            if only is None or program.name in only:
                rows(program, work, options.links)
    return 0


if __name__ == "__main__":
    sys.exit(main())
