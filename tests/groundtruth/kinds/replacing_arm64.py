# SPDX-License-Identifier: GPL-2.0-or-later
#
# The assembler of replacing_texts.py for arm64.  The stack pointer stays at a multiple of
# 16; so words are written two at a time.

"""Frames that are kept, thrown away and put back, in arm64's assembler."""

from __future__ import annotations

import random

from tests.groundtruth.kinds.switching import assembler

# struct kept: what lies where, and the registers that a function preserves.
REGISTERS = tuple(f"x{at}" for at in range(19, 30))
ANCHOR, SP, PC, SAVED, COUNT, WORDS = 0, 8, 16, 24, 120, 128

_PAIRS = [(f"x{at}", f"x{at + 1}", at) for at in range(19, 29, 2)]
_SIZE = 16 * (len(_PAIRS) + 1)


def keep_text(random_: random.Random, must_have_frames: bool) -> str:
    """Calls a function on a frame whose address it keeps."""
    has_frames = must_have_frames or random_.random() < 0.5
    room = 16 * random_.choice((0, 1, 5))
    lines = [f"stp x29,x30,[sp,-{_SIZE}]!"]
    if has_frames:
        lines += [f".cfi_def_cfa_offset {_SIZE}", f".cfi_offset 29,-{_SIZE}"]
        lines.append(f".cfi_offset 30,-{_SIZE - 8}")
    for at, (first, second, number) in enumerate(_PAIRS, 1):
        lines.append(f"stp {first},{second},[sp,{16 * at}]")
        if has_frames:
            lines.append(f".cfi_offset {number},-{_SIZE - 16 * at}")
            lines.append(f".cfi_offset {number + 1},-{_SIZE - 16 * at - 8}")
    lines.append(f"sub sp,sp,{room}")
    lines += [f".cfi_def_cfa_offset {_SIZE + room}"] if has_frames else []
    lines += ["mov x9,sp", f"str x9,[x3,{ANCHOR}]", "mov x9,x0", "mov x0,x1"]
    lines += ["mov x1,x2", "blr x9", f"add sp,sp,{room}"]
    lines += [f".cfi_def_cfa_offset {_SIZE}"] if has_frames else []
    lines += [
        f"ldp {first},{second},[sp,{16 * at}]"
        for at, (first, second, _) in enumerate(_PAIRS, 1)
    ]
    lines.append(f"ldp x29,x30,[sp],{_SIZE}")
    if has_frames:
        lines.append(".cfi_def_cfa_offset 0")
        lines += [f".cfi_restore {number}" for number in range(19, 31)]
    return assembler("keep", [*lines, "ret"], cfi=has_frames)


def snapshot_text() -> str:
    """Copies all frames up to the kept one; it returns again when they are put back."""
    lines = [f"str x30,[x0,{PC}]", "mov x9,sp", f"str x9,[x0,{SP}]"]
    lines += [
        f"str {register},[x0,{SAVED + 8 * at}]" for at, register in enumerate(REGISTERS)
    ]
    lines += [f"ldr x10,[x0,{ANCHOR}]", "sub x10,x10,x9", "lsr x10,x10,3"]
    lines += ["cmp x10,4096", "b.ls 1f", "udf 0", "1:", f"str x10,[x0,{COUNT}]"]
    lines += [f"add x11,x0,{WORDS}", "b 3f", "2:", "ldp x12,x13,[x9],16"]
    lines += ["stp x12,x13,[x11],16", "sub x10,x10,2", "3:", "cbnz x10,2b"]
    return assembler("snapshot", [*lines, "mov x0,0", "ret"])


_LOADS = (
    [f"ldr x9,[x0,{ANCHOR}]", "mov sp,x9"],
    [f"ldr x9,[x0,{ANCHOR}]", "mov x10,x9", "mov sp,x10"],
    [f"ldr x9,[x0,{ANCHOR}]", "sub x9,x9,32", "add sp,x9,32"],
)
_TAKE_OFF = [f"ldr x9,[x0,{ANCHOR}]", "b 5f", "4:", "add sp,sp,16", "5:"]
_TAKE_OFF += ["mov x10,sp", "cmp x9,x10", "b.ne 4b"]
_CALL_FINISH = ("str x0,[sp,-16]!", "bl finish", "ldr x0,[sp],16")
_FILLS = (
    [f"ldr x11,[x0,{COUNT}]", f"add x12,x0,{WORDS}", "b 2f", "1:", "sub x11,x11,2"]
    + ["add x13,x12,x11,lsl 3", "ldp x14,x15,[x13]", "stp x14,x15,[sp,-16]!"]
    + ["2:", "cbnz x11,1b"],
    [f"ldr x11,[x0,{COUNT}]", "sub sp,sp,x11,lsl 3", "mov x13,sp"]
    + [f"add x12,x0,{WORDS}", "b 2f", "1:", "ldp x14,x15,[x12],16"]
    + ["stp x14,x15,[x13],16", "sub x11,x11,2", "2:", "cbnz x11,1b"],
)


def replace_text(random_: random.Random, finishes: bool, hops: bool) -> str:
    """Throws frames away, puts the copied ones there, and goes on in the innermost."""
    lines: list[str] = []
    if finishes:
        lines += [*_TAKE_OFF, *_CALL_FINISH]
    lines += random_.choice(_LOADS)
    lines += random_.choice(_FILLS)
    lines += [
        f"ldr {register},[x0,{SAVED + 8 * at}]" for at, register in enumerate(REGISTERS)
    ]
    lines.append(f"ldr x30,[x0,{PC}]")
    end = ["ret"]
    if hops:
        lines += ["adrp x9,hop", "add x9,x9,:lo12:hop"]
        end = random_.choice((["br x9"], ["ret x9"]))
    elif random_.random() < 0.5:
        end = random_.choice((["br x30"], ["mov x9,x30", "br x9"]))
    text = assembler("replace", [*lines, "mov x0,1", *end])
    if hops:
        hop = random_.choice((["nop", "ret"], ["ret"], ["mov x10,x30", "br x10"]))
        text += assembler("hop", hop)
    return text
