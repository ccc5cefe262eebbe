# SPDX-License-Identifier: GPL-2.0-or-later
"""The forms of x86-64 instructions (x86_decode.h), put together from their bytes."""

from __future__ import annotations

from typing import (Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple,
                    TypeVar)

FEATURES = ",".join("+" + name for name in (
    "64bit", "cx16", "sahf", "popcnt", "sse4.2", "avx2", "fma", "f16c", "bmi", "bmi2",
    "lzcnt", "movbe", "aes", "pclmul", "rdrnd", "rdseed", "adx", "sha", "fsgsbase",
    "xsave", "xsaveopt", "xsavec", "clflushopt", "clwb", "prfchw", "rtm", "vaes",
    "vpclmulqdq", "gfni", "invpcid", "rdpid", "shstk"))

# What form_cost() leaves out, as bits of a key.
PREFIX, WIDE, LONG, SAME = 3 << 10, 1 << 13, 1 << 14, 1 << 20

# x86_decode.c has these lists, too.
OpcodesByMap = Dict[int, Set[int]]
GROUPS: OpcodesByMap = {
    0: {0x80, 0x81, 0x83, 0x8f, 0xc0, 0xc1, 0xc6, 0xc7, 0xd0, 0xd1, 0xd2, 0xd3, 0xf6,
        0xf7, 0xfe, 0xff, *range(0xd8, 0xe0)},
    1: {0x00, 0x01, 0x0d, 0x18, 0x1e, 0x71, 0x72, 0x73, 0xae, 0xba, 0xc7},
    2: {0xf3}, 3: set()}
BY_WHOLE_MODRM: OpcodesByMap = {
    0: set(range(0xd8, 0xe0)), 1: {0x01, 0x1e}, 2: set(), 3: set()}
STRINGS = {*range(0x6c, 0x70), *range(0xa4, 0xa8), *range(0xaa, 0xb0), 0x90}
NOT_OPCODES: OpcodesByMap = {
    0: {0x26, 0x2e, 0x36, 0x3e, 0x0f, *range(0x40, 0x50), 0x62, 0x64, 0x65, 0x66, 0x67,
        0xc4, 0xc5, 0xf0, 0xf2, 0xf3},
    1: {0x38, 0x3a, 0x0f}, 2: set(), 3: set()}


class Form(NamedTuple):
    """What tells the costs of instructions apart; key() is `form` in x86_decode.h."""
    opcode: int
    map: int
    prefix: int
    vex: bool
    wide: bool
    long: bool
    memory: bool
    digit: Optional[int]
    rm: Optional[int]
    same: bool
    locked: bool

    def key(self) -> int:
        """The number by which the tool looks it up."""
        return (self.opcode | self.map << 8 | self.prefix << 10 | self.vex << 12 |
                self.wide << 13 | self.long << 14 | self.memory << 15 |
                (0 if self.digit is None else self.digit + 1) << 16 | self.same << 20 |
                self.locked << 21 | (0 if self.rm is None else self.rm + 1) << 22)

    def modrm(self) -> List[int]:
        """Its ModRM byte, and SIB if it needs one."""
        reg = 1 if self.digit is None else self.digit
        if not self.memory:
            rm = self.rm if self.rm is not None else 2
            if self.same and not self.vex:
                rm = reg
            return [0xc0 | reg << 3 | rm]
        if self.vex and self.map == 2 and 0x90 <= self.opcode <= 0x93:
            return [reg << 3 | 4, 0x10 | 7]
        return [reg << 3 | 7]

    def encodings(self) -> Iterator[bytes]:
        """Its bytes, in the ways that may be valid."""
        tail = bytes([*self.modrm(), 1, 1, 1, 1, 1, 1, 1, 1])
        if self.vex:
            for other in ((2,) if self.same else (3, 0)):
                head = [0xc4, 0xe0 | self.map, self.wide << 7 | (15 - other) << 3 |
                        self.long << 2 | self.prefix, self.opcode]
                yield bytes(head) + tail
            return
        head = [0xf0] if self.locked else []
        head += ((), (0x66,), (0xf3,), (0xf2,))[self.prefix]
        if self.wide:
            head.append(0x48)
        head += ((), (0x0f,), (0x0f, 0x38), (0x0f, 0x3a))[self.map]
        yield bytes([*head, self.opcode]) + tail


def all_forms() -> Iterator[Form]:
    """All that may be valid, the general before the special."""
    for vex in (False, True):
        for opmap in range(1 if vex else 0, 4):
            for opcode in range(256):
                if not (opcode in NOT_OPCODES[opmap] and not vex):
                    yield from forms_of(vex, opmap, opcode)


def forms_of(vex: bool, opmap: int, opcode: int) -> Iterator[Form]:
    """All forms of one opcode."""
    prefixes = [0, 1, 2, 3] if opmap or opcode in STRINGS else [0, 1]
    digits = range(8) if opcode in GROUPS[opmap] else [None]
    for wide in (False, True):
        for prefix in prefixes:
            for is_long in ((False, True) if vex else (False,)):
                for digit in digits:
                    yield from forms_with(Form(opcode, opmap, prefix, vex, wide, is_long,
                                               False, digit, None, False, False))


def forms_with(form: Form) -> Iterator[Form]:
    """With each kind of operand."""
    by_rm = form.opcode in BY_WHOLE_MODRM[form.map] and not form.vex
    for rm in (range(8) if by_rm else [None]):
        yield form._replace(rm=rm)
    yield form._replace(memory=True)
    if not form.vex:
        yield form._replace(memory=True, locked=True)
    if form.digit is None:
        yield form._replace(same=True)


def text_of(read: Callable[[bytes], str], code: bytes) -> str:
    """The instruction at the start of `code`, or nothing.  LLVM reads a prefix alone."""
    text = read(code)
    return f"lock {read(code[1:])}" if text == "lock" else text


def known_forms(read: Callable[[bytes], str]) -> Dict[int, str]:
    """The keys of all valid forms, and how they are written."""
    known = {}
    prefixes = ("rep", "repne", "lock", "data16", "addr32", "rex64", "notrack")
    for form in all_forms():
        for code in form.encodings():
            text = text_of(read, code)
            if text and text.split()[-1] not in prefixes:
                # LLVM has no model of it, but it does nothing at all.
                known[form.key()] = "nop" if text.startswith("endbr") else text
                break
    return known


Costs = TypeVar("Costs")


def lookups(key: int) -> Iterator[int]:
    """The keys that form_cost() looks for."""
    for left_out in range(16):
        mask = 0
        for bit, bits in enumerate((SAME, WIDE, LONG, PREFIX)):
            if left_out >> bit & 1:
                mask |= bits
        yield key & ~mask


def needed(costs: Dict[int, Costs]) -> Dict[int, Costs]:
    """The forms without those that are found under a more general one."""
    kept: Dict[int, Costs] = {}

    def special(key: int) -> Tuple[int, int]:
        return bin(key & (SAME | WIDE | LONG | PREFIX)).count("1"), key

    for key in sorted(costs, key=special):
        found = next((kept[other] for other in lookups(key) if other in kept), None)
        if found != costs[key]:
            kept[key] = costs[key]
    return dict(sorted(kept.items()))
