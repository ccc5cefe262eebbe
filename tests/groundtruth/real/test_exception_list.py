# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of exception_list.py and known_roots.py: what is excused, and what may not be.

"""Tests of the list of exceptions, and of roots that are found out."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

from profile_file.model import FunctionKey
from tests.differential.code_map import CodeMap, Place
from tests.groundtruth.real.exception_list import (
    ExceptionListError,
    Listed,
    read_exceptions,
    unused,
    use_for,
)
from tests.groundtruth.real.known_roots import (
    ENTRY_POINT,
    KnownRoots,
    LIVE_AT_START,
    entry_point,
    read_stack,
)

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[2]

GOOD = """
[handlers]
rules    = root start
match    = on_signal (prog)
           on_* @ prog+*
programs = c++ perl
reason   = The kernel
           enters them.
"""


class ListTests(unittest.TestCase):
    def read(self, text: str) -> list[Listed]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "exceptions.ini"
            path.write_text(text, encoding="utf-8")
            return read_exceptions(path)

    def test_an_entry_covers_its_rules_programs_and_names(self) -> None:
        listed = self.read(GOOD)
        self.assertEqual(listed[0].reason, "The kernel enters them.")
        for program, rule, name, pattern in (
            ("perl", "root", "on_signal (prog)", "on_signal (prog)"),
            ("c++", "start", "on_exit @ prog+0x10", "on_* @ prog+*"),
        ):
            use = use_for(listed, program, rule, name)
            self.assertEqual(use, ("handlers", pattern))
        for program, rule, name in (
            ("node", "root", "on_signal (prog)"),
            ("perl", "call", "on_signal (prog)"),
            ("perl", "root", "on_signal (other)"),
        ):
            self.assertIsNone(use_for(listed, program, rule, name))

    def test_a_pattern_of_no_use(self) -> None:
        listed = self.read(GOOD)
        use = ("handlers", "on_signal (prog)")
        rest = [("handlers", "on_* @ prog+*")]
        self.assertEqual(unused(listed, {use}, {"perl"}), rest)
        self.assertEqual(unused(listed, {use, rest[0]}, {"perl"}), [])
        self.assertEqual(unused(listed, set(), {"node"}), [])

    def test_what_some_runs_lack_may_be_of_no_use(self) -> None:
        listed = self.read(GOOD + "sometimes = where it is interrupted\n")
        self.assertEqual(unused(listed, set(), {"perl"}), [])

    def test_what_is_no_entry(self) -> None:
        for text, said in (
            (GOOD.replace("reason", "because"), "reason is missing"),
            ("[a]\nrules = root\nmatch = x\nreason =\n", "reason is missing"),
            (GOOD.replace("root start", "roots"), "rules are"),
            (GOOD + "more = x\n", "more: no such key"),
            ("rules = root\n", "File contains no section headers"),
        ):
            with self.assertRaisesRegex(ExceptionListError, said):
                self.read(text)

    def test_the_list_itself_can_be_read(self) -> None:
        self.assertTrue(read_exceptions(HERE / "exceptions.ini"))


class RootTests(unittest.TestCase):
    def test_the_entry_point_of_this_interpreter(self) -> None:
        entry = entry_point(Path(sys.executable).resolve())
        assert entry is not None
        files = CodeMap({})
        self.assertNotEqual(files.section(entry), "", entry)

    def test_a_script_has_none(self) -> None:
        self.assertIsNone(entry_point(Path(__file__)))

    def test_reasons(self) -> None:
        live = FunctionKey("prog", "prog.c", "main")
        first = FunctionKey("no-file", "???", "0x0000000000001230")
        other = FunctionKey("no-file", "???", "0x0000000000001240")
        roots = KnownRoots(CodeMap({}), Place("no-file", 0x1230), {live})
        self.assertEqual(roots.reason(live), LIVE_AT_START)
        self.assertEqual(roots.reason(first), ENTRY_POINT)
        self.assertIsNone(roots.reason(other))
        self.assertIsNone(roots.reason(live._replace(object_file="other")))

    def test_a_stack(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            (folder / "lib.so.1").touch()
            (folder / "lib.so").symlink_to("lib.so.1")
            path = folder / "stack"
            path.write_text(f"0x11 {folder}/lib.so\n0xffff ?\n0x21 \n", encoding="utf-8")
            self.assertEqual(
                read_stack(path, Path("/prog")),
                [Place(f"{folder}/lib.so.1", 0x10), Place("/prog", 0x20)],
            )
