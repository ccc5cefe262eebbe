# SPDX-License-Identifier: GPL-2.0-or-later
#
# The man page of callgrind_export, docs/export.md and docs/tree-format.md against the
# command and the reader.

from __future__ import annotations

import re
import shutil
import subprocess
import unittest
from pathlib import Path

from export.options import FORMATS, make_parser
from tree_file.model import BUNDLED, CALL, KIND_WORDS
from tree_file.reader import UNITS

SOURCE = Path(__file__).resolve().parents[3]
MAN_PAGE = SOURCE / "docs" / "man" / "callgrind_export.1"
PAGE = SOURCE / "docs" / "export.md"
FORMAT = SOURCE / "docs" / "tree-format.md"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def options_of_the_command() -> set[str]:
    return set(OPTION.findall(make_parser("callgrind_export").format_help()))


class ManPage(unittest.TestCase):
    def test_every_option_and_no_other(self) -> None:
        text = MAN_PAGE.read_text("utf-8").replace("\\-", "-")
        self.assertEqual(set(OPTION.findall(text)), options_of_the_command())

    def test_every_format(self) -> None:
        text = MAN_PAGE.read_text("utf-8")
        self.assertEqual(re.findall(r"^\.TP\n\.B (\w+)$", text, re.M)[:len(FORMATS)],
                         list(FORMATS))

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_no_complaint(self) -> None:
        result = subprocess.run(
            ["groff", "-ww", "-man", "-Tascii", str(MAN_PAGE)],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("EXIT STATUS", re.sub(".\b|\x1b\\[[0-9;]*m", "", result.stdout))


class Page(unittest.TestCase):
    def test_every_option_and_no_other(self) -> None:
        found = set(OPTION.findall(PAGE.read_text("utf-8")))
        self.assertEqual(found, options_of_the_command() | {"--help"})

    def test_every_format(self) -> None:
        rows = re.findall(r"^\| `(\w+)` \| .* \|.*\|.*\|$", PAGE.read_text("utf-8"), re.M)
        self.assertEqual(rows, list(FORMATS))


class Format(unittest.TestCase):
    def setUp(self) -> None:
        self.text = FORMAT.read_text("utf-8")

    def test_every_unit(self) -> None:
        grammar = self.text.split("## Grammar")[1]
        for unit in UNITS:
            self.assertIn(f"`{unit}`", self.text)
            self.assertIn(f'"{unit}"', grammar)

    def test_every_kind(self) -> None:
        rows = re.findall(r"^\| `(\w)` \|", self.text, re.M)
        self.assertEqual(set(rows), set(KIND_WORDS) - {CALL, BUNDLED})
