# SPDX-License-Identifier: GPL-2.0-or-later
#
# The simulated caches and branches of the tool against the distribution's callgrind, each
# event of each instruction, on a program of random accesses and branches for the machine
# that gcc compiles for.  It has no C library and uses no stack, so that all it accesses
# lies at the same addresses in every run.

"""The tool's simulators count what stock's do."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Protocol, Sequence

from tests.groundtruth.architecture import AMD64, ARM64, target
from tests.runner.series import in_turn, is_long
from tests.simulators import stock
from tests.simulators.naive import Geometry
from tests.simulators.test_stock_caches import OURS, SHAPES, options

MODELS = ["--cache-sim=yes", "--simulate-wb=yes", "--simulate-hwpref=yes",
          "--cacheuse=yes"]
ACCESSES, BRANCHES, ROUNDS = 400, 60, 6
DATA_SIZE = 1 << 19
PLACES = 4  # an indirect branch goes to one of so many
# What stock leaves out: the superblock that ends the program.
LAST_SUPERBLOCK = 8


class Assembler(Protocol):
    """The texts of one machine.  A register counts rounds, and one holds random bits."""

    BEGIN: str
    NEXT: str  # the next random bits
    POOL: str  # where constants may stand
    END: str

    def access(self, source: random.Random, offset: int) -> str: ...

    def branch(self, source: random.Random, name: str) -> str: ...


class Amd64:
    BEGIN = f"""
    mov ${ROUNDS}, %r13d
    mov $12345, %r12
again:
"""
    POOL = ""
    NEXT = "    imul $1103515245, %r12, %r12\n    add $12345, %r12\n"
    END = """
    dec %r13d
    jnz again
    mov $39, %eax
    syscall
    mov $231, %eax
    xor %edi, %edi
    syscall
"""
    FORMS = ["add {}, %al", "add {}, %ax", "add {}, %eax", "add {}, %rax",
             "paddq {}, %xmm0", "vpxor {}, %ymm0, %ymm0", "mov %al, {}", "mov %ax, {}",
             "mov %eax, {}", "mov %rax, {}", "movups %xmm0, {}", "vmovdqu %ymm0, {}",
             "incb {}", "incq {}", "lock xadd %rax, {}", "cmpxchg %ecx, {}",
             "prefetcht0 {}"]
    ALIGNED = ("paddq",)

    def access(self, source: random.Random, offset: int) -> str:
        form = source.choice(self.FORMS)
        offset -= offset % 16 if form.startswith(self.ALIGNED) else 0
        return "    " + form.format(f"data+{offset}") + "\n"

    def branch(self, source: random.Random, name: str) -> str:
        bit = source.randrange(8, 40)
        if source.random() < 0.6:
            return f"    bt ${bit}, %r12\n    jc {name}\n    nop\n{name}:\n"
        places = [f"{name}_{at}" for at in range(PLACES)]
        return (f"    mov %r12, %rbx\n    shr ${bit}, %rbx\n    and ${PLACES - 1}, %ebx\n"
                f"    jmp *{name}_table(,%rbx,8)\n"
                + "".join(f"{place}: nop\n" for place in places)
                + f"    .data\n{name}_table: .quad {', '.join(places)}\n    .text\n")


class Arm64:
    BEGIN = f"""
    mov x21, {ROUNDS}
    mov x20, 12345
    ldr x22, =1103515245
again:
"""
    POOL = "    b 1f\n    .ltorg\n1:\n"
    NEXT = "    mul x20, x20, x22\n    add x20, x20, 1\n    lsl x0, x20, 7\n"
    END = """
    subs x21, x21, 1
    b.ne again
    mov x8, 172
    svc 0
    mov x0, 0
    mov x8, 94
    svc 0
