# SPDX-License-Identifier: GPL-2.0-or-later
#
# How a generated program is built: compiler, optimisation, frame pointer, position
# independence, binding.
#
# Owns: the drawing of a variant from a case's random generator, and the flags that every
# program is built with.  A compiler that is not installed is drawn all the same, so that
# a seed means the same program everywhere, and gcc takes its place.

"""Draw the way in which a program is built."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from functools import lru_cache
from typing import Sequence

from tests.groundtruth.architecture import AMD64, target

LEVELS = ("-O0", "-O1", "-O2", "-O3")
COMPILERS = {"c": ("gcc", "clang"), "c++": ("g++", "clang++")}

# Version 5, clang's own choice, is not read by every core.
DEBUG_FLAG = "-gdwarf-4"

# gcc alone: a function stays in one piece.
ONE_PIECE = ["-fno-reorder-blocks-and-partition"]


@dataclass
class Variant:
    """Compiler and flags, and one line that says them."""

    compiler: str
    flags: list[str]
    link_flags: list[str]
    is_static: bool
    description: str

    @property
    def is_gcc(self) -> bool:
        return not self.compiler.startswith("clang")


@lru_cache(maxsize=None)
def is_installed(program: str) -> bool:
    """Not clang for arm64: what it says of where a frame begins is not so there."""
    if target() != AMD64 and program.startswith("clang"):
        return False
    return shutil.which(program) is not None


def _choose_compiler(
    random_: random.Random, language: str, compilers: Sequence[str]
) -> tuple[str, str]:
    """The compiler to use, and a remark if it is not the one drawn."""
    drawn = random_.choice(list(compilers or COMPILERS[language]))
    if is_installed(drawn):
        return drawn, ""
    return COMPILERS[language][0], f" ({drawn} is not installed)"


def draw(
    random_: random.Random,
    language: str = "c",
    levels: Sequence[str] = LEVELS,
    compilers: Sequence[str] = (),
    may_be_static: bool = True,
    binding: bool = True,
) -> Variant:
    """Draw a variant; the same number of draws whatever the arguments allow."""
    compiler, remark = _choose_compiler(random_, language, compilers)
    level = random_.choice(list(levels))
    frame = random_.choice(["", "-fomit-frame-pointer", "-fno-omit-frame-pointer"])
    form = random_.choice(["pie", "pie", "no-pie", "static"])
    bind = random_.choice(["-Wl,-z,lazy", "-Wl,-z,now"])
    if form == "static" and not may_be_static:
        form = "no-pie"
    flags = [DEBUG_FLAG, level]
    if frame:
        flags.append(frame)
    if not compiler.startswith("clang"):
        flags += ONE_PIECE
    link_flags: list[str] = []
    if form == "static":
        link_flags.append("-static")
    else:
        flags.append("-fPIE" if form == "pie" else "-fno-pie")
        link_flags.append("-pie" if form == "pie" else "-no-pie")
        if binding:
            link_flags.append(bind)
    words = [compiler + remark, *flags[1:], *link_flags]
    return Variant(compiler, flags, link_flags, form == "static", " ".join(words))
