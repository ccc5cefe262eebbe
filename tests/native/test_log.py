# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/core/log_writes.c: what the core writes to its log, in pieces as it
# likes.

"""What reaches the terminal of the core's own messages."""

from __future__ import annotations

import subprocess
import unittest

from tests.native.building import build

STDOUT, ELSEWHERE = "1", "2"


def written(*pieces: bytes, log: str = STDOUT) -> bytes:
    program = build("print_log", "core/log_writes.c")
    return subprocess.run(
        [program, log, *pieces], stdout=subprocess.PIPE, check=True
    ).stdout


class Log(unittest.TestCase):
    def test_text_stays(self) -> None:
        for text in ("", "operator<<(A&)\n\t.", "\u00fcber", "\u4e2d\u6587\U0001f600"):
            self.assertEqual(written(text.encode()), text.encode())

    def test_control_characters_are_shown(self) -> None:
        for text, shown in (
            (b"a\x1b[31mb\r\x7f", rb"a\x1b[31mb\x0d\x7f"),
            (b"\x9b31m", rb"\x9b31m"),
            (b"\xff\xc0\xaf", rb"\xff\xc0\xaf"),
            (b"e\xcc\x81\x9b", b"e\xcc\x81" + rb"\x9b"),
        ):
            self.assertEqual(written(text), shown)

    def test_no_control_character_of_two_bytes(self) -> None:
        self.assertNotIn(b"\x9b", written("\u009b31m".encode()))
        self.assertNotIn(b"\x9b", written(b"\xc2", b"\x9b31m"))

    def test_characters_in_pieces(self) -> None:
        for text in ("\u00fc", "\u00a0", "\u4e2d", "\U0001f600"):
            pieces = [bytes([byte]) for byte in text.encode()]
            self.assertEqual(written(*pieces), text.encode())
        self.assertEqual(written(b"\xe4", b"x", b"\xb8"), b"\xe4x" + rb"\xb8")

    def test_long_messages(self) -> None:
        for size in (255, 256, 257, 1000):
            self.assertEqual(written(b"\x1b" * size), rb"\x1b" * size)

    def test_what_goes_elsewhere_stays(self) -> None:
        self.assertEqual(written(b"\x1b[31m\xff", log=ELSEWHERE), b"\x1b[31m\xff")
