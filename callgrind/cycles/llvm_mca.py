# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks LLVM: its disassembler what bytes are, and llvm-mca what an instruction costs."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
import sys
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

# A cycle, in the units in which the time on each unit is computed.
PARTS = 25200
SMALL = 250    # less is rounding


class Target(NamedTuple):
    """An architecture, as LLVM calls it."""
    triple: str
    library_name: str    # LLVMInitialize...
    processor: str       # whose instructions are read
    features: str


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


class Disassembler:
    """LLVM's, through its C interface."""

    def __init__(self, library: str, target: Target) -> None:
        self.llvm = ctypes.CDLL(library)
        for part in ("TargetInfo", "TargetMC", "Disassembler"):
            getattr(self.llvm, f"LLVMInitialize{target.library_name}{part}")()
        create = self.llvm.LLVMCreateDisasmCPUFeatures
        create.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(create(
            target.triple.encode(), target.processor.encode(),
            target.features.encode(), None, 0, None, None))
        self.read = self.llvm.LLVMDisasmInstruction
        self.read.restype = ctypes.c_size_t

    def text(self, code: bytes) -> str:
        """The instruction at the start of `code`, or nothing."""
        out = ctypes.create_string_buffer(200)
        size = self.read(self.context, code, ctypes.c_uint64(len(code)),
                         ctypes.c_uint64(0x1000), out, ctypes.c_size_t(200))
        return out.value.decode().strip() if size else ""


def run_mca(mca: str, target: Target, processor: str, texts: Sequence[str],
            options: Sequence[str]) -> str:
    """llvm-mca's answer, with a region for each text."""
    source = "".join(f"# LLVM-MCA-BEGIN {i}\n{text}\n# LLVM-MCA-END\n"
                     for i, text in enumerate(texts))
    done = subprocess.run(
        [mca, f"-mtriple={target.triple}", f"-mcpu={processor}",
         f"-mattr={target.features}", "-iterations=1",
         "-skip-unsupported-instructions=any", *options],
        input=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True, check=False)
    if done.returncode != 0:
        sys.exit(f"llvm-mca failed: {done.stderr[:500]}")
    return done.stdout


def whole_processor(mca: str, target: Target, name: str) -> Processor:
    """Its width and its reorder buffer."""
    text = run_mca(mca, target, name, ["nop"],
                   ["-retire-stats", "-instruction-tables=false"])
    width = re.search(r"Dispatch Width: +(\d+)", text)
    buffer = re.search(r"Total ROB Entries: +(\d+)", text)
    if width is None or buffer is None:
        sys.exit(f"llvm-mca says nothing of {name}")
    return Processor(int(width.group(1)), int(buffer.group(1)))


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


def rows_of(mca: str, target: Target, name: str, texts: Sequence[str]) -> Dict[int, Row]:
    """A row for each text that it knows, by index."""
    text = run_mca(mca, target, name, texts, ["-instruction-tables", "-json"])
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
    """Equal as far as it is printed."""
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
