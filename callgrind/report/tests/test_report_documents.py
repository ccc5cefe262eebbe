# SPDX-License-Identifier: GPL-2.0-or-later
#
# The man page and docs/report.md against the command: options, columns, fields.

from __future__ import annotations

import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path
from typing import Any, Iterator

from callgrind.report.tests.report_case import DATA, TINY, run
from views.options import make_parser

SOURCE = Path(__file__).resolve().parents[3]
MAN_PAGE = SOURCE / "docs" / "man" / "callgrind_report.1"
PAGE = SOURCE / "docs" / "report.md"


def options_of_the_command() -> set[str]:
    usage = make_parser("callgrind_report").format_help()
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", usage))


def documents() -> Iterator[tuple[str, Any, str]]:
    """Each kind of report, as JSON and as the titles of its CSV."""
    inlined = str(DATA / "inlined.out")
    for arguments in (
        [TINY],
        ["-f", "odd", TINY],
        ["-a", TINY],
        ["--diff", inlined, TINY, "--fail-above=0", "--fail-function-above=0"],
    ):
        found = json.loads(run("--json", *arguments)[1])
        yield found["kind"], found, run("--csv", *arguments)[1].split("\n", 1)[0]


def fields_of(value: Any) -> set[str]:
    if isinstance(value, list):
        return {field for each in value for field in fields_of(each)}
    if isinstance(value, dict):
        below = {field for each in value.values() for field in fields_of(each)}
        return below | set(value)
    return set()


class ManPage(unittest.TestCase):
    def test_every_option_and_no_other(self) -> None:
        text = MAN_PAGE.read_text("utf-8").replace("\\-", "-")
        described = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
        self.assertEqual(described, options_of_the_command())

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
        described = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE.read_text("utf-8")))
        self.assertEqual(options_of_the_command() - described - {"--help"}, set())

    def test_every_field_of_json(self) -> None:
        text = re.sub(r"```.*?```", "", PAGE.read_text("utf-8"), flags=re.DOTALL)
        words = set(re.findall(r"`([^`]+)`", text))
        for kind, found, _ in documents():
            fields = fields_of(found) - {"Ir"}
            self.assertIn(kind, words)
            self.assertEqual(fields - words, set(), kind)

    def test_every_column_of_csv(self) -> None:
        text = PAGE.read_text("utf-8").replace("EVENT", "Ir")
        for kind, _, titles in documents():
            self.assertIn(f"`{titles}`", text, kind)
