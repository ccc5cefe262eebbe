# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is around a benchmark: its environment, the lengths of the paths that its command
# names, and the processors that it may use.
#
# Owns: which variables a benchmark sees, and how surroundings are shaken.  Simulated
# caches depend on where the stack lies, and that on the size of the environment and of
# the arguments; interpreters order tables by hash seeds.  So a benchmark sees the
# variables below and those it asks for, filled up to a size that is the same everywhere.
# Surroundings number 0 are those; the others are drawn by a generator whose seed is the
# benchmark's name and the number.  So they are the same in every run, in whatever order.

"""Surroundings of a benchmark: plain, or shaken."""

from __future__ import annotations

import fnmatch
import os
import random
from dataclasses import dataclass
from typing import Mapping, Sequence

KEPT = ("PATH", "HOME", "USER", "LANG", "LC_*", "TZ", "TMPDIR", "LD_LIBRARY_PATH")
PADDING = "CALLGRIND_GATE_PADDING"
STACK_PERIOD = 4096  # below it, no simulated cache tells two positions apart
POINTER = 8
MOST_SLASHES = 128  # about as much as folders of two machines differ by


@dataclass(frozen=True)
class Surroundings:
    """What one run sees."""

    number: int
    command: tuple[str, ...]
    env: dict[str, str]
    processors: frozenset[int]  # it may use
    # How far the stack is moved down where the tool fixes its start (--steady=yes): the
    # size of the environment does not move it there.
    stack_shift: int
    # So many bytes longer the tool tells the working folder's name (--steady=yes).
    folder_slashes: int


def plain_environment(
    whole: Mapping[str, str], keep: Sequence[str], own: Mapping[str, str]
) -> dict[str, str]:
    """Without what differs from machine to machine and matters to nobody."""
    patterns = (*KEPT, *keep)
    kept = {
        name: value
        for name, value in whole.items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    }
    return {**kept, **own}


def surroundings(
    benchmark: str,
    number: int,
    command: Sequence[str],
    env: Mapping[str, str],
    folder: str = ".",
) -> Surroundings:
    """Number 0 are the plain ones.  The command runs in `folder`."""
    processors = sorted(os.sched_getaffinity(0))
    seen = dict(env)
    offset = folder_slashes = 0
    if number:
        draw = random.Random(f"{benchmark}\0{number}")
        offset = draw.randrange(STACK_PERIOD)
        for index in range(draw.randrange(8)):
            seen[f"{PADDING}_{index}"] = "x" * draw.randrange(64)
        seen.setdefault("PYTHONHASHSEED", str(draw.randrange(1, 1 << 32)))
        seen.setdefault("PERL_HASH_SEED", f"0x{draw.randrange(1 << 32):x}")
        if draw.random() < 0.5:
            processors = [processors[number % len(processors)]]
        slashes = "/" * draw.randrange(1, MOST_SLASHES)
        command = [lengthened(word, slashes, folder) for word in command]
        folder_slashes = draw.randrange(1, MOST_SLASHES)
    else:
        seen.setdefault("PYTHONHASHSEED", "0")
        seen.setdefault("PERL_HASH_SEED", "0")
        seen.setdefault("PERL_PERTURB_KEYS", "0")
    size = stack_size(command, {**seen, PADDING: ""})
    seen[PADDING] = "x" * ((offset - size) % STACK_PERIOD)
    return Surroundings(
        number,
        tuple(command),
        seen,
        frozenset(processors),
        offset // 16 * 16,
        folder_slashes,
    )


def lengthened(word: str, slashes: str, folder: str) -> str:
    """If the word is the path of something that is there: another one that leads to the
    same."""
    head, slash, tail = word.rpartition("/")
    if not tail or not slash or not os.path.exists(os.path.join(folder, word)):
        return word
    return f"{head}{slashes}{tail}"


def stack_size(command: Sequence[str], env: Mapping[str, str]) -> int:
    """What arguments and environment take of a new program's stack."""
    words = [*command, *(f"{name}={value}" for name, value in env.items())]
    return sum(len(os.fsencode(word)) + 1 + POINTER for word in words)
