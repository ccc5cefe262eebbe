# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where the files of callgrind/tests lie: tests and their programs in folders by subject,
# what several of them use in helpers/.

"""The folders of the regression tests."""

from __future__ import annotations

import unittest
from collections import Counter
from pathlib import PurePath
from typing import Optional

from tests.style.files import files, name_of

TOP = "callgrind/tests"
HELPERS = f"{TOP}/helpers"
PROGRAMS = (".c", ".cpp")


def misplaced(name: str) -> Optional[str]:
    """What is wrong with the place of a file below callgrind/tests, in one line."""
    path = PurePath(name)
    folder = path.parent.as_posix()
    if folder == TOP:
        return (
            f"{name}: put tests and programs into the folder of their subject, such as"
            f" {TOP}/calls, and headers and commands of several into {HELPERS}"
        )
    if path.parent.parent.as_posix() != TOP:
        return f"{name}: folders by subject have no folders in them"
    if folder == HELPERS and path.suffix in (*PROGRAMS, ".vgtest"):
        return f"{name}: put it into the folder of its subject, such as {TOP}/calls"
    if folder != HELPERS and not path.suffix:
        return f"{name}: put commands that tests call into {HELPERS}"
    return None


class Places(unittest.TestCase):
    maxDiff = None
    names = [name_of(path) for path in files() if name_of(path).startswith(f"{TOP}/")]

    def test_each_file_lies_in_the_folder_of_its_subject(self) -> None:
        self.assertGreater(len(self.names), 500)
        self.assertEqual([said for said in map(misplaced, self.names) if said], [])

    def test_names_are_unique(self) -> None:
        """All programs are compiled into one folder; a test is known by its name."""
        for suffixes in ((".vgtest",), PROGRAMS, (".h",)):
            stems = Counter(
                path.stem for path in map(PurePath, self.names) if path.suffix in suffixes
            )
            twice = [stem for stem, number in stems.items() if number > 1]
            self.assertEqual(twice, [], f"names of {' and '.join(suffixes)}")


class Misplaced(unittest.TestCase):
    """The rule itself, on made-up names."""

    def test_what_is_in_its_place(self) -> None:
        for name in ("calls/new.vgtest", "calls/new.c", "calls/new.h", "jit/new.js",
                     "helpers/new", "helpers/new.h"):
            self.assertIsNone(misplaced(f"{TOP}/{name}"), name)

    def test_what_is_not(self) -> None:
        for name, said in (
            ("new.vgtest", "into the folder of their subject"),
            ("new", "into the folder of their subject"),
            ("calls/deeper/new.c", "have no folders"),
            ("helpers/new.c", "of its subject"),
            ("helpers/new.vgtest", "of its subject"),
            ("calls/new", f"into {HELPERS}"),
        ):
            self.assertRegex(misplaced(f"{TOP}/{name}") or "", said)
