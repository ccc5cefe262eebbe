# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which way control leaves an x86-64 instruction: only as much decoding as that takes.
#
# Owns: the opcodes of calls, jumps, returns and system calls.  An instruction that is
# none of them runs on to the next one.

"""Classify x86-64 instructions by how control leaves them."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, Optional

# What may stand before the opcode of a branch: operand size, segments (notrack, branch
# hints), bnd and repeat.  REX comes last.
PREFIXES = frozenset((0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF2, 0xF3))
REPEAT = frozenset((0xF2, 0xF3))
REX = range(0x40, 0x50)
REPEATABLE = frozenset((*range(0x6C, 0x70), *range(0xA4, 0xA8), *range(0xAA, 0xB0)))
LONGEST = 15


class Flow(Enum):
    CALL = "call"
    JUMP = "jump"
    CONDITIONAL = "conditional jump"
    INDIRECT = "indirect jump"
    RETURN = "return"
    SYSCALL = "system call"
    ONWARD = "other"
    REPEATED = "repeated string instruction"


class Instruction(NamedTuple):
    """`target` is that of a direct branch, `after` the next address of any branch."""

    flow: Flow
    target: Optional[int] = None
    after: Optional[int] = None


def _relative(code: bytes, at: int, size: int, address: int, flow: Flow) -> Instruction:
    after = address + at + size
    offset = int.from_bytes(code[at : at + size], "little", signed=True)
    return Instruction(flow, after + offset, after)


def decode(code: bytes, address: int) -> Instruction:
    """The instruction at the start of `code` (LONGEST bytes of it, or what there is)."""
    at = 0
    repeated = False
    while at < len(code) and code[at] in PREFIXES:
        repeated = repeated or code[at] in REPEAT
        at += 1
    if at < len(code) and code[at] in REX:
        at += 1
    if at == len(code):
        return Instruction(Flow.ONWARD)
    first = code[at]
    second = code[at + 1] if at + 1 < len(code) else 0
    if first == 0xE8:
        return _relative(code, at + 1, 4, address, Flow.CALL)
    if first == 0xE9:
        return _relative(code, at + 1, 4, address, Flow.JUMP)
    if first == 0xEB:
        return _relative(code, at + 1, 1, address, Flow.JUMP)
    if 0x70 <= first < 0x80 or 0xE0 <= first < 0xE4:
        return _relative(code, at + 1, 1, address, Flow.CONDITIONAL)
    if first == 0x0F and 0x80 <= second < 0x90:
        return _relative(code, at + 2, 4, address, Flow.CONDITIONAL)
    if first == 0x0F and second == 0x05:
        return Instruction(Flow.SYSCALL, None, address + at + 2)
    if first == 0xFF and second >> 3 & 7 in (2, 3):
        return Instruction(Flow.CALL)
    if first == 0xFF and second >> 3 & 7 in (4, 5):
        return Instruction(Flow.INDIRECT)
    if first in (0xC2, 0xC3, 0xCA, 0xCB):
        return Instruction(Flow.RETURN)
    if repeated and first in REPEATABLE:
        return Instruction(Flow.REPEATED)
    return Instruction(Flow.ONWARD)
