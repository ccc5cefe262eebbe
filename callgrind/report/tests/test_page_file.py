# SPDX-License-Identifier: GPL-2.0-or-later
#
# The file that callgrind_export --to html writes, without a browser.

from __future__ import annotations

import json
import re
import struct
import tempfile
import unittest
from pathlib import Path
from typing import Any

from callgrind.report.tests.page_case import block, export, two_threads
from callgrind.report.tests.tree_reading import read
from export.page_columns import pack_column
from tests.format.tree_examples import HOSTILE, example
from tests.format.tree_maker import Maker, program
from tree_file.escape import unicode_text


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

    def column(self, page: Path, name: str, place: int) -> list[int]:
        """A column of numbers in the page, read back."""
        return unpacked(block(page, name))[place]

    def test_costs_and_calls_are_those_of_the_tree(self) -> None:
        content = program("c", 3000)
        page = export(self.folder, [content])
        nodes = read(content).trees[0].nodes
        order = [node for node, _ in nodes.walk()]
        for event, column in enumerate(nodes.costs):
            self.assertEqual(
                self.column(page, str(event), 0), [column[node] for node in order]
            )
        calls = self.column(page, "calls", 0)
        self.assertEqual(calls, [nodes.calls[node] for node in order])

    def test_numbers_of_any_size_come_through(self) -> None:
        values = [0, 1, 254, 255, 256, 65534, 65535, 65536, 2**32 - 1, 2**32, 2**53 - 1]
        self.assertEqual(unpacked(pack_column(values) + pack_column([])), [values, []])

    def test_a_large_tree_is_bundled_on_request_and_its_sums_stay(self) -> None:
        content = program("python", 30_000)
        page = export(self.folder, [content], "--max-frames", "2000")
        data = self.data(page)
        self.assertEqual(data["leftOut"], 28_000)
        self.assertLessEqual(data["paths"], 4000)
        sums = [sum(self.column(page, str(event), 0)) for event in range(3)]
        self.assertEqual(sums, read(content).totals())
        self.assertEqual(self.data(export(self.folder, [content]))["leftOut"], 0)

    def test_hashes_of_a_build_are_not_shown_in_a_comparison(self) -> None:
        contents = [two_threads([f"x::f::h{digit * 16}", "g.part.1"]) for digit in "ab"]
        found = self.data(export(self.folder, contents))["functions"]
        self.assertEqual(sorted(each[0] for each in found), ["g.part", "x::f"])
        found = self.data(export(self.folder, contents[:1]))["functions"]
        self.assertIn(f"x::f::h{'a' * 16}", [each[0] for each in found])

    def test_nothing_is_fetched(self) -> None:
        text = export(self.folder, [example()]).read_text("utf-8")
        self.assertNotRegex(text, r"<(?:script|link|img)[^>]*(?:src|href)=")

    def test_names_cannot_leave_their_place(self) -> None:
        content = two_threads(HOSTILE)
        page = export(self.folder, [content], "--title", HOSTILE[9])
        names = [function[0] for function in self.data(page)["functions"]]
        self.assertEqual(names, list(map(unicode_text, HOSTILE)))
        self.assertIn("<title>&quot;quoted&quot; &lt;b&gt;", page.read_text("utf-8"))

    def test_functions_that_agree_in_all_that_is_known_stay_two_paths(self) -> None:
        """Also in a comparison: the second of them is the second one there."""
        contents = []
        for costs in ((10, 20, 5), (11, 22)):
            maker = Maker()
            thread = maker.thread(1, "main")
            main = maker.function("main")
            functions = [maker.function_again("f") for _ in costs]
            maker.part(1)
            maker.tree(thread)
            top = maker.node(0, main, 1, 100)
            for function, cost in zip(functions, costs):
                maker.node(maker.node(top, function, 1, cost), main, 1, cost)
            maker.total()
            contents.append(maker.end())
        page = export(self.folder, contents)
        self.assertEqual(self.data(page)["paths"], 7)
        self.assertEqual(self.column(page, "0", 0),
                         [100, 10, 10, 20, 20, 5, 5, 100, 11, 11, 22, 22])

    def test_runs_with_other_events_cannot_be_compared(self) -> None:
        other = example().replace(b"event Ir count", b"event Ge count")
        with self.assertRaisesRegex(AssertionError, "their events differ"):
            export(self.folder, [example(), other])


def unpacked(data: bytes) -> list[list[int]]:
    """The columns of a block, as export/page_data.py describes them."""
    columns = []
    while data:
        lengths = struct.unpack("<4I", data[:16])
        data = data[16:]
        planes = []
        for length, code in zip(lengths, "BHIQ"):
            size = struct.calcsize(f"<{length}{code}")
            planes.append(iter(struct.unpack(f"<{length}{code}", data[:size])))
            data = data[size:]
        first, *wider = planes
        column = []
        for value in first:
            for plane, more in zip(wider, (0xFF, 0xFFFF, 0xFFFFFFFF)):
                if value != more:
                    break
                value = next(plane)
            column.append(value)
        columns.append(column)
    return columns
