#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures programs in forty surroundings, without --steady, with it, and under the
# distribution's callgrind, and prints the table of docs/steady.md.
#
#    measure.py [--only C,perl] [--ways stock,no,yes,env] [--without processor] > table
#    measure.py --few                one of each kind of surroundings
#    measure.py --same-number        the process has the same number in each run
#
# VG_BUILD names the build folder.  Owns: the table.

"""The table of docs/steady.md."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TOP), str(TOP / "callgrind" / "report")]

from tests.steady.comparing import (  # noqa: E402
    Measured,
    are_equal,
    measured,
    spreads,
)
from tests.steady.program_table import PROGRAMS, Program  # noqa: E402
from tests.steady.surroundings import (  # noqa: E402
    KEPT,
    SAME_NUMBER,
    RunError,
    Surroundings,
    Valgrind,
    forty,
    run,
)

WAYS: dict[str, list[str]] = {
    "stock": [],
    "no": ["--steady=no"],
    "yes": ["--steady=yes", "--fair-sched=try"],
    "env": ["--steady=yes", "--fair-sched=try", KEPT],
}
SHOWN = ("Ir", "D1mr", "D1mw", "DLmr", "DLmw", "Bcm")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def valgrind(way: str) -> Valgrind:
    build = Path(os.environ.get("VG_BUILD", TOP / "build")).resolve()
    if way == "stock":
        return Valgrind(Path("/usr/libexec/valgrind"), Path("/usr/bin/valgrind"))
    return Valgrind(build / ".in_place", build / "vg-in-place", tuple(WAYS[way]))


Found = list[tuple[Surroundings, Measured]]


def measure(
    program: Program, tool: Valgrind, work: Path, chosen: list[Surroundings]
) -> Found:
    built = program.built(work)
    found: Found = []
    # Once before: interpreters keep what they compile.
    for surroundings in [chosen[0], *chosen]:
        try:
            out = run(surroundings, tool, work, built, program.command())
        except RunError as error:
            say(f"{program.language} {' '.join(tool.options)}: {error}")
            continue
        copy = surroundings.program + built.suffix
        found.append((surroundings, measured(out, copy)))
    return found[1:]


def share(value: float) -> str:
    return "0" if value == 0 else f"{100 * value:.2g} %"


def channels(found: Found) -> str:
    """How many profiles of each kind of surroundings are not the first one."""
    first = found[0][1]
    counts: dict[str, list[int]] = {}
    for surroundings, each in found[1:]:
        count = counts.setdefault(surroundings.channel, [0, 0])
        count[0] += not are_equal(first, each)
        count[1] += 1
    return ", ".join(
        f"{channel} {differ}/{of}" for channel, (differ, of) in counts.items() if differ
    )


def row(
    program: Program, way: str, tool: Valgrind, work: Path, chosen: list[Surroundings]
) -> None:
    found = measure(program, tool, work, chosen)
    first = found[0][1]
    others = [each for _, each in found[1:]]
    same = 1 + sum(are_equal(first, each) for each in others)
    by_event = spreads(first, others)
    cells = [program.language, way, f"{same} of {len(found)}"]
    for event in SHOWN:
        spread = by_event[event]
        cells.append(f"{share(spread.total)} ({share(spread.function)})")
    print("| " + " | ".join([*cells, channels(found) or "-"]) + " |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(each.language for each in PROGRAMS))
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--without", default="", help="kinds of surroundings left out")
    parser.add_argument("--few", action="store_true", help="the last one of each kind")
    parser.add_argument("--same-number", action="store_true", help="of the process")
    options = parser.parse_args()
    without = options.without.split(",")
    chosen = [each for each in forty() if each.channel not in without]
    if options.few:
        chosen = list({each.channel: each for each in chosen}.values())
    print("| program | --steady | identical | " + " | ".join(SHOWN) + " | differ by |")
    print("|---" * (len(SHOWN) + 4) + "|")
    for program in PROGRAMS:
        if program.language not in options.only.split(",") or program.tool() is None:
            continue
        for way in options.ways.split(","):
            work = Path(tempfile.mkdtemp(prefix="steady.", dir="/tmp"))
            work.chmod(0o755)
            try:
                before = SAME_NUMBER if options.same_number else ()
                tool = replace(valgrind(way), before=before)
                row(program, way, tool, work, chosen)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
