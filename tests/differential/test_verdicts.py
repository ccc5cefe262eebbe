# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests verdicts.py: what has passed is known again, and nothing else is.

"""Comparisons that have been made before."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

from tests.differential import verdicts
from tests.differential.launching import RunResult
from tests.differential.measuring import Side, said_by
from tests.differential.reuse import FRESH_VARIABLE
from tests.differential.verdicts import Comparison, Verdict

PASSED = Comparison(explained=Counter({"stub": 3}), summary="7 Ir")


class Verdicts(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "asked" / "default.json"
        # `./check --fresh` is not meant here.
        fresh = mock.patch.dict(os.environ, {FRESH_VARIABLE: ""})
        fresh.start()
        self.addCleanup(fresh.stop)

    def verdict(self, *what: object) -> Verdict:
        return Verdict(self.path, what)

    def test_what_has_passed_is_known_with_all_that_was_said(self) -> None:
        self.assertIsNone(self.verdict("a").known())
        self.verdict("a").keep(PASSED)
        self.assertEqual(self.verdict("a").known(), PASSED)
        self.assertEqual(os.listdir(self.path.parent), [self.path.name])

    def test_nothing_else_is_known(self) -> None:
        self.verdict("a", b"b").keep(PASSED)
        for what in (("a",), ("a", b"c"), ("a", "b"), ("ab",), (b"b", "a")):
            with self.subTest(what=what):
                self.assertIsNone(self.verdict(*what).known())

    def test_nothing_is_known_when_the_comparing_code_has_changed(self) -> None:
        self.verdict("a").keep(PASSED)
        with mock.patch.object(verdicts, "code_digest", lambda: "another"):
            self.assertIsNone(self.verdict("a").known())

    def test_the_comparing_code_is_all_of_it(self) -> None:
        before = verdicts.code_digest()
        for name in ("tests/differential/jump_rule.py", "tests/format/profile_grammar.py",
                     "callgrind/report/profile_file/body.py"):
            def other(path: Path, name: str = name) -> str:
                return "other" if str(path).endswith(name) else real(path)

            real = verdicts.contents
            with self.subTest(name), mock.patch.object(verdicts, "contents", other):
                self.assertNotEqual(verdicts.code_digest.__wrapped__(), before)

    def test_what_the_comparing_code_imports_is_part_of_it(self) -> None:
        script = f"import sys; sys.path[:0] = {sys.path!r}\n" \
            "import tests.differential.measuring\n" \
            "print(*(m.__file__ for m in sys.modules.values() if " \
            "getattr(m, '__file__', None)), sep='\\n')"
        said = subprocess.run([sys.executable, "-c", script], cwd=verdicts.SOURCE,
                              capture_output=True, text=True, check=True).stdout
        ours = [Path(line).relative_to(verdicts.SOURCE).as_posix()
                for line in said.splitlines() if line.startswith(f"{verdicts.SOURCE}/")]
        folders = tuple(f"{folder}/" for folder in verdicts.CODE)
        self.assertGreater(len(ours), 10)
        self.assertEqual([name for name in ours if not name.startswith(folders)
                          and not name.endswith("__init__.py")], [])

    def test_nothing_is_known_of_a_fresh_run_or_a_torn_file(self) -> None:
        self.verdict("a").keep(PASSED)
        with mock.patch.dict(os.environ, {FRESH_VARIABLE: "1"}):
            self.assertIsNone(self.verdict("a").known())
        self.path.write_text(self.path.read_text()[:-9])
        self.assertIsNone(self.verdict("a").known())

    def test_a_profile_differs_by_every_byte_but_its_process(self) -> None:
        def said(text: str) -> list[object]:
            (self.folder / "ours.out").write_text(text)
            return said_by(Side(RunResult(0, b"", "", []), self.folder / "ours.out"))

        first = said("pid: 77\ncmd: a\n1 5\n")
        self.assertEqual(said("pid: 8\ncmd: a\n1 5\n"), first)
        self.assertNotEqual(said("pid: 77\ncmd: a\n1 6\n"), first)
        self.assertNotEqual(said("pid: 77\ncmd: a\n1 5\n\n"), first)
