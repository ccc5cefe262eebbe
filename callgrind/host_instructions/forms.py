#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Generates the table of the instructions that the host's processor executes in place of
the core (form_table.h).

Each combination of map, prefix, width and opcode is put together from its bytes, and read
by objdump, which names the operands and how wide the one in memory is.  Only these facts
are written; nobody needs objdump to build the tool.

Needs binutils (x86-64), 2.40 or newer.  Without arguments it writes the table beside
itself.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

HERE = pathlib.Path(__file__).resolve().parent

LEGACY, VEX, EVEX = range(3)

# The numbers by which operands are told apart in what objdump prints.
REG, OTHER, RM, INDEX = 6, 5, 2, 7
# Behind each probe, so that the next one is read from its beginning.
NO_OPERATION = b"\x90"
SLOT = 16

SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16, "YMMWORD": 32,
         "ZMMWORD": 64}

MEMORY = re.compile(r"(\w+) (PTR|BCST) \w*:?\[(.*?)\]|\[(.*?)\]")
REGISTER = re.compile(r"([xyz]mm|k|r|e)(\d+|[abcd]x|[sd]i|[sb]p)[dwb]?$")

GENERAL = {"ax": 0, "cx": 1, "dx": 2, "bx": 3, "sp": 4, "bp": 5, "si": 6, "di": 7}

# They compare, and set the flags.
SETS_FLAGS = re.compile(r"vu?comis|kortest|ktest|vptest$|vtestp")

# They have operands that their bytes do not name, or two results; the core decodes those
# of AVX and AVX2, as it does gathers of AVX2.  Instructions on tiles and prefetches of
# Xeon Phi are left out, too.
LEFT_OUT = re.compile(
    r"vpcmp[ei]str|vmaskmovdqu|vzero|v(ld|st)mxcsr|vp2intersect|v?p?gather.*pf|"
    r"v?p?scatter.*pf|t(dp|ile|load|store|release|zero)|v4f|vp4dp|ldtile|sttile|.*xadd|"
    r"vblendvp|vpblendvb|vpermil2|vf(n?m)(add|sub|addsub|subadd)[ps][sd]\b|"
    r"vpmadcs|vpmacs|vpcom|vphadd|vprot|vpsha|vpshl|vfrcz|vpperm|vpcmov")


class Probe(NamedTuple):
    """The bytes of an instruction, but for its operands."""
    encoding: int
    map: int
    prefix: int    # none, 66, F3, F2
    wide: int
    opcode: int


class Text(NamedTuple):
    """What objdump makes of an instruction."""
    name: str
    operands: List[str]
    size: int


class Form(NamedTuple):
    """A row of the table."""
    key: int
    reg: str
    other: str
    rm: str
    writes: List[str]
    memory: str
    immediate: int
    sizes: Tuple[int, int, int]     # of the operand in memory, at each length
    scales: Tuple[int, int, int]    # of its short displacement
    broadcast: int
    name: str


def encoded(probe: Probe, place: str, other: int, length: int, *, broadcast: int = 0,
            mask: int = 0, reg: int = REG) -> bytes:
    """The instruction with operands in these registers, or the last one in memory."""
    inverted = ~other & 15
    if probe.encoding == EVEX:
        head = [0x62, 0xf0 | probe.map,
                probe.wide << 7 | inverted << 3 | 4 | probe.prefix,
                length << 5 | broadcast << 4 | 8 | mask]
    else:
        head = [0xc4, 0xe0 | probe.map,
                probe.wide << 7 | inverted << 3 | length << 2 | probe.prefix]
    operand = {"register": [0xc0 | reg << 3 | RM], "memory": [0x40 | reg << 3, 1],
               "indexed": [0x44 | reg << 3, INDEX << 3, 1]}[place]
    return bytes([*head, probe.opcode, *operand, 0])


