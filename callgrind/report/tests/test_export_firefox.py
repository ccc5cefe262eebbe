# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_export --to firefox: its tables, and what is read from them again.

from __future__ import annotations

import json
from typing import Any, Iterator

from callgrind.report.tests.export_case import (
    EXAMPLE_SELF,
    HOSTILE_SELF,
    ExportCase,
    Stack,
    add,
    in_unicode,
    only,
    totals_of,
)
from tests.format.tree_examples import example, hostile
from tests.format.tree_maker import program


def rows_of(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a table of columns, all of which have its length."""
    for name, column in table.items():
        assert not isinstance(column, list) or len(column) == table["length"], name
    columns = {name: column for name, column in table.items() if isinstance(column, list)}
    for row in range(table["length"]):
        yield {name: column[row] for name, column in columns.items()}


def read_firefox(document: Any) -> dict[Stack, int]:
    found: dict[Stack, int] = {}
    categories = len(document["meta"]["categories"])
    for thread in document["threads"]:
        strings = thread["stringArray"]
        resources = list(rows_of(thread["resourceTable"]))
        assert all(each["lib"] < len(document["libs"]) for each in resources)
        functions = list(rows_of(thread["funcTable"]))
        assert all(each["resource"] < len(resources) for each in functions)
        frames = list(rows_of(thread["frameTable"]))
        stacks: list[Stack] = []
        for stack in rows_of(thread["stackTable"]):
            frame = frames[stack["frame"]]
            assert stack["category"] == frame["category"] < categories
            above = () if stack["prefix"] is None else stacks[stack["prefix"]]
            stacks.append((*above, strings[functions[frame["func"]]["name"]]))
        before = 0
        for sample in rows_of(thread["samples"]):
            assert sample["time"] >= before
            before = sample["time"]
            add(found, stacks[sample["stack"]], sample["weight"])
    return found


class Firefox(ExportCase):
    def document(self, content: bytes, *options: str) -> Any:
        return json.loads(self.exported("--to", "firefox", *options, self.file(content)))

    def test_example(self) -> None:
        document = self.document(example())
        self.assertEqual(read_firefox(document), only(EXAMPLE_SELF, 0))
        thread = document["threads"][0]
        inline_depths = {
            thread["stringArray"][thread["funcTable"]["name"][frame["func"]]]: frame[
                "inlineDepth"
            ]
            for frame in rows_of(thread["frameTable"])
        }
        self.assertEqual(
            inline_depths, {"main": 0, "parse": 0, "skip_blanks": 1, "read": 0}
        )
        self.assertEqual(
            [library["codeId"] for library in document["libs"]],
            ["9c3b1f00aa52e1d7", None],
        )

    def test_another_event(self) -> None:
        document = self.document(example(), "--event", "sysTime")
        self.assertEqual(read_firefox(document), only(EXAMPLE_SELF, 1))

    def test_hostile_names_come_back(self) -> None:
        document = self.document(hostile())
        self.assertEqual(read_firefox(document), in_unicode(only(HOSTILE_SELF, 0)))
        self.assertEqual(len(document["threads"]), 2)

    def test_programs_sum_to_their_totals(self) -> None:
        for like in ("c", "python"):
            content = program(like, 4000)
            found = read_firefox(self.document(content))
            self.assertEqual(sum(found.values()), totals_of(content)[0])
