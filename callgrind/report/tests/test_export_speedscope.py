# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_export --to speedscope: its schema, and what is read from it again.

from __future__ import annotations

import json
from typing import Any

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
from callgrind.report.tests.speedscope_rules import breaches
from tests.format.tree_examples import example, hostile
from tests.format.tree_maker import Maker, program


def read_speedscope(document: Any) -> dict[str, dict[Stack, int]]:
    """Self costs by the first word of each profile's name, the event."""
    names = [frame["name"] for frame in document["shared"]["frames"]]
    found: dict[str, dict[Stack, int]] = {}
    for profile in document["profiles"]:
        costs = found.setdefault(profile["name"].split(",")[0], {})
        stack: list[str] = []
        place = profile["startValue"]
        for event in profile["events"]:
            if event["at"] > place:
                add(costs, stack, event["at"] - place)
            assert event["at"] >= place
            place = event["at"]
            if event["type"] == "O":
                stack.append(names[event["frame"]])
            else:
                assert stack.pop() == names[event["frame"]]
        assert not stack and place == profile["endValue"]
    return found


class Speedscope(ExportCase):
    def test_example(self) -> None:
        document = json.loads(self.exported("--to", "speedscope", self.file(example())))
        self.assertEqual(breaches(document), [])
        found = read_speedscope(document)
        self.assertEqual(
            found, {"Ir": only(EXAMPLE_SELF, 0), "sysTime": only(EXAMPLE_SELF, 1)}
        )
        units = {
            profile["name"].split(",")[0]: profile["unit"]
            for profile in document["profiles"]
        }
        self.assertEqual(units, {"Ir": "none", "sysTime": "nanoseconds"})
        frame = document["shared"]["frames"][0]
        self.assertEqual(frame, {"name": "main", "file": "demo.c", "line": 40})

    def test_hostile_names_come_back(self) -> None:
        document = json.loads(self.exported("--to", "speedscope", self.file(hostile())))
        self.assertEqual(breaches(document), [])
        found = read_speedscope(document)
        self.assertEqual(found["Ir"], in_unicode(only(HOSTILE_SELF, 0)))
        self.assertEqual(found["sysTime"], in_unicode(only(HOSTILE_SELF, 2)))
        self.assertEqual(len(document["profiles"]), 4)  # two threads, two events

    def test_the_costliest_thread_is_shown_first(self) -> None:
        maker = Maker()
        functions = [maker.function(name) for name in "abcd"]
        maker.part(1)
        for number, (function, cost) in enumerate(zip(functions, (5, 0, 90, 20)), 1):
            maker.tree(maker.thread(number))
            maker.node(0, function, 1, cost, 0, 1000 - cost)
            maker.total()
        document = json.loads(
            self.exported("--to", "speedscope", self.file(maker.end()))
        )
        shown = document["profiles"][document["activeProfileIndex"]]
        self.assertEqual(shown["name"], "Ir, thread 3, part 1")
        self.assertEqual(shown["endValue"], 90)

    def test_what_is_against_the_schema_is_seen(self) -> None:
        tree = self.file(example())
        document = json.loads(self.exported("--to", "speedscope", tree))
        document["profiles"][0]["events"][0]["frame"] = "main"
        document["profiles"][1]["unit"] = "hours"
        del document["shared"]["frames"][0]["name"]
        self.assertEqual(len(breaches(document)), 3)

    def test_programs_sum_to_their_totals(self) -> None:
        for like in ("c", "python"):
            content = program(like, 4000)
            document = json.loads(self.exported("--to", "speedscope", self.file(content)))
            self.assertEqual(breaches(document), [])
            found = read_speedscope(document)
            sums = [sum(costs.values()) for costs in found.values()]
            self.assertEqual(sums, totals_of(content))
