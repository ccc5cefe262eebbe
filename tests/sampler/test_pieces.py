# SPDX-License-Identifier: GPL-2.0-or-later
#
# Code is read by pieces that are kept: the bytes are the file's, and those that are asked
# for again, as with most samples, take no system call.

"""Pieces of files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.sampler.driving import FLAGS, SANITIZERS
from tests.sampler.sampling import PATIENCE, SOURCE, SamplerTest

PIECE, PLACES = 512, 256


class PiecesTest(SamplerTest):
    needs_sampling = False

    def setUp(self) -> None:
        super().setUp()
        self.program = self.folder / "pieces"
        sampler = SOURCE / "sampler"
        subprocess.run(
            ["gcc", *FLAGS, *SANITIZERS, "-I", sampler, "-o", self.program,
             Path(__file__).resolve().parent / "pieces.c",
             sampler / "code" / "file_pieces.c", sampler / "base" / "memory.c",
             sampler / "base" / "message.c", "-Wl,--wrap=pread"], check=True)

    def read(self, size: int, *ranges: str) -> list[str]:
        file = self.folder / "file"
        file.write_bytes(os.urandom(size))
        done = subprocess.run([self.program, file, *ranges], check=True, text=True,
                              stdout=subprocess.PIPE, timeout=PATIENCE,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        return done.stdout.splitlines()

    def test_every_range_is_the_files(self) -> None:
        """Also over the end of a piece, and of the file, in the last piece or not."""
        for size, calls in ((3 * PIECE + 100, 4), (2 * PIECE, 3), (5, 1)):
            with self.subTest(size):
                # Where the file ends with a piece, the next one is asked for, once.
                self.assertEqual(self.read(size, "all"),
                                 [f"{9 * size} compared, {calls}"])

    def test_what_was_read_is_kept(self) -> None:
        self.assertEqual(self.read(4 * PIECE, "600,9", "700,9", "1020,9", "600,9"),
                         ["whole 1", "whole 0", "whole 1", "whole 0"])

    def test_one_that_takes_the_place_of_another_is_read_again(self) -> None:
        far = PIECE * PLACES
        self.assertEqual(
            self.read(far + PIECE, "0,9", f"{far},9", f"{far + 9},9", "0,9"),
            ["whole 1", "whole 1", "whole 0", "whole 1"])

    def test_what_is_not_there_is_kept_too(self) -> None:
        self.assertEqual(self.read(100, "95,5", "95,6", "5000,1", "5000,1"),
                         ["whole 1", "none 0", "none 1", "none 0"])
