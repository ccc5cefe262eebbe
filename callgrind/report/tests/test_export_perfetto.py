# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_export --to perfetto: calls, pieces, marks and threads of a timeline.

"""Tests of the export of timelines as trace events."""

from __future__ import annotations

import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from export.perfetto import write_perfetto  # noqa: E402
from tree_file.timeline_reader import TreeError, read_timeline  # noqa: E402

TIMELINE = """\
callgrind-timeline 1
creator a test
process 1 4711 0 ./demo
limit 5
source 1 demo.c
function 1 0 1 3 parse
function 2 0 0 0 main
thread 1 1 1 0 0 100
calls 3
1 10 30
1 60 60
o2 95 10
mark 30 mark here
mark 40 signal 10
thread 2 1 2 1 50 20
calls 1
2 20 20
end 4 2 0
"""


class Perfetto(unittest.TestCase):
    def events(self, text: str = TIMELINE) -> list[dict[str, Any]]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "timeline"
            path.write_text(text)
            timeline = read_timeline([path])
        stream = io.BytesIO()
        write_perfetto(timeline, "title", stream)
        events: list[dict[str, Any]] = json.loads(stream.getvalue())["traceEvents"]
        return events

    def test_calls_are_complete_events_outer_ones_first(self) -> None:
        found = [
            (event["tid"], event["name"], event["ts"], event["dur"])
            for event in self.events()
            if event["ph"] == "X"
        ]
        self.assertEqual(
            found,
            [
                (1, "main", 5, 95),
                (1, "parse", 20, 10),
                (1, "parse", 30, 60),
                (2, "main", 50, 20),
            ],
        )

    def test_marks_are_instants(self) -> None:
        found = [
            (event["name"], event["ts"]) for event in self.events() if event["ph"] == "i"
        ]
        self.assertEqual(found, [("here", 30), ("signal 10", 40)])

    def test_what_has_not_ended_says_so(self) -> None:
        main = next(event for event in self.events() if event["name"] == "main")
        self.assertEqual(main["args"]["piece"], "not ended")

    def test_a_file_that_is_cut_off_is_refused(self) -> None:
        for size in range(len(TIMELINE)):
            with self.subTest(size=size), self.assertRaises(TreeError):
                self.events(TIMELINE[:size])


if __name__ == "__main__":
    unittest.main()
