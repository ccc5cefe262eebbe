# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests that the man page is that of the manual, and holds every option, client request
# and monitor command.

"""docs/man/callgrind-exact.1 against the tool."""

from __future__ import annotations

import re
import shutil
import subprocess
import unittest

from tests.documents import man_page, option_table


class ManPage(unittest.TestCase):
    def setUp(self) -> None:
        self.text = man_page.PAGE.read_text(encoding="utf-8")
        self.plain = self.text.replace("\\-", "-")

    def test_it_is_made_of_the_manual(self) -> None:
        self.assertEqual(
            self.text,
            man_page.page(),
            "the page is behind docs/manual.md: run tests/documents/man_page.py --write",
        )

    def test_every_option(self) -> None:
        help_text = option_table.help_of(option_table.IN_PLACE)
        for name in option_table.forms(help_text):
            with self.subTest(option=name):
                self.assertIn(f"\\fB{name.partition('<')[0]}", self.plain)

    def test_every_client_request(self) -> None:
        header = (man_page.SOURCE / "include" / "callgrind.h").read_text()
        macros = re.findall(r"^#define (CALLGRIND_\w+)", header, re.MULTILINE)
        self.assertGreater(len(macros), 5)
        for macro in macros:
            with self.subTest(macro=macro):
                self.assertIn(f"\\fB{macro}", self.plain)

    def test_every_monitor_command(self) -> None:
        source = (man_page.SOURCE / "callgrind" / "control" / "monitor.c").read_text()
        usage = source.partition("print_help")[2].partition("}")[0]
        commands = re.findall(r'"  ([a-z]+)[ \\]', usage)
        self.assertGreater(len(commands), 3)
        for command in commands:
            with self.subTest(command=command):
                self.assertIn(f"\\fB{command}", self.plain)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_roff_is_sound(self) -> None:
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8", str(man_page.PAGE)],
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(done.stderr, "")


class Markdown(unittest.TestCase):
    def test_words(self) -> None:
        for text, roff in (
            ("`--x=no\\|yes` or [this](#there)", "\\fB\\-\\-x=no|yes\\fR or this"),
            ("**bold** and *slanted*", "\\fBbold\\fR and \\fIslanted\\fR"),
            (".dot", "\\&.dot"),
            ("back\\slash", "back\\eslash"),
        ):
            with self.subTest(text=text):
                self.assertEqual(man_page.inline(text), roff)

    def test_blocks(self) -> None:
        text = (
            "one\ntwo\n\n```c\nint x;\n\nint y;\n```\n- a\n  b\n- c\n\n"
            "| t | u |\n|---|---|\n| v | w |\n"
        )
        self.assertEqual(
            [line for lines in man_page.blocks(text) for line in man_page.block(lines)],
            [".PP", "one two",
             ".PP", ".EX", "    int x;", "    ", "    int y;", ".EE",
             ".IP \\(bu 2", "a b", ".IP \\(bu 2", "c",
             ".TP", "v", "w"],
        )  # fmt: skip