"""
    FORMS = ["ldrb w0, [x9]", "ldrh w0, [x9]", "ldr w0, [x9]", "ldr x0, [x9]",
             "ldrsw x0, [x9]", "ldr q0, [x9]", "ldp w0, w1, [x9]", "ldp x0, x1, [x9]",
             "ldp q0, q1, [x9]", "ldp x0, x1, [x9], 16", "ld1 {{v0.16b-v3.16b}}, [x9]",
             "strb w0, [x9]", "strh w0, [x9]", "str w0, [x9]", "str x0, [x9]",
             "str q0, [x9]", "stp w0, w1, [x9]", "stp x0, x1, [x9]", "stp q0, q1, [x9]",
             "str x0, [x9, 8]!", "st1 {{v0.16b-v1.16b}}, [x9]", "ldar x0, [x9]",
             "stlr w0, [x9]", "prfm pldl1keep, [x9]"]
    ALIGNED = ("ldar", "stlr")

    def access(self, source: random.Random, offset: int) -> str:
        form = source.choice(self.FORMS)
        offset -= offset % 16 if form.startswith(self.ALIGNED) else 0
        return f"    ldr x9, =data+{offset}\n    {form.format()}\n"

    def branch(self, source: random.Random, name: str) -> str:
        bit = source.randrange(8, 40)
        if source.random() < 0.6:
            how = source.choice([f"tbnz x20, {bit}, {name}",
                                 f"tst x20, {1 << bit}\n    b.ne {name}",
                                 f"ubfx x0, x20, {bit}, 2\n    cbz x0, {name}"])
            return f"    {how}\n    nop\n{name}:\n"
        places = [f"{name}_{at}" for at in range(PLACES)]
        return (f"    ubfx x0, x20, {bit}, 2\n    ldr x1, ={name}_table\n"
                "    ldr x1, [x1, x0, lsl 3]\n    br x1\n"
                + "".join(f"{place}: nop\n" for place in places)
                + f"    .data\n{name}_table: .quad {', '.join(places)}\n    .text\n")


ASSEMBLERS: dict[str, Assembler] = {AMD64: Amd64(), ARM64: Arm64()}


def program(seed: int, span: int) -> str:
    assembler, source = ASSEMBLERS[target()], random.Random(seed)
    steps = ["a"] * ACCESSES + ["b"] * BRANCHES
    source.shuffle(steps)
    text, offset = assembler.BEGIN, 0
    for number, step in enumerate(steps):
        if step == "b":
            text += assembler.NEXT + assembler.branch(source, f"at{number}")
            continue
        if source.random() < 0.4:
            offset += source.choice([-64, -8, 0, 1, 8, 31, 64, 128])
        else:
            offset = source.randrange(span)
        offset = min(max(offset, 0), span)
        text += assembler.access(source, offset)
        text += assembler.POOL if number % 100 == 99 else ""
    return (f"    .globl _start\n    .text\n_start:\n{text}{assembler.END}\n    .bss\n"
            f"    .balign 4096\ndata: .skip {DATA_SIZE + 128}\n")


@unittest.skipUnless(os.path.exists(OURS), "VG_BUILD names no build of the tool")
@unittest.skipUnless(os.path.exists(stock.VALGRIND), f"{stock.VALGRIND} is not installed")
class SameAsStock(unittest.TestCase):
    def compare(self, built: stock.Program, words: list[str]) -> dict[str, int]:
        """The sums of all events."""
        ours, theirs = built.run(words, OURS), built.run(words)
        self.assertEqual((ours.status, theirs.status), (0, 0), ours.log + theirs.log)
        self.assertEqual(ours.events, theirs.events)
        (mine,), (stocks,) = ours.parts, theirs.parts
        for address, events in stocks.items():
            self.assertEqual(mine.get(address), events, f"at {address:#x}")
        rest = [events for address, events in mine.items() if address not in stocks]
        self.assertLessEqual(len(rest), LAST_SUPERBLOCK)
        self.assertTrue(all(events["Ir"] == 1 for events in rest), rest)
        return {event: sum(events.get(event, 0) for events in mine.values())
                for event in ours.events}

    def try_shape(self, seed: int, models: Sequence[str]) -> None:
        shapes = [Geometry(*numbers) for numbers in SHAPES[seed]]
        span = min(max(4 * shapes[1].size, 2 * shapes[2].size), DATA_SIZE)
        with tempfile.TemporaryDirectory(prefix="simulators.") as name:
            source, path = Path(name, "program.s"), Path(name, "program")
            source.write_text(program(seed, span))
            subprocess.run(["gcc", "-nostdlib", "-static", "-no-pie",
                            f"-Wl,-Ttext={stock.TEXT:#x}", "-Wl,--build-id=none",
                            "-o", path, source], check=True)
            built = stock.Program(path, [])
            for model in models:
                with self.subTest(shape=SHAPES[seed], model=model):
                    sums = self.compare(built, [*options(model, shapes),
                                                "--branch-sim=yes"])
                    for event in ("D1mr", "D1mw", "I1mr", "Bcm", "Bim"):
                        self.assertGreater(sums[event], 0, event)

    def test_usual_caches(self) -> None:
        self.try_shape(len(SHAPES) - 1, MODELS)

    def test_other_caches(self) -> None:
        """Each shape, and each model; in long runs each with each, by turns."""
        seeds = range(len(SHAPES) - 1)
        pairs = [(seed, model) for seed in seeds for model in MODELS]
        chosen = set(in_turn(pairs) if is_long() else
                     [(seed, MODELS[seed % len(MODELS)]) for seed in seeds])
        for seed in seeds:
            self.try_shape(seed, [model for model in MODELS if (seed, model) in chosen])
