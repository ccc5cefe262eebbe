# SPDX-License-Identifier: GPL-2.0-or-later
#
# What Chrome's DevTools read a trace with, as its people publish it, on the trace events
# that we export: each thread has each call, where it is and as deep.

from __future__ import annotations

import json
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from callgrind.report.tests.npm_packages import Absent, npm_folder
from callgrind.report.tests.timeline_examples import TIMELINE, hostile_timeline
from callgrind_export import main
from tree_file.escape import unicode_text
from tree_file.timeline_reader import read_timeline

PACKAGE = "@paulirish/trace_engine"


class DevTools(unittest.TestCase):
    engine: Path

    @classmethod
    def setUpClass(cls) -> None:
        try:
            cls.engine = npm_folder("trace_engine", PACKAGE)
        except Absent as reason:
            raise unittest.SkipTest(str(reason)) from None

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def exported(self, content: bytes) -> Path:
        given, trace = self.folder / "given", self.folder / "trace.json"
        given.write_bytes(content)
        self.assertEqual(main(["--to", "perfetto", "-o", str(trace), str(given)]), 0)
        return trace

    def read(self, trace: Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["node", str(self.engine / "read.mjs"), str(trace)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def found(self, trace: Path) -> list[dict[str, Any]]:
        done = self.read(trace)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        threads: list[dict[str, Any]] = json.loads(done.stdout)
        return sorted(threads, key=lambda thread: int(thread["tid"]))

    def check(self, content: bytes) -> None:
        trace = self.exported(content)
        timeline = read_timeline([str(self.folder / "given")])
        wanted = []
        for thread in timeline.threads:
            calls = thread.calls
            wanted.append(sorted(
                (
                    thread.start + calls.begins[call],
                    calls.ends[call] - calls.begins[call],
                    unicode_text(timeline.functions[calls.functions[call]].name),
                    sum(calls.begins[other] <= calls.begins[call]
                        and calls.ends[other] >= calls.ends[call]
                        for other in range(len(calls))) - 1,
                )
                for call in range(len(calls))
            ))
        found = self.found(trace)
        self.assertEqual([thread["name"] for thread in found], timeline.titles())
        self.assertEqual(
            [sorted((call["begin"], call["duration"], call["name"], call["depth"])
                    for call in thread["calls"]) for thread in found],
            wanted,
        )
        self.assertTrue(all(call["hasCategory"]
                            for thread in found for call in thread["calls"]))

    def test_a_timeline(self) -> None:
        self.check(TIMELINE.encode())

    def test_names_of_all_kinds(self) -> None:
        self.check(hostile_timeline())

    def test_it_reads_no_trace_without_categories(self) -> None:
        """Which is why all events have one."""
        trace = self.exported(TIMELINE.encode())
        document = json.loads(trace.read_text())
        for event in document["traceEvents"]:
            del event["cat"]
        trace.write_text(json.dumps(document))
        self.assertIn("'split'", self.read(trace).stderr)
