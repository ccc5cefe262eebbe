# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the tool's readers of code files on hostile input: the same mutations in each run;
# `make fuzz` tries others.

"""ELF files, .eh_frame, perf maps and jitdumps that somebody has tampered with."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.native.fuzzing import KINDS, fuzz, program
from tests.native.make_corpus import CORPUS, corpus

INPUTS = {"elf": 20_000, "dwarf": 20_000, "lines": 20_000, "split": 20_000,
          "eh_frame": 20_000, "perf_map": 4_000, "jitdump": 4_000}


class Fuzz(unittest.TestCase):
    def test_the_corpus_is_as_it_is_made(self) -> None:
        for name, content in corpus().items():
            self.assertEqual((CORPUS / name).read_bytes(), content, name)

    def test_nobody_is_waited_for(self) -> None:
        """A pipe has taken the name of a file that is mapped: nobody writes to it."""
        with tempfile.TemporaryDirectory() as name:
            path = Path(name, "pipe")
            os.mkfifo(path)
            done = subprocess.run([program(), "path", str(path)], capture_output=True,
                                  text=True, check=True)
            self.assertEqual(done.stdout, "0 build id\n")

    def test_mutations_are_survived(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            for kind in KINDS:
                with self.subTest(kind=kind):
                    # Most inputs are still understood in part.
                    self.assertGreater(fuzz(kind, 1, INPUTS[kind], Path(name)),
                                       INPUTS[kind] // 2)
