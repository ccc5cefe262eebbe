# SPDX-License-Identifier: GPL-2.0-or-later
#
# README.md, docs/manual.md and `--help` say the same about options that are refused, and
# the tool does what they say.

"""Refused options: one list, in three places and in the tool."""

from __future__ import annotations

import re
import subprocess
import unittest

from tests.build.built import IN_PLACE, SOURCE
from tests.small_program import small_program
from tests.source_files import files_below

MARKER = "<!-- refused -->"
OPTION = re.compile(r"`(--[\w-]+)(=yes)?`")
REFUSAL = "not available in callgrind-exact yet"
# Values that other options than switches take.
VALUES = {"--dump-bb": "1", "--dump-bbs": "yes"}


def said_in_readme() -> set[str]:
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    return {match[1] for match in OPTION.finditer(text.split(MARKER)[1])}


def said_in_manual() -> set[str]:
    text = (SOURCE / "docs" / "manual.md").read_text(encoding="utf-8")
    section = text.partition("### Refused\n")[2].partition("\n### ")[0]
    return {match[1] for match in OPTION.finditer(section)}


def in_table_of_manual() -> set[str]:
    text = (SOURCE / "docs" / "manual.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `(--[\w-]+)\S*` \| refused", text, re.M))


def said_in_help() -> set[str]:
    done = subprocess.run(
        [str(IN_PLACE), "--tool=callgrind", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(re.findall(r"^ +(--[\w-]+)=.*Not available yet", done.stdout, re.M))


def known_to_the_tool() -> set[str]:
    """Options that the tool's own table refuses by name."""
    names = set()
    for path in files_below(SOURCE / "callgrind" / "options"):
        text = path.read_text(encoding="utf-8")
        block = re.search(r"refused_names\[\] = \{(.*?)\}", text, re.S)
        if block is not None:
            names |= set(re.findall(r'"(--[\w-]+)"', block[1]))
        names |= set(re.findall(r'\{ ?"(--[\w-]+)", OptionNotYet', text))
    return names


def answer_to(option: str) -> str:
    done = subprocess.run(
        [str(IN_PLACE), "--command-line-only=yes", "--tool=callgrind", option,
         str(small_program())],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr if done.returncode != 0 else "taken"


class RefusedOptions(unittest.TestCase):
    def test_the_tool_refuses_what_readme_names(self) -> None:
        self.assertTrue(said_in_readme())
        for name in said_in_readme():
            with self.subTest(option=name):
                self.assertIn(REFUSAL, answer_to(f"{name}={VALUES.get(name, 'yes')}"))

    def test_readme_and_manual_name_all_that_the_tool_refuses(self) -> None:
        self.assertTrue(known_to_the_tool())
        self.assertEqual(said_in_readme(), known_to_the_tool())
        self.assertEqual(said_in_manual(), known_to_the_tool())

    def test_help_offers_no_refused_option_without_saying_so(self) -> None:
        done = subprocess.run(
            [str(IN_PLACE), "--tool=callgrind", "--help"],
            capture_output=True,
            text=True,
            check=True,
        )
        listed = set(re.findall(r"^ +(--[\w-]+)=", done.stdout, re.M))
        self.assertEqual(listed & known_to_the_tool(), said_in_help())

    def test_the_table_of_the_manual_says_so_too(self) -> None:
        self.assertEqual(in_table_of_manual(), said_in_help())
