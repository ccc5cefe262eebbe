# SPDX-License-Identifier: GPL-2.0-or-later
#
# Instructions of every form in callgrind/host_instructions/form_rows.c, with random
# registers, masks, rounding and addresses.  Owns: how they are put together from their
# fields, and the assembler's list of them that execute.c is linked with.

"""Random instructions that the host's processor executes under the tool."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Iterator, List, NamedTuple, Optional

SOURCE = Path(__file__).resolve().parents[2]
ROWS = SOURCE / "callgrind" / "host_instructions" / "form_rows.c"

KINDS = {"N": "None", "V": "Vector", "K": "Mask", "G": "General"}

LEGACY, VEX, EVEX = range(3)
ANY, SMALL_WORDS, SMALL_LONG_WORDS = range(3)

# A base register that execute.c sets: rbx is aligned, r13 is not; r12 is an index.
ALIGNED, UNALIGNED, INDEX = 3, 13, 12
STACK_POINTER = 4


class Row(NamedTuple):
    """A row of the table."""
    key: int
    reg: str
    other: str
    rm: str
    memory: str
    immediate: int
    sizes: List[int]
    broadcast: int
    name: str

    @property
    def encoding(self) -> int:
        return self.key >> 18

    @property
    def map(self) -> int:
        return self.key >> 15 & 7

    @property
    def prefix(self) -> int:
        return self.key >> 13 & 3

    @property
    def wide(self) -> int:
        return self.key >> 12 & 1

    @property
    def opcode(self) -> int:
        return self.key >> 4 & 255

    @property
    def digit(self) -> Optional[int]:
        return (self.key & 15) - 1 if self.key & 15 else None


class Case(NamedTuple):
    """An instruction, its name, and what vectors are filled with."""
    code: bytes
    name: str
    kind: int


def rows() -> List[Row]:
    """All of the table."""
    found = re.findall(
        r"\{0x(\w+), (\w), (\w), (\w), [\w |]+, (\w+), "
        r"(\d), \{(.*?)\}, \{.*?\}, (\d+)\}, /\* (.*) \*/", ROWS.read_text())
    return [Row(int(key, 16), KINDS[reg], KINDS[other], KINDS[rm], memory, int(immediate),
                [int(size) for size in sizes.split(",")], int(broadcast), name)
            for key, reg, other, rm, memory, immediate, sizes, broadcast, name in found]


class Fields(NamedTuple):
    """The fields of an instruction."""
    length: int = 0
    broadcast: int = 0
    mask: int = 0
    zeroes: int = 0
    reg: int = 0
    other: int = 0
    rm: int = 0
    x: int = 0
    tail: bytes = b""    # ModRM's last bits and mode are in `mode`
    mode: int = 3


def assembled(row: Row, fields: Fields) -> bytes:
    """Its bytes, without the immediate."""
    reg, other, rm = fields.reg, fields.other, fields.rm
    modrm = bytes([fields.mode << 6 | (reg & 7) << 3 | rm & 7])
    if row.encoding == EVEX:
        head = [0x62,
                (~reg >> 3 & 1) << 7 | (~fields.x & 1) << 6 | (~rm >> 3 & 1) << 5 |
                (~reg >> 4 & 1) << 4 | row.map,
                row.wide << 7 | (~other & 15) << 3 | 4 | row.prefix,
                fields.zeroes << 7 | fields.length << 5 | fields.broadcast << 4 |
                (~other >> 4 & 1) << 3 | fields.mask]
    else:
        head = [0xc4,
                (~reg >> 3 & 1) << 7 | (~fields.x & 1) << 6 | (~rm >> 3 & 1) << 5 |
                row.map,
                row.wide << 7 | (~other & 15) << 3 | fields.length << 2 | row.prefix]
    return bytes([*head, row.opcode]) + modrm + fields.tail


def number(choose: random.Random, kind: str, most: int) -> int:
    """A register of a kind; vectors have numbers below `most`."""
    if kind == "Vector":
        return choose.randrange(most)
    if kind == "Mask":
        return choose.randrange(8)
    if kind == "General":
        return choose.choice([n for n in range(16) if n != STACK_POINTER])
    return 0


def in_registers(row: Row, choose: random.Random, length: int, masked: bool,
                 rounding: bool) -> Case:
    """The row's instruction on registers alone."""
    most = 32 if row.encoding == EVEX else 16
    rm = number(choose, row.rm, most)
    fields = Fields(
        length=choose.randrange(4) if rounding else length, broadcast=int(rounding),
        mask=choose.randrange(1, 8) if masked else 0,
        zeroes=int(masked and choose.random() < 0.4),
        reg=number(choose, row.reg, most) if row.digit is None else row.digit,
        other=number(choose, row.other, most), rm=rm, x=rm >> 4 & 1)
    return finished(row, choose, fields, ANY)


def in_memory(row: Row, choose: random.Random, length: int, masked: bool,
              broadcast: bool) -> Case:
    """As in_registers(), with an operand in memory."""
    most = 32 if row.encoding == EVEX else 16
    indexed = row.memory in ("Gather", "Scatter")
    base = choose.choice([ALIGNED, ALIGNED, UNALIGNED])
    reg = number(choose, row.reg, most) if row.digit is None else row.digit
    index = choose.choice([n for n in range(most) if n != reg]) if indexed else INDEX
    short = choose.random() < 0.5
    place = choose.randrange(-4, 4) if short else choose.randrange(-4, 4) * 16
    with_index = indexed or choose.random() < 0.4
    tail = place.to_bytes(1 if short else 4, "little", signed=True)
    if with_index:
        scale = choose.randrange(3 if indexed else 1)
        tail = bytes([scale << 6 | (index & 7) << 3 | base & 7]) + tail
    other = number(choose, row.other, most)
    fields = Fields(
        length=length, broadcast=int(broadcast),
        mask=choose.randrange(1, 8) if masked else 0,
        zeroes=int(masked and not indexed and choose.random() < 0.4),
        reg=reg, other=index & 16 if indexed else other,
        rm=base & 8 | (4 if with_index else base & 7),
        x=index >> 3 & 1 if with_index else 0,
        mode=1 if short else 2, tail=tail)
    kind = (ANY if not indexed else
            SMALL_LONG_WORDS if row.opcode & 1 else SMALL_WORDS)
    return finished(row, choose, fields, kind)


