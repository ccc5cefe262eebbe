# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is a number in a profile and on the command line, and what only Python's int(),
# float() and str.isdigit() take for one.

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from callgrind.report.tests.report_case import TINY, run
from console.untrusted_text import NumberError, parse_decimal
from profile_file.lexer import NameTable, parse_number
from profile_file.model import FunctionKey, Profile
from profile_file.reader import ProfileError, read_profile

ARABIC_THREE = "\u0663"
NO_NUMBERS = ("", "-5", "+5", "1_000", " 5", "5 ", "5\n", "1.0", "1e3", "²", ARABIC_THREE)
NO_HEXADECIMALS = ("0x", "0x_1", "0x1_0", "0x-1", "-0x1", "0xg", "0x" + ARABIC_THREE)
HEADER = "version: 1\npositions: line\nevents: Ir Dr\n\nfn=(1) f\n"
ONE_EVENT = HEADER.replace(" Dr", "")


def read(text: str) -> Profile:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "callgrind.out")
        path.write_text(text, "utf-8")
        return read_profile(path)


class Words(unittest.TestCase):
    def test_numbers(self) -> None:
        self.assertEqual(parse_number("007"), 7)
        self.assertEqual(parse_number("0xfF"), 255)
        self.assertEqual(parse_number("0X10"), 16)
        self.assertEqual(parse_decimal("18446744073709551616"), 1 << 64)

    def test_what_is_no_number(self) -> None:
        for word in (*NO_NUMBERS, *NO_HEXADECIMALS):
            with self.subTest(word=word):
                self.assertRaises(NumberError, parse_number, word)
                self.assertRaises(NumberError, parse_decimal, word)

    def test_a_name_may_begin_with_a_digit_of_another_kind(self) -> None:
        for name in ("(²)", f"({ARABIC_THREE}) f"):
            as_read = name.encode("utf-8").decode("latin-1")
            self.assertEqual(NameTable("function").resolve(as_read), name)
        # That character as one byte, which is not UTF-8.
        self.assertEqual(NameTable("function").resolve("(²)"), "(\udcb2)")


class Profiles(unittest.TestCase):
    def refused(self, text: str) -> None:
        with self.subTest(text=text):
            self.assertRaises(ProfileError, read, text)

    def test_costs_and_positions(self) -> None:
        for word in ("--5", "+5", "1_000", "0x1_0", "²", "-", "-0x"):
            self.refused(f"{ONE_EVENT}1 {word}\n")
            self.refused(f"{HEADER}1 1 {word}\n")
            self.refused(f"{HEADER}cfn=(2) g\ncalls=1 1\n1 {word}\n")
        for word in ("1_000", "+-5", "+1_0", "-_1", "+", "0x_1"):
            self.refused(f"{ONE_EVENT}{word} 1\n")

    def test_counts_of_calls_and_jumps(self) -> None:
        for word in ("-1", "1_0", "+1"):
            self.refused(f"{ONE_EVENT}cfn=(2) g\ncalls={word} 1\n1 1\n")
            self.refused(f"{ONE_EVENT}jump={word} 1\n1\n")
            self.refused(f"{ONE_EVENT}jcnd=1/{word} 1\n1\n")

    def test_headers(self) -> None:
        for word in ("-1", "1_0", ARABIC_THREE):
            for key in ("pid", "part", "thread"):
                self.refused(f"{key}: {word}\n{ONE_EVENT}1 1\n")
        for word in ("--1", "1_0", ARABIC_THREE):
            self.refused(f"summary: {word}\n{ONE_EVENT}1 1\n")
            self.refused(f"{ONE_EVENT}1 10\ntotals: {word}\n")

    def test_costs_fall_in_files_of_others_alone(self) -> None:
        """Xdebug 3 says how much memory was set free."""
        for fields in ("Dr", ""):
            text = f"events: Ir {fields}\nfn=f\n1 -5\ncfn=g\ncalls=1 1\n1 -7\n"
            function = read(text).parts[0].functions[FunctionKey("???", "???", "f")]
            self.assertEqual(function.self_cost[0], -5)
            self.assertEqual([arc.inclusive[0] for arc in function.arcs.values()], [-7])
            self.refused("creator: callgrind-3.19.0\n" + text)

    def test_the_message_says_where(self) -> None:
        with self.assertRaisesRegex(ProfileError, ":6: expected other numbers in '1 _5'"):
            read(f"{ONE_EVENT}1 _5\n")


class Options(unittest.TestCase):
    def test_what_is_no_number(self) -> None:
        for option in ("--limit", "--context", "--threshold"):
            for word in ("1_0", ARABIC_THREE, "-1"):
                with self.subTest(option=option, word=word):
                    status, _, errors = run(f"{option}={word}", TINY)
                    self.assertEqual((status, errors.count("\n")), (2, 1))
                    self.assertIn("invalid", errors)