def disassembled(codes: Sequence[bytes]) -> List[Optional[Text]]:
    """What each is; None: nothing."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(code.ljust(SLOT, NO_OPERATION) for code in codes))
        file.flush()
        listing = subprocess.run(
            ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel",
             "--no-show-raw-insn", file.name], check=True, stdout=subprocess.PIPE,
            universal_newlines=True).stdout
    lines = [(int(at, 16), text.strip()) for at, text in
             re.findall(r"^ *([0-9a-f]+):\t(.*)$", listing, re.MULTILINE)]
    texts: List[Optional[Text]] = [None] * len(codes)
    for (at, text), (behind, _) in zip(lines, [*lines[1:], (len(codes) * SLOT, "")]):
        if at % SLOT == 0 and "bad" not in text:
            name, _, operands = re.sub(r"^\{e?vex\} ", "", text).partition(" ")
            split = re.split(r",(?![^\[]*\])", operands.split("#")[0].strip())
            texts[at // SLOT] = Text(name, split, behind - at)
    return texts


def key_of(probe: Probe, digit: Optional[int]) -> int:
    """FORM_KEY of form_table.h."""
    return (probe.encoding << 18 | probe.map << 15 | probe.prefix << 13 |
            probe.wide << 12 | probe.opcode << 4 | (0 if digit is None else digit + 1))


def register_of(operand: str) -> Optional[Tuple[str, int]]:
    """Its kind and number."""
    match = REGISTER.match(re.sub(r"\{.*", "", operand))
    if match is None:
        return None
    kind = {"k": "Mask", "r": "General", "e": "General"}.get(match.group(1), "Vector")
    number = match.group(2)
    return kind, GENERAL[number] if number in GENERAL else int(number)


class Variants(NamedTuple):
    """The texts of a probe: with its last operand in a register, and by length in
    memory, in memory and broadcast, and in memory by an index of vectors."""
    register: Optional[Text]
    memory: List[Optional[Text]]
    broadcast: List[Optional[Text]]
    indexed: List[Optional[Text]]


def variants_of(probe: Probe, reg: int) -> Iterator[bytes]:
    """The instructions by which a probe's form is found."""
    is_evex = probe.encoding == EVEX
    for other in (OTHER, 0):
        for mask in ((0, 1) if is_evex else (0,)):
            for length in (range(3) if is_evex else range(2)):
                yield encoded(probe, "register", other, length, mask=mask, reg=reg)
                yield encoded(probe, "memory", other, length, mask=mask, reg=reg)
                yield encoded(probe, "indexed", other, length, mask=mask, reg=reg)
                if is_evex:
                    yield encoded(probe, "memory", other, length, broadcast=1, mask=mask,
                                  reg=reg)


def first(texts: Sequence[Optional[Text]]) -> Optional[Text]:
    """The first that is something."""
    return next((text for text in texts if text is not None), None)


def sorted_out(probe: Probe, texts: Sequence[Optional[Text]]) -> Variants:
    """What variants_of() gave, by what it is of."""
    is_evex = probe.encoding == EVEX
    lengths = 3 if is_evex else 2
    step = 4 if is_evex else 3
    runs = len(texts) // (lengths * step)

    def at(length: int, which: int) -> Optional[Text]:
        return first([texts[(run * lengths + length) * step + which]
                      for run in range(runs)])

    def all_at(which: int) -> List[Optional[Text]]:
        return [at(length, which) for length in range(lengths)] + [None] * (3 - lengths)

    return Variants(first([at(length, 0) for length in range(lengths)]), all_at(1),
                    all_at(3) if is_evex else [None] * 3, all_at(2))


def memory_of(text: Optional[Text]) -> Optional[Tuple[int, str, int, bool, int]]:
    """Of the operand in memory: its size, base with index, displacement, whether it is
    broadcast, and its number."""
    for i, operand in enumerate(text.operands if text is not None else []):
        match = MEMORY.search(operand)
        if match is not None:
            place = match.group(3) or match.group(4) or ""
            displacement = re.search(r"\+(0x[0-9a-f]+)$", place)
            return (SIZES.get(match.group(1) or "", 0), place,
                    int(displacement.group(1), 16) if displacement else 0,
                    match.group(2) == "BCST", i)
    return None


def form_of(probe: Probe, variants: Variants, reg: int,
            digit: Optional[int]) -> Optional[Form]:
    """The row for a probe; None: it is no instruction, or one that is left out."""
    indexed = [text for text in variants.indexed if text is not None and
               any(re.search(r"\[.*mm\d", operand) for operand in text.operands)]
    if indexed and probe.encoding == VEX:
        return None
    if indexed:
        variants = Variants(None, [text if text in indexed else None
                                   for text in variants.indexed], [None] * 3, [])
    sample = variants.register or first(variants.memory)
    if sample is None or LEFT_OUT.match(sample.name):
        return None
    roles = {"reg": "None", "other": "None", "rm": "None"}
    writes: List[str] = []
    for text in (variants.register, first(variants.memory)):
        for i, operand in enumerate(text.operands if text is not None else []):
            register = register_of(operand)
            if register is None:
                continue
            number = {reg: "reg", OTHER: "other", RM: "rm"}.get(register[1])
            if number is None:
                continue
            roles[number] = register[0]
            if i == 0 and not SETS_FLAGS.match(sample.name):
                writes.append({"reg": "Reg", "other": "Other", "rm": "Rm"}[number])
    if not any(kind in ("Vector", "Mask") for kind in roles.values()):
        return None
    if SETS_FLAGS.match(sample.name):
        writes.append("Flags")
    memories = [memory_of(text) for text in variants.memory]
    broadcasts = [memory_of(text) for text in variants.broadcast]
    known = [memory for memory in memories if memory is not None]
    memory = "None"
    if known:
        is_write = known[0][4] == 0 and not SETS_FLAGS.match(sample.name)
        memory = ("Scatter" if is_write else "Gather") if indexed else (
            "Write" if is_write else "Read")
    if memory == "Gather":
        writes.append("OwnMask")
    elif memory == "Scatter":
        writes = ["OwnMask"]
    spread = [b for b in broadcasts if b is not None and b[3]]
    plain = variants.register or sample
    head = 4 if probe.encoding == EVEX else 3
    tail = 2 if plain is variants.register else 4 if indexed else 3
    return Form(key_of(probe, digit), roles["reg"], roles["other"], roles["rm"],
                sorted(set(writes)), memory, plain.size - head - tail,
                tuple(m[0] if m else 0 for m in memories),    # type: ignore[arg-type]
                tuple(m[2] if m else 0 for m in memories),    # type: ignore[arg-type]
                spread[0][0] if spread else 0, sample.name)


