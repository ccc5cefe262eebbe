# SPDX-License-Identifier: GPL-2.0-or-later
#
# The man page of callgrind_gate and docs/gate.md against the command: options, keys of
# the file, fields of JSON, the table of surroundings.

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import unittest
from fractions import Fraction
from pathlib import Path

from callgrind.report.tests.gate_case import GateCase
from callgrind.report.tests.test_report_documents import fields_of
from gate.judge import DEFAULT_CONFIDENCE, STATES, surroundings_needed
from gate.options import make_parser

SOURCE = Path(__file__).resolve().parents[3]
MAN_PAGE = SOURCE / "docs" / "man" / "callgrind_gate.1"
PAGE = SOURCE / "docs" / "gate.md"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
OF_OTHERS = {"--call-tree", "--toggle-collect", "--instr-atstart", "--steady",
             "--steady-folder", "--cache-sim", "--translation-cache",
             "--codspeed", "--benchmark-only", "--run"}  # fmt: skip


def options_of_the_command() -> set[str]:
    found: set[str] = set()
    for action in make_parser("callgrind_gate")._actions:
        if isinstance(action, argparse._SubParsersAction):
            for parser in action.choices.values():
                for each in parser._actions:
                    found.update(w for w in each.option_strings if w.startswith("--"))
    return found


class ManPage(unittest.TestCase):
    def test_every_option_and_no_other(self) -> None:
        text = MAN_PAGE.read_text("utf-8").replace("\\-", "-")
        self.assertEqual(set(OPTION.findall(text)), options_of_the_command())

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_no_complaint(self) -> None:
        result = subprocess.run(
            ["groff", "-ww", "-man", "-Tascii", str(MAN_PAGE)],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))


class Page(GateCase):
    def setUp(self) -> None:
        super().setUp()
        self.text = PAGE.read_text("utf-8")
        self.words = set(re.findall(r"`([^`\n]+)`", self.text))

    def test_every_option_and_no_other(self) -> None:
        found = set(OPTION.findall(self.text)) - OF_OTHERS
        self.assertEqual(found, options_of_the_command() - {"--help"})

    def test_every_key_of_the_file(self) -> None:
        Path("gate.toml").write_text("[benchmarks.a]\ncommand = 'x'\nno-key = 1")
        keys = self.gate("run")[2].split("there are ")[1].split(", ")
        self.assertGreater(len(keys), 8)
        self.assertEqual({key.strip() for key in keys} - self.words, set())

    def test_the_example_of_a_file_is_one(self) -> None:
        example = self.text.split("```toml\n")[1].split("```")[0]
        Path("gate.toml").write_text(example)
        errors = self.gate("run", "--only=nothing")[2]
        self.assertIn("no benchmark is called 'nothing'", errors)

    def test_every_field_and_state_of_json(self) -> None:
        self.base_and_head({"a": "f=1"}, {"a": "f=2"})
        document = json.loads(json.dumps(self.compared(status=1)))
        fields = fields_of(document) - {"Ir"}
        self.assertEqual(fields - self.words, set())
        self.assertEqual(set(STATES) - self.words, set())

    def test_the_table_of_surroundings(self) -> None:
        rows = re.findall(r"^\| ([\d,]+) \| (\d+) \|$", self.text, re.M)
        self.assertGreater(len(rows), 2)
        for counts, number in rows:
            needed = surroundings_needed(
                int(counts.replace(",", "")), Fraction(DEFAULT_CONFIDENCE)
            )
            self.assertEqual(needed, int(number), counts)
