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
import shlex
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE))  # when run as a command

from tests.bench.measure import cpu_seconds  # noqa: E402
from tests.bench.tables import table  # noqa: E402

STOCK = Path("/usr/bin/valgrind")
COMMANDS = (
    "sort {}", "wc {}", "grep -c 7 {}", "sed s/7/x/ {}", "cut -c2-4 {}", "uniq {}",
    "head -n9 {}", "tail -n9 {}", "cksum {}", "od -c {}", "ls -l {}",
    "awk '{{s+=$1}}END{{print s}}' {}",
)
SIZES = (10, 20, 50, 100, 200)  # lines
# By row: whether with stock, and where the tool alone and the gate store translations.
ROWS = {"stock": (True, "no", "no"), "ours": (False, "no", "no"),
        "ours, cold": (False, "alone", "gate"), "ours, warm": (False, "alone", "gate")}


def benchmarks(folder: Path) -> dict[str, list[str]]:
    found = {}
    for size in SIZES:
        lines = folder / f"lines{size}"
        lines.write_text("".join(f"{i * 7919 % 1000}\n" for i in range(size)))
        for command in COMMANDS:
            words = shlex.split(command.format(lines))
            found[f"{words[0]}-{size}"] = words
    return found


def measure(build: Path, is_stock: bool, alone: str, gate: str,
            folder: Path) -> tuple[float, float]:
    """All of them, by the tool alone and by the gate."""
    valgrind = STOCK if is_stock else build / "vg-in-place"
    tool = [str(valgrind), "-q", "--tool=callgrind",
            f"--callgrind-out-file={folder / 'out'}",
            *([] if is_stock else [f"--translation-cache={alone}"])]
    commands = benchmarks(folder)
    config = folder / "gate.json"
    config.write_text(json.dumps({"benchmarks": {
        name: {"command": words} for name, words in commands.items()}}))
    by_gate = [str(build / "callgrind_gate"), "run", f"--config={config}",
               *([f"--valgrind={STOCK}"] if is_stock else [])]
    cache = "CALLGRIND_TRANSLATION_CACHE"
    return (sum(cpu_seconds([*tool, *words], folder, **{cache: "no"})
                for words in commands.values()),
            cpu_seconds(by_gate, folder, **{cache: gate}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="take the least of N (3)")
    parser.add_argument("--build", type=Path, default=SOURCE / "build")
    options = parser.parse_args()
    taken: dict[str, list[tuple[float, float]]] = {row: [] for row in ROWS}
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="sixty.") as name:
            for row, (is_stock, *caches) in ROWS.items():
                alone, gate = (cache if cache == "no" else f"{name}/{cache}"
                               for cache in caches)
                taken[row].append(measure(options.build.resolve(), is_stock, alone, gate,
                                          Path(name)))
    rows = [[row, *(f"{min(times):.1f}" for times in zip(*pairs))]
            for row, pairs in taken.items()]
    print(table(["", "the tool alone", "`callgrind_gate run`"], rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
