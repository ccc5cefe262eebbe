# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate: names of benchmarks that come from the code under review, and suites of
# thousands.

from __future__ import annotations

import re
import sys
import tracemalloc
import unicodedata
import xml.dom.minidom
from pathlib import Path

from callgrind.report.tests.suite_case import Name, SuiteCase
from gate.measured import Outcome
from gate.names import group_of, natural, shown, within_group
from gate.suite_parts import collect_suite
from gate.suites import Suite

HOSTILE: tuple[Name, ...] = (
    "a\nb", "a b", "a\\x0ab", "A\nb", "../../etc/passwd", "..", "/", "a/b", "A/b",
    "::error::x", "\n::error::x", "##[error]x", b"\xff\xfe", "\\xff\\xfe", "\x1b[31mred",
    "x" * 10_000, "x" * 9_999 + "y", "9" * 10_000, "|`<b>*@you*</b>`|", " lead", "lead",
    "\u202etxt", "fn=evil", "a\nevents: Evil", "a  b", "a b ", "e\u0301", "\xe9", "a\rb",
    "a\r\nb", "a\tb", "t.py::x/y", "t.py/x::y", "t.py::x::y", "T.PY::x::y", "&lt;b&gt;",
    shown("py/a\nb")[3:], shown("py/" + "x" * 10_000)[3:],
)  # fmt: skip


