# SPDX-License-Identifier: GPL-2.0-or-later
#
# What `./profile --by-clock` does once it has built: coregrind/sample_run.py.

"""Sampling with a table."""

from __future__ import annotations

import subprocess
import sys

from tests.sampler.sampling import (
    PATIENCE,
    SAMPLER,
    SOURCE,
    SamplerTest,
    Word,
    read_forest,
)


class ProfileTest(SamplerTest):
    def profile(self, *words: Word) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, SOURCE / "coregrind" / "sample_run.py", SAMPLER, *words],
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=PATIENCE)

    def test_a_table_and_a_tree(self) -> None:
        program = self.build("two_paths.c", "-pthread")
        done = self.profile("--kernel=no", program, "500")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"profile: wrote callgrind\.sample\.\d+\n")
        self.assertRegex(done.stderr, r"Event:   cpuclock|Event:   cycles")
        self.assertRegex(done.stderr, r" ms ±[\d,.]+ +(9\d|100)% .* two_paths +work|"
                                      r"±[\d,]+ +(9\d|100)% .* two_paths +work")
        (tree,) = self.folder.glob("callgrind.sample.*")
        self.assertTrue(read_forest([tree]).sampled)

    def test_the_user_names_the_file(self) -> None:
        for words in (["-o", "mine"], ["-omine"], ["--output=mine"],
                      ["--output", "mine"]):
            done = self.profile("--frequency", "100", *words, "sh", "-c", "exit 4")
            self.assertEqual(done.returncode, 4)
            self.assertIn("profile: wrote mine\n", done.stderr)
            (self.folder / "mine").unlink()

    def test_a_page(self) -> None:
        """Its path is the last line; the program's own options are left alone."""
        program = self.build("two_paths.c", "-pthread")
        done = self.profile("-o", "--html", "--html", "--kernel=no", program, "300")
        self.assertEqual(done.returncode, 0, done.stderr)
        last = done.stderr.splitlines()[-1]
        self.assertEqual(last, "profile: wrote --html.html")
        page = (self.folder / "--html.html").read_text("utf-8")
        self.assertIn("<html", page)
        self.assertIn("dear_work", page)
        done = self.profile("-o", "tree", "echo", "--html")
        self.assertEqual(done.stdout, "--html\n")
        self.assertFalse((self.folder / "tree.html").exists())

    def test_the_two_commands_end_with_the_same_table(self) -> None:
        """That of ./profile and that of ./profile --by-clock: heads and objects agree;
        but calls are not sampled, and what is has intervals."""
        program = self.build("two_paths.c", "-pthread")
        by_clock = self.profile("--kernel=no", program, "300").stderr
        counted = subprocess.run(
            [sys.executable, SOURCE / "coregrind" / "profile_run.py",
             SAMPLER.with_name("vg-in-place"), program, "20"],
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=PATIENCE, check=True).stderr
        heads = [[line.split() for line in text.splitlines()
                  if line.split()[:2] == ["self", "share"]]
                 for text in (by_clock, counted)]
        self.assertEqual(len(heads[0]), 1)
        self.assertEqual(heads[0], [[word for word in head if word != "calls"]
                                    for head in heads[1]])
        for text in (by_clock, counted):
            self.assertRegex(text, r"(?m)^Total: +[\d,]+( ms)?( ±[\d,]+)?$")
            self.assertRegex(text, r"(?m)^Command: .*two_paths")
            self.assertRegex(text, r" two_paths +work\n")
        self.assertRegex(by_clock, r"(?m)^Total: .* ±")
        self.assertRegex(by_clock, r"(?m)^Costs: +sampled, [\d,]+ times; ±")

    def test_what_is_refused(self) -> None:
        done = self.profile("--nonsense", "true")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("wrote", done.stderr)
