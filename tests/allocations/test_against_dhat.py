# SPDX-License-Identifier: GPL-2.0-or-later
#
# --collect-alloc beside the distribution's DHAT, for programs of Debian: how many blocks
# and bytes they allocate, what they hold at the peak and in the end; in all, and by the
# function that allocates.
#
# DHAT counts a block, and its whole size, for each realloc() of one; we what it grows by.
# --stats=yes says how many there were and how large, so that both can be compared.
#
# No program is among them that copies its environment (a shell, make, perl): the core
# tells it where its libraries are, which are not in one place.

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.build.built import IN_PLACE, SOURCE

sys.path.insert(0, str(SOURCE / "callgrind" / "report"))

from profile_file.reader import Detail, read_profile  # noqa: E402

STOCK = "/usr/bin/valgrind"
TEXT = str(SOURCE / "CONTRIBUTING.md")
# What a program is given is the same in both runs.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent"}

PROGRAMS = {
    "awk": ["awk", '{ n[$1]++ } END { for (w in n) print w, n[w] }', TEXT],
    "bzip2": ["bzip2", "-c", TEXT],
    "cat": ["cat", TEXT],
    "comm": ["comm", TEXT, str(SOURCE / "README.md")],
    "cut": ["cut", "-c1-10", TEXT],
    "date": ["date", "-d", "@1", "+%F"],
    "diff": ["diff", TEXT, str(SOURCE / "README.md")],
    "expr": ["expr", "77777777777777777777777777", "*", "3"],
    "find": ["find", str(SOURCE / "docs"), "-name", "*.md"],
    "grep": ["grep", "-E", "(test|bench)s? +[a-z]+$", TEXT],
    "gzip": ["gzip", "-c", TEXT],
    "ls": ["ls", "-l", str(SOURCE / "docs")],
    "m4": ["m4", "-"],
    "join": ["join", TEXT, str(SOURCE / "README.md")],
    "nm": ["nm", "-D", "/bin/ls"],
    "objdump": ["objdump", "-h", "/bin/ls"],
    "python3": ["python3", "-I", "-S", "-c", "print([str(i) for i in range(999)])"],
    "readelf": ["readelf", "-S", "/bin/ls"],
    "sed": ["sed", "-E", "s/([a-z]+) ([a-z]+)/\\2 \\1/g", TEXT],
    "sort": ["sort", "--parallel=1", "-k2", TEXT],
    "tar": ["tar", "-cf", "-", "-C", str(SOURCE), "README.md", "NEWS.md"],
    "tr": ["tr", "a-z", "A-Z"],
    "uniq": ["uniq", "-c", TEXT],
    "xz": ["xz", "-0", "-T1", "-c", TEXT],
}  # fmt: skip
INPUT = b"define(`x', `y')x\n"


class Totals(NamedTuple):
    """What both say of a program."""

    blocks: int
    size: int
    peak: int
    held: int


def named(name: str, place: str) -> str:
    """A function without a name is its object's."""
    is_nameless = name == "???" or re.fullmatch(r"0x[0-9a-f]+", name) is not None
    return f"??? {os.path.basename(place)}" if is_nameless else name


def run(command: list[str], where: Path) -> str:
    ended = subprocess.run(
        command, input=INPUT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=ENVIRONMENT, cwd=where, check=False,
    )  # fmt: skip
    return ended.stderr.decode(errors="replace")


FRAME = re.compile(r"0x[0-9A-F]+: (?P<name>.*) \((?:in (?P<object>.*)|[^()]*:\d+)\)")


def by_dhat(command: list[str], folder: Path) -> tuple[Totals, Counter[str]]:
    """Its totals; and by function that has called the allocator, bytes at the peak."""
    out = folder / "dhat.json"
    # Names of inlined functions are another question.
    run([STOCK, "--tool=dhat", "--run-libc-freeres=no", "--run-cxx-freeres=no",
         "--read-inline-info=no", f"--dhat-out-file={out}", *command],
        folder)  # fmt: skip
    found = json.loads(out.read_text())
    points = found["pps"]
    peaks: Counter[str] = Counter()
    for point in points:
        frames = [FRAME.fullmatch(found["ftbl"][i]) for i in point["fs"][:8]]
        for frame in frames:
            if frame is None or "vgpreload" not in (frame["object"] or ""):
                break
        if frame is not None and point["gb"]:
            peaks[named(frame["name"], frame["object"] or "")] += point["gb"]
    totals = Totals(*(sum(point[key] for point in points)
                      for key in ("tbk", "tb", "gb", "eb")))  # fmt: skip
    return totals, peaks


RESIZED = re.compile(r"allocations: (\d+) blocks resized to (\d+) bytes, by (\d+)")


def by_us(command: list[str], folder: Path) -> tuple[Totals, Counter[str]]:
    out = folder / "profile"
    # As on the native stack: DHAT does not see who has jumped to an allocator.
    said = run([str(IN_PLACE), "--tool=callgrind", "--collect-alloc=yes", "--stats=yes",
                "--tail-calls=flat", f"--callgrind-out-file={out}", *command],
               folder)  # fmt: skip
    match = RESIZED.search(said)
    assert match is not None, said
    resized, resized_to, grown = map(int, match.groups())
    assert "Frees of what is no block" not in said, said
    (part,) = read_profile(out, Detail.FUNCTIONS).parts
    places = [
        part.header.events.index(event)
        for event in ("allocCount", "allocSize", "peakSize", "leakSize")
    ]
    sums = [0] * 4
    peaks: Counter[str] = Counter()
    for function in part.functions.values():
        costs = [function.self_cost[place] for place in places]
        sums = [a + b for a, b in zip(sums, costs)]
        if costs[2]:
            name = function.key.name.partition("'")[0]
            peaks[named(name, function.key.object_file)] += costs[2]
    blocks, size, peak, held = sums
    return Totals(blocks + resized, size - grown + resized_to, peak, held), peaks


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_program(name: str, tmp_path: Path) -> None:
    if not os.path.exists(STOCK):
        pytest.skip("there is no DHAT of the distribution's")
    program, *arguments = PROGRAMS[name]
    path = shutil.which(program, path=ENVIRONMENT["PATH"])
    if path is None:
        pytest.skip(f"there is no {program}")
    command = [path, *arguments]
    wanted, wanted_peaks = by_dhat(command, tmp_path)
    got, peaks = by_us(command, tmp_path)
    assert got == wanted
    assert peaks == wanted_peaks
