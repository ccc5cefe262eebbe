# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests that lie by subject: what a test in tests/SUBJECT finds of the other subjects.

"""A folder `tests` with a folder for each subject."""

from __future__ import annotations

from tests.regtest.sandbox import RegtestCase


class Subjects(RegtestCase):
    def setUp(self) -> None:
        super().setUp()
        self.source = self.top / "src" / "tests" / "calls"
        self.source.mkdir(parents=True)
        self.programs = self.top / "build" / "tests" / "programs"
        self.run_folder = self.top / "build" / "tests" / "calls" / "a.run"

    def assert_passes(self) -> None:
        said = self.regtest().stdout
        self.assertEqual(said, "tests/calls/a: pass\n1 passed, 0 failed, 0 skipped\n")

    def test_programs_of_all_subjects_are_in_the_run_folder(self) -> None:
        self.script(self.programs / "prog", "echo it; echo $0; ls; pwd")
        self.script(self.programs / "other", "")
        self.describe("prog: prog\n", stdout=(
            "it\n./prog\na.stderr.unfiltered.out\na.stdout.unfiltered.out\nother\nprog\n"
            f"{self.run_folder}\n"))
        self.assert_passes()

    def test_commands_are_looked_for_here_and_in_helpers(self) -> None:
        self.program("")
        helpers = self.source.parent / "helpers"
        self.script(helpers / "shared", "echo of all")
        self.script(helpers / "nearer", "echo of all")
        self.script(self.source / "nearer", "echo here")
        self.script(helpers / "changed", "sed s/a/b/")
        self.describe("prog: prog\nstdout_filter: changed\npost: shared; nearer\n",
                      stdout="", post="of all\nhere\n")
        self.assert_passes()

    def test_so_are_programs_that_are_scripts(self) -> None:
        self.script(self.source.parent / "helpers" / "prog", "echo of all")
        self.describe("prog: prog\n", stdout="of all\n")
        self.assert_passes()

    def test_elsewhere_programs_lie_in_the_folder_that_mirrors_the_tests(self) -> None:
        self.source = self.top / "src" / "tests"
        self.script(self.top / "build" / "tests" / "prog", "echo it")
        self.describe("prog: prog\n", stdout="it\n")
        self.assertEqual(self.regtest().counts, (1, 0, 0))
