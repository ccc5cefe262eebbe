#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Generates the tables of what instructions cost, from LLVM's scheduling models.

Each form of instruction (x86_decode.h) is put together from its bytes, read by LLVM's
disassembler, and given to llvm-mca, which says what a processor needs for it.  Only these
facts are written; nobody needs LLVM to build the tool.

Needs LLVM 19 (Debian: llvm-19).  Without arguments it writes the tables beside itself.
"""

import argparse
import collections
import ctypes
import json
import pathlib
import re
import subprocess
import sys
from typing import (Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set,
                    Tuple)

HERE = pathlib.Path(__file__).resolve().parent
TRIPLE = "x86_64-linux-gnu"
MODELS = ("haswell", "skylake", "icelake-server", "znver3", "znver4")
FEATURES = ",".join("+" + name for name in (
    "64bit", "cx16", "sahf", "popcnt", "sse4.2", "avx2", "fma", "f16c", "bmi", "bmi2",
    "lzcnt", "movbe", "aes", "pclmul", "rdrnd", "rdseed", "adx", "sha", "fsgsbase",
    "xsave", "xsaveopt", "xsavec", "clflushopt", "clwb", "prfchw", "rtm", "vaes",
    "vpclmulqdq", "gfni", "invpcid", "rdpid", "shstk"))

# A cycle, in the units in which the time on each unit is computed.
PARTS = 25200
SMALL = 250    # less is rounding

# What form_cost() leaves out, as bits of a key.
PREFIX, WIDE, LONG, SAME = 3 << 10, 1 << 13, 1 << 14, 1 << 20

MOST = 65535    # a UShort

# FORM_MAX of form_table.h.
MAX_FORMS = 8192

# The same lists are in x86_decode.c.
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


class Cost(NamedTuple):
    """What one processor needs for a form; times in hundredths of a cycle."""
    uops: int
    latency: int
    throughput: int
    ports: Tuple[Tuple[int, int], ...]    # a mask of units, and the time on one of them


class Processor(NamedTuple):
    """What llvm-mca says of a processor as a whole."""
    width: int
    reorder_buffer: int
    units: List[str]


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


class Disassembler:
    """LLVM's, through its C interface."""

    def __init__(self, library: str) -> None:
        self.llvm = ctypes.CDLL(library)
        for part in ("TargetInfo", "TargetMC", "Disassembler"):
            getattr(self.llvm, "LLVMInitializeX86" + part)()
        create = self.llvm.LLVMCreateDisasmCPUFeatures
        create.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(create(
            TRIPLE.encode(), b"haswell", FEATURES.encode(), None, 0, None, None))
        self.read = self.llvm.LLVMDisasmInstruction
        self.read.restype = ctypes.c_size_t

    def text(self, code: bytes) -> str:
        """The instruction at the start of `code`, or nothing."""
        text = self.one(code)
        return f"lock {self.one(code[1:])}" if text == "lock" else text

    def one(self, code: bytes) -> str:
        """The same; a prefix may stand alone."""
        out = ctypes.create_string_buffer(200)
        size = self.read(self.context, code, ctypes.c_uint64(len(code)),
                         ctypes.c_uint64(0x1000), out, ctypes.c_size_t(200))
        return out.value.decode().strip() if size else ""


def known_forms(disassembler: Disassembler) -> Dict[Form, str]:
    """All valid forms, and how they are written."""
    known = {}
    prefixes = ("rep", "repne", "lock", "data16", "addr32", "rex64", "notrack")
    for form in all_forms():
        for code in form.encodings():
            text = disassembler.text(code)
            if text and text.split()[-1] not in prefixes:
                # LLVM has no model of it, but it does nothing at all.
                known[form] = "nop" if text.startswith("endbr") else text
                break
    return known


def run_mca(mca: str, processor: str, texts: Sequence[str],
            options: Sequence[str]) -> str:
    """llvm-mca's answer, with a region for each text."""
    source = "".join(f"# LLVM-MCA-BEGIN {i}\n{text}\n# LLVM-MCA-END\n"
                     for i, text in enumerate(texts))
    done = subprocess.run(
        [mca, f"-mtriple={TRIPLE}", f"-mcpu={processor}", f"-mattr={FEATURES}",
         "-iterations=1", "-skip-unsupported-instructions=any", *options],
        input=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True, check=False)
    if done.returncode != 0:
        sys.exit(f"llvm-mca failed: {done.stderr[:500]}")
    return done.stdout


def whole_processor(mca: str, name: str) -> Processor:
    """Its width, its reorder buffer and its units."""
    text = run_mca(mca, name, ["nop"], ["-retire-stats", "-instruction-tables=false"])
    width = re.search(r"Dispatch Width: +(\d+)", text)
    buffer = re.search(r"Total ROB Entries: +(\d+)", text)
    units = re.findall(r"^\[(?:\d+|\d+\.\d+)\] +- (\S+)$", text, re.M)
    if width is None or buffer is None:
        sys.exit(f"llvm-mca says nothing of {name}")
    return Processor(int(width.group(1)), int(buffer.group(1)), units)


