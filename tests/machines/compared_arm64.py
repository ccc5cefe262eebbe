# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs that are built for arm64 and for this machine: their calls among their own
# functions must be the same; and how long some take under the emulator.  Owns: which
# programs, and what is equal.  Relies on the reader of profiles in callgrind/report/.

"""Compare arm64 with this machine."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
sys.path.insert(0, str(SOURCE / "callgrind" / "report"))

from profile_file.reader import read_profile  # noqa: E402

DIFFERENTIAL = SOURCE / "tests" / "differential" / "programs"
BENCH = SOURCE / "tests" / "bench" / "programs"

# What a compiler puts into its callers, or makes a clone or a jump of, is its own choice
# on each machine.
AS_WRITTEN = ("-fno-inline", "-fno-optimize-sibling-calls", "-fno-ipa-cp", "-fno-ipa-sra",
              "-fno-partial-inlining")


@dataclass(frozen=True)
class Program:
    source: Path
    arguments: tuple[str, ...] = ()
    flags: tuple[str, ...] = ("-O0",)
    input: str = ""
    least: int = 100  # calls among its own functions

    @property
    def name(self) -> str:
        return f"{self.source.stem} {' '.join(self.flags)}"

    def build_words(self, compiler: str, program: Path) -> list[str]:
        return [compiler, *self.flags, *AS_WRITTEN, "-o", str(program), str(self.source),
                "-lm"]


SUMS = "a = 2 * (3 + 4)\nb = a * a - (a + 1) / 2\nsqrt(b) + max(a, b)\n1 +\n" * 20

COMPARED = (
    Program(DIFFERENTIAL / "calls.c"),
    Program(DIFFERENTIAL / "calls.c", flags=("-O2",)),
    Program(DIFFERENTIAL / "strides.c", flags=("-O2",), least=30),
    Program(BENCH / "fib.c", ("18",), ("-O2",)),
    Program(BENCH / "sorting.c", ("2000",), ("-O2",), least=1),
    Program(HERE / "calculator.c", flags=("-O1",), input=SUMS),
)

# How long they take is reported.
TIMED = (
    Program(BENCH / "fib.c", ("29",), ("-O2",)),
    Program(BENCH / "sorting.c", ("6000",), ("-O2",)),
)


Calls = Counter[tuple[str, str]]


def calls_among_own(profile: Path, program: Path) -> Calls:
    """Calls by the names of caller and callee, both of them the program's."""
    found: Calls = Counter()
    for part in read_profile(profile).parts:
        for arc in part.arcs():
            objects = {Path(key.object_file).name for key in (arc.caller, arc.callee)}
            if objects == {program.name}:
                found[plain(arc.caller.name), plain(arc.callee.name)] += arc.count
    return Counter({key: count for key, count in found.items() if is_written(*key)})


def plain(name: str) -> str:
    """Without the level of a recursion."""
    return name.partition("'")[0]


# Each C library has other functions of its own in a program.
ADDED = {"_start", "__do_global_dtors_aux", "frame_dummy", "_init", "_fini",
         "deregister_tm_clones", "register_tm_clones", "call_weak_fn", "(below main)"}


def is_written(*names: str) -> bool:
    return not ADDED & set(names) and not any(name.startswith("0x") for name in names)


def difference(ours: Calls, others: Calls) -> str:
    """Empty if there is none."""
    lines = [
        f"{caller} -> {callee}: arm64 {ours[caller, callee]}, here"
        f" {others[caller, callee]}"
        for caller, callee in sorted({*ours, *others})
        if ours[caller, callee] != others[caller, callee]
    ]
    return "\n".join(lines)
