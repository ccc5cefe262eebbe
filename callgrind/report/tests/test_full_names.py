# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of functions in tables: of C++ they have hundreds of characters, and more.

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from callgrind.report.tests.report_case import document, run, table
from console.short_names import MOST_CHARACTERS, shortened

LONG = ("std::map<std::string, std::vector<std::pair<int, std::string>>, "
        "std::less<std::string>>::operator[](" + "std::string const&, " * 20 + "int)")
HEAVY = "events: Ir\nfl=a.h\nfn=NAME\n1 5\ncfl=a.h\ncfn=NAME'2\ncalls=1 1\n1 7\n"


class FullNames(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.old, self.new = Path(folder.name, "old"), Path(folder.name, "new")
        text = HEAVY.replace("NAME", LONG)
        self.old.write_text(text)
        self.new.write_text(text.replace("1 5", "1 6"))

    def shown(self, *arguments: str) -> str:
        status, text, errors = run("--color=never", *arguments)
        self.assertEqual((status, errors), (0, ""))
        return text

    def test_each_table_shortens_and_has_them_in_full_on_request(self) -> None:
        old, new = str(self.old), str(self.new)
        source = self.old.with_name("a.h")
        source.write_text("line\n")
        annotate = ["--annotate", "-I", str(source.parent), old]
        calls = ["-f", "*operator*", old]
        for arguments in ([old], calls, ["--diff", old, new], annotate):
            with self.subTest(arguments):
                text = self.shown(*arguments)
                self.assertNotIn(LONG, text)
                self.assertIn("std::map<…>::operator[](…)", text)
                self.assertLess(max(map(len, text.splitlines())), 130)
                self.assertIn(LONG, self.shown("--full-names", *arguments))

    def test_what_programs_read_is_never_shortened(self) -> None:
        self.assertEqual(document(str(self.old))["functions"][0]["name"], LONG)
        self.assertEqual(table(str(self.old))[0]["function"], LONG)

    def test_no_name_takes_long(self) -> None:
        """Neither does one that is all brackets, of which each level is looked at."""
        for name in ("<" * 200_000, "<" * 100_000 + ">" * 100_000, "a" * 200_000,
                     "<a<b>" * 40_000, "f(" * 100_000 + ")" * 100_000,
                     "operator<" * 30_000):  # fmt: skip
            self.assertLessEqual(len(shortened(name)), MOST_CHARACTERS)


if __name__ == "__main__":
    unittest.main()
