# SPDX-License-Identifier: GPL-2.0-or-later
#
# The texts of switching.py for arm64.  One that is not running has twelve words on its
# stack: the registers that a function preserves, the frame pointer, and where to go on.

"""Switches between stacks in arm64's assembler."""

from __future__ import annotations

import random

_PAIRS = [(f"x{at}", f"x{at + 1}") for at in range(19, 29, 2)] + [("x29", "x30")]
_SIZE = 16 * len(_PAIRS)


def _pairs(instruction: str) -> list[str]:
    return [
        f"{instruction} {first},{second},[sp,{16 * at}]"
        for at, (first, second) in enumerate(_PAIRS)
    ]


def switch_instructions(random_: random.Random) -> tuple[list[str], str]:
    """A switch, and a word on it; all leave the same picture on the stack they leave."""
    if random_.random() < 0.5:
        save = [f"sub sp,sp,{_SIZE}", *_pairs("stp")]
    else:
        first, second = _PAIRS[0]
        save = [f"stp {first},{second},[sp,-{_SIZE}]!", *_pairs("stp")[1:]]
    exchange = random_.choice(
        (
            ["mov x9,sp", "str x9,[x0]", "mov sp,x1"],
            ["mov x9,sp", "mov sp,x1", "str x9,[x0]"],
            ["mov x9,sp", "str x9,[x0]", "sub x1,x1,16", "add sp,x1,16"],
        )
    )
    load = [*_pairs("ldp"), f"add sp,sp,{_SIZE}"]
    if random_.random() < 0.5:
        first, second = _PAIRS[0]
        load = [*_pairs("ldp")[1:], f"ldp {first},{second},[sp],{_SIZE}"]
    ending = random_.choice(("ret", "ret", "br", "ret x9"))
    end = {"ret": ["ret"], "br": ["br x30"], "ret x9": ["mov x9,x30", "ret x9"]}[ending]
    return [*save, *exchange, *load, *end], ending


def make_words(beginning: str) -> str:
    """What a new stack holds: for the first switch, where to go and the registers."""
    go_on = "entry" if beginning == "direct" else "entry_thunk"
    values = {"x19": "(uintptr_t)entry", "x30": f"(uintptr_t){go_on}"}
    registers = [register for pair in _PAIRS for register in pair]
    words = [values.get(register, "0") for register in reversed(registers)]
    return "\n".join(f"   *--top = {word};" for word in words)


# A new stack begins in it: what it calls never returns.
ENTRY_THUNK = ["blr x19", "udf 0"]


def _inline(leave: str) -> str:
    saves = [one.replace("x30", "x9") for one in _pairs("stp")]
    loads = [one.replace("x30", "x9") for one in _pairs("ldp")]
    lines = ["adr x9,1f", f"sub sp,sp,{_SIZE}", *saves, "mov x9,sp", "str x9,[x0]"]
    lines += ["mov sp,x1", *loads, f"add sp,sp,{_SIZE}", leave]
    text = "".join(f'                    "{line}\\n\\t"\n' for line in lines)
    clobbered = [f"x{at}" for at in (*range(2, 18), *range(19, 29), 30)]
    clobbered += [f"v{at}" for at in range(32)]
    clobbers = ", ".join(f'"{register}"' for register in clobbered)
    return f"""\
#define SWITCH(F, FROM, TO) switch_inline(&(FROM)->sp, (TO)->sp)
static inline __attribute__((always_inline)) void switch_inline(void **save_, void *load_)
{{
   register void **save __asm__("x0") = save_;
   register void *load __asm__("x1") = load_;
   __asm__ volatile(
{text}                    "1:\\n\\t"
                    : "+r"(save), "+r"(load)
                    :
                    : "memory", "cc", {clobbers});
}}
"""


# By what the way is called on amd64.
INLINE_MACRO = {"ret": _inline("ret x9"), "pop": _inline("br x9")}

_MOVES = ["mov x9,x0", "mov x0,x1", "mov x1,x2", "mov sp,x3", "blr x9"]


def _run_on(register: str, number: int) -> list[str]:
    return [
        f"stp {register},x30,[sp,-16]!",
        ".cfi_def_cfa_offset 16",
        f".cfi_offset {number},-16",
        ".cfi_offset 30,-8",
        f"mov {register},sp",
        f".cfi_def_cfa_register {number}",
        *_MOVES,
        f"mov sp,{register}",
        ".cfi_def_cfa_register 31",
        f"ldp {register},x30,[sp],16",
        ".cfi_def_cfa_offset 0",
        "ret",
    ]


# The names are those of amd64's registers, which play the same parts.
RUN_ON = {"run_on_rbx": _run_on("x19", 19), "run_on_rbp": _run_on("x29", 29)}