def finished(row: Row, choose: random.Random, fields: Fields, kind: int) -> Case:
    """The case, with an immediate if it has one."""
    code = assembled(row, fields)
    if row.immediate:
        code += bytes([choose.randrange(256)])
    return Case(code, row.name, kind)


# Legacy instructions on two vectors: mandatory prefix, map, opcode, immediates, name.
LEGACY_VECTORS = (
    (0, 2, 0xc8, 0, "sha1nexte"), (0, 2, 0xc9, 0, "sha1msg1"),
    (0, 2, 0xca, 0, "sha1msg2"), (0, 2, 0xcb, 0, "sha256rnds2"),
    (0, 2, 0xcc, 0, "sha256msg1"),
    (0, 2, 0xcd, 0, "sha256msg2"), (0, 3, 0xcc, 1, "sha1rnds4"),
    (0x66, 2, 0xcf, 0, "gf2p8mulb"), (0x66, 3, 0xce, 1, "gf2p8affineqb"),
    (0x66, 3, 0xcf, 1, "gf2p8affineinvqb"),
)
# And with an operand in memory: all their bytes up to ModRM with its displacement, with
# rbx (aligned) and r13 as bases.
LEGACY_MEMORY = (
    ("0f38f04310", "movbe"), ("660f38f04310", "movbe"), ("480f38f04310", "movbe"),
    ("450f38f05510", "movbe"), ("0f38f14310", "movbe"), ("660f38f14310", "movbe"),
    ("480f38f17b18", "movbe"), ("0f38f94310", "movdiri"), ("480f38f94b18", "movdiri"),
    ("66490f38f86d40", "movdir64b"), ("660f38f85b40", "movdir64b"),
    ("660fae7310", "clwb"), ("660fae7b10", "clflushopt"), ("0f1c4310", "cldemote"),
    ("0f0d4b10", "prefetchw"), ("0f0d5310", "prefetchwt1"), ("0f01e8", "serialize"),
)

# What is encoded with VEX and is tested: what the core of Debian 12 does not decode.
# Others it decodes itself.
WITH_VEX = re.compile(r"k|vpdp|vpmadd52|vgf2p8|vaes|vpclmul")


def is_tested(row: Row) -> bool:
    """Is it for the host to execute, whatever the core is?"""
    return row.encoding == EVEX or WITH_VEX.match(row.name) is not None


def cases_of(row: Row, choose: random.Random) -> Iterator[Case]:
    """Each length, in registers and in memory, with a mask and without."""
    for length in range(3) if row.encoding == EVEX else range(2):
        for masked in (False, True) if row.encoding == EVEX else (False,):
            if row.rm != "None":
                yield in_registers(row, choose, length, masked, False)
            if row.memory != "No" and row.sizes[length]:
                yield in_memory(row, choose, length, masked, False)
            if row.broadcast and row.encoding == EVEX:
                yield in_memory(row, choose, length, masked, True)
    if row.encoding == EVEX and row.rm == "Vector":
        yield in_registers(row, choose, 0, choose.random() < 0.5, True)


def legacy_cases(choose: random.Random) -> Iterator[Case]:
    """Each of the legacy instructions, those on vectors in registers and in memory."""
    for prefix, number_of_map, opcode, immediates, name in LEGACY_VECTORS:
        for in_register in (True, True, True, False):
            reg, rm = choose.randrange(16), choose.randrange(16)
            operand = (bytes([0xc0 | (reg & 7) << 3 | rm & 7]) if in_register else
                       bytes([0x43 | (reg & 7) << 3, choose.randrange(-4, 4) * 16 & 255]))
            rex = 0x40 | reg >> 3 << 2 | (rm >> 3 if in_register else 0)
            yield Case(bytes([prefix] if prefix else []) +
                       bytes([rex, 0x0f, 0x38 if number_of_map == 2 else 0x3a, opcode]) +
                       operand + bytes(choose.randrange(256) for _ in range(immediates)),
                       name, ANY)
    for code, name in LEGACY_MEMORY:
        yield Case(bytes.fromhex(code), name, ANY)


def cases(seed: int) -> List[Case]:
    """Some of every row."""
    choose = random.Random(seed)
    tested = filter(is_tested, rows())
    return [*(case for row in tested for case in cases_of(row, choose)),
            *legacy_cases(choose)]


def assembly(wanted: List[Case]) -> str:
    """What execute.c is linked with."""
    lines = ["   .text"]
    for i, case in enumerate(wanted):
        lines += [f"case_{i}:", "   .byte " + ", ".join(map(hex, case.code)),
                  "   jmp finish"]
    lines += ["   .section .data.rel.ro, \"aw\"", "   .globl cases", "   .balign 8",
              "cases:"]
    lines += [f"   .quad case_{i}" for i in range(len(wanted))]
    lines += ["   .section .rodata", "   .globl kinds, n_cases", "kinds:"]
    lines += [f"   .byte {case.kind}" for case in wanted]
    lines += ["   .balign 4", f"n_cases: .long {len(wanted)}",
              "   .section .note.GNU-stack,\"\",@progbits", ""]
    return "\n".join(lines)
