# SPDX-License-Identifier: GPL-2.0-or-later
#
# --steady=yes: a program's profile is the same in other surroundings, event by event.
# tests/steady/measure.py does it for forty of them.

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Sequence

from tests.build.built import IN_PLACE
from tests.steady.comparing import measured
from tests.steady.program_table import PROGRAMS, Program
from tests.steady.surroundings import (
    BASE,
    FIRST,
    KEPT,
    QEMU,
    SAME_NUMBER,
    Surroundings,
    Valgrind,
    run,
)

SOME = (
    Surroundings("5000 bytes more", "environment", {"MORE": "x" * 5000}),
    Surroundings("60 variables", "environment", {f"V_{i}": "v" for i in range(60)}),
    Surroundings("output of 63", "output's name", out="o" * 63),
    Surroundings("nice", "nice", nice=10),
    Surroundings("one processor", "affinity", processors=(min(os.sched_getaffinity(0)),)),
)
STEADY = ("--steady=yes", "--fair-sched=try", KEPT)


HASWELL = Surroundings("Haswell", "processor", model="Haswell")


def at_once(chosen: Sequence[Surroundings]) -> Surroundings:
    """One that differs in all that these differ in."""
    found = Surroundings("all at once", "all")
    for each in chosen:
        variables = {**found.variables, **each.variables}
        found = replace(found, variables=variables, nice=found.nice or each.nice,
                        out=each.out if each.out != FIRST.out else found.out,
                        processors=found.processors or each.processors)
    return found


def program_in(language: str) -> Program:
    return next(each for each in PROGRAMS if each.language == language)


@unittest.skipUnless(platform.machine() == "x86_64", "measured on amd64 alone")
class Steady(unittest.TestCase):
    def setUp(self) -> None:
        self.work = Path(tempfile.mkdtemp(prefix="steady.")).resolve()
        self.work.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.work)

    def assert_steady(self, language: str) -> None:
        """In all surroundings at once: a program's runs may be long.  One in C, whose are
        short, meets each by itself."""
        self.assert_same(program_in(language), [at_once(SOME)])

    def assert_same(self, program: Program, chosen: Sequence[Surroundings],
                    before: tuple[str, ...] = ()) -> None:
        if program.tool() is None:
            self.skipTest(f"nothing here builds or runs {program.language}")
        built = program.built(self.work)

        def profile(surroundings: Surroundings) -> object:
            tool = Valgrind(IN_PLACE.parent / ".in_place", IN_PLACE, STEADY, before)
            out = run(surroundings, tool, self.work, built, program.command())
            return measured(out, surroundings.program + built.suffix)

        if program.interpreter:  # it keeps what it compiles
            subprocess.run([*program.command(), built], cwd=self.work, env=BASE,
                           stdout=subprocess.DEVNULL, check=True)
        first = profile(FIRST)
        for surroundings in chosen:
            with self.subTest(surroundings.name):
                self.assertTrue(first == profile(surroundings), surroundings.name)

    def test_c(self) -> None:
        self.assert_same(program_in("C"), SOME)

    @unittest.skipUnless(QEMU, "qemu-user-static is not installed")
    def test_another_processor(self) -> None:
        self.assert_same(program_in("C"), (HASWELL,))

    def test_cxx(self) -> None:
        self.assert_steady("C++")

    def test_rust(self) -> None:
        # That of rustup leads to a compiler below the home folder, if there is one.
        rustc = shutil.which("rustc")
        if rustc and subprocess.run([rustc, "--version"], capture_output=True,
                                    check=False).returncode != 0:
            self.skipTest("rustc cannot be run from this home folder")
        self.assert_steady("Rust")

    def test_python(self) -> None:
        self.assert_steady("python3")

    def test_perl(self) -> None:
        self.assert_steady("perl")

    def test_node(self) -> None:
        # The process number is the channel that is left, and it is held.
        if subprocess.run([*SAME_NUMBER, "true"], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("the process cannot be given a number: that needs root")
        program = Program("node", "start.js", interpreter="node")
        self.assert_same(program, [at_once((SOME[0], SOME[3]))], SAME_NUMBER)