def version_of(mca: str) -> str:
    """What LLVM calls itself."""
    text = subprocess.run([mca, "--version"], stdout=subprocess.PIPE, check=True,
                          universal_newlines=True).stdout
    found = re.search(r"LLVM version (\S+)", text)
    return f"LLVM {found.group(1)}" if found else "LLVM"


class Row(NamedTuple):
    """What llvm-mca prints for one form: its numbers, and the time on each unit."""
    uops: int
    latency: int
    throughput: int
    pressure: Tuple[Tuple[int, int], ...]


def rows_of(mca: str, name: str, texts: Sequence[str]) -> Dict[int, Row]:
    """A row for each text that it knows, by index."""
    text = run_mca(mca, name, texts, ["-instruction-tables", "-json"])
    rows = {}
    for region in json.loads(text)["CodeRegions"]:
        info = region["InstructionInfoView"]["InstructionList"]
        if len(info) != 1:
            continue
        pressure = [(entry["ResourceIndex"], round(PARTS * entry["ResourceUsage"]))
                    for entry in region["ResourcePressureView"]["ResourcePressureInfo"]
                    if entry["InstructionIndex"] == 0]
        rows[int(region["Name"])] = Row(
            info[0]["NumMicroOpcodes"], 100 * info[0]["Latency"],
            round(100 * info[0]["RThroughput"]), tuple(pressure))
    return rows


# ---------------------------------------------------------------------------
# From the time on each unit to sets of units
# ---------------------------------------------------------------------------

Uses = Tuple[Tuple[int, int], ...]


def is_near(a: int, b: int) -> bool:
    """The same, as far as it is printed."""
    return abs(a - b) <= SMALL


def levels(pressure: Dict[int, int]) -> Uses:
    """Units that are used for the same time are taken for a set."""
    uses: Dict[int, int] = {}
    for time in sorted(set(pressure.values())):
        units = [unit for unit, own in pressure.items() if own == time]
        uses[sum(1 << unit for unit in units)] = time * len(units)
    return tuple(sorted(uses.items()))


