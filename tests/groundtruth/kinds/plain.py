# SPDX-License-Identifier: GPL-2.0-or-later
"""Plain call trees: direct calls, several signatures, in one file or in several.

Functions call later ones from loops, branches and switches; some calls stand last, so
that the compiler may make jumps of them.  Arguments go in registers, on the stack, as
floating point numbers, and as structures in memory.  Some functions are static.
"""

from __future__ import annotations

import random
from typing import Sequence

from tests.groundtruth import variants
from tests.groundtruth.architecture import PROTECTION
from tests.groundtruth.case import Case
from tests.groundtruth.kinds.writing import (
    HEAD,
    PRINTF,
    SIGNATURES,
    Tree,
    call_text,
    main_text,
)

EXTRA_FLAGS: Sequence[list[str]] = (
    [],
    [PROTECTION],
    ["-fstack-protector-all"],
    ["-falign-functions=1"],
    ["-ffunction-sections", "-Wl,--gc-sections"],
    ["-fno-asynchronous-unwind-tables"],
)


def generate(random_: random.Random, seed: int) -> Case:
    variant = variants.draw(random_)
    tree = Tree(random_, random_.randint(3, 25), 3000, list(SIGNATURES))
    rounds = random_.randint(1, 4)
    tree.write(rounds)
    files = random_.randint(1, 3)
    if files == 1:
        for function in tree.functions:
            function.is_static = random_.random() < 0.5
    extra = random_.choice(EXTRA_FLAGS)
    main = main_text([call_text("main", tree.functions[0], "round")], seed, rounds)
    sources = {"main.c": HEAD + tree.prototypes + main}
    texts = [function.text for function in tree.functions]
    random_.shuffle(texts)
    if files == 1:
        sources["main.c"] += "\n".join(texts)
    else:
        sources["main.c"] = f'{HEAD}#include "tree.h"\n{main}'
        sources["tree.h"] = tree.prototypes
        for at in range(files):
            part = "\n".join(texts[at::files])
            sources[f"part{at}.c"] = f'{HEAD}#include "tree.h"\n{part}'
    return Case(
        kind="plain",
        seed=seed,
        sources=sources,
        functions=["main", *tree.names],
        compiler=variant.compiler,
        flags=variant.flags + extra,
        link_flags=variant.link_flags,
        outside=dict(PRINTF),
        description=" ".join([variant.description, *extra]),
    )
