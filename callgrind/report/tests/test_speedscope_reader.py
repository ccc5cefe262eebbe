# SPDX-License-Identifier: GPL-2.0-or-later
#
# speedscope itself (the npm package), in a browser, on what we export for it: trees and
# timelines, and the trace events that are made for Perfetto, which it reads as well.

"""Tests of exports in speedscope."""

from __future__ import annotations

import base64
import json
import unittest
from pathlib import Path

from callgrind.report.tests.npm_packages import Absent, npm_folder
from callgrind.report.tests.page_case import InBrowser, two_threads
from callgrind.report.tests.timeline_examples import TIMELINE
from callgrind_export import main
from tests.format.tree_examples import example

PACKAGE = "speedscope"
PAGE = Path("node_modules") / PACKAGE / "dist" / "release" / "index.html"


class Speedscope(InBrowser):
    page: Path

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        try:
            cls.page = npm_folder("speedscope", PACKAGE) / PAGE
        except Absent as reason:
            raise unittest.SkipTest(str(reason)) from None

    def show(self, to: str, content: bytes, until: str) -> None:
        """Open an export as the command `speedscope` does, until a text is shown."""
        given, exported = self.folder / "given", self.folder / "exported.json"
        given.write_bytes(content)
        self.assertEqual(main(["--to", to, "-o", str(exported), str(given)]), 0)
        script = self.folder / "profile.js"
        encoded = base64.b64encode(exported.read_bytes()).decode("ascii")
        script.write_text(
            f"speedscope.loadFileFromBase64('exported.json', {json.dumps(encoded)})"
        )
        at = f"#localProfilePath={script}"
        self.browser.open_until(str(self.page), {}, at, until)
        self.addCleanup(self.no_problems)

    def test_a_tree_opens_on_the_costliest_thread(self) -> None:
        # Of two threads in two parts, the fourth tree is the costliest.
        self.show("speedscope", two_threads(["f", "g", "h"]), "thread 2: worker, part 2")
        self.assertEqual(self.browser.count("text='(4/4)'"), 1)
        self.picture("speedscope-tree")

    def test_a_tree_of_one_thread(self) -> None:
        self.show("speedscope", example(), "Ir, thread 1")

    def test_a_timeline_opens_on_the_longest_thread(self) -> None:
        self.show("speedscope", TIMELINE.encode(), "thread 2 (2/2)")
        self.picture("speedscope-timeline")

    def test_trace_events(self) -> None:
        self.show("perfetto", TIMELINE.encode(), "(1/2)")
        self.picture("speedscope-trace-events")
