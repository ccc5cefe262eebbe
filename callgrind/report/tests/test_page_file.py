# SPDX-License-Identifier: GPL-2.0-or-later
#
# The file that callgrind_export --to html writes, without a browser.

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from callgrind.report.tests.page_case import export, require_library, two_threads
from callgrind.report.tests.tree_reading import read
from callgrind_export import main
from export.flame_graph_library import FOLDER_VARIABLE
from tests.format.tree_examples import HOSTILE, example
from tests.format.tree_maker import program
from tree_file.escape import unicode_text

setUpModule = require_library


class PageFile(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def data(self, page: Path) -> Any:
        text = page.read_text("utf-8")
        found = re.findall(
            r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL
        )
        self.assertEqual(len(found), 1)
        self.assertNotIn("<", found[0])
        return json.loads(found[0])

    def test_costs_are_those_of_the_tree(self) -> None:
        content = program("c", 3000)
        tree = self.data(export(self.folder, [content]))["runs"][0]["trees"][0]
        nodes = read(content).trees[0].nodes
        self.assertEqual(tree["costs"], [column.tolist() for column in nodes.costs])
        self.assertEqual(tree["calls"], nodes.calls.tolist())

    def test_a_large_tree_is_bundled_and_its_sums_stay(self) -> None:
        content = program("python", 30_000)
        data = self.data(export(self.folder, [content], "--max-frames", "2000"))
        tree = data["runs"][0]["trees"][0]
        self.assertEqual(data["leftOut"], 28_000)
        self.assertLessEqual(len(tree["parents"]), 4000)
        self.assertEqual(list(map(sum, tree["costs"])), read(content).totals())

    def test_licences_are_in_the_page_and_nothing_is_fetched(self) -> None:
        text = export(self.folder, [example()]).read_text("utf-8")
        for words in ("Mike Bostock", "Apache License"):
            self.assertIn(words, text)
        self.assertNotRegex(text, r"<(?:script|link|img)[^>]*(?:src|href)=")

    def test_names_cannot_leave_their_place(self) -> None:
        content = two_threads(HOSTILE)
        page = export(self.folder, [content], "--title", HOSTILE[9])
        names = [function[0] for function in self.data(page)["functions"]]
        self.assertEqual(names, list(map(unicode_text, HOSTILE)))
        self.assertIn("<title>&quot;quoted&quot; &lt;b&gt;", page.read_text("utf-8"))

    def test_without_the_library_it_says_what_to_do(self) -> None:
        tree = self.folder / "a.tree"
        tree.write_bytes(example())
        with mock.patch.dict(os.environ, {FOLDER_VARIABLE: str(self.folder)}):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                status = main(["--to", "html", str(tree)])
        self.assertEqual((status, errors.getvalue().count("\n")), (2, 1))
        self.assertIn("build again with npm", errors.getvalue())

    def test_runs_with_other_events_cannot_be_compared(self) -> None:
        other = example().replace(b"event Ir count", b"event Ge count")
        with self.assertRaisesRegex(AssertionError, "their events differ"):
            export(self.folder, [example(), other])
