# SPDX-License-Identifier: GPL-2.0-or-later
#
# What C modules define and call, by the symbols of their object files.  Includes alone do
# not tell: a function can be declared in one header and defined in another file, and two
# modules can call each other through such declarations.
#
# A module is NAME.c with NAME.h; layers.py says which there are.
#
# Owns: the reading of nm, and of declarations.  Relies on object files named as
# automake's: FOLDER/PROGRAM-NAME.o.

"""Modules by their symbols: what is defined where it is not declared, and circles."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Mapping

OBJECT = re.compile(r"^callgrind_[\w-]+-(\w+)$")
COMMENTS = re.compile(r"/\*.*?\*/", re.S)
STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"')
NAME = re.compile(r"\b[A-Za-z_]\w*\b")
USED = re.compile(r"__attribute__\(\(used\)\)[^;{]*?\b(\w+)\(")
EXTERN = re.compile(r"^extern ([^;(]*);", re.M)
LED = "__wrap_"
# By the beginning of a module's name: the header that it shares with others.
SHARED = {
    "guest/arch_": "guest/arch.h",
    "cycles/forms_": "cycles/form_table.h",
    "cycles/model_": "cycles/form_table.h",
    "cycles/x86_instruction": "cycles/instruction.h",
    "host_instructions/form_rows": "host_instructions/form_table.h",
    "cycles/a64_instruction": "cycles/instruction.h",
}
# What the core calls by its name.
THE_CORES = {("main", "vgPlain_tl_pre_clo_init")}


class SymbolsError(Exception):
    """nm cannot read the object files."""


@dataclass
class Symbols:
    """Of one module."""

    defined: set[str] = field(default_factory=set)  # for other modules
    used: set[str] = field(default_factory=set)  # of other modules


def module_of(path: Path, build: Path) -> str:
    """The module of an object file."""
    stem = path.stem
    found = OBJECT.match(stem)
    return (path.parent.relative_to(build) / (found[1] if found else stem)).as_posix()


def read(build: Path, root: Path) -> dict[str, Symbols]:
    """The symbols of the object files below `build`, of the tree at `root`.  Those whose
    source is gone, as after a move, are passed over."""
    paths = [
        path
        for path in sorted(build.rglob("*.o"))
        if (root / f"{module_of(path, build)}.c").is_file()
    ]
    if not paths:
        return {}
    done = subprocess.run(
        ["nm", "-A", "-P", *map(str, paths)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SymbolsError(f"nm: {done.stderr.strip()}")
    modules: dict[str, Symbols] = {}
    for line in done.stdout.splitlines():
        place, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        symbols = modules.setdefault(module_of(Path(place), build), Symbols())
        if kind == "U":
            symbols.used.add(name)
        elif kind.isupper():
            symbols.defined.add(name)
    return modules


def uses(modules: Mapping[str, Symbols]) -> dict[str, set[str]]:
    """Which modules each one calls, or reads data of."""
    owner = {
        name: module for module, symbols in modules.items() for name in symbols.defined
    }
    return {
        module: {owner[name] for name in symbols.used if name in owner} - {module}
        for module, symbols in modules.items()
    }


def undeclared(modules: Mapping[str, Symbols], root: Path) -> Iterator[str]:
    """What is defined for others and not declared in the header of its own module.

    A header may stand for several modules, one for each architecture or processor
    (SHARED).  What only assembler uses is declared where it is defined: a name that
    stands in a string of the .c file, behind `used`, or as `extern` in a file with
    assembler is passed over.  So is what the
    linker leads the core's calls to, which is for callgrind/core alone.
    """
    for module, symbols in sorted(modules.items()):
        header = root / f"{module}.h"
        text = (root / f"{module}.c").read_text(encoding="utf-8")
        assembled = {
            name for string in STRINGS.findall(text) for name in NAME.findall(string)
        }
        declared: set[str] = set()
        if header.is_file():
            code = COMMENTS.sub("", header.read_text(encoding="utf-8"))
            declared = set(NAME.findall(code))
        for prefix, shared in SHARED.items():
            if module.startswith(prefix):
                code = COMMENTS.sub("", (root / shared).read_text(encoding="utf-8"))
                declared |= set(NAME.findall(code))
        declared |= set(USED.findall(text))
        if "__asm__" in text:
            declared |= set(NAME.findall(" ".join(EXTERN.findall(text))))
        for name in sorted(symbols.defined - declared - assembled):
            if not name.startswith(LED) and (module, name) not in THE_CORES:
                yield f"{module}.c defines {name}, which {header.name} does not declare"
