# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests that docs/manual.md says of every option, stock's and ours, what has become of it.

"""The table of options in the manual against both tools."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from tests.documents import option_table


class OptionTable(unittest.TestCase):
    def test_manual_has_the_table(self) -> None:
        self.assertEqual(
            option_table.pieces_of_manual()[1],
            option_table.table(),
            "docs/manual.md is behind: run tests/documents/option_table.py --write",
        )

    def test_without_a_build_one_line_says_so(self) -> None:
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run(
                [sys.executable, option_table.__file__],
                env={**os.environ, "VG_BUILD": empty},
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr,
                         rf"\A{empty}: no build there \(.*\): run make.*\n\Z")

    def test_every_option_of_ours_is_explained(self) -> None:
        before, _, behind = option_table.pieces_of_manual()
        ours = option_table.forms(option_table.help_of(option_table.IN_PLACE))
        for name in ours:
            with self.subTest(option=name):
                self.assertIn(f"`{name.partition('<')[0]}", before + behind)

    def test_an_option_that_is_neither_taken_nor_refused_is_an_error(self) -> None:
        with self.assertRaisesRegex(option_table.TableError, "--no-such-option"):
            option_table.verdict("--no-such-option", "--no-such-option=<n>", {})

    def test_other_values_have_to_be_announced(self) -> None:
        ours = {"--x": "--x=no|yes|maybe"}
        with self.assertRaisesRegex(option_table.TableError, "EXTENDED"):
            option_table.verdict("--x", "--x=no|yes", ours)
        with mock.patch.dict(option_table.EXTENDED, {"--x": "also `maybe`"}):
            said = option_table.verdict("--x", "--x=no|yes", ours)
            self.assertEqual(said, "extended: also `maybe`")
            with self.assertRaisesRegex(option_table.TableError, "EXTENDED"):
                option_table.verdict("--x", "--x=no|yes", {"--x": "--x=no|yes"})

    def test_forms_of_help_texts(self) -> None:
        text = (
            "    --dump-line=no|yes        Dump source lines of costs? [yes]\n"
            "        msec|yes   Collect.\n"
            "    --ct-vstart=<BB number>    Only be verbose\n"
            "    --ct-verbose<level>=<func> Verbosity while in <func>\n"
        )
        self.assertEqual(
            option_table.forms(text),
            {
                "--dump-line": "--dump-line=no|yes",
                "--ct-vstart": "--ct-vstart=<BB number>",
                "--ct-verbose<level>": "--ct-verbose<level>=<func>",
            },
        )
