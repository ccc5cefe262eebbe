# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_export on timelines: trace events, speedscope's evented form, and the Firefox
# Profiler's; what each of them says of every moment of a thread.

"""Tests of the exports of timelines."""

from __future__ import annotations

import json
from typing import Any

from callgrind.report.tests.export_case import ExportCase
from callgrind.report.tests.speedscope_rules import breaches
from callgrind.report.tests.timeline_examples import (
    TIMELINE,
    WITH_HELD,
    hostile_timeline,
    stays,
)
from callgrind.report.tests.trace_event_rules import trace_breaches
from tests.format.tree_examples import HOSTILE, example
from tree_file.escape import unicode_text
from tree_file.timeline_reader import TreeError, read_timeline

Stay = tuple[int, int, tuple[str, ...]]


class Timelines(ExportCase):
    def wanted(self, content: bytes) -> list[tuple[int, list[Stay]]]:
        """Of each thread its start, and which stack there was from when to when."""
        timeline = read_timeline([self.file(content, "a.timeline")])
        return [
            (
                thread.start,
                [
                    (begin, end, tuple(map(unicode_text, names)))
                    for begin, end, names in stays(timeline, thread)
                ],
            )
            for thread in timeline.threads
        ]

    def document(self, to: str, content: bytes) -> Any:
        path = self.file(content, "a.timeline")
        return json.loads(self.exported("--to", to, path))


class Speedscope(Timelines):
    def found(self, profile: Any, names: list[str]) -> tuple[int, list[Stay]]:
        stack: list[str] = []
        start = since = profile["startValue"]
        stays_found: list[Stay] = []
        ends = {"type": "end", "at": profile["endValue"]}
        for event in [*profile["events"], ends]:
            if event["at"] > since:
                stays_found.append((since - start, event["at"] - start, tuple(stack)))
                since = event["at"]
            if event["type"] == "O":
                stack.append(names[event["frame"]])
            elif event["type"] == "C":
                self.assertEqual(stack.pop(), names[event["frame"]])
        self.assertEqual(stack, [])
        return start, stays_found

    def test_each_moment_of_each_thread(self) -> None:
        for content in (TIMELINE.encode(), hostile_timeline()):
            document = self.document("speedscope", content)
            self.assertEqual(breaches(document), [])
            names = [frame["name"] for frame in document["shared"]["frames"]]
            found = [self.found(profile, names) for profile in document["profiles"]]
            self.assertEqual(found, self.wanted(content))

    def test_the_costliest_thread_is_shown_first(self) -> None:
        document = self.document("speedscope", TIMELINE.encode())
        shown = document["profiles"][document["activeProfileIndex"]]
        self.assertEqual((shown["name"], shown["startValue"]), ("thread 2", 50))


class Firefox(Timelines):
    def found(self, thread: Any) -> tuple[int, list[Stay]]:
        strings, samples = thread["stringArray"], thread["samples"]
        stacks, frames, functions = (
            thread[name] for name in ("stackTable", "frameTable", "funcTable")
        )

        def names(stack: Any) -> tuple[str, ...]:
            if stack is None:
                return ()
            function = frames["func"][stacks["frame"][stack]]
            name: str = strings[functions["name"][function]]
            return (*names(stacks["prefix"][stack]), name)

        start = round(thread["registerTime"] * 1000)
        stays_found: list[Stay] = []
        for stack, time, weight in zip(
            samples["stack"], samples["time"], samples["weight"]
        ):
            begin = round(time * 1000) - start
            stays_found.append((begin, begin + weight, names(stack)))
        ends = round(thread["unregisterTime"] * 1000) - start
        self.assertEqual(stays_found[-1][1], ends)
        return start, stays_found

    def test_each_moment_of_each_thread(self) -> None:
        for content in (TIMELINE.encode(), hostile_timeline()):
            document = self.document("firefox", content)
            found = [self.found(thread) for thread in document["threads"]]
            self.assertEqual(found, self.wanted(content))

    def test_marks_are_markers(self) -> None:
        document = self.document("firefox", TIMELINE.encode())
        thread = document["threads"][0]
        markers, strings = thread["markers"], thread["stringArray"]
        found = [
            (strings[name], round(time * 1000))
            for name, time in zip(markers["name"], markers["startTime"])
        ]
        self.assertEqual(found, [("here", 30), ("signal 10", 40)])
        schemas = {schema["name"] for schema in document["meta"]["markerSchema"]}
        self.assertEqual({data["type"] for data in markers["data"]}, schemas)

    def test_the_costliest_thread_is_selected(self) -> None:
        document = self.document("firefox", TIMELINE.encode())
        self.assertEqual(document["meta"]["initialSelectedThreads"], [1])


