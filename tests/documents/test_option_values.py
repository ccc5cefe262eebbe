# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests that every option that --help and --help-debug list refuses bad values: by its
# name, with a status that tells of an error, and before the program is run.
#
# What is a bad value follows from the form in which the help writes the option, so that a
# new option is tested without a word here; a form that is not known fails the test.

"""Bad values of every option of the tool."""

from __future__ import annotations

import re
import subprocess
import unittest

from tests.documents import option_table

TWO_BEYOND_64_BITS = str((1 << 64) + 2)  # which is 2 to who counts with 64 bits
NO_NUMBERS = ("", "many", "3x", "0x3", "-1", "9" * 30, TWO_BEYOND_64_BITS)
NO_CHOICES = ("", "maybe", "1", "-1", "YES", "no ")
NO_FILE_NAMES = ("", "%q{NO_SUCH_VARIABLE_IS_SET}", "%q", "%x")
NO_CACHES = ("", "32768", "32768,8", "32k,8,64", "32768,0,64", "30000,8,64", "64,1,64")
BAD_VALUES = {
    "<n>": NO_NUMBERS,
    "<count>": NO_NUMBERS,
    "<f>": ("",),
    "<func>": ("",),
    "<func:args>": (
        "", "f", "f:", ":size=1", "f:size", "f:size=", "f:size=0", "f:size=7",
        "f:size=1,", "f:size=1 ", "f:count=1", "f:free=1,count=2", "f:bytes=1", "Python",
    ),
    "<function>": ("",),
    "<path>": ("",),
    "<names>": ("",),
    "<size>,<assoc>,<line_size>": NO_CACHES,
}
# Stock's, for its own authors; here they do nothing, whatever their value.
WITHOUT_EFFECT = ("--ct-verbose", "--ct-vstart")


def bad_uses(form: str) -> list[str]:
    """Uses of an option that make no sense."""
    name, _, value = form.partition("=")
    if name == "--callgrind-out-file":
        return [f"{name}={bad}" for bad in NO_FILE_NAMES]
    if "|" in value:
        return [f"{name}={bad}" for bad in NO_CHOICES]
    if name.endswith(">"):  # the number is part of the name
        stem = name.partition("<")[0]
        numbers = ("9" * 30, TWO_BEYOND_64_BITS, "2x", "-1")
        return [f"{stem}2=", *(f"{stem}{number}=f" for number in numbers)]
    return [f"{name}={bad}" for bad in BAD_VALUES[value]]


class BadValues(unittest.TestCase):
    def judge(self, use: str) -> None:
        done = subprocess.run(
            [
                str(option_table.IN_PLACE),
                "--command-line-only=yes",
                "--tool=callgrind",
                "--callgrind-out-file=/dev/null",
                use,
                "echo",
                "the program was started",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("the program was started", done.stdout)
        said = re.search(r"(Bad|Unknown) option: (.*)", done.stderr)
        self.assertIsNotNone(said, done.stderr)
        assert said is not None
        self.assertEqual(said.group(2), use)
        # A name that exists is not called unknown, but where its number is not one.
        if re.fullmatch(r"[a-z-]*[0-9]*", use.partition("=")[0]) and said[1] != "Bad":
            self.assertRegex(use, r"-1=f$")

    def test_every_option(self) -> None:
        found = option_table.forms(option_table.help_of(option_table.IN_PLACE))
        self.assertGreater(len(found), 25)
        for name, form in found.items():
            if name.startswith(WITHOUT_EFFECT):
                continue
            for use in bad_uses(form):
                with self.subTest(option=use):
                    self.judge(use)

    def test_a_good_value_is_not_refused(self) -> None:
        with self.assertRaises(AssertionError):
            self.judge("--separate-recs=3")

    def test_a_form_that_is_not_known_is_an_error(self) -> None:
        with self.assertRaises(KeyError):
            bad_uses("--new=<thing>")
