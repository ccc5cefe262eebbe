# SPDX-License-Identifier: GPL-2.0-or-later
#
# What `./profile --by-clock` does once it has built: coregrind/sample_run.py.

"""Sampling with a table."""

from __future__ import annotations

import subprocess
import sys

from sampling import SAMPLER, SOURCE, SamplerTest, Word, read_forest
from summary import run_suite


class ProfileTest(SamplerTest):
    def profile(self, *words: Word) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, SOURCE / "coregrind" / "sample_run.py", SAMPLER, *words],
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=60)

    def test_a_table_and_a_tree(self) -> None:
        program = self.build("two_paths.c", "-pthread")
        done = self.profile("--kernel=no", program, "500")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"profile: wrote callgrind\.sample\.\d+\n")
        self.assertRegex(done.stderr, r"Event:   cpuclock|Event:   cycles")
        self.assertRegex(done.stderr, r"9\d\.\d\d% .* two_paths +work")
        (tree,) = self.folder.glob("callgrind.sample.*")
        self.assertTrue(read_forest([tree]).sampled)

    def test_the_user_names_the_file(self) -> None:
        for words in (["-o", "mine"], ["-omine"], ["--output=mine"], ["--output", "mine"]):
            done = self.profile("--frequency", "100", *words, "sh", "-c", "exit 4")
            self.assertEqual(done.returncode, 4)
            self.assertIn("profile: wrote mine\n", done.stderr)
            (self.folder / "mine").unlink()

    def test_what_is_refused(self) -> None:
        done = self.profile("--nonsense", "true")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("wrote", done.stderr)


if __name__ == "__main__":
    sys.exit(run_suite())
