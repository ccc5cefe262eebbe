# SPDX-License-Identifier: GPL-2.0-or-later
#
# The table of kinds of generated programs.
#
# Owns: which kinds there are, and how many programs of each belong to a long run and to
# others.  A kind is a module of this folder with a function
#
#     generate(random_: random.Random, seed: int) -> Case
#
# and a doc comment that says what shape its programs have.  Whatever is drawn, is drawn
# from the given generator, so that a seed means one program.

"""The kinds of generated programs."""

from __future__ import annotations

import importlib
import random
from typing import Protocol, cast

from tests.groundtruth.architecture import AMD64, ARM64, target
from tests.groundtruth.case import Case


class Kind(Protocol):
    """What a module of this folder has."""

    def generate(self, random_: random.Random, seed: int) -> Case:
        ...


# Name of the kind, and how many programs of it a long run makes.
KINDS: dict[str, int] = {
    "plain": 10,
    "indirect": 9,
    "recursion": 9,
    "deep": 3,
    "tail_calls": 10,
    "tail_loop": 6,
    "moved_returns": 9,
    "plt": 14,
    "dlopen": 7,
    "retpolines": 9,
    "alloca": 7,
    "callbacks": 10,
    "fork": 8,
    "rewritten": 9,
    "jit_code": 12,
    "start_stop": 10,
    "skipped": 12,
    "longjmp": 8,
    "exceptions": 8,
    "signals": 9,
    "faults": 9,
    "threads": 7,
    "thread_locals": 5,
    "coroutines": 16,
    "scheduler": 10,
    "moving": 11,
    "copied": 12,
    "fibers": 12,
    "replacing": 12,
}

# Of these, seeds that only a long run has: nothing that was drawn for them was not drawn
# for another, neither what the kind says of its programs nor a flag, an option of
# callgrind, or the sets of them that a program runs with.
LONG_ONLY: dict[str, tuple[int, ...]] = {
    "plain": (3, 4, 6, 7),
    "indirect": (3, 5, 8),
    "recursion": (5, 6, 8),
    "tail_calls": (3, 4, 6, 7, 9),
    "tail_loop": (3, 4, 5),
    "moved_returns": (1, 4, 5, 6, 8),
    "plt": (3, 6, 8, 10, 12, 13),
    "dlopen": (3, 5),
    "retpolines": (3, 5, 6),
    "alloca": (5, 6),
    "callbacks": (3, 4, 5, 7, 9),
    "fork": (6, 7),
    "rewritten": (5, 7, 8),
    "jit_code": (5, 8),
    "start_stop": (3, 4, 5, 7, 9),
    "skipped": (7, 11),
    "longjmp": (5, 6, 7),
    "exceptions": (5, 6),
    "signals": (4, 6, 7),
    "faults": (4, 6),
    "threads": (5, 6),
    "coroutines": (4, 5, 7, 9, 10, 13, 15),
    "scheduler": (5, 7, 8, 9),
    "moving": (4, 5, 7, 9, 10),
    "copied": (4, 6, 9, 10, 11),
    "fibers": (3, 5, 7, 8, 9),
    "replacing": (3, 4, 10),
}

ALL_LONG_ONLY = [(kind, seed) for kind, seeds in LONG_ONLY.items() for seed in seeds]

# Seeds beyond these that every run has, too, since they were wrong once: START on a
# scheduler's stack right below its caller's (44, 50), stacks that were the same word for
# word, or by their return addresses (135, 176; on arm64, where seeds draw other programs,
# 169 and 220), old return addresses in unused parts of a frame (1179; on arm64 17, 65, 68
# and 74), first moves (1126, 1182); START behind JIT code that functions without a frame
# pointer have called (23); a fiber that begins in a dead one's memory, right where
# what is left of that one ends (9227); and a return to where the stack pointer was
# loaded, less what the first frame there takes (134).
_COPIED = {
    AMD64: (74, 135, 176, 1017, 1048, 1049, 1068, 1126, 1138, 1179, 1182),
    ARM64: (17, 65, 68, 74, 169, 220),
}
KEPT: dict[str, tuple[int, ...]] = {
    "moving": (44, 50, 80),
    "copied": _COPIED[target()],
    "jit_code": (23,),
    "fibers": (33, 51, 9227),
    "moved_returns": (134,),
}


def seeds(kind: str, is_long: bool) -> list[int]:
    """Those of a kind that a run has, without KEPT."""
    left_out = () if is_long else LONG_ONLY.get(kind, ())
    return [seed for seed in range(KINDS[kind]) if seed not in left_out]


def is_usual(kind: str, seed: int) -> bool:
    """Does a long run have this program?"""
    return seed < KINDS[kind] or seed in KEPT.get(kind, ())


def load(kind: str) -> Kind:
    return cast(Kind, importlib.import_module(f"tests.groundtruth.kinds.{kind}"))


def describe(kind: str) -> str:
    """The first line of the module's doc comment."""
    return (load(kind).__doc__ or "").strip().splitlines()[0]


def generate(kind: str, seed: int) -> Case:
    return load(kind).generate(random.Random(f"{kind}/{seed}"), seed)
