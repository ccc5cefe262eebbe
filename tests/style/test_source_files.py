# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which files belong to a source tree.  What somebody, an editor or a run has put there
# does not: in a checkout, also of another user; without git, also in a repository.

"""The files of a source tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests.source_files import (
    SOURCE,
    TOP,
    files_below,
    is_leftover,
    names_of_files,
    our_names,
)

OURS = ["README.md", "docs/page.md", "tests/build/test_it.py"]
TREE = frozenset({"README.md", "docs", "tests"})
# Names that no rule knows, and that lie at the top.
OF_THE_USER = ("mine.c", "profile.html", "notes/plan.md", "build/config.h", "out/a.c")
# In folders of ours.
LEFT = (
    "callgrind.out.12", "docs/page.md~", "docs/.page.md.swp", "docs/#page.md#",
    "docs/page.md.orig", "tests/__pycache__/it.py", "tests/build/it.o",
    "tests/callgrind.out.7", "tests/.idea/set.md", "tests/vgcore.3", "tests/core.3",
    "tests/a.run/it", "docs/.#page.md",
)


class Tree(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="source files.")
        self.addCleanup(folder.cleanup)
        self.outside = Path(folder.name).resolve()
        self.tree = self.outside / "in"
        for name in (*OURS, *OF_THE_USER, *LEFT):
            path = self.tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name, encoding="utf-8")

    def names(self) -> list[str]:
        return names_of_files(self.tree, TREE)

    def test_without_git(self) -> None:
        self.assertEqual(self.names(), OURS)

    def test_without_the_program_git(self) -> None:
        with mock.patch.dict(os.environ, PATH=str(self.outside)):
            self.assertEqual(self.names(), OURS)


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Checkout(Tree):
    def git(self, folder: Path, *words: str) -> None:
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)

    def setUp(self) -> None:
        super().setUp()
        self.git(self.tree, "init")
        self.git(self.tree, "add", *OURS)

    def test_of_another_user(self) -> None:
        """git takes none that is not its user's, unless it is told so."""
        with mock.patch.dict(os.environ, GIT_TEST_ASSUME_DIFFERENT_OWNER="1"):
            self.assertEqual(self.names(), OURS)

    def test_what_is_gone_is_not_there(self) -> None:
        (self.tree / OURS[0]).unlink()
        self.assertEqual(self.names(), OURS[1:])

    def test_what_is_ours_counts_whatever_its_name(self) -> None:
        self.git(self.tree, "add", "mine.c", "docs/page.md.orig")
        self.assertEqual(self.names(), sorted([*OURS, "mine.c", "docs/page.md.orig"]))

    def test_a_tree_without_git_in_a_repository(self) -> None:
        shutil.rmtree(self.tree / ".git")
        self.git(self.outside, "init")
        self.git(self.outside, "add", "in/mine.c", "in/docs")
        self.assertEqual(self.names(), OURS)


class Here(unittest.TestCase):
    """The rule without git finds what git tracks, in this tree."""

    def test_no_file_of_ours_has_the_name_of_a_leftover(self) -> None:
        parts = {part for name in our_names() for part in name.split("/")}
        self.assertEqual([part for part in sorted(parts) if is_leftover(part)], [])

    def test_the_top(self) -> None:
        self.assertEqual(sorted({name.split("/")[0] for name in our_names()}),
                         sorted(TOP))

    def test_a_folder(self) -> None:
        self.assertIn(Path(__file__).resolve(), files_below(SOURCE / "tests" / "style"))
        self.assertEqual(len(files_below(SOURCE)), len(our_names()))
