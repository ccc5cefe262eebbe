# SPDX-License-Identifier: GPL-2.0-or-later
#
# Source lines on the page of callgrind_export: what they cost, from the profile of the
# same run, and their text, which is in the page on request alone.

from __future__ import annotations

import json
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from callgrind.report.tests.page_case import (
    InBrowser,
    block,
    export,
    number,
    two_threads,
)
from tests.format.tree_examples import example

PROFILE = """\
# callgrind format
version: 1
positions: line
events: Ir sysTime

ob=/home/me/demo
fl=/somewhere/demo.c
fn=main
2 120 0
cfn=parse
calls=3 5
3 960 4500
fn=parse
5 300 0
6 600 0
fi=/somewhere/inline.h
9 60 0
fl=/somewhere/read.c
fn=read
1 40 6000

totals: 1120 6000
"""
SOURCE = "one\nint main()\n{ <b>\nfour\n  five();\n\tsix();\n"


class Lines(InBrowser):
    def setUp(self) -> None:
        super().setUp()
        self.profile = self.folder / "profile.out"
        self.profile.write_text(PROFILE, "ascii")
        self.sources = self.folder / "sources"
        self.sources.mkdir()
        (self.sources / "demo.c").write_text(SOURCE, "ascii")

    def test_the_costliest_lines(self) -> None:
        self.open([example()], "--lines", str(self.profile), at="#tab=lines")
        rows = [(row[2], number(row[0]), row[1]) for row in self.shown_table("lines")]
        self.assertEqual(
            rows,
            [
                ("demo.c:6", 600, "53.57%"),
                ("demo.c:5", 300, "26.79%"),
                ("demo.c:2", 120, "10.71%"),
                ("inline.h:9", 60, "5.36%"),
                ("read.c:1", 40, "3.57%"),
            ],
        )
        self.browser.press("e")
        self.assertEqual([row[2] for row in self.shown_table("lines")], ["read.c:1"])

    def test_they_say_that_they_are_not_of_the_thread_that_is_chosen(self) -> None:
        content = two_threads(["f"])
        self.open([content], "--event", "Ir", "--lines", str(self.profile),
                  at="#tab=lines")
        self.assertEqual(self.text("#lines .none"),
                         "Lines of the whole run, by self cost")
        self.browser.choose("#trees", "thread 1: main")
        said = "of the whole run, not of thread 1: main alone"
        self.assertEqual(self.text("#lines .none"), f"Lines {said}, by self cost")
        self.browser.click("#lines td.name button")
        self.assertIn(f"Costs {said}.", self.text("#lines .none"))

    def test_a_wrong_address_shows_the_costliest_lines(self) -> None:
        for at in ("file=length", "file=-1", "file=9&line=2"):
            self.open([example()], "--lines", str(self.profile), at=f"#tab=lines&{at}")
            self.assertEqual(len(self.shown_table("lines")), 5, at)

    def test_a_wrong_line_shows_the_file_from_its_beginning(self) -> None:
        (self.sources / "demo.c").write_text("text\n" * 2000, "ascii")
        self.open([example()], "--lines", str(self.profile), "--source",
                  "-I", str(self.sources), at="#tab=lines&file=1&line=no")
        self.assertEqual(self.shown_table("source")[0][2], "1")

    def test_all_of_a_long_source_can_be_reached(self) -> None:
        (self.sources / "demo.c").write_text("text\n" * 1200, "ascii")
        self.open([example()], "--lines", str(self.profile), "--source",
                  "-I", str(self.sources), at="#tab=lines&file=1&line=2")
        seen = {number(row[2]) for row in self.shown_table("source")}
        while self.browser.count("#lines button:has-text('behind line')"):
            self.browser.click("#lines button:has-text('behind line')")
            seen |= {number(row[2]) for row in self.shown_table("source")}
        self.assertEqual(seen, set(range(1, 1201)))
        self.browser.click("#lines button:has-text('before line')")
        self.assertLess(number(self.shown_table("source")[0][2]), 701)
        self.assertEqual(self.browser.evaluate("document.activeElement.tagName"), "H2")

    def test_what_has_no_line_leads_nowhere(self) -> None:
        known, totals = PROFILE.split("totals:")
        unknown = "fn=parse\n0 50 0\nfl=???\nfn=0x1234\n0 700 0\n\n"
        self.profile.write_text(known + unknown + "totals: 1870 6000\n", "ascii")
        self.assertEqual(totals, " 1120 6000\n")
        self.open([example()], "--lines", str(self.profile), at="#tab=lines")
        self.assertEqual([row[2] for row in self.shown_table("lines")],
                         ["(line not known)", "demo.c:6", "demo.c:5", "demo.c:2",
                          "inline.h:9", "read.c (line not known)", "read.c:1"])
        self.assertEqual(self.browser.texts("#lines td.name button"),
                         ["demo.c:6", "demo.c:5", "demo.c:2", "inline.h:9", "read.c:1"])

    def test_an_annotated_source(self) -> None:
        options = ["--lines", str(self.profile), "--source", "-I", str(self.sources)]
        self.open([example()], *options, at="#tab=lines")
        self.assertEqual(self.shown_table("lines")[0][2], "demo.c:6 six();")
        self.browser.click("#lines td.name button")
        self.assertEqual(self.text("#lines h2"), "/somewhere/demo.c")
        rows = self.shown_table("source")
        self.assertEqual([row[3] for row in rows], SOURCE.splitlines())
        costs = {int(row[2]): number(row[0]) for row in rows if row[0]}
        self.assertEqual(costs, {2: 120, 5: 300, 6: 600})
        self.assertEqual(self.browser.texts("tr.wanted td")[3], "\tsix();")
        self.picture("source")
        self.assertIn("tab=lines&file=1&line=6", self.browser.url())
        self.browser.click("#lines p .link")
        self.assertEqual(len(self.shown_table("lines")), 5)

    def test_axe_finds_no_fault(self) -> None:
        options = ["--lines", str(self.profile), "--source", "-I", str(self.sources)]
        for scheme, width in (("light", 1440), ("dark", 2560), ("dark", 390)):
            for at in ("tab=lines", "tab=lines&file=0&line=6"):
                self.open([example()], *options, at=f"#{at}", colorScheme=scheme,
                          viewport={"width": width, "height": 900})
                self.assertEqual(self.browser.count("#lines:visible table"), 1)
                self.assertEqual(self.browser.violations(), [], (scheme, width, at))

    def test_without_lines_there_is_no_tab(self) -> None:
        self.open([example()])
        self.assertEqual(self.browser.style("#tab-lines", "display"), "none")


class Options(unittest.TestCase):
    def setUp(self) -> None:
        scratch = TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.profile = self.folder / "profile.out"
        (self.folder / "demo.c").write_text(SOURCE, "ascii")

    def source(self, *options: str, profile: str = PROFILE) -> Any:
        self.profile.write_text(profile, "ascii")
        page = export(self.folder, [example()], *options)
        return json.loads(block(page, "source"))

    def test_no_source_is_read_unless_it_is_asked_for(self) -> None:
        page = export(self.folder, [example()])
        self.assertNotIn('data-block="source"', page.read_text("utf-8"))
        profile = PROFILE.replace("/somewhere", str(self.folder))
        lines = self.source("--lines", str(self.profile), profile=profile)
        self.assertEqual([text for _, text, _ in lines["files"]], [None] * 3)
        lines = self.source("--lines", str(self.profile), "--source", profile=profile)
        texts = [text for _, text, _ in lines["files"]]
        self.assertEqual(texts, [None, SOURCE.splitlines(), None])

    def test_a_profile_of_other_events_is_refused(self) -> None:
        with self.assertRaisesRegex(AssertionError, "has no event sysTime"):
            self.source("--lines", str(self.profile),
                        profile=PROFILE.replace("sysTime", "Dr"))
