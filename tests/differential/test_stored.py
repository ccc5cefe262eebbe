# SPDX-License-Identifier: GPL-2.0-or-later
#
# The three runs of a program and what is made of their profiles, with a made-up program.

"""Comparing profiles without, with new and with old stored translations."""

from __future__ import annotations

import itertools
import tempfile
import unittest
from pathlib import Path
from typing import Callable

from tests.differential.stored import Differs, Files, compare_ways, profiles_of

PREFIX = "--translation-cache="


def is_stored(option: str) -> bool:
    return option.strip() != f"{PREFIX}no"


class Ways(unittest.TestCase):
    def setUp(self) -> None:
        self.options: list[str] = []

    def compare(
        self,
        cost: Callable[[int, bool], int],
        stores: Callable[[int], str] = lambda at: "x",
    ) -> str:
        """cost: by the number of the run and whether translations are stored; stores:
        what a run leaves in the folder."""

        def run(option: str) -> Files:
            self.options.append(option)
            at = len(self.options)
            text = stores(at)
            if is_stored(option) and text:
                Path(option[len(PREFIX):], "file").write_text(text, encoding="ascii")
            return {"callgrind.out": f"summary: {cost(at, is_stored(option))}".encode()}

        return compare_ways(run)

    def test_are_three_with_options_as_long_as_each_other(self) -> None:
        self.assertEqual(self.compare(lambda at, stored: 1), "1 profiles the same")
        self.assertEqual([is_stored(option) for option in self.options],
                         [False, True, True])
        self.assertEqual(len(set(map(len, self.options))), 1)
        self.assertFalse(Path(self.options[1][len(PREFIX):]).exists())

    def test_another_profile_while_they_are_stored_is_told(self) -> None:
        with self.assertRaisesRegex(Differs, "stored: .*callgrind.out:1: .* 0.* 1"):
            self.compare(lambda at, stored: int(stored))

    def test_another_profile_when_they_are_used_is_told(self) -> None:
        with self.assertRaisesRegex(Differs, "translations used: "):
            self.compare(lambda at, stored: int(stored and at > 2))

    def test_another_profile_in_most_runs_is_told(self) -> None:
        with self.assertRaisesRegex(Differs, "translations stored: "):
            self.compare(lambda at, stored: int(stored and at % 3 != 0))

    def test_a_program_that_is_never_the_same_is_not_compared(self) -> None:
        self.assertEqual(self.compare(lambda at, stored: at), "not the same each time")

    def test_nor_one_that_is_another_by_chance(self) -> None:
        seen = "not the same each time"
        for other in (2, 3):
            with self.subTest("once, in run", other=other):
                self.assertEqual(self.compare(lambda at, stored: int(at == other)), seen)
                self.options.clear()
        with self.subTest("now and then in both ways"):
            self.assertEqual(self.compare(lambda at, stored: int(at in (2, 5, 9, 10))),
                             seen)

    def test_each_further_run_finds_the_same_store(self) -> None:
        found = []

        def run(option: str) -> Files:
            if is_stored(option):
                store = Path(option[len(PREFIX):])
                found.append(len(list(store.iterdir())))
                Path(store, str(found[-1])).write_bytes(b"")
            return {"callgrind.out": str(is_stored(option) and len(found) > 1).encode()}

        self.assertRaises(Differs, compare_ways, run)
        self.assertEqual(found, [0, 1, 1, 1, 1, 1])

    def test_what_the_folder_says_is_told(self) -> None:
        self.assertIn("nothing was stored",
                      self.compare(lambda at, stored: 1, lambda at: ""))
        self.options.clear()
        self.assertIn("the last run stored some more",
                      self.compare(lambda at, stored: 1, lambda at: "x" * at))

    def test_what_a_run_raises_ends_it(self) -> None:
        numbers = itertools.count()

        def run(option: str) -> Files:
            if next(numbers) == 1:
                raise KeyError(option)
            return {}

        self.assertRaises(KeyError, compare_ways, run)
        self.assertEqual(next(numbers), 2)


class Profiles(unittest.TestCase):
    def test_are_found_whatever_their_names_without_what_is_of_one_run(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            start = b"# callgrind format\npid: "
            (folder / "callgrind.out.1234").write_bytes(start + b"1234\nsummary: 7\n")
            (folder / "callgrind.out.1235").write_bytes(start + b"1235\nsummary: 6\n")
            (folder / "other").write_bytes(b"pid: 9\n")
            (folder / "link").symlink_to("callgrind.out.1234")
            self.assertEqual(profiles_of(folder.iterdir()), {
                "callgrind.out.N": start + b"\nsummary: 6\n",
                "callgrind.out.N (2)": start + b"\nsummary: 7\n",
            })
