# SPDX-License-Identifier: GPL-2.0-or-later
#
# Small assembly programs under the distribution's callgrind, and what it counted for each
# of their instructions.  Owns: how such programs are built, run and read.  Relies on gcc,
# objdump and the distribution's valgrind.

"""What the distribution's callgrind counts for single instructions."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Iterator, Optional, Sequence

# Where it is not this machine's own, the environment says where it is.
VALGRIND = os.environ.get("VG_STOCK", "/usr/bin/valgrind")
DATA = 0x10000000  # where `with_data` maps memory for a program to access
DATA_SIZE = 0x40000000
TEXT = 0x400000

LABEL = re.compile(r"^[0-9a-f]+ <(\w+)>:$")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t?(.*)")


def missing() -> Optional[str]:
    """Why programs cannot be run under stock here; None if they can."""
    for command in (VALGRIND, "gcc", "objdump"):
        if shutil.which(command) is None:
            return f"{command} is not installed"
    if platform.machine() != "x86_64":
        return "the programs are in amd64 assembly"
    return None


@dataclass
class Instruction:
    """An instruction of a program, and its events by name if it was executed."""

    address: int
    size: int
    text: str
    label: str  # the last one before it
    events: dict[str, int] = field(default_factory=dict)


@dataclass
class Run:
    """One run: instructions in order of their addresses, header lines, and the log.

    `parts` holds what was counted up to each dump, by address and event.
    """

    instructions: list[Instruction]
    parts: list[dict[int, dict[str, int]]]
    descriptions: list[str]
    events: list[str]
    log: str
    status: int

    def body(self) -> int:
        """The position of the first instruction of the body; see with_data()."""
        return [each.text for each in self.instructions].index("syscall") + 1

    def total(self, event: str) -> int:
        return sum(each.events.get(event, 0) for each in self.instructions)


def with_data(body: str, start: int = DATA, size: int = DATA_SIZE) -> str:
    """A whole program: maps `size` bytes at `start`, runs `body`, exits.

    Stock leaves out what is executed last, so a system call ends the body's superblock.
    """
    return f"""
    .globl _start
    .text
_start:
    mov $9, %eax
    movabs ${start:#x}, %rdi
    mov ${size:#x}, %esi
    mov $3, %edx
    mov $0x4032, %r10d
    mov $-1, %r8
    xor %r9d, %r9d
    syscall
{body}
    mov $39, %eax
    syscall
    mov $231, %eax
    xor %edi, %edi
    syscall
"""


DUMP, ZERO, TOGGLE, START, STOP = 0, 1, 2, 4, 5  # client requests; see callgrind.h


def request(number: int) -> str:
    """Makes a client request.  Changes rax, rdx, rdi and flags."""
    return f"""
    movabs ${0x43540000 + number:#x}, %rax
    push $0
    push %rax
    mov %rsp, %rax
    xor %edx, %edx
    rol $3, %rdi
    rol $13, %rdi
    rol $61, %rdi
    rol $51, %rdi
    xchg %rbx, %rbx
    pop %rax
    pop %rax
"""


def _instructions(program: Path) -> list[Instruction]:
    command = ["objdump", "-d", "-w", str(program)]
    listing = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    found = []
    label = ""
    for line in listing.splitlines():
        match = INSTRUCTION.match(line)
        if match:
            size, text = len(match[2].split()), match[3].strip()
            found.append(Instruction(int(match[1], 16), size, text, label))
        else:
            new = LABEL.match(line)
            label = new[1] if new else label
    return found


def _costs(part: str, events: list[str]) -> dict[int, dict[str, int]]:
    """The self costs in one part of a profile, by address and event."""
    found: dict[int, dict[str, int]] = {}
    lines = iter(part.splitlines())
    for line in lines:
        if line.startswith("calls="):
            next(lines)
        elif line.startswith("0x"):
            address, _, *costs = line.split()
            known = found.setdefault(int(address, 16), {})
            for event, cost in zip(events, costs):
                known[event] = known.get(event, 0) + int(cost)
    return found


def _header(profile: str, key: str) -> list[str]:
    return re.findall(rf"^{key}: *(.*)$", profile, re.MULTILINE)


@dataclass
class Program:
    """A program that is built, and may be run several times."""

    path: Path
    instructions: list[Instruction]

    def run(self, options: Sequence[str], launcher: str = VALGRIND) -> Run:
        """Runs it under stock, or what another launcher starts, with the given options of
        callgrind."""
        out = self.path.with_name("out")
        out.unlink(missing_ok=True)
        ended = subprocess.run(
            [launcher, "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no",
             "--combine-dumps=yes", f"--callgrind-out-file={out}", *options,
             str(self.path)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )
        profile = out.read_text() if out.exists() else ""
        names = _header(profile, "events")
        events = names[0].split() if names else []
        texts = re.split(r"^part: ", profile, flags=re.MULTILINE)[1:]
        parts = [_costs(text, events) for text in texts]
        instructions = [replace(each, events={}) for each in self.instructions]
        for instruction in instructions:
            for part in parts:
                for event, cost in part.get(instruction.address, {}).items():
                    instruction.events[event] = instruction.events.get(event, 0) + cost
        return Run(instructions, parts, _header(profile, "desc"), events, ended.stdout,
                   ended.returncode)


@contextmanager
def built(source: str) -> Iterator[Program]:
    with tempfile.TemporaryDirectory(prefix="simulators.") as name:
        text, program = Path(name) / "program.s", Path(name) / "program"
        text.write_text(source)
        subprocess.run(
            ["gcc", "-nostdlib", "-static", "-no-pie", f"-Wl,-Ttext={TEXT:#x}",
             "-Wl,--build-id=none", "-fno-use-linker-plugin", "-o", str(program),
             str(text)],
            check=True,
        )
        yield Program(program, _instructions(program))


def run(source: str, options: Sequence[str], launcher: str = VALGRIND) -> Run:
    """Builds a program and runs it once."""
    with built(source) as program:
        return program.run(options, launcher)
