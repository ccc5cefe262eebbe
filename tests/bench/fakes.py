# SPDX-License-Identifier: GPL-2.0-or-later
"""What the bench's own tests use in place of Valgrind and of measured runs.

The launcher made here takes Valgrind's options, writes the profile that it is asked
for, and runs the program itself, natively: the bench is tested, not a profiler.
"""

from __future__ import annotations

from pathlib import Path
from typing import Optional, Sequence

from tests.bench.columns import columns_of
from tests.bench.measure import Run, Series
from tests.bench.result import Result

LAUNCHER = """#!/bin/sh
set -eu
profile=
cache=
counted=@COUNTED@
while [ $# -gt 0 ]; do
   case $1 in
   --version) echo valgrind-0.fake; exit 0 ;;
   --callgrind-out-file=*) profile=${1#*=} ;;
   --translation-cache=*) cache=${1#*=} ;;
   --instr-atstart=no) counted=0 ;;
   -*) ;;
   *) break ;;
   esac
   shift
done
if [ -n "$profile" ]; then
   printf 'events: Ir\\ntotals: %s\\n' "$counted" >"${profile%\\%p}$$"
fi
@EXTRA@
exec "$@"
"""


def make_launcher(path: Path, counted: int = 1000, extra: str = "") -> Path:
    """extra: shell commands before the program starts; $cache is the folder of stored
    translations."""
    text = LAUNCHER.replace("@COUNTED@", str(counted)).replace("@EXTRA@", extra)
    path.write_text(text, encoding="ascii")
    path.chmod(0o755)
    return path


def run(
    cpu: float, peak_kib: int = 1000, load: float = 0.0, counted: Optional[int] = None
) -> Run:
    return Run(cpu, 0.0, cpu, peak_kib, load, counted)


def result_of(runs: dict[str, dict[str, Sequence[Run]]]) -> Result:
    """A result from the runs by workload and column, with the columns of --set=ir."""
    return Result(columns_of(["ir"], with_ours=True), {
        workload: Series([["program"]], {key: list(every) for key, every in row.items()})
        for workload, row in runs.items()
    })
