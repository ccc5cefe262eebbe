# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stacks that programs/recorded.c records of itself.  Owns: how it is built, which callers
# are known at each place, and the form of a record.

"""Recorded stacks, and their known callers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Iterable, NamedTuple

from tests.groundtruth.architecture import AMD64, ARM64

PROGRAM = Path(__file__).resolve().parent / "programs" / "recorded.c"
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-static", "-nostdlib", "-ffreestanding",
         "-fno-stack-protector", "-fno-optimize-sibling-calls",
         "-fno-tree-loop-distribute-patterns", "-no-pie", "-fno-pie", "-Wall", "-Wextra",
         "-Werror", "-Wl,--build-id=none", f"-ffile-prefix-map={PROGRAM.parent}=/fixture"]
# A processor that signs return addresses, for what runs under an emulator.
SIGNING = {"QEMU_CPU": "max"}

WITHOUT_TABLES = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]
# Ways to build it.  Without frame pointers, nothing finds the caller of code that has no
# rules.
WITHOUT_FRAME_POINTERS = "frame_pointers_omitted"
BUILDS = {
    AMD64: {
        "usual": ["-O2"],
        "unoptimised": ["-O0"],
        "frame_pointers": ["-O2", "-fno-omit-frame-pointer"],
        "frame_pointers_alone": ["-O0", "-fno-omit-frame-pointer", *WITHOUT_TABLES],
        "debug_frame": ["-O2", "-g1", *WITHOUT_TABLES],
        "protected": ["-O2", "-fcf-protection=full"],
    },
    ARM64: {
        "usual": ["-O2"],
        "unoptimised": ["-O0"],
        WITHOUT_FRAME_POINTERS: ["-O2", "-fomit-frame-pointer"],
        "frame_pointers_alone": ["-O0", "-fno-omit-frame-pointer", *WITHOUT_TABLES,
                                 "-mno-omit-leaf-frame-pointer",
                                 "-mbranch-protection=standard"],
        "debug_frame": ["-O2", "-g1", *WITHOUT_TABLES],
        "protected": ["-O2", "-mbranch-protection=standard"],
        "leaves_protected": ["-O2", "-mbranch-protection=pac-ret+leaf"],
        "other_key": ["-O2", "-mbranch-protection=pac-ret+b-key"],
    },
}
# In these, functions sign the addresses that they save.
SIGNED = ("frame_pointers_alone", "protected", "leaves_protected", "other_key")

END = ["first", "_start"]
DEEP = ["leaf", "saving", "middle"]
HANDLED = [*DEEP, "handler", "returning"]
CALLERS = {
    "leaf": [*DEEP, *["outer"] * 4, *END],
    "alloca": ["leaf", "saving", "drawing", *END],
    "large": ["leaf", "saving", "large", *END],
    "with frame": ["with_frame", *END],
    "link elsewhere": ["link_elsewhere", *END],
    "without rules": [*DEEP, "without_rules", *END],
    "signal": [*HANDLED, "interrupted", *END],
    "signal in leaf": [*HANDLED, "raise_in_leaf", *END],
    "signal in signed": [*HANDLED, "raise_in_signed", *END],
    "handler": ["entered_handler", "returning", "interrupted", *END],
}
# How often each is recorded: before and behind each step of a frame, in one of them.
WITH_FRAME = {AMD64: 4, ARM64: 6}


class Record(NamedTuple):
    place: str
    registers: list[int]  # by DWARF number
    stack: bytes


def compile_program(compiler: str, flags: Iterable[str], program: Path) -> None:
    subprocess.run([compiler, *FLAGS, *flags, "-o", program, PROGRAM], check=True)


def run_program(*words: "str | Path") -> str:
    return subprocess.run(words, env={**os.environ, **SIGNING}, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def read_records(text: str) -> list[Record]:
    records = []
    for line in text.splitlines():
        place, registers, stack = line.split(":")
        numbers = [int(word, 16) for word in registers.split()]
        records.append(Record(place, numbers, bytes.fromhex(stack)))
    return records


def expected_callers(build: str, place: str) -> tuple[list[str], str]:
    """The frames, and why they end."""
    if build == WITHOUT_FRAME_POINTERS and place == "without rules":
        return [*DEEP, "without_rules", "first"], "no rule"
    return CALLERS[place], "whole"