class TraceEvents(Timelines):
    def events(self, phase: str, content: bytes = TIMELINE.encode()) -> list[Any]:
        document = self.document("perfetto", content)
        self.assertEqual(trace_breaches(document), [])
        return [event for event in document["traceEvents"] if event["ph"] == phase]

    def test_calls_are_complete_events_outer_ones_first(self) -> None:
        found = [
            (event["tid"], event["name"], event["ts"], event["dur"])
            for event in self.events("X")
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
        found = [(event["name"], event["ts"]) for event in self.events("i")]
        self.assertEqual(found, [("here", 30), ("signal 10", 40)])

    def test_held_bytes_are_counters_of_each_thread(self) -> None:
        found = [
            (event["tid"], event["name"], event["ts"], event["args"])
            for event in self.events("C", WITH_HELD.encode())
        ]
        first, second = "bytes held (thread 1)", "bytes held (thread 2)"
        self.assertEqual(
            found,
            [
                (1, first, 20, {"held": 500}),
                (1, first, 40, {"held": 200}),
                (1, first, 60, {"held": 700}),
                (1, first, 80, {"held": 0}),
                (2, second, 50, {"held": 350}),
            ],
        )

    def test_what_has_not_ended_says_so(self) -> None:
        args = [event["args"] for event in self.events("X")]
        self.assertEqual(args[0], {"piece": "not ended"})
        self.assertEqual(args[1], {"source": "demo.c:3", "object": "/home/me/demo"})

    def test_names_of_all_kinds(self) -> None:
        found = [event["name"] for event in self.events("X", hostile_timeline())]
        self.assertEqual(found, [unicode_text(name) for name in HOSTILE] * 2)

    def test_what_is_against_the_format_is_seen(self) -> None:
        document = self.document("perfetto", TIMELINE.encode())
        events = document["traceEvents"]
        calls = [event for event in events if event["ph"] == "X"]
        calls[1]["dur"] = 1000  # ends after main
        calls[2]["ts"] = 1  # begins before
        calls[3]["ts"] = "50"
        next(event for event in events if event["ph"] == "i")["s"] = "x"
        events[0]["args"] = {"title": "x"}
        events.append({"ph": "B", "name": "x"})
        self.assertEqual(len(trace_breaches(document)), 6)


class Asking(Timelines):
    def test_a_file_that_is_cut_off_is_refused(self) -> None:
        for size in range(len(WITH_HELD)):
            with self.subTest(size=size), self.assertRaises(TreeError):
                read_timeline([self.file(WITH_HELD[:size].encode())])

    def test_a_curve_that_cannot_be_is_refused(self) -> None:
        for right, wrong, said in (
            ("held 20 2", "held 0 2", "no curve"),
            ("held 20 2", "held 20 3", "expected 3 numbers"),
            ("\n40 700 0", "\n19 700 0", "within the one before"),
            ("\n40 700 0", "\n81 700 0", "cannot be"),
            ("\n40 700 0", "\n40 700 701", "cannot be"),
            ("\nheld 10 1", "\nheld 10 1\n0 1 1\nheld 10 1", "no curve"),
        ):
            with self.subTest(wrong), self.assertRaisesRegex(TreeError, said):
                content = WITH_HELD.replace(right, wrong)
                self.assertNotEqual(content, WITH_HELD)
                read_timeline([self.file(content.encode())])

    def test_what_does_not_go_together(self) -> None:
        timeline = self.file(TIMELINE.encode(), "a.timeline")
        tree = self.file(example())
        for options, said in (
            (["--to", "folded", timeline], "a timeline cannot become folded"),
            (["--to", "html", timeline], "a timeline cannot become html"),
            (["--to", "firefox", tree, timeline], "expected 'callgrind-timeline 1'"),
            (["--to", "perfetto", tree], "expected 'callgrind-timeline 1'"),
            (["--to", "speedscope", "--thread", "1", timeline], "exported whole"),
        ):
            status, errors = self.run_main(*options)
            self.assertEqual(status, 2, options)
            self.assertIn(said, errors)

    def test_several_files_become_one(self) -> None:
        path = self.file(TIMELINE.encode(), "a.timeline")
        document = json.loads(self.exported("--to", "speedscope", path, path))
        self.assertEqual(len(document["profiles"]), 4)
