#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures programs on this machine and on emulated ones (other_machine.py), which have
# another processor, kernel, memory and number of processors, and prints the table of
# docs/steady.md.  Says why, and ends well, where nothing can be emulated.
#
#    measure_machines.py [--only C,perl] [--ways stock,no,env] [--on Haswell,EPYC]
#
# VG_BUILD names the build folder.  Owns: the table.

"""The table of emulated machines of docs/steady.md."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

TOP = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(TOP), str(TOP / "callgrind" / "report")]

from tests.steady.comparing import (  # noqa: E402
    Measured,
    are_equal,
    measured,
    spreads,
)
from tests.steady.measure import say, share, valgrind  # noqa: E402
from tests.steady.other_machine import (  # noqa: E402
    MACHINES,
    CannotEmulate,
    Command,
    Machine,
    run_on,
    why_not,
)
from tests.steady.program_table import PROGRAMS, Program  # noqa: E402
from tests.steady.surroundings import BASE  # noqa: E402

SHOWN = ("Ir", "D1mr", "DLmr", "Bcm")
WAYS = ("stock", "no", "env")


@dataclass(frozen=True)
class Case:
    """A row of the table."""

    program: Program
    way: str
    work: Path  # a folder of its own

    def command(self, out: str) -> Command:
        """Measure the program, here or there."""
        script = self.program.built(self.work)
        if script.parent != self.work:
            shutil.copy(script, self.work)
        tool = valgrind(self.way)
        words = [*tool.command(""), f"--callgrind-out-file={self.result(out)}"]
        words += [*self.program.command(), str(self.work / script.name)]
        return Command(self.work, tuple(words), {**BASE, **tool.variables()})

    def result(self, out: str) -> Path:
        # Elsewhere: interpreters look at what lies in the folder of the script.
        return self.work.with_name(f"{self.work.name}.{out}")

    def measured(self, out: str) -> Optional[Measured]:
        path = self.result(out)
        if not path.exists():
            return None
        return measured(path, self.program.built(self.work).name)


def run_here(case: Case) -> None:
    wanted = case.command("here")
    errors = case.result("errors")  # a file, as there: programs ask what it is
    for _ in range(2):  # interpreters keep what they compile
        with errors.open("wb") as opened:
            done = subprocess.run(
                wanted.words,
                cwd=wanted.folder,
                env=wanted.variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=opened,
                check=False,
            )
        if done.returncode != 0:
            said = errors.read_text("utf-8", "replace")
            raise SystemExit(f"{case.program.language}: it does not run here: {said}")


def run_there(machine: Machine, work: Path, cases: list[Case]) -> list[str]:
    """What the profiles have to do with those of this machine."""
    for case in cases:
        case.result("over").unlink(missing_ok=True)  # as long as "here"
    seen = {valgrind(case.way).library.parent for case in cases}
    statuses = run_on(machine, work, [case.command("over") for case in cases], [*seen])
    found = []
    for number, (case, status) in enumerate(zip(cases, statuses)):
        first, other = case.measured("here"), case.measured("over")
        if first is None or other is None or status != 0:
            said = (work / f"{number}.errors").read_text(encoding="utf-8")
            say(f"{case.program.language} {case.way}, {machine.name}: {status}: {said}")
            found.append("failed")
        else:
            found.append(verdict(first, other))
    return found


def verdict(first: Measured, other: Measured) -> str:
    if are_equal(first, other):
        return "identical"
    by_event = spreads(first, [other])
    return ", ".join(
        f"`{event}` {share(by_event[event].total)} ({share(by_event[event].function)})"
        for event in SHOWN
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(each.language for each in PROGRAMS))
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--on", default=",".join(each.name for each in MACHINES))
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        return 0
    machines = [each for each in MACHINES if each.name in options.on.split(",")]
    chosen = [each for each in PROGRAMS if each.language in options.only.split(",")]
    with tempfile.TemporaryDirectory(prefix="steady.", dir="/tmp") as name:
        work = Path(name).resolve()
        cases: list[Case] = []
        for program in chosen:
            for way in options.ways.split(",") if program.tool() is not None else ():
                cases.append(Case(program, way, work / f"{len(cases):02}"))
                cases[-1].work.mkdir()
                run_here(cases[-1])
        try:
            found = [run_there(machine, work, cases) for machine in machines]
        except CannotEmulate as reason_now:
            print(f"skipped: {reason_now}")
            return 0
    names = " | ".join(each.name for each in machines)
    print(f"| program | --steady | {names} |\n" + "|---" * (len(machines) + 2) + "|")
    for case, cells in zip(cases, zip(*found)):
        print("| " + " | ".join([case.program.language, case.way, *cells]) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
