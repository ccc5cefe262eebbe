# SPDX-License-Identifier: GPL-2.0-or-later
#
# --collect-alloc beside programs that count for themselves (generated.py): blocks, bytes
# and frees of each function, what it held at the peak of all, and what it holds in the
# end.  The highest place of the timeline's curve is the highest peak of a part.
#
#    CT_ALLOC_SEEDS=100-199     these programs in place of the usual ones

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.allocations.generated import generated
from tests.build.built import IN_PLACE, SOURCE
from tests.core_headers import request_flags

sys.path.insert(0, str(SOURCE / "callgrind" / "report"))

from profile_file.reader import Detail, read_profile  # noqa: E402
from tree_file.timeline_reader import read_timeline  # noqa: E402

EVENTS = ("allocCount", "allocSize", "freeCount", "peakSize", "leakSize")
OPTIONS = ((), ("--call-tree=yes",), ("--separate-threads=yes", "--dump-threads=all"),
           ("--cache-sim=yes",), ("--obj-skip=*libc*",), ("--separate-callers=3",),
           ("--tail-calls=flat",), ("--ct-check=all",), ("--timeline=yes",))  # fmt: skip


def seeds() -> range:
    asked = os.environ.get("CT_ALLOC_SEEDS")
    if asked:
        first, last = asked.split("-")
        return range(int(first), int(last) + 1)
    return range(60 if os.environ.get("CT_LONG") else 16)


def counted(output: str) -> dict[str, dict[str, tuple[int, ...]]]:
    """By process and function, what the program has counted."""
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    for line in output.splitlines():
        who, function, *numbers = line.split()
        found.setdefault(who, {})[function] = tuple(map(int, numbers))
    return found


def profiled(paths: list[Path], trigger: str) -> dict[str, tuple[int, ...]]:
    """By function, what the parts with this trigger say."""
    sums: dict[str, Counter[int]] = {}
    for path in paths:
        for part in read_profile(path, Detail.FUNCTIONS).parts:
            said = [text for key, text in part.header.descriptions if key == "Trigger"]
            if said != [f"Client Request: {trigger}"]:
                continue
            places = [part.header.events.index(event) for event in EVENTS]
            for function in part.functions.values():
                # f(int): C++ has its parameters in its name.
                name = function.key.name.partition("'")[0].partition("(")[0]
                row = sums.setdefault(name, Counter())
                for i, place in enumerate(places):
                    row[i] += function.self_cost[place]
    return {name: tuple(row[i] for i in range(5)) for name, row in sums.items()}


def peaks(folder: Path) -> tuple[dict[str, int], dict[str, int]]:
    """By process, the most that it held: by its profiles, and by its timeline."""
    of_parts: dict[str, int] = {}
    for path in folder.glob("out.*"):
        for part in read_profile(path, Detail.FUNCTIONS).parts:
            place = part.header.events.index("peakSize")
            held = sum(found.self_cost[place] for found in part.functions.values())
            process = path.name.split(".")[1]
            of_parts[process] = max(of_parts.get(process, 0), held)
    of_timelines = {}
    for path in folder.glob("timeline.*"):
        threads = read_timeline([path]).threads
        most = [held.most for thread in threads for held in thread.held]
        of_timelines[path.name.split(".")[1]] = max(most, default=0)
    return of_parts, of_timelines


def without_frees(rows: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    return {name: (*row[:2], *row[3:]) for name, row in rows.items()}


@pytest.mark.parametrize("seed", seeds())
def test_program(seed: int, tmp_path: Path) -> None:
    program = generated(seed)
    source, made = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(program.source)
    options = OPTIONS[seed % len(OPTIONS)]
    flags = list(program.flags)
    is_flat = "--tail-calls=flat" in options
    if is_flat:
        flags.append("-fno-optimize-sibling-calls")
    build = ["g++", "-std=c++17", "-g", "-pthread", *request_flags(), *flags]
    subprocess.run([*build, str(source), "-o", str(made)], check=True, timeout=300)
    command = [
        str(IN_PLACE), "-q", "--tool=callgrind", "--collect-alloc=yes",
        "--instr-atstart=no", "--separate-recs=1",
        f"--callgrind-out-file={tmp_path}/out.%p", *options,
        f"--call-tree-out-file={tmp_path}/tree.%p",
        f"--timeline-out-file={tmp_path}/timeline.%p", str(made),
    ]  # fmt: skip
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    unmatched = "has matched nothing"  # --obj-skip, where the program is static
    said = [line for line in ended.stderr.splitlines() if unmatched not in line]
    assert (ended.returncode, said) == (0, []), ended.stderr
    paths = sorted(path for path in tmp_path.glob("out.*"))
    for who, functions in counted(ended.stdout).items():
        found = profiled(paths, who)
        wanted = {name: row for name, row in functions.items() if any(row)}
        got = {name: found.get(name, (0,) * 5) for name in wanted}
        if is_flat:  # the end of a catch block jumps to free(): that is the program's
            got, wanted = without_frees(got), without_frees(wanted)
        assert got == wanted, (who, options, program.flags)
    if "--timeline=yes" in options:
        of_parts, of_timelines = peaks(tmp_path)
        assert of_timelines == of_parts, program.flags
