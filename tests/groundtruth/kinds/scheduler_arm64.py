# SPDX-License-Identifier: GPL-2.0-or-later
#
# The texts of scheduler.py for arm64: how a coroutine saves where it is, and how the
# scheduler goes there.  A pair of registers is saved at a time; those for floating point
# hold nothing in these programs.

"""A scheduler's switches in arm64's assembler."""

from __future__ import annotations

import random

SAVED = tuple(f"x{at}" for at in range(19, 31))
_SIZE = 8 * len(SAVED)

# By what the way is called: what mcall ends with.
ENTERING = {
    "call": ["mov sp,x1", "blr x2", "udf 0"],
    "call by name": ["mov sp,x1", "bl schedule", "udf 0"],
    "jump": ["mov sp,x1", "mov x30,xzr", "br x2"],
    "ret": ["mov sp,x1", "mov x30,xzr", "ret x2"],
}


def _pairs(instruction: str, base: str, offset: int = 0) -> list[str]:
    return [
        f"{instruction} {first},{second},[{base},{offset + 16 * at}]"
        for at, (first, second) in enumerate(zip(SAVED[::2], SAVED[1::2]))
    ]


# All of them on the stack, and back.
SAVE = [f"sub sp,sp,{_SIZE}", *_pairs("stp", "sp")]
LOAD = [*_pairs("ldp", "sp"), f"add sp,sp,{_SIZE}"]


def saved_apart(
    random_: random.Random, enter: list[str]
) -> tuple[str, list[str], list[str], str]:
    """Registers and place in memory.  The name; mcall; gogo; what a new one begins
    with."""
    mcall = ["mov x9,sp", "stp x9,x30,[x0]", *_pairs("stp", "x0", 16), *enter]
    load = _pairs("ldp", "x0", 16)
    ways = {
        "br": ["ldp x9,x10,[x0]", "mov sp,x9", "br x10"],
        "ret": ["ldp x9,x30,[x0]", "mov sp,x9", "ret"],
        "ret x10": ["ldr x9,[x0]", "ldr x10,[x0,8]", "mov sp,x9", "ret x10"],
    }
    way = random_.choice(list(ways))
    return f"apart, {way}", mcall, load + ways[way], "*--top = 0;"


def pushed(
    random_: random.Random, enter: list[str]
) -> tuple[str, list[str], list[str], str]:
    """On the stack; SP is loaded there, or when they have been read."""
    mcall = [*SAVE, "mov x9,sp", "str x9,[x0]"]
    # What is pushed behind is nobody's: the stack is resumed above.
    mcall += ["stp x1,x2,[sp,-16]!"] * random_.choice((0, 0, 1, 3))
    loads = ["ldr x9,[x0]", "mov sp,x9", *LOAD]
    reads = ["ldr x9,[x0]", *_pairs("ldp", "x9"), f"add x9,x9,{_SIZE}", "mov sp,x9"]
    ways = {
        "loads, ret": [*loads, "ret"],
        "loads, br": [*loads, "mov x10,x30", "br x10"],
        "reads, ret": [*reads, "ret"],
        "reads, br": [*reads, "br x30"],
    }
    way = random_.choice(list(ways))
    words = f"*--top = 0; top -= {len(SAVED)}; top[{len(SAVED) - 1}] = (uintptr_t)entry;"
    return f"pushed, {way}", mcall + enter, ways[way], words


def grow(random_: random.Random) -> list[str]:
    """What moves the stack that it runs on, and returns there: of moving.py."""
    save = [*SAVE, "mov x9,sp", "str x9,[x0]"]
    call = ["mov x19,x0", "bl move", "ldr x9,[x19]"]
    loads = ["mov sp,x9", *LOAD]
    reads = [*_pairs("ldp", "x9"), f"add x9,x9,{_SIZE}", "mov sp,x9"]
    end = random_.choice((["ret"], ["mov x10,x30", "br x10"]))
    return [*save, *call, *random_.choice((loads, reads)), *end]
