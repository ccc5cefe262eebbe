# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program that a compiler has made AVX-512 of counts as many instructions as the
# processor executes, one by one.

"""Counts of a program with AVX-512, against the processor's steps."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.host_instructions.test_execution import features

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("VG_BUILD") or HERE.parents[1] / "build").resolve()


class CountingTest(unittest.TestCase):
    def setUp(self) -> None:
        if not {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= set(features()):
            self.skipTest("this processor has no AVX-512")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.build("count_steps", "-O1")
        self.build("vector_loops", "-O3", "-ffast-math", "-march=x86-64-v4",
                   "-mprefer-vector-width=512", "-nostdlib", "-static")

    def build(self, name: str, *flags: str) -> None:
        subprocess.run(["gcc", *flags, "-o", self.folder / name, HERE / f"{name}.c"],
                       check=True)

    def counted(self, *options: str) -> int:
        """The instructions that the profile has."""
        subprocess.run([BUILD / "vg-in-place", "--tool=callgrind", "-q",
                        "--callgrind-out-file=out", *options, "./vector_loops"],
                       cwd=self.folder, check=False, capture_output=True)
        total = re.search(r"^(?:totals|summary): (\d+)",
                          (self.folder / "out").read_text(encoding="utf-8"), re.M)
        assert total is not None
        return int(total.group(1))

    def test_as_the_processor_steps(self) -> None:
        steps = subprocess.run(["./count_steps", "./vector_loops"], cwd=self.folder,
                               text=True, check=False, capture_output=True)
        if steps.returncode == 2:
            self.skipTest("this system lets nobody step through a program")
        code = subprocess.run(["objdump", "-d", "vector_loops"], cwd=self.folder,
                              text=True, check=True, capture_output=True).stdout
        self.assertGreater(code.count("%zmm"), 10)
        self.assertEqual(self.counted(), int(steps.stdout))
        self.assertEqual(self.counted("--cache-sim=yes"), int(steps.stdout))


if __name__ == "__main__":
    unittest.main()
