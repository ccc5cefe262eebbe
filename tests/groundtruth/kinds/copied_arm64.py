# SPDX-License-Identifier: GPL-2.0-or-later
#
# The texts of copied.py for arm64: a switch that copies the frames of the coroutine that
# it leaves away, moves the stack pointer, and copies those of the other one back.  x0
# points to the one, x1 to the other; what lies where is copied.py's `struct coroutine`.

"""Switches between stacks that are copied, in arm64's assembler."""

from __future__ import annotations

from tests.groundtruth.kinds.scheduler_arm64 import LOAD, SAVE

COPY = (
    '"1: cbz %2, 2f\\n\\tldrb w9, [%0], 1\\n\\tstrb w9, [%1], 1\\n\\t"\n'
    '                    "sub %2, %2, 1\\n\\tb 1b\\n\\t2:"\n'
    '                    : "+r"(from), "+r"(to), "+r"(size)\n'
    '                    :\n                    : "memory", "x9"'
)

# What moves the stack pointer to what x1 points to; greenlet's adds.
MOVES = {
    "load": ["ldr x9,[x1]", "mov sp,x9"],
    "load pair": ["ldp x9,x10,[x1]", "mov sp,x9"],
    "add": ["ldr x9,[x1]", "mov x10,sp", "sub x9,x9,x10", "add sp,sp,x9"],
    "sub": ["mov x10,sp", "ldr x9,[x1]", "sub x9,x10,x9", "sub sp,sp,x9"],
}


def _loop(source: str, target: str, size: str, label: int) -> list[str]:
    """All frames have a size that is a multiple of 16."""
    return [
        f"{label}:",
        f"ldp x12,x13,[{source}],16",
        f"stp x12,x13,[{target}],16",
        f"subs {size},{size},16",
        f"bne {label}b",
    ]


_SAVE_INLINE = ["mov x9,sp", "ldp x10,x11,[x0,16]", "ldr x10,[x0,8]", "sub x10,x10,x9"]
_SAVE_INLINE += ["str x10,[x0,16]", *_loop("x9", "x11", "x10", 2)]
_SAVE_BY_CALL = ["mov x19,x1", "bl save", "mov x1,x19"]
_RESTORE_INLINE = ["ldr x9,[x1]", "ldp x10,x11,[x1,16]", *_loop("x11", "x9", "x10", 3)]
_RESTORE_BY_CALL = ["mov x0,x1", "bl restore"]


def swap(move: str, saves: str, restores: str, ends_by_ret: bool) -> list[str]:
    """The whole function; saves and restores are `inline` or `by call`."""
    lines = [*SAVE, "mov x9,sp", "str x9,[x0]"]
    lines += _SAVE_INLINE if saves == "inline" else _SAVE_BY_CALL
    lines += ["cbnz x1,1f", *LOAD, "mov w0,1", "ret", "1:", *MOVES[move]]
    lines += _RESTORE_INLINE if restores == "inline" else _RESTORE_BY_CALL
    end = ["ret"] if ends_by_ret else ["mov x9,x30", "br x9"]
    return [*lines, *LOAD, "mov w0,0", *end]