def probes() -> Iterator[Probe]:
    """All that may be an instruction."""
    for encoding, maps in ((EVEX, (1, 2, 3, 5, 6)), (VEX, (1, 2, 3))):
        for number in maps:
            for prefix in range(4):
                for wide in range(2):
                    for opcode in range(256):
                        yield Probe(encoding, number, prefix, wide, opcode)


def has_digit(probe: Probe) -> bool:
    """Does ModRM's register say which instruction it is?"""
    return probe.map == 1 and 0x71 <= probe.opcode <= 0x73


def forms() -> List[Form]:
    """All rows but the legacy ones, in the order of their keys."""
    wanted: List[Tuple[Probe, Optional[int], int]] = []
    for probe in probes():
        if has_digit(probe):
            wanted += [(probe, digit, digit) for digit in range(8)]
        else:
            wanted.append((probe, None, REG))
    codes: List[bytes] = []
    ends: List[int] = []
    for probe, _, reg in wanted:
        codes += variants_of(probe, reg)
        ends.append(len(codes))
    texts = disassembled(codes)
    found: Dict[int, Form] = {}
    start = 0
    for (probe, digit, reg), end in zip(wanted, ends):
        variants = sorted_out(probe, texts[start:end])
        form = form_of(probe, variants, reg if digit is None else 99, digit)
        start = end
        if form is not None:
            found[form.key] = form
    return [found[key] for key in sorted(found)]


HEAD = """/* SPDX-License-Identifier: GPL-2.0-or-later

   The instructions that the host's processor executes; see form_table.h.

   Generated by forms.py; do not edit.  Source: what the disassembler of
   {version} says of operands.  */

/* clang-format off */

#include "host_instructions/form_table.h"

#if defined(VGA_amd64)

enum {{ N = OperandNone, V = OperandVector, K = OperandMask, G = OperandGeneral }};
enum {{
   Nothing = 0,
   Reg = WritesReg,
   Other = WritesOther,
   Rm = WritesRm,
   Flags = WritesFlags,
   OwnMask = WritesK
}};
enum {{
   No = MemoryNone,
   Read = MemoryRead,
   Write = MemoryWrite,
   Gather = MemoryGather,
   Scatter = MemoryScatter
}};

const UInt form_table_size = {count};

const InstructionForm form_table[] = {{
"""


def row_of(form: Form) -> str:
    """A row in C."""
    writes = " | ".join(form.writes) or "Nothing"
    sizes = ",".join(map(str, form.sizes))
    scales = ",".join(map(str, form.scales))
    kinds = ", ".join({"None": "N", "Vector": "V", "Mask": "K", "General": "G"}[kind]
                      for kind in (form.reg, form.other, form.rm))
    memory = "No" if form.memory == "None" else form.memory
    return (f"   {{0x{form.key:05x}, {kinds}, {writes}, {memory}, {form.immediate}, "
            f"{{{sizes}}}, {{{scales}}}, {form.broadcast}}}, /* {form.name} */\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "form_rows.c",
                        help="the file to write [beside this script]")
    arguments = parser.parse_args()
    version = subprocess.run(["objdump", "--version"], check=True, stdout=subprocess.PIPE,
                             universal_newlines=True).stdout.split("\n")[0]
    rows = forms()
    arguments.out.write_text(
        HEAD.format(version=version, count=len(rows)) +
        "".join(row_of(form) for form in rows) + "};\n\n#endif\n", encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main())
