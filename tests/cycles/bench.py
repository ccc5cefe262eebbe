#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what events say that kernels cost with the time that they take here.

The time is the minimum of the user time of many runs.  An event is compared after one
common scale for all kernels, by the rank correlation and by the median of the relative
error.  Nothing is fitted to single kernels.
"""

# `make bench-cycles`.  Owns: which programs there are, natively and under the tool, and
# the tables that are printed.  processor.py knows the processor, agreement.py compares.

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Iterator

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # when run as a command

from tests.cycles.agreement import Row, details, report  # noqa: E402
from tests.cycles.processor import (  # noqa: E402
    caches_of,
    last_level,
    model_of,
    share_of,
)
from tests.bench.measure import timed  # noqa: E402

INPUT_BYTES = 3 << 20
# Valgrind shows a Haswell to the program, for which glibc has other string functions than
# for most processors that this runs on.  So it is told to take them natively, too.
TUNABLES = ":".join((
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-RTM,-FSRM,-Prefer_No_VZEROUPPER,"
    "-Avoid_Short_Distance_REP_MOVSB",
    "glibc.cpu.x86_rep_movsb_threshold=8192",
    "glibc.cpu.x86_non_temporal_threshold=2097152"))
# How often a kernel runs in a row.
CHUNKS = 50

# By --set: the kernels that were seen when the model was made, and those that were not.
SETS = {"first": ["kernels"], "unseen": ["kernels_unseen"],
        "all": ["kernels", "kernels_unseen"]}
FLAGS = ("-O2 -mavx2 -mfma -mno-red-zone -fno-tree-vectorize -falign-loops=64 "
         "-falign-functions=64").split()

PROGRAMS = {
    "bzip2": ["bzip2", "-kc", "{input}"],
    "gzip": ["gzip", "-9c", "{input}"],
    "xz": ["xz", "-1c", "{input}"],
    "sort": ["sort", "{lines}"],
    "awk": ["awk", "{{ n[$1 % 97]++; s += length($0) }} END {{ print s }}", "{lines}"],
    "perl": ["perl", "-e", "for (1..400000) {{ $h{{$_ % 1000}} += $_ * 3 }} print %h"],
    "python_json": ["/usr/bin/python3", "-S", "-c",
                    "import json; d = [dict(a=i, b=str(i), c=[i] * 5)"
                    " for i in range(3000)]\n"
                    "for _ in range(6): json.loads(json.dumps(d))"],
    "python_loop": ["/usr/bin/python3", "-S", "-c",
                    "s = 0\nfor i in range(900000): s += i * i % 7"],
}  # fmt: skip


@dataclass
class Kernel:
    """What a program of kernels lists."""

    program: str
    name: str
    family: str
    times: str
    turns: int
    nanoseconds: int = 0    # the least that `times` have taken


def printed_by(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def events_of(arguments: argparse.Namespace, *words: str) -> dict[str, float]:
    """What the tool counts; words: further options, and the program."""
    with tempfile.TemporaryDirectory(prefix="bench_cycles.") as folder:
        out = Path(folder, "profile")
        printed_by(
            arguments.launcher, "-q", "--tool=callgrind", "--cache-sim=yes",
            "--branch-sim=yes", "--cycle-estimation=yes", f"--callgrind-out-file={out}",
            *arguments.options, *words)
        text = out.read_text(errors="replace")
    names = re.findall(r"^events: (.*)$", text, re.M)[-1].split()
    total = [int(word) for word in re.findall(r"^totals: (.*)$", text, re.M)[-1].split()]
    total += [0] * (len(names) - len(total))
    found: dict[str, float] = dict(zip(names, map(float, total)))
    first = found["I1mr"] + found["D1mr"] + found["D1mw"]
    last = found["ILmr"] + found["DLmr"] + found["DLmw"]
    found["Ir+10L1+100LL"] = found["Ir"] + 10 * first + 100 * last
    return found


def listed_kernels(
    source: str, folder: Path, wanted: re.Pattern[str]
) -> Iterator[Kernel]:
    """Those of SOURCE.c, which is compiled for this machine."""
    program = str(folder / source)
    printed_by("gcc", *FLAGS, "-o", program, str(HERE / f"{source}.c"), "-lm")
    for line in printed_by(program).splitlines():
        name, family, times, turns = line.split()
        if wanted.search(name):
            yield Kernel(program, name, family, times, int(turns))


def time_kernels(arguments: argparse.Namespace, kernels: list[Kernel]) -> None:
    """All in turn, again and again: what disturbs one seldom disturbs it each time."""
    for _ in range(arguments.rounds):
        for kernel in kernels:
            taken = int(printed_by(kernel.program, kernel.name, kernel.times,
                                   str(CHUNKS)))
            kernel.nanoseconds = min(taken, kernel.nanoseconds or taken)


def kernel_row(arguments: argparse.Namespace, kernel: Kernel) -> Row:
    """Work natively and under the tool."""
    found = events_of(arguments, "--toggle-collect=run_kernel", kernel.program,
                      kernel.name, kernel.times)
    turns = int(kernel.times) * kernel.turns
    return Row(kernel.name, kernel.family, kernel.nanoseconds / 1e9 / turns,
               {event: n / turns for event, n in found.items()})


def program_row(arguments: argparse.Namespace, name: str, command: list[str],
                folder: Path) -> Row:
    times = [timed(command, folder, os.environ).user
             for _ in range(0 if arguments.times else arguments.rounds)]
    return Row(name, "program", min(times, default=0.0), events_of(arguments, *command))


def make_inputs(folder: Path) -> dict[str, str]:
    """Equal bytes each time: text with repetitions."""
    lines: list[str] = []
    state = 1
    while 20 * len(lines) < INPUT_BYTES:
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        lines.append(f"{state >> 40} {'abcdefgh'[state >> 61:]} {state >> 33 & 1023}")
    text = "\n".join(lines) + "\n"
    (folder / "input").write_text(text[: INPUT_BYTES // 4])
    (folder / "lines").write_text("\n".join(lines[:40000]) + "\n")
    return {"input": str(folder / "input"), "lines": str(folder / "lines")}


def measure(arguments: argparse.Namespace) -> Iterator[Row]:
    wanted = re.compile(arguments.only)
    with tempfile.TemporaryDirectory(prefix="bench_cycles.") as made:
        folder = Path(made)
        kernels = [kernel for source in SETS[arguments.set]
                   for kernel in listed_kernels(source, folder, wanted)]
        if not arguments.times:
            time_kernels(arguments, kernels)
        for kernel in kernels:
            yield kernel_row(arguments, kernel)
        inputs = make_inputs(folder)
        for name, words in PROGRAMS.items():
            is_wanted = arguments.set != "unseen" and wanted.search(name)
            if is_wanted and shutil.which(words[0]):
                command = [word.format(**inputs) for word in words]
                yield program_row(arguments, name, command, folder)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build", help="the build folder [build]")
    parser.add_argument("--model", help="--cycle-model [that of this processor]")
    parser.add_argument("--set", choices=SETS, default="all",
                        help="which kernels; programs are of the first set [all]")
    parser.add_argument("--rounds", type=int, default=15, help="native runs [15]")
    parser.add_argument("--only", default="", help="what is run: a regular expression")
    parser.add_argument("--LL", help="the last level [that of this processor]")
    parser.add_argument("--times", type=Path, help="native times from here, as JSON")
    parser.add_argument("--output", type=Path, help="write all numbers here, as JSON")
    parser.add_argument("--input", type=Path, help="show these numbers; measure nothing")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    os.environ["GLIBC_TUNABLES"] = TUNABLES
    arguments.launcher = str(Path(arguments.build, "vg-in-place").absolute())
    cpuinfo = Path("/proc/cpuinfo").read_text()
    caches = caches_of(Path("/sys/devices/system/cpu/cpu0/cache"))
    model = arguments.model or model_of(cpuinfo, caches.get("1Instruction", (0,))[0])
    if model is None:
        raise SystemExit("there is no model of this processor; say --model")
    arguments.options = [f"--cycle-model={model}"]
    level = arguments.LL or last_level(caches, share_of(cpuinfo, model))
    if level:
        arguments.options.append(f"--LL={level}")
    rows = []
    if arguments.input:
        rows = [Row(**row) for row in json.loads(arguments.input.read_text())]
    else:
        for row in measure(arguments):
            rows.append(row)
            print(f"{row.name}: {1e9 * row.seconds:.2f} ns", flush=True)
    if arguments.times:
        known = {row["name"]: row["seconds"]
                 for row in json.loads(arguments.times.read_text())}
        rows = [replace(row, seconds=known[row.name]) for row in rows]
    if not rows:
        raise SystemExit(f"no kernel is called {arguments.only}")
    if arguments.output:
        arguments.output.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    print(details(rows) + "\n" + report(rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
