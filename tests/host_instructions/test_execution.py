# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each form of instruction that the host's processor executes under the tool does there
# what it does without Valgrind: with the same registers and the same memory, all
# registers and the memory are the same behind it, and so is the signal where it may not
# be executed.

"""Instructions of the host's, under the tool and natively."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import List

from tests.host_instructions.random_code import assembly, cases, rows

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()
HARNESS = Path(__file__).resolve().with_name("execute.c")


def features() -> List[str]:
    """What Linux says of the processor."""
    text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    lines = [line for line in text.split("\n") if line.startswith("flags")]
    return lines[0].split() if lines else []


class ExecutionTest(unittest.TestCase):
    seed = 1

    def setUp(self) -> None:
        if not {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= set(features()):
            self.skipTest("this processor has no AVX-512")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cases = cases(self.seed)
        (self.folder / "cases.s").write_text(assembly(self.cases), encoding="ascii")
        subprocess.run(["gcc", "-O1", "-no-pie", "-o", self.folder / "execute", HARNESS,
                        self.folder / "cases.s"], check=True)
        self.native = self.lines([str(self.folder / "execute")])

    def lines(self, command: List[str]) -> List[str]:
        done = subprocess.run(command, cwd=self.folder, check=False, text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def assert_same(self, *options: str) -> None:
        seen = self.lines([str(BUILD / "vg-in-place"), "--tool=callgrind", "-q",
                           "--callgrind-out-file=out", *options, "./execute"])
        differing = [f"{case.name} {case.code.hex()}: {native}, under the tool {here}"
                     for case, native, here in zip(self.cases, self.native, seen)
                     if native != here]
        self.assertEqual(differing[:20], [])
        self.assertEqual(len(seen), len(self.native))

    def test_as_without_valgrind(self) -> None:
        self.assert_same()

    def test_while_instrumentation_is_off(self) -> None:
        self.assert_same("--instr-atstart=no")

    def test_with_simulated_caches(self) -> None:
        self.assert_same("--cache-sim=yes")

    def test_many_forms_are_executed(self) -> None:
        """Not refused, that is, which random masks and rounding often lead to."""
        executed = [case for case, line in zip(self.cases, self.native)
                    if line.split()[1] == "0"]
        self.assertGreater(len(executed), 5000)
        names = {case.name for case in executed}
        self.assertGreater(len(names), 0.9 * len({row.name for row in rows()
                                                  if row.key >> 18 == 2}))


if __name__ == "__main__":
    unittest.main()
