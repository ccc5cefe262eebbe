# SPDX-License-Identifier: GPL-2.0-or-later
#
# The programs whose profiles must be the same in all surroundings.
#
# Owns: how they are built, and which of them can be run here.

"""Programs in six languages."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

SOURCES = Path(__file__).resolve().parent / "programs"


@dataclass(frozen=True)
class Program:
    language: str
    source: str
    compiler: tuple[str, ...] = ()  # with options, or
    interpreter: str = ""

    def tool(self) -> Optional[str]:
        """The path of the compiler or interpreter; None if it is not here."""
        name = self.compiler[0] if self.compiler else self.interpreter
        return shutil.which(name) or _of_rustup(name)

    def built(self, folder: Path) -> Path:
        """The program, or the script."""
        source = SOURCES / self.source
        if self.interpreter:
            return source
        program = folder / source.stem
        if not program.exists():
            tool = self.tool()
            assert tool is not None
            command = [tool, *self.compiler[1:], "-o", str(program), str(source)]
            subprocess.run(command, check=True)
        return program

    def command(self) -> list[str]:
        """What stands before the script."""
        if not self.interpreter:
            return []
        tool = self.tool()
        assert tool is not None
        return [os.path.realpath(tool)]


def _of_rustup(name: str) -> Optional[str]:
    path = Path.home() / ".cargo" / "bin" / name
    return str(path) if path.exists() else None


PROGRAMS = (
    Program("C", "words.c", ("gcc", "-g", "-O2")),
    Program("C++", "shapes.cpp", ("g++", "-g", "-O2")),
    Program("Rust", "graph.rs", ("rustc", "-g", "-O")),
    Program("python3", "table.py", interpreter="/usr/bin/python3"),
    Program("perl", "table.pl", interpreter="perl"),
    Program("node", "table.js", interpreter="node"),
)
