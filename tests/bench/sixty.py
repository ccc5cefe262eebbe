#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What do sixty small benchmarks take?

Runs twelve programs of the distribution on five inputs each, by callgrind_gate and by
the tool alone: with the distribution's callgrind, with ours, and with ours where
translations are stored for the first time (cold) and where they are there (warm). Prints
CPU seconds of all processes together, the least of some rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
STOCK = Path("/usr/bin/valgrind")
COMMANDS = (
    "sort {}", "wc {}", "grep -c 7 {}", "sed s/7/x/ {}", "cut -c2-4 {}", "uniq {}",
    "head -n9 {}", "tail -n9 {}", "cksum {}", "od -c {}", "ls -l {}",
    "awk '{{s+=$1}}END{{print s}}' {}",
)
SIZES = (10, 20, 50, 100, 200)  # lines


def benchmarks(folder: Path) -> dict[str, list[str]]:
    found = {}
    for size in SIZES:
        lines = folder / f"lines{size}"
        lines.write_text("".join(f"{i * 7919 % 1000}\n" for i in range(size)))
        for command in COMMANDS:
            words = shlex.split(command.format(lines))
            found[f"{words[0]}-{size}"] = words
    return found


def cpu_seconds(command: list[str], folder: Path, cache: str) -> float:
    environment = {**os.environ, "CALLGRIND_TRANSLATION_CACHE": cache}
    before = os.times()
    subprocess.run(command, cwd=folder, env=environment, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return (after.children_user - before.children_user
            + after.children_system - before.children_system)


def alone(valgrind: Path, options: list[str], folder: Path) -> float:
    """All of them, one after another, without the gate."""
    out = f"--callgrind-out-file={folder / 'out'}"
    tool = [str(valgrind), "-q", "--tool=callgrind", out, *options]
    return sum(cpu_seconds([*tool, *words], folder, "no")
               for words in benchmarks(folder).values())


def gate(build: Path, options: list[str], folder: Path, cache: str) -> float:
    config = folder / "gate.json"
    config.write_text(json.dumps({"benchmarks": {
        name: {"command": words} for name, words in benchmarks(folder).items()}}))
    command = [str(build / "callgrind_gate"), "run", f"--config={config}", *options]
    return cpu_seconds(command, folder, cache)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="take the least of N (3)")
    parser.add_argument("--build", type=Path, default=SOURCE / "build")
    options = parser.parse_args()
    build = options.build.resolve()
    ours = build / "vg-in-place"
    least: dict[str, list[float]] = {}
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="sixty.") as name:
            folder = Path(name)
            stored = [f"--translation-cache={folder / 'alone'}"]
            cache = str(folder / "gate")
            for row, pair in (
                ("stock", (alone(STOCK, [], folder),
                           gate(build, [f"--valgrind={STOCK}"], folder, "no"))),
                ("ours", (alone(ours, [], folder), gate(build, [], folder, "no"))),
                ("ours, cold", (alone(ours, stored, folder),
                                gate(build, [], folder, cache))),
                ("ours, warm", (alone(ours, stored, folder),
                                gate(build, [], folder, cache))),
            ):
                least.setdefault(row, []).extend(pair)
    print("| | the tool alone | `callgrind_gate run` |\n|---|---:|---:|")
    for row, found in least.items():
        print(f"| {row} | {min(found[0::2]):.1f} | {min(found[1::2]):.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
