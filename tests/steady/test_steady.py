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
from pathlib import Path

from tests.build.built import IN_PLACE
from tests.runner.series import is_long
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
# A program in C meets all of them each time; of the others, those in a machine's language
# and the interpreted ones meet these, and all with --long.
COMPILED = (SOME[0], SOME[2])
INTERPRETED = (SOME[1], SOME[4])
STEADY = ("--steady=yes", "--fair-sched=try", KEPT)


HASWELL = Surroundings("Haswell", "processor", model="Haswell")


def program_in(language: str) -> Program:
    return next(each for each in PROGRAMS if each.language == language)


@unittest.skipUnless(platform.machine() == "x86_64", "measured on amd64 alone")
class Steady(unittest.TestCase):
    def setUp(self) -> None:
        self.work = Path(tempfile.mkdtemp(prefix="steady.")).resolve()
        self.work.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.work)

    def assert_steady(self, language: str, chosen: tuple[Surroundings, ...]) -> None:
        self.assert_same(program_in(language), SOME if is_long() else chosen)

    def assert_same(self, program: Program, chosen: tuple[Surroundings, ...],
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
        self.assert_steady("C", SOME)

    @unittest.skipUnless(QEMU, "qemu-user-static is not installed")
    def test_another_processor(self) -> None:
        self.assert_same(program_in("C"), (HASWELL,))

    def test_cxx(self) -> None:
        self.assert_steady("C++", COMPILED)

    def test_rust(self) -> None:
        # That of rustup leads to a compiler below the home folder, if there is one.
        rustc = shutil.which("rustc")
        if rustc and subprocess.run([rustc, "--version"], capture_output=True,
                                    check=False).returncode != 0:
            self.skipTest("rustc cannot be run from this home folder")
        self.assert_steady("Rust", COMPILED)

    def test_python(self) -> None:
        self.assert_steady("python3", INTERPRETED)

    def test_perl(self) -> None:
        self.assert_steady("perl", INTERPRETED)

    def test_node(self) -> None:
        # The process number is the channel that is left, and it is held.
        if subprocess.run([*SAME_NUMBER, "true"], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("the process cannot be given a number: that needs root")
        program = Program("node", "start.js", interpreter="node")
        self.assert_same(program, SOME[:1] + SOME[3:4], SAME_NUMBER)
