# SPDX-License-Identifier: GPL-2.0-or-later
#
# One program, linked several times: with its objects in other orders, with more beside
# them, stripped.  No instruction of it differs.
#
# Owns: what the program consists of.  More code than I1 holds, conditional branches,
# calls by address and through the PLT, parts that the compiler splits off, and local
# functions that have one name.

"""A program of many functions, and ways to link it."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Sequence

N_OBJECTS = 24
N_FUNCTIONS = 6  # in each

HEAD = """
unsigned lot(unsigned, unsigned);
extern unsigned (*const few[3])(unsigned);
int toupper(int);
int tolower(int);
__attribute__((cold, noinline)) static unsigned seldom(unsigned x) { return x * 3 + 1; }
static __attribute__((noinline)) unsigned step(unsigned x)
{
   for (unsigned i = 0; i < x % 5; i++)
      x = x % 7 == i ? x * 9 + i : x ^ (x >> 3);
   return x;
}
"""

# `run` is what is measured; each call of it takes another way through the functions.
MAIN = """
#include <valgrind/callgrind.h>
{declarations}
unsigned lot(unsigned x, unsigned n) {{ return (x * 2654435761u >> 9) % n; }}
static unsigned once(unsigned x) {{ return x + 1; }}
static unsigned twice(unsigned x) {{ return x * 5 + 2; }}
static unsigned thrice(unsigned x) {{ return x ^ 3; }}
unsigned (*const few[3])(unsigned) = {{ once, twice, thrice }};
static unsigned (*const all[])(unsigned) = {{ {names} }};
__attribute__((noinline)) unsigned run(unsigned rounds)
{{
   unsigned x = 1;
   for (unsigned i = 0; i < rounds; i++)
      x = all[lot(x ^ i, sizeof all / sizeof *all)](x + i);
   return x;
}}
int main(void)
{{
   CALLGRIND_START_INSTRUMENTATION;
   unsigned x = run(4000);
   CALLGRIND_STOP_INSTRUMENTATION;
   return x == 42;
}}
"""

# No tables of jumps: they are data, and move with their objects.
FLAGS = ("-O2", "-fno-jump-tables", "-falign-functions=16", "-Wl,-z,now")


def _function(chance: random.Random, name: str) -> str:
    lines = [f"unsigned {name}(unsigned x)", "{"]
    for _ in range(chance.randrange(6, 22)):
        a, b, c = (chance.randrange(3, 60000) | 1 for _ in range(3))
        lines.append(
            f"   if (x & {1 << chance.randrange(14)}) x = x * {a} + {b};"
            f" else x = (x ^ {c}) + (x >> {chance.randrange(1, 9)});"
        )
    lines.append("   if (__builtin_expect(x % 61 == 0, 0)) x = seldom(x);")
    called = chance.choice(("toupper", "tolower"))
    lines.append(f"   x += (unsigned){called}((int)x & 127);")
    lines.append("   x = few[x % 3](x);")
    lines.append("   return step(x);")
    return "\n".join([*lines, "}"])


class LinkedPrograms:
    """The objects, in a folder of their own, and programs that are linked of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        chance = random.Random(56)
        names = []
        for i in range(N_OBJECTS):
            own = [f"f{i}_{k}" for k in range(N_FUNCTIONS)]
            text = HEAD + "\n".join(_function(chance, name) for name in own)
            (folder / f"o{i}.c").write_text(text)
            names += own
        chance.shuffle(names)
        declared = "\n".join(f"unsigned {name}(unsigned);" for name in names)
        main = MAIN.format(declarations=declared, names=", ".join(names))
        (folder / "main.c").write_text(main)
        (folder / "more.c").write_text(
            "int more[8];\nint unused(int x) { return more[x & 7] += x * 37 / 11; }\n"
        )
        sources = ["main.c", "more.c", *(f"o{i}.c" for i in range(N_OBJECTS))]
        subprocess.run(["gcc", *FLAGS, "-c", *sources], cwd=folder, check=True)

    def link(
        self, name: str, order: int, *options: str, first: Sequence[str] = ()
    ) -> Path:
        """The program with its objects in the order of that number, and before them
        `first`; in a folder of that name."""
        objects = [f"o{i}.o" for i in range(N_OBJECTS)]
        random.Random(order).shuffle(objects)
        program = self.folder / name / "program"
        program.parent.mkdir()
        words = ["gcc", *FLAGS, *options, "-o", str(program), "main.o", *first, *objects]
        subprocess.run(words, cwd=self.folder, check=True)
        return program
