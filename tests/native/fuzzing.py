# SPDX-License-Identifier: GPL-2.0-or-later
#
# The readers of code files in the tool, built for this host under AddressSanitizer and
# UBSan, and fed with mutations of tests/native/corpus.

"""Runs fuzz_code_files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.native.building import HERE, SOURCE, build_of
from tests.native.make_corpus import CORPUS

KINDS = ("elf", "dwarf", "lines", "split", "eh_frame", "perf_map", "jitdump")

# What reads which functions are inlined where.
INLINED_READERS = (
    "callgrind/base/cursor.c",
    "callgrind/dwarf/abbreviations.c",
    "callgrind/dwarf/die.c",
    "callgrind/dwarf/function_names.c",
    "callgrind/dwarf/inlining.c",
    "callgrind/dwarf/line_header.c",
    "callgrind/dwarf/package.c",
    "callgrind/dwarf/paint.c",
    "callgrind/dwarf/ranges.c",
    "callgrind/dwarf/scopes.c",
    "callgrind/dwarf/section.c",
    "callgrind/dwarf/source_names.c",
    "callgrind/dwarf/split_units.c",
    "callgrind/dwarf/unit_ranges.c",
    "callgrind/dwarf/units.c",
    "callgrind/guest/debug_files.c",
    "callgrind/guest/elf/debug_sections.c",
    "callgrind/guest/elf/elf_file.c",
    "callgrind/guest/elf/split_files.c",
    "callgrind/inflate/inflate.c",
    "callgrind/inflate/prefix_code.c",
    "shared/names/lambda_numbers.c",
    "shared/names/qualified_name.c",
)

READERS = (
    *INLINED_READERS,
    "callgrind/dwarf/line_table.c",
    "callgrind/guest/elf/elf_functions.c",
    "callgrind/guest/elf/elf_sections.c",
    "callgrind/guest/jit/jit_names.c",
    "shared/jit/jitdump.c",
    "shared/jit/perf_map.c",
)


def program() -> str:
    own = (HERE / name for name in ("fuzz_code_files.c", "fake_core.c", "fake_tables.c",
                                    "faults.c"))
    return build_of("fuzz_code_files", *own, *(SOURCE / name for name in READERS))


class FuzzError(Exception):
    """A reader did what it must not; the text says what."""


def fuzz(kind: str, seed: int, count: int, folder: Path) -> int:
    """Feeds `count` inputs; returns how much was found in them.  An input that fails is
    left in the folder, as failed.KIND."""
    files = sorted(str(path) for path in (CORPUS / kind).iterdir())
    done = subprocess.run(
        [program(), kind, str(seed), str(count), *files], cwd=folder,
        capture_output=True, text=True, errors="backslashreplace", check=False,
        env={"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"},
    )
    said = re.fullmatch(r"(\d+) inputs, (\d+) found\n", done.stdout)
    if done.returncode != 0 or said is None:
        raise FuzzError(f"{kind}, seed {seed}: status {done.returncode}\n"
                        + done.stderr[-3000:])
    return int(said[2])
