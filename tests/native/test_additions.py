# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/instrument/memory_additions.c: of stores of marks become the additions
# that the assembler makes, with each register and each kind of displacement; whatever
# else looks like a mark is refused.

"""Additions to memory, against the assembler."""

from __future__ import annotations

import platform
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.native.building import HERE, SOURCE, build_of

SOURCES = (
    *(HERE / f"{name}.c" for name in ("resolve_additions", "fake_core", "fake_tables",
                                      "faults")),
    SOURCE / "callgrind/instrument/memory_additions.c",
)
REGISTERS = ("rax rcx rdx rbx rsp rbp rsi rdi "
             "r8 r9 r10 r11 r12 r13 r14 r15").split()
DISPLACEMENTS = (0, 1, -1, 8, 127, -128, 128, -129, 0x350, -0x208588, 0x7fffffff)
FIRST, SECOND = 0x5C00006D, 0x5C00016D  # marks
AMOUNT = 0x12345  # the assembler takes 32 bits for it


def assembled(lines: list[str]) -> list[str]:
    """The code of each line, in hexadecimal digits."""
    with tempfile.TemporaryDirectory() as name:
        source, binary = Path(name, "code.s"), Path(name, "code")
        # Each line is filled up to 32 bytes; a byte in front says how long it is.
        source.write_text("".join(
            f".byte 2f - 1f\n1: {line}\n2: .fill 31 - (2b - 1b)\n" for line in lines
        ), encoding="ascii")
        subprocess.run(["gcc", "-c", "-o", f"{binary}.o", source], check=True)
        subprocess.run(["objcopy", "-O", "binary", "-j", ".text", f"{binary}.o", binary],
                       check=True)
        code = binary.read_bytes()
    pieces = [code[at : at + 32] for at in range(0, 32 * len(lines), 32)]
    return [piece[1 : 1 + piece[0]].hex() for piece in pieces]


@unittest.skipUnless(platform.machine() == "x86_64", "other hosts have no such addition")
class Additions(unittest.TestCase):
    def resolved(self, cases: list[str]) -> list[str]:
        done = subprocess.run(
            [build_of("resolve_additions", *SOURCES)], input="\n".join(cases) + "\n",
            capture_output=True, text=True, check=True,
        )
        return done.stdout.split("\n")[:-1]

    def test_they_are_what_the_assembler_makes(self) -> None:
        places = [(at, register) for at in DISPLACEMENTS for register in REGISTERS]
        stores = assembled([f"movq ${FIRST}, {at}(%{name})" for at, name in places])
        wanted = assembled([f"addq ${AMOUNT}, {at}(%{name})" for at, name in places])
        # With what is not a store before and behind.
        cases = [f"90{code}{'cc' * 20} {place[0]} {AMOUNT}"
                 for code, place in zip(stores, places)]
        self.assertEqual(self.resolved(cases),
                         [f"90{code}{'cc' * 20}" for code in wanted])
        # At the very end of the code.
        cases = [f"{code} {place[0]} {AMOUNT}" for code, place in zip(stores, places)]
        self.assertEqual(self.resolved(cases), wanted)

    def test_several(self) -> None:
        stores = assembled([f"movq ${FIRST}, 8(%rbx)", f"movq ${SECOND}, (%r13)"])
        wanted = assembled([f"addq ${AMOUNT}, 8(%rbx)", f"addq ${AMOUNT + 1}, (%r13)"])
        additions = f"8 {AMOUNT} 0 {AMOUNT + 1}"
        self.assertEqual(
            self.resolved([f"{''.join(stores)} {additions}",
                           f"{stores[0]} {additions}",
                           f"{stores[1]} {additions}"]),
            ["".join(wanted), "no", "no"],
        )

    def test_what_looks_like_one_is_refused(self) -> None:
        lines = [
            f"movq ${FIRST}, 8(%rbx)",  # twice
            f"movl ${FIRST}, 8(%rbx)",
            f"movl ${FIRST}, %ecx",
            f"addq ${FIRST}, 8(%rbx)",
            f"movq ${FIRST}, 16(%rbx)",
            f"movq ${FIRST}, 8(%rbx,%rcx)",
            f"movq ${FIRST}, 8(%rip)",
            f"movabs ${FIRST << 32}, %rcx",
        ]
        store, *_ = codes = assembled(lines)
        found = self.resolved([f"{store}{code} 8 {AMOUNT}" for code in codes])
        self.assertEqual(found, ["no"] * len(lines))
        found = self.resolved([f"{code} 8 {AMOUNT}" for code in codes[1:]])
        self.assertEqual(found, ["no"] * (len(lines) - 1))

    def test_marks_that_were_not_given(self) -> None:
        """A number that no mark of this superblock has is the program's own."""
        store, other = assembled([f"movq ${FIRST}, 8(%rbx)", f"movq ${SECOND}, 8(%rbx)"])
        addition, = assembled([f"addq ${AMOUNT}, 8(%rbx)"])
        self.assertEqual(self.resolved([f"{store}{other} 8 {AMOUNT}"]),
                         [f"{addition}{other}"])

    def test_what_cannot_be_marked(self) -> None:
        self.assertEqual(
            self.resolved([f"90 8 {0xffffffff}", f"90 {1 << 31} 1",
                           f"90 {-(1 << 32)} 1"]),
            ["unmarked 90"] * 3,
        )


if __name__ == "__main__":
    unittest.main()