def split(pressure: Dict[int, int], sets: Sequence[int],
          depth: int = 5) -> Optional[Uses]:
    """Sets, each used for whole cycles, that together give this; or nothing."""
    left = {unit: time for unit, time in pressure.items() if time > SMALL}
    if not left:
        return ()
    if depth == 0:
        return None
    scarce = max(left)
    for units in sets:
        members = [unit for unit in range(64) if units >> unit & 1]
        if scarce not in members or any(unit not in left for unit in members):
            continue
        most = min(left[unit] for unit in members) * len(members)
        for time in range((most + SMALL) // PARTS * PARTS, 0, -PARTS):
            rest = dict(left)
            for unit in members:
                rest[unit] -= time // len(members)
            others = split(rest, sets, depth - 1)
            if others is not None:
                return tuple(sorted(others + ((units, time),)))
    return None


def sets_of(rows: Iterable[Row]) -> List[int]:
    """The sets of units that one micro-operation may choose from, the largest first."""
    sets = set()
    for row in rows:
        times = [time for _, time in row.pressure]
        if times and is_near(min(times), max(times)) and is_near(sum(times), PARTS):
            sets.add(sum(1 << unit for unit, _ in row.pressure))
        sets.update(1 << unit for unit, _ in row.pressure)
        for time in set(times):
            units = [unit for unit, own in row.pressure if own == time]
            if is_near(time * len(units), PARTS):
                sets.add(sum(1 << unit for unit in units))
    return sorted(sets, key=lambda units: (-bin(units).count("1"), units))


def cost_of(row: Row, sets: Sequence[int]) -> Cost:
    """A row with its units in sets."""
    pressure = dict(row.pressure)
    uses = split(pressure, sets) or levels(pressure)
    ports = tuple((units, max(1, round(100 * time / PARTS))) for units, time in uses
                  if time > SMALL)
    return Cost(row.uops, row.latency, row.throughput, ports)


# ---------------------------------------------------------------------------
# The files
# ---------------------------------------------------------------------------

HEAD = """/* SPDX-License-Identifier: GPL-2.0-or-later

   {what}

   Generated by llvm_models.py; do not edit.  Source: the scheduling models of
   {version}, as its llvm-mca prints them.  LLVM is under the Apache License 2.0 with
   LLVM Exceptions; these are facts taken from it.  */

/* clang-format off */
"""


def joined(items: Iterable[str]) -> str:
    """Items in lines of full width."""
    lines, line = [], "  "
    for item in items:
        if len(line) + len(item) + 2 > 90:
            lines.append(line)
            line = "  "
        line += " " + item + ","
    return "\n".join([*lines, line]) + "\n"


def lookups(key: int) -> Iterator[int]:
    """The keys that form_cost() looks for."""
    for left_out in range(16):
        mask = 0
        for bit, bits in enumerate((SAME, WIDE, LONG, PREFIX)):
            if left_out >> bit & 1:
                mask |= bits
        yield key & ~mask


def needed(costs: Dict[int, Tuple[Optional[Cost], ...]]) -> Dict[int, Tuple]:
    """The forms without those that are found under a more general one."""
    kept: Dict[int, Tuple[Optional[Cost], ...]] = {}

    def special(key: int) -> Tuple[int, int]:
        return bin(key & (SAME | WIDE | LONG | PREFIX)).count("1"), key

    for key in sorted(costs, key=special):
        found = next((kept[other] for other in lookups(key) if other in kept), None)
        if found != costs[key]:
            kept[key] = costs[key]
    return dict(sorted(kept.items()))


def write_forms(path: pathlib.Path, keys: Sequence[int], version: str) -> None:
    """The keys, as differences."""
    steps = [key - before for before, key in zip([0, *keys], keys)]
    path.write_text(
        HEAD.format(what="The forms of instructions that are known; see form_table.h.",
                    version=version) +
        '\n#include "cycles/form_table.h"\n\n'
        f"const UInt form_count = {len(keys)};\n\n"
        "const UInt form_key_steps[] = {\n" + joined(map(str, steps)) + "};\n",
        encoding="ascii")


def c_name(model: str) -> str:
    """As part of a C name."""
    return model.replace("-", "_")


def class_text(cost: Cost, first_use: int) -> str:
    """A FormClass."""
    numbers = (min(cost.uops, 999), min(cost.latency, MOST), min(cost.throughput, MOST),
               len(cost.ports), first_use)
    return "{" + ", ".join(map(str, numbers)) + "}"


def write_model(path: pathlib.Path, model: str, processor: Processor,
                costs: Sequence[Optional[Cost]], version: str) -> None:
    """One processor: its classes, and the class of each form."""
    order = collections.Counter(cost for cost in costs if cost is not None)
    classes = [cost for cost, _ in order.most_common()]
    number = {cost: i + 1 for i, cost in enumerate(classes)}
    uses = sorted({use for cost in classes for use in cost.ports})
    lists: List[int] = []
    starts = {}
    for ports in sorted({cost.ports for cost in classes}):
        starts[ports] = len(lists)
        lists += [uses.index(use) for use in ports]
    name = c_name(model)
    text = HEAD.format(what=f"What instructions cost on {model}; see form_table.h.",
                       version=version)
    text += f"""
#include "cycles/form_table.h"

/* Sets of units, and hundredths of a cycle on one of them.  */
static const FormUse uses[] = {{
{joined(f"{{0x{units:x}, {time}}}" for units, time in uses)}}};

static const UShort lists[] = {{
{joined(map(str, lists or [0]))}}};

/* Micro-operations, latency, reciprocal throughput, uses: how many, and the first.  */
static const FormClass classes[] = {{
   {{0, 0, 0, 0, 0}},
{joined(class_text(c, starts[c.ports]) for c in classes)}}};

static const UShort of_forms[] = {{
{joined(str(number[c]) if c is not None else "0" for c in costs)}}};

const FormModel form_model_{name} = {{
   "{model}", {processor.width}, {processor.reorder_buffer},
   of_forms, classes, lists, uses
}};
"""
    path.write_text(text, encoding="ascii")


def main() -> None:
    """Asks LLVM, and writes the files."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--mca", default="llvm-mca-19", help="llvm-mca [llvm-mca-19]")
    parser.add_argument("--library", default="libLLVM.so.19.1",
                        help="LLVM's library [libLLVM.so.19.1]")
    parser.add_argument("--output", type=pathlib.Path, default=HERE, help="folder")
    arguments = parser.parse_args()
    known = known_forms(Disassembler(arguments.library))
    texts = sorted(set(known.values()))
    version = version_of(arguments.mca)
    by_model: List[Dict[int, Cost]] = []
    processors = []
    for model in MODELS:
        processors.append(whole_processor(arguments.mca, model))
        rows = rows_of(arguments.mca, model, texts)
        sets = sets_of(rows.values())
        by_row = {row: cost_of(row, sets) for row in set(rows.values())}
        by_model.append({i: by_row[row] for i, row in rows.items()})
    index = {text: i for i, text in enumerate(texts)}
    costs = {form.key(): tuple(rows.get(index[text]) for rows in by_model)
             for form, text in known.items()}
    kept = needed({key: cost for key, cost in costs.items() if any(cost)})
    if len(kept) > MAX_FORMS:
        sys.exit(f"{len(kept)} forms are more than FORM_MAX in form_table.h")
    write_forms(arguments.output / "forms_x86.c", list(kept), version)
    for i, model in enumerate(MODELS):
        path = arguments.output / f"model_{c_name(model)}.c"
        write_model(path, model, processors[i], [cost[i] for cost in kept.values()],
                    version)
    print(f"{len(known)} forms, of which {len(kept)} are written")


if __name__ == "__main__":
    main()
