# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/base/text.c: names of functions and files on a terminal.

"""What the tool prints of a name that it did not choose."""

from __future__ import annotations

import subprocess
import unittest

from tests.native.building import build


def printable(text: bytes) -> bytes:
    program = build("print_text", "base/text.c")
    done = subprocess.run([program, text], stdout=subprocess.PIPE, check=True)
    return done.stdout.removesuffix(b"\n")


class Printable(unittest.TestCase):
    def test_text_stays(self) -> None:
        for text in ("", "operator<<(A&)", "\u00fcber", "\u4e2d\u6587", "\U0001f600"):
            self.assertEqual(printable(text.encode()), text.encode())

    def test_control_characters_are_shown(self) -> None:
        for text, shown in (
            (b"a\x1b[31mb", rb"a\x1b[31mb"),
            (b"\n\r\t\x7f", rb"\x0a\x0d\x09\x7f"),
            ("\u009b31m".encode(), rb"\xc2\x9b31m"),
            (b"\x9b31m", rb"\x9b31m"),
        ):
            self.assertEqual(printable(text), shown)

    def test_what_is_no_text_is_shown(self) -> None:
        for text, shown in (
            (b"\xe9t\xe9", rb"\xe9t\xe9"),
            (b"\xe4\xb8", rb"\xe4\xb8"),
            (b"\xff\xc0\xaf", rb"\xff\xc0\xaf"),
        ):
            self.assertEqual(printable(text), shown)
