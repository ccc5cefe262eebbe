# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/cycles for arm64: what instructions read and write against objdump's
# text, and what loops cost against llvm-mca for the same processor.

"""Which form an A64 instruction has, which registers it uses, and what loops cost."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import tempfile
import unittest
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tests.native.building import SOURCE, build_for_arm64

FILES = tuple(f"cycles/{name}.c" for name in (
    "a64_decode", "a64_instruction", "form_table", "forms_a64", "loop_cycles",
    "model_neoverse_n1", "model_neoverse_v1", "pipeline", "prepare", "processor_facts"))
N1, V1 = range(2)
# Where distributions keep arm64's libraries, for a native or a cross compiler.
FOLDERS = ("/usr/aarch64-linux-gnu/lib", "/lib/aarch64-linux-gnu",
           "/usr/lib/aarch64-linux-gnu", "/usr/lib64")
LINE = re.compile(r"^ *[0-9a-f]+:\t([0-9a-f]{8})[ \t]+(.*)$", re.M)
REGISTER = re.compile(r"\b(?:([xw])([0-9]{1,2}|zr)|(w?sp)|([vqdshb])([0-9]{1,2}))\b")
# What Valgrind does not execute: SVE, memory tags and signed branches; and data.
OTHERS = re.compile(r"undefined|^\.(?:inst|word)|\b[zp][0-9]+\b|^udf|^b(?:lr)?a[ab]|"
                    r"^(?:ld|st|irg|gm|sub|add)\w*g\b|^gmi")


# Random words of each class; those whose unused operands have to be all ones.
PER_CLASS = 300
UNUSED_FIELD = re.compile(
    r"^[us]mulh|^pacga|^(?:st|ld)l?a?xr|^(?:st|ld)l?l?ar|unpredictable")


def tool(name: str) -> str | None:
    return shutil.which(f"aarch64-linux-gnu-{name}")


class Answer(NamedTuple):
    """What the tool makes of an instruction."""

    reads: set[str]
    addresses: set[str]
    writes: set[str]
    memory: str
    costs: tuple[str, ...]


def parsed(line: str) -> Answer:
    words = line.split()
    reads, addresses, writes = (set(filter(None, word.strip("-").split(",")))
                                for word in words[:3])
    return Answer(reads, addresses, writes, words[3], tuple(words[4:]))


def run(arguments: list[str], lines: list[str]) -> list[str]:
    program = build_for_arm64("read_a64", *FILES)
    done = subprocess.run([program, *arguments], input="\n".join(lines) + "\n",
                          stdout=subprocess.PIPE, check=True, universal_newlines=True)
    return done.stdout.splitlines()


@lru_cache(maxsize=None)
def instructions() -> dict[str, str]:
    """Of the C library and what is vectorised in others: words, and how objdump writes
    them.  Addresses and constants are left out, so each kind is there once or twice."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    for name in ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libcrypto.so.3"):
        paths = [Path(folder, name) for folder in FOLDERS if Path(folder, name).exists()]
        if not paths:
            continue
        text = subprocess.run([str(tool("objdump")), "-d", str(paths[0])], check=True,
                              stdout=subprocess.PIPE, universal_newlines=True).stdout
        for word, written in LINE.findall(text):
            kind = re.sub(r"0x[0-9a-f]+|<.*>|[0-9a-f]{4,}", "", written)
            if kind not in seen and not OTHERS.search(written):
                seen.add(kind)
                found[word] = written
    return found


