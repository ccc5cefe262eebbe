# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reports of code that was made at run time and has no name: the last line says how it
# gets one.

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from callgrind.report.tests.report_case import TINY, run
from tests.format.tree_maker import Maker

ADDRESS = "0x00000000040a1b20"
HINT = "is code made at run time without names: docs/runtimes.md says how a JIT " \
       "compiler is asked for names"  # fmt: skip


def profile(cost: int, name: str = ADDRESS, obj: str = "???", other: int = 60) -> str:
    return (
        "# callgrind format\nversion: 1\ncreator: callgrind-exact\nevents: Ir\n"
        f"ob=/bin/node\nfl=???\nfn=main\n0 {other}\ncob={obj}\ncfn={name}\ncalls=1 0\n"
        f"0 {cost}\n\nob={obj}\nfn={name}\n0 {cost}\ntotals: {cost + other}\n"
    )


class Nameless(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, text: str, name: str = "profile") -> str:
        path = self.folder / name
        path.write_text(text, "utf-8")
        return str(path)

    def last_line(self, *arguments: str) -> str:
        status, output, errors = run(*arguments)
        self.assertEqual((status, errors), (0, ""))
        return output.splitlines()[-1]

    def test_table(self) -> None:
        self.assertEqual(self.last_line(self.file(profile(40))), f"40.00% {HINT}")

    def test_recursion_and_callers_behind_the_address(self) -> None:
        for behind in ("'2", "'main", "'2'main"):
            path = self.file(profile(40, ADDRESS + behind))
            self.assertEqual(self.last_line(path), f"40.00% {HINT}")

    def test_callers_and_callees(self) -> None:
        path = self.file(profile(40))
        self.assertEqual(self.last_line("-f", "main", path), f"40.00% {HINT}")

    def test_changes(self) -> None:
        old, new = self.file(profile(20), "old"), self.file(profile(40), "new")
        self.assertEqual(self.last_line("--diff", old, new), f"40.00% {HINT}")

    def test_tree(self) -> None:
        maker = Maker()
        thread = maker.thread(1)
        nameless = maker.function(ADDRESS)
        maker.part(1)
        maker.tree(thread)
        maker.node(0, nameless, 1, 100)
        maker.total()
        path = self.folder / "tree"
        path.write_bytes(maker.end())
        self.assertEqual(self.last_line(str(path)), f"100.00% {HINT}")

    def test_once_for_one_in_a_hundred(self) -> None:
        self.assertEqual(self.last_line(self.file(profile(1, other=99))),
                         f"1.00% {HINT}")
        self.assertNotIn(HINT, self.last_line(self.file(profile(1, other=100))))

    def test_others_are_not_meant(self) -> None:
        for name, obj in (
            (ADDRESS, "/usr/bin/stripped"),  # code without a symbol
            ("JS:~add", "???"),  # that has been named
            (f"JS:~add [{ADDRESS}]", "???"),
        ):
            self.assertNotIn(HINT, self.last_line(self.file(profile(40, name, obj))))
        self.assertNotIn(HINT, self.last_line(TINY))

    def test_other_forms_are_data_alone(self) -> None:
        for form in ("--json", "--csv"):
            _, output, errors = run(form, self.file(profile(40)))
            self.assertNotIn("runtimes.md", output + errors)


if __name__ == "__main__":
    unittest.main()
