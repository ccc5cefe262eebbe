#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What does it take to read large profiles?

Makes a profile of so many megabytes (60,000 functions in 200) and one that differs from
it, and has the commands read them: with read_profile, the program in C, and in Python
alone. Prints, of each, CPU seconds of all its processes and the largest one's memory, the
least of some rounds, in which the commands take turns.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE))  # when run as a command

from callgrind.report.tests.make_large_profile import KINDS, write_profile  # noqa: E402
from tests.bench.machine import cpu_model  # noqa: E402
from tests.bench.tables import table  # noqa: E402

START = SOURCE / "callgrind" / "report" / "start.py"
COMMANDS = {
    "functions": ("callgrind_report", "{old}"),
    "functions, all events": ("callgrind_report", "--json", "-n20", "{old}"),
    "--function": ("callgrind_report", "--function=function_100", "{old}"),
    "--annotate": ("callgrind_report", "--annotate", "{old}"),
    "--diff": ("callgrind_report", "--diff", "{old}", "{new}"),
    "--to callgrind": ("callgrind_export", "--to", "callgrind", "{old}"),
}


def measure(words: list[str]) -> tuple[float, float]:
    """CPU seconds, and megabytes."""
    process = os.posix_spawn(words[0], words, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])  # fmt: skip
    _, status, used = os.wait4(process, 0)
    if status != 0:
        raise SystemExit(f"reading.py: {' '.join(words)}: status {status >> 8}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def make(folder: Path, megabytes: float) -> dict[str, str]:
    """The two profiles, by what they are called in COMMANDS."""
    paths = {}
    for seed, name in enumerate(("old", "new"), 1):
        paths[name] = str(folder / name)
        with open(paths[name], "w", encoding="ascii") as stream:
            write_profile(stream, int(megabytes * 1e6), KINDS["browser"], seed)
    return paths


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=200, metavar="N",
                        help="size of a profile (200)")
    parser.add_argument("--rounds", type=int, default=3, help="take the least of N (3)")
    parser.add_argument("--only", choices=COMMANDS, action="append",
                        help="this command, and others that are named so")
    parser.add_argument("--no-python", action="store_true",
                        help="without Python alone, which takes the most of the time")
    parser.add_argument("--build", type=Path, default=SOURCE / "build")
    options = parser.parse_args()
    reader = options.build.resolve() / "read_profile"
    if not reader.exists():
        raise SystemExit(f"reading.py: {reader} is missing; run make -C {options.build}")
    readers = {"in C": str(reader), **({} if options.no_python else {"in Python": ""})}
    rows = options.only or list(COMMANDS)
    taken: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="reading.") as folder:
        paths = make(Path(folder), options.megabytes)
        for _ in range(options.rounds):
            for row in rows:
                command, *arguments = COMMANDS[row]
                for name, program in readers.items():
                    words = [sys.executable, "-E", "-s", "-S", str(START), command,
                             program, *(word.format(**paths) for word in arguments)]
                    taken.setdefault((row, name), []).append(measure(words))
    processor = cpu_model(Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    print(f"{options.megabytes:g} MB each; {processor}")
    print(table(
        ["", *(f"{name}, {unit}" for name in readers for unit in ("s", "MB"))],
        [[row, *(f"{min(column):.1f}" if place == 0 else f"{min(column):.0f}"
                 for name in readers
                 for place, column in enumerate(zip(*taken[row, name])))]
         for row in rows],
    ))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
