# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which way control leaves an x86-64 instruction: only as much decoding as that takes.
#
# Owns: the opcodes of calls, jumps, returns, system calls and client requests.  An
# instruction that is none of them runs on to the next one.  And which instructions load
# or store under a mask.

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
# What stands for a client request: four rotations that change nothing, and an exchange.
REQUEST = bytes.fromhex("48c1c703 48c1c70d 48c1c73d 48c1c733 4887db")
VEX3, MAP_0F38 = 0xC4, 2
MASKED_LOADS = frozenset((0x2C, 0x2D, 0x8C))  # vmaskmovps, vmaskmovpd, vpmaskmovd/q
MASKED_STORES = frozenset((0x2E, 0x2F, 0x8E))


class Flow(Enum):
    CALL = "call"
    JUMP = "jump"
    CONDITIONAL = "conditional jump"
    INDIRECT = "indirect jump"
    RETURN = "return"
    SYSCALL = "system call"
    REQUEST = "client request"
    ONWARD = "other"
    REPEATED = "repeated string instruction"


class Masked(Enum):
    LOAD = "load"
    STORE = "store"


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
    """The instruction at the start of `code` (as long as a REQUEST, or what there is)."""
    if code.startswith(REQUEST):
        return Instruction(Flow.REQUEST, None, address + len(REQUEST))
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


def masked(code: bytes) -> Optional[Masked]:
    """Whether the instruction at the start of `code` loads or stores under a mask."""
    if len(code) < 4 or code[0] != VEX3 or code[1] & 0x1F != MAP_0F38:
        return None
    if code[3] in MASKED_LOADS:
        return Masked.LOAD
    return Masked.STORE if code[3] in MASKED_STORES else None
