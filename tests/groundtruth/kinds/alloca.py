# SPDX-License-Identifier: GPL-2.0-or-later
"""Stack frames of all sizes and shapes.

Functions with arrays of variable length, alloca in loops, frames of up to some megabytes,
locals aligned to 64 bytes and to pages, stacks aligned anew at entry, probed stacks, and
leaves that use the red zone, all in a call tree.
"""

from __future__ import annotations

import random
from typing import Sequence

from tests.groundtruth import variants
from tests.groundtruth.architecture import AMD64, target
from tests.groundtruth.case import Case
from tests.groundtruth.kinds.writing import (
    HEAD,
    PRINTF,
    SIGNATURES,
    Tree,
    call_text,
    main_text,
)

USE = '__asm__ volatile("" : : "r"({name}) : "memory");'

# Declared at a function's beginning.
FRAMES = (
    "char small[{size}]; {use_small}",
    "char large[{kilobytes} * 1024]; large[0] = 1; {use_large}",
    "long huge[{kilobytes} * 4096]; huge[0] = a; huge[99] = a; {use_huge}",
    "char variable[(a & 63) + {size}]; {use_variable}",
    "char wide[(a & 7) * 8192 + 1]; {use_wide}",
    "__attribute__((aligned(64))) char line[64]; {use_line}",
    "__attribute__((aligned(4096))) char page[{size}]; {use_page}",
    "char* block = __builtin_alloca((unsigned long)(a & 255) + {size}); {use_block}",
    "for (int i = 0; i < 4; i++) {{ char* loop = __builtin_alloca(64u * (unsigned)i "
    "+ 16u); {use_loop} }}",
    "__attribute__((aligned(64))) char both[64]; {use_both} "
    "char more[(a & 127) + 1]; {use_more}",
)

NAMES = (
    *("small", "large", "huge", "variable", "wide", "line", "page", "block", "loop"),
    *("both", "more"),
)

EXTRA_FLAGS: Sequence[list[str]] = (
    [],
    ["-mstackrealign"],
    ["-fstack-clash-protection"],
    ["-fstack-protector-all"],
    ["-mno-red-zone"],
)
GCC_EXTRA_FLAGS: Sequence[list[str]] = (
    *EXTRA_FLAGS,
    ["-mincoming-stack-boundary=3"],
    ["-maccumulate-outgoing-args"],
    ["-mpreferred-stack-boundary=6"],
)


# Those that arm64 has, too.
EVERYWHERE = ("-fstack-clash-protection", "-fstack-protector-all")


def frame(random_: random.Random) -> list[str]:
    chosen = random_.sample(FRAMES, random_.randint(0, 2))
    uses = {f"use_{name}": USE.format(name=name) for name in NAMES}
    size, kilobytes = random_.randint(1, 500), random_.choice((1, 70, 70, 130))
    return [text.format(size=size, kilobytes=kilobytes, **uses) for text in chosen]


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    choice = random_.randrange(len(GCC_EXTRA_FLAGS))
    extra = (
        GCC_EXTRA_FLAGS[choice]
        if variant.is_gcc
        else EXTRA_FLAGS[choice % len(EXTRA_FLAGS)]
    )
    if target() != AMD64:
        extra = [flag for flag in extra if flag in EVERYWHERE]
    tree = Tree(random_, random_.randint(3, 14), 1500, list(SIGNATURES))
    rounds = random_.randint(1, 3)
    tree.write(rounds)
    for function in tree.functions:
        function.lines[2:2] = frame(random_)
    main = main_text([call_text("main", tree.functions[0], "round")], seed, rounds)
    return Case(
        kind="alloca",
        seed=seed,
        sources={"main.c": HEAD + tree.prototypes + tree.text + main},
        functions=["main", *tree.names],
        compiler=variant.compiler,
        flags=[*variant.flags, *extra],
        link_flags=variant.link_flags,
        outside=dict(PRINTF),
        options=["--main-stacksize=100000000"],
        description=" ".join([variant.description, *extra]),
    )