def seen_by_people(text: str) -> str:
    """What is left of a text on a page, where blanks in a row are one."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


class Hostile(SuiteCase):
    def setUp(self) -> None:
        super().setUp()
        self.names(*HOSTILE)
        self.measure("--trees")
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.give([(7, 0, name, {"f": 200}) for name in HOSTILE])
        self.measure("--trees", commit="two")

    def test_none_is_taken_for_another(self) -> None:
        self.assertEqual(len(self.totals("two")), len(HOSTILE))
        found = self.compared("--junit=x.xml", "--markdown=x.md", status=1)
        names = {each["name"] for each in found["benchmarks"]}
        self.assertEqual(len(names), len(HOSTILE))
        cases = xml.dom.minidom.parse("x.xml").getElementsByTagName("testcase")
        told = [(each.getAttribute("classname"), each.getAttribute("name"))
                for each in cases]  # fmt: skip
        self.assertEqual(len({(seen_by_people(a), seen_by_people(b)) for a, b in told}),
                         len(HOSTILE))  # fmt: skip
        self.assertEqual(len(set(map(seen_by_people, map(shown, names)))), len(HOSTILE))
        details = re.findall(r"<summary>\S+ <code>(.*?)</code>", Path("x.md").read_text())
        self.assertEqual(len(set(map(seen_by_people, details))), len(HOSTILE))

    def test_they_are_shown_safely(self) -> None:
        status, output, _ = self.gate(
            "compare", "base", "--annotations", "--markdown=x.md", "--pages=pages"
        )
        log = self.gate("log", "base")[1]
        self.assertEqual(status, 1)
        markdown = Path("x.md").read_text()
        commands = [line for line in output.splitlines() if line.startswith("::")]
        self.assertEqual(len(commands), 10)
        for text in (output, log, markdown):
            for line in text.splitlines():
                self.assertNotRegex(line, r"[\x00-\x1f\x7f\u202e\ud800-\udfff]|##\[")
                self.assertNotRegex(line, r"^\s*::error::(?!and )")
                self.assertLess(len(line), 3000)
        self.assertNotIn("<b>", markdown)
        pages = list(Path("pages").iterdir())
        self.assertEqual(len(pages), len(HOSTILE))
        self.assertFalse(list(self.folder.parent.glob("*passwd*")))

    def test_names_in_groups(self) -> None:
        for name, group, rest in (
            ("py/t.py::a::b", "py/t.py", "a::b"),
            ("s/a", "s", "a"),
            ("a::b", "", "a::b"),
            ("s/::b", "s", "::b"),
        ):
            self.assertEqual((group_of(name), within_group(name)), (group, rest))
        self.assertEqual(shown("py/a b"), "py/a b")
        self.assertLess(natural("a2"), natural("a10"))


class Grouped(SuiteCase):
    def setUp(self) -> None:
        super().setUp()
        self.names("a.py::test_x", "b.py::T::test_x", "b.py::test_y", "alone", "same")
        self.measure()
        self.assertEqual(self.gate("accept", "base")[0], 0)
        costs = {"a.py::test_x": 300, "b.py::T::test_x": 110, "b.py::test_y": 120,
                 "alone": 130, "same": 100}  # fmt: skip
        self.give([(7, 0, name, {"f": cost}) for name, cost in costs.items()])
        self.measure(commit="two")
        status = self.gate("compare", "base", "--markdown=x.md", "--junit=x.xml")[0]
        self.assertEqual(status, 1)

    def test_markdown_has_a_table_for_each_file_of_a_suite(self) -> None:
        found: dict[str, list[str]] = {}
        title = ""
        told, _, same = Path("x.md").read_text().partition("<summary>1 unchanged")
        self.assertEqual(same.count("<code>same</code>"), 1)
        for line in told.splitlines():
            if line.startswith("#### "):
                title = line[5:]
            elif line.startswith("| ") and title and not line.startswith(("|  |", "| -")):
                cells = [cell.strip() for cell in line.split("|")]
                found.setdefault(title, []).append(f"{cells[2]} {cells[6]}")
            elif line.startswith("<details"):
                title = ""
        expected = {
            "<code>py/a.py</code>": ["<code>test&#95;x</code> **&#43;200.00&#37;**"],
            "<code>py</code>": ["<code>alone</code> **&#43;30.00&#37;**"],
            "<code>py/b.py</code>": ["<code>test&#95;y</code> **&#43;20.00&#37;**",
                                     "<code>T::test&#95;x</code> **&#43;10.00&#37;**"],
        }  # fmt: skip
        self.assertEqual(found, expected)

    def test_junit_has_a_case_for_each_benchmark(self) -> None:
        cases = {
            (case.getAttribute("classname"), case.getAttribute("name")):
                len(case.getElementsByTagName("failure"))
            for case in xml.dom.minidom.parse("x.xml").getElementsByTagName("testcase")
        }  # fmt: skip
        expected = {("py/a.py", "test_x"): 1, ("py/b.py", "T::test_x"): 1,
                    ("py/b.py", "test_y"): 1, ("py", "alone"): 1,
                    ("py", "same"): 0}  # fmt: skip
        self.assertEqual(cases, expected)


class Many(SuiteCase):
    def test_work_and_memory_are_in_proportion(self) -> None:
        """Calls of functions, and the largest memory: what time takes is chance."""
        calls, peaks = {}, {}
        for number in (100, 500):
            folder = self.folder / str(number)
            (folder / "profiles").mkdir(parents=True)
            for n in range(number):
                lines = [f"fl=a.c\nfn=f{i}\n1 {n + i + 1}\n" for i in range(20)]
                (folder / "profiles" / f"7.{n + 1}").write_text(
                    f"version: 1\ncreator: f\ndesc: Trigger: Client Request: t{n}\n\n"
                    f"positions: line\nevents: Ir\n{''.join(lines)}"
                )
            outcome = Outcome("py", 0)
            count = 0

            def called(*_: object) -> None:
                nonlocal count
                count += 1

            tracemalloc.start()
            sys.setprofile(called)
            try:
                collect_suite(Suite("py", ["x"], folder), True, folder, outcome)
            finally:
                sys.setprofile(None)
                peaks[number] = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
            self.assertEqual(len(outcome.parts), number)
            calls[number] = count
        self.assertLess(calls[500], 5.5 * calls[100])
        self.assertLess(peaks[500], 6 * peaks[100])

    def test_so_is_the_work_of_a_comparison(self) -> None:
        calls = {}
        for number in (60, 300):
            for commit, cost in (("one", 100), ("two", 200)):
                self.give([(7, 0, f"a.py::t{n}", {"f": cost + n, "g": 9})
                           for n in range(number)])  # fmt: skip
                self.measure("-o", f"{commit}{number}", commit=commit)
            count = 0

            def called(*_: object) -> None:
                nonlocal count
                count += 1

            sys.setprofile(called)
            try:
                status = self.gate(
                    "compare", f"one{number}", f"two{number}", "--markdown=m",
                    "--junit=j", "--json=s", "--annotations"
                )[0]  # fmt: skip
            finally:
                sys.setprofile(None)
            self.assertEqual(status, 1)
            calls[number] = count
        self.assertLess(calls[300], 5.5 * calls[60])

    def test_a_comment_has_a_largest_size(self) -> None:
        self.names(*(f"t.py::test_{n}" for n in range(300)))
        self.measure()
        self.assertEqual(self.gate("accept", "base")[0], 0)
        self.gate("compare", "base", "--markdown=x.md")
        text = Path("x.md").read_text()
        self.assertIn("... and 100 more benchmarks", text)
        self.assertEqual(len(re.findall(r"#### <code>py/t.py</code>", text)), 1)