@lru_cache(maxsize=None)
def random_instructions() -> dict[str, str]:
    """Of each class in a64_classes.h, with random bits; and how objdump writes them."""
    text = (SOURCE / "callgrind/cycles/a64_classes.h").read_text(encoding="ascii")
    classes = re.findall(r"A64_CLASS\((0x\w+), (0x\w+),", text)
    assert len(classes) > 60
    chance = random.Random(23)
    words = [chance.getrandbits(32) & ~int(mask, 16) | int(value, 16)
             for mask, value in classes for _ in range(PER_CLASS)]
    with tempfile.TemporaryDirectory() as made:
        path = Path(made, "words")
        path.write_bytes(b"".join(word.to_bytes(4, "little") for word in words))
        written = subprocess.run(
            [str(tool("objdump")), "-D", "-bbinary", "-maarch64", str(path)],
            stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    return {word: text for word, text in LINE.findall(written)
            if not OTHERS.search(text) and not UNUSED_FIELD.search(text)}


def named(written: str) -> set[str]:
    """The registers in objdump's text, without its comments."""
    found: set[str] = set()
    written = re.split(r"//|<", written)[0]
    ranges = re.findall(r"v([0-9]+)\.\w+-v([0-9]+)\.", written)
    for first, last in ranges:
        n = (int(last) - int(first)) % 32
        found |= {f"v{(int(first) + i) % 32}" for i in range(n + 1)}
    for general, number, stack, _, vector in REGISTER.findall(written):
        if general and number not in ("zr", "31"):
            found.add(f"x{number}")
        elif stack:
            found.add("sp")
        elif vector:
            found.add(f"v{vector}")
    return found


# Their first operand is not written.
READ_ONLY = re.compile(
    r"(?:st|cmp|cmn|tst|ccm|fcmp|fccmp|cb|tb|b|msr|prf|dc|ic|at|tlbi|sys|hint|svc|nop|"
    r"dmb|dsb|isb|clrex|udf|paci|auti|bti|xpac|ret|hlt|eret|yield|wf|sev|sb|esb|csdb|"
    r"psb|cas|brk)")


@unittest.skipUnless(tool("objdump"), "needs objdump of aarch64-linux-gnu")
class Operands(unittest.TestCase):
    def setUp(self) -> None:
        if len(instructions()) < 1000:
            self.skipTest("there are no libraries of arm64")
        self.known = instructions()
        self.answers = [parsed(line) for line in run([], list(self.known))]

    def test_every_register_that_is_named_is_used_and_no_other(self) -> None:
        self.compare(self.known, self.answers)

    def test_nor_in_words_of_each_class_that_no_compiler_writes(self) -> None:
        words = random_instructions()
        self.assertGreater(len(words), 10000)
        self.compare(words, [parsed(line) for line in run([], list(words))])

    def compare(self, known: dict[str, str], answers: list[Answer]) -> None:
        wrong = []
        for (word, written), answer in zip(known.items(), answers):
            if answer.costs == ("-", "-"):
                continue
            used = (answer.reads | answer.addresses | answer.writes) - {"flags"}
            implied = {"x30"} if re.match(r"bl|ret", written) else set()
            if used - implied != named(written) - implied:
                wrong.append((word, written, sorted(used)))
        self.assertEqual(wrong[:10], [], f"{len(wrong)} of {len(known)}")

    def test_the_first_operand_is_what_is_written(self) -> None:
        wrong = []
        for (word, written), answer in zip(self.known.items(), self.answers):
            first = named(re.split(r"\s|,", written + " ")[1] if "{" not in written
                          else written.split("}")[0])
            if READ_ONLY.match(written) or not first or answer.costs == ("-", "-"):
                continue
            if not first <= answer.writes:
                wrong.append((word, written, sorted(answer.writes)))
        self.assertEqual(wrong[:10], [], f"{len(wrong)} of {len(self.known)}")

    def test_loads_and_stores_are_told_apart(self) -> None:
        for written, answer in zip(self.known.values(), self.answers):
            if re.match(r"ld(?!add|clr|set|eor|[su]m)", written):
                self.assertEqual(answer.memory, "load", written)
            elif re.match(r"st(?!add|clr|set|eor|[su]m)", written):
                self.assertEqual(answer.memory, "store", written)

    def test_nearly_all_have_a_cost_on_every_model(self) -> None:
        without = [(word, written)
                   for (word, written), answer in zip(self.known.items(), self.answers)
                   if "-" in answer.costs]
        self.assertLess(len(without), len(self.known) / 100, without[:20])


class Costs(unittest.TestCase):
    """Micro-operations, latency and reciprocal throughput, as Arm's guides tell them."""

    def costs(self, word: str) -> tuple[str, ...]:
        return parsed(run([], [word])[0]).costs

    def test_arithmetic(self) -> None:
        self.assertEqual(self.costs("8b030041"), ("1/100/33", "1/100/25"))  # add x1,x2,x3
        self.assertEqual(self.costs("8b034041")[N1], "1/200/100")  # add ..., lsl #16
        self.assertEqual(self.costs("8b030441")[N1], "1/100/33")   # add ..., lsl #1

    def test_a_load_takes_four_cycles(self) -> None:
        for cost in self.costs("f9400041"):    # ldr x1, [x2]
            self.assertEqual(cost.split("/")[1], "400")

    def test_what_is_added_to_is_read(self) -> None:
        for word, registers in (("4e22cc20", {"v0", "v1", "v2"}),    # fmla v0.4s
                                ("6e621c20", {"v0", "v1", "v2"}),    # bsl
                                ("4e22d420", {"v1", "v2"}),          # fadd
                                ("4e083c20", {"v1"}),                # umov x0, v1.d[0]
                                ("4e081c20", {"v0", "x1"}),          # ins v0.d[0], x1
                                ("f2800020", {"x0"}),                # movk
                                ("d2800020", set()),                 # movz
                                ("b3400020", {"x0", "x1"}),          # bfm
                                ("9a020020", {"x1", "x2", "flags"})):    # adc
            self.assertEqual(parsed(run([], [word])[0]).reads, registers, word)


# Assembly; what llvm-mca says a turn takes on neoverse-n1 and neoverse-v1, of 19.1.7
# with --iterations=400 and --dispatch= as processor_facts.c has the width.
END_OF_LOOP = "subs x9, x9, #1; b.ne 1b"
LOOPS: dict[str, str] = {
    "adds": "add x1, x1, x2; add x1, x1, x2; add x1, x1, x2; add x1, x1, x2",
    "multiplies": "mul x1, x1, x2; mul x1, x1, x2",
    "multiplies_32": "mul w1, w1, w2; mul w1, w1, w2",
    "shifted": "add x1, x1, x2, lsl #12; add x1, x1, x2, lsl #12",
    "apart": "add x1, x10, #1; add x2, x10, #2; add x3, x10, #3; add x4, x10, #4;"
             " add x5, x10, #5; add x6, x10, #6",
    "floats": "fadd d0, d0, d1; fadd d0, d0, d1",
    "float_products": "fmul d0, d0, d1; fmul d0, d0, d1",
    "roots": "fsqrt d0, d0",
    "quotients": "fdiv d0, d0, d1",
    "vectors": "add v0.4s, v0.4s, v1.4s; add v0.4s, v0.4s, v1.4s",
    "vectors_apart": "add v2.4s, v0.4s, v1.4s; add v3.4s, v0.4s, v1.4s;"
                     " add v4.4s, v0.4s, v1.4s; add v5.4s, v0.4s, v1.4s",
    "shuffles": "tbl v0.16b, {v0.16b}, v1.16b; zip1 v0.16b, v0.16b, v1.16b",
    "chased": "ldr x1, [x1]",
    "chased_index": "ldr x1, [x2, x1, lsl #3]",
    "loads": "ldr x1, [x10]; ldr x2, [x10, #8]; ldr x3, [x10, #16]; ldr x4, [x10, #24]",
    "pairs": "ldp x1, x2, [x10]; ldp x3, x4, [x10, #16]",
    "stores": "str x1, [x10]; str x2, [x10, #8]",
    "stepped": "ldr x1, [x10], #8; add x2, x2, x1",
    "copied": "ldr q0, [x10], #16; str q0, [x11], #16",
    "selects": "cmp x1, x2; csel x1, x3, x4, lt; add x1, x1, x2",
    "carries": "adcs x1, x1, x2; adc x3, x3, x4",
    "bits": "ubfx x1, x1, #3, #20; rbit x1, x1; clz x1, x1",
    "crosses": "fmov d0, x1; fmov x1, d0",
    "converts": "scvtf d0, x1; fcvtzs x1, d0",
    "mixed": "ldr d0, [x10], #8; fmadd d1, d0, d2, d1; add x1, x1, #1; eor x2, x2, x1",
}
MCA: dict[str, tuple[float, float]] = {
    "adds": (4.01, 4.01),
    "multiplies": (8.01, 4.01),
    "multiplies_32": (4.01, 4.01),
    "shifted": (4.01, 4.01),
    "apart": (2.35, 1.76),
    "floats": (4.01, 4.01),
    "float_products": (6.01, 6.01),
    "roots": (17.01, 16.01),
    "quotients": (15.01, 15.01),
    "vectors": (4.01, 4.01),
    "vectors_apart": (2.01, 1.01),
    "shuffles": (4.01, 4.01),
    "chased": (4.01, 4.01),
    "chased_index": (4.01, 4.01),
    "loads": (2.02, 1.35),
    "pairs": (2.01, 1.35),
    "stores": (1.51, 1.01),
    "stepped": (1.35, 1.02),
    "copied": (3.02, 1.02),
    "selects": (3.01, 3.01),
    "carries": (1.01, 1.01),
    "bits": (3.01, 3.01),
    "crosses": (5.01, 5.01),
    "converts": (10.01, 6.01),
    "mixed": (4.02, 4.02),
}
# How far a turn's cost may be from llvm-mca's, as a part of it: llvm-mca also counts the
# begin and the end of all turns.
TOLERANCE = 0.08
# llvm-mca begins all micro-operations of an instruction in one cycle, so the width is not
# used up by those of three; here they may begin in two.
DIFFERENT = {("copied", N1): 0.3}


def assembled(body: str) -> list[str]:
    """The words of a loop."""
    source = f"1: {body}; {END_OF_LOOP}\n".replace(";", "\n")
    with tempfile.TemporaryDirectory() as made:
        path = Path(made, "loop.o")
        subprocess.run([str(tool("as")), "-march=armv8.2-a", "-o", str(path), "-"],
                       input=source, check=True, universal_newlines=True)
        text = subprocess.run([str(tool("objdump")), "-d", str(path)], check=True,
                              stdout=subprocess.PIPE, universal_newlines=True).stdout
    return [word for word, _ in LINE.findall(text)]


@lru_cache(maxsize=None)
def turns(model: int) -> dict[str, float]:
    """The cycles of a turn of each loop."""
    lines = [" ".join([name, *assembled(body)]) for name, body in LOOPS.items()]
    words = [line.split() for line in run([str(model)], lines)]
    return {name: int(cost) / 100 for name, cost, _ in words}


def turn_by_mca(body: str, processor: str, width: int) -> float:
    source = f"{body}; {END_OF_LOOP}".replace("1b", "0x1000").replace(";", "\n") + "\n"
    iterations = 400
    text = subprocess.run(
        ["llvm-mca-19", "-mtriple=aarch64-linux-gnu", f"-mcpu={processor}",
         f"-iterations={iterations}", f"-dispatch={width}"],
        input=source, stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    found = re.search(r"Total Cycles: +(\d+)", text)
    assert found
    return int(found.group(1)) / iterations


@unittest.skipUnless(tool("as") and tool("objdump"), "needs aarch64-linux-gnu's binutils")
class Loops(unittest.TestCase):
    def test_a_turn_costs_about_what_llvm_says(self) -> None:
        for model in (N1, V1):
            for name, cycles in turns(model).items():
                expected = MCA[name][model]
                off = DIFFERENT.get((name, model), TOLERANCE) * expected
                self.assertAlmostEqual(cycles, expected, delta=off, msg=f"{name} {model}")

    @unittest.skipUnless(shutil.which("llvm-mca-19"), "needs llvm-19")
    def test_what_llvm_says_is_what_is_written_here(self) -> None:
        for name, body in LOOPS.items():
            for model, (processor, width) in enumerate((("neoverse-n1", 4),
                                                        ("neoverse-v1", 8))):
                self.assertAlmostEqual(turn_by_mca(body, processor, width),
                                       MCA[name][model], delta=0.06, msg=name)

    def test_a_miss_that_others_wait_for_costs_the_second_level(self) -> None:
        words = " ".join(assembled(LOOPS["chased"]))
        for model, late in ((N1, "700"), (V1, "600")):
            self.assertEqual(run([str(model)], [f"chased {words}"])[0].split()[2], late)


if __name__ == "__main__":
    unittest.main()
