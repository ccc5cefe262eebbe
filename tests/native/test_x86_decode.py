# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/cycles: the lengths of instructions against objdump's, and costs that
# the processors' manuals tell as well.

"""Which form an instruction has, and what it costs."""

from __future__ import annotations

import ctypes.util
import platform
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from tests.native.building import build

FILES = ("cycles/x86_decode.c", "cycles/form_table.c", "cycles/forms_x86.c",
         *(f"cycles/model_{name}.c" for name in
           ("haswell", "skylake", "icelake_server", "sapphirerapids", "znver3",
            "znver4")))
LINE = re.compile(r"^ *[0-9a-f]+:\t((?:[0-9a-f]{2} )+) *\t(.*)$", re.M)
IS_AMD64 = platform.machine() == "x86_64"
# Valgrind does not execute them: EVEX, XOP, 3DNow! and what the disassembler doubts.
# (Nor is FWAIT part of what follows.)
OTHERS = re.compile(r"\(bad\)|zmm|\{|[xy]mm(?:1[6-9]|[23][0-9])|\bk[0-7]\b|^v?pf|femms")


def answers(codes: list[str]) -> list[str]:
    program = build("decode_x86", *FILES)
    done = subprocess.run(
        [program], input="\n".join(codes) + "\n", stdout=subprocess.PIPE, check=True,
        universal_newlines=True,
    )
    return done.stdout.splitlines()


def objects() -> list[str]:
    """Libraries with hand-written vector code, and what is large."""
    names = ("libc.so.6", "libm.so.6", "libstdc++.so.6")
    folders = ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib64")
    found = []
    for name in names:
        paths = [Path(folder, name) for folder in folders if Path(folder, name).exists()]
        found += [str(paths[0])] if paths else []
    return found


def instructions_of(path: str) -> dict[str, str]:
    """Each instruction's bytes, and how it is written."""
    text = subprocess.run(
        ["objdump", "-d", "--insn-width=16", path], stdout=subprocess.PIPE, check=True,
        universal_newlines=True,
    ).stdout
    found = {}
    for code, written in LINE.findall(text):
        if not OTHERS.search(written) and not code.startswith(("62 ", "9b ")):
            found[code.replace(" ", "")] = written
    return found


@unittest.skipUnless(IS_AMD64, "the tables are those of x86-64")
class Lengths(unittest.TestCase):
    @unittest.skipUnless(shutil.which("objdump"), "needs objdump")
    def test_every_instruction_of_libraries_has_its_length(self) -> None:
        paths = objects()
        self.assertTrue(paths, ctypes.util.find_library("c"))
        for path in paths:
            known = instructions_of(path)
            self.assertGreater(len(known), 1000)
            wrong = [
                (code, written, answer)
                for (code, written), answer in zip(known.items(), answers(list(known)))
                if int(answer.split()[0]) != len(code) // 2
            ]
            self.assertEqual(wrong[:10], [], path)

    @unittest.skipUnless(shutil.which("objdump"), "needs objdump")
    def test_nearly_all_of_them_have_a_cost(self) -> None:
        for path in objects():
            known = instructions_of(path)
            without = [
                (code, written)
                for (code, written), answer in zip(known.items(), answers(list(known)))
                if answer.split()[1:2] == ["-"]
            ]
            self.assertLess(len(without), len(known) / 500, without[:10])

    def test_what_is_cut_off_is_not_read(self) -> None:
        for code in ("48", "0f", "8b44", "e90000", "c5f8", "66", "81c00000"):
            self.assertEqual(answers([code]), ["0"], code)


@unittest.skipUnless(IS_AMD64, "the tables are those of x86-64")
class Costs(unittest.TestCase):
    """Micro-operations, latency and reciprocal throughput, in hundredths of a cycle."""

    def on_haswell(self, code: str) -> str:
        return answers([code])[0].split()[1]

    def test_arithmetic(self) -> None:
        self.assertEqual(self.on_haswell("4801c8"), "1/100/25")      # add %rcx,%rax
        self.assertEqual(self.on_haswell("480fafc1"), "1/300/100")   # imul %rcx,%rax
        self.assertEqual(self.on_haswell("c5f459c2"), "1/500/50")    # vmulps

    def test_an_idiom_for_zero_has_no_latency(self) -> None:
        latency = self.on_haswell("31c0").split("/")[1]              # xor %eax,%eax
        self.assertEqual(latency, "0")
        self.assertEqual(self.on_haswell("31c8").split("/")[1], "100")

    def test_a_load_has_the_latency_of_the_cache(self) -> None:
        self.assertEqual(self.on_haswell("488b07").split("/")[1], "500")
        store = self.on_haswell("488907").split("/")[1]             # mov %rax,(%rdi)
        self.assertEqual(store, "100")

    def test_forms_with_a_lock_are_known(self) -> None:
        self.assertEqual(self.on_haswell("f0480fb10f"), "6/900/100")  # cmpxchg
        self.assertEqual(self.on_haswell("f083042401"), "3/700/100")  # addl

    def test_what_does_nothing_costs_as_little(self) -> None:
        self.assertEqual(self.on_haswell("f30f1efa"), "1/100/25")     # endbr64


if __name__ == "__main__":
    unittest.main()
