# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate compare: its text, and what it writes for CI services; and merge and log.

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

from callgrind.report.tests.gate_case import GateCase
from gate.ci_views import plain
from gate.history import sparkline
from tests.runner.series import is_long

HOSTILE = "a|b`c*d<i>_e_</i>[f](javascript:g)@you&#0;\x1b[31m::error::x%0Ay"


class Text(GateCase):
    def test_what_changed_comes_first_with_the_functions_responsible(self) -> None:
        self.base_and_head(
            {"fast": "f=1000 g=5", "slow": "f=1000 g=500 h=70"},
            {"fast": "f=1000 g=5", "slow": "f=1100 g=490 i=70"},
        )
        status, output, errors = self.gate("compare", "base")
        self.assertEqual((status, errors), (1, ""))
        self.assertEqual(
            output.splitlines(),
            [
                "base old, head new",
                "2 benchmarks: 1 worse, 1 same",
                "",
                "WORSE slow: Ir 1,570 -> 1,660, +90 (+5.73%)",
                "   Ir 1,570 -> 1,660, +90 (+5.73%), above the limit of 1%",
                "   Ir change  relative    old    new  object  function",
                "        +100   +10.00%  1,000  1,100  fake    f",
                "         -70      gone     70      0  fake    h",
                "         +70       new      0     70  fake    i",
                "         -10    -2.00%    500    490  fake    g",
            ],
        )

    def test_many_functions_are_not_all_told(self) -> None:
        names = [f"f{number}" for number in range(30)]
        self.base_and_head(
            {"a": " ".join(f"{name}=10" for name in names)},
            {"a": " ".join(f"{name}=20" for name in names)},
        )
        output = self.gate("compare", "base", "--function-growth=*:1%")[1]
        self.assertIn("... and 20 more functions", output)
        self.assertIn("and 20 more regressions", output)

    def test_nothing_hostile_reaches_the_terminal(self) -> None:
        function = HOSTILE.replace(" ", "")
        self.base_and_head({"a": f"{function}=10"}, {"a": f"{function}=20"})
        output = self.gate("compare", "base")[1]
        self.assertNotIn("\x1b", output)
        self.assertIn("\\x1b[31m", output)
        # A benchmark of such a name is refused.
        self.assertEqual(self.run_fake({"a\x1b": "f=10"}), 2)


class ForServices(GateCase):
    def setUp(self) -> None:
        super().setUp()
        self.name = HOSTILE.replace("/", "").replace("\x1b", "")
        function = HOSTILE.replace("=", "").replace(" ", "")
        self.base_and_head(
            {self.name: f"{function}=10", "same": "f=1", "gone": "f=1"},
            {self.name: f"{function}=20", "same": "f=1", "more": "f=1"},
        )
        status, self.output, errors = self.gate(
            "compare", "base", "--junit=j.xml", "--markdown=m.md", "--annotations"
        )
        self.assertEqual((status, errors), (1, ""))

    def test_junit(self) -> None:
        suite = ElementTree.parse("j.xml").getroot()
        self.assertEqual(
            (suite.get("tests"), suite.get("failures"), suite.get("errors")),
            ("4", "1", "1"),
        )
        cases = {
            case.get("name"): next(iter(case)).tag for case in suite.iter("testcase")
        }
        self.assertEqual(
            cases, {self.name: "failure", "gone": "error", "same": "system-out",
                    "more": "skipped"},
        )  # fmt: skip

    def test_markdown_has_no_markup_of_names(self) -> None:
        text = Path("m.md").read_text()
        self.assertIn("4 benchmarks: 1 worse, 1 not comparable, 1 new, 1 same", text)
        for part in ("<i>", "](javascript", "@you", "_e_", "*d", "`", "\x1b", "&#0;"):
            self.assertNotIn(part, text)
        rows = [line for line in text.splitlines() if line.startswith("|")]
        tables = {row.count("|") for row in rows}
        self.assertEqual(tables, {7, 6})  # benchmarks; functions
        self.assertIn("**&#43;100.00&#37;**", text)

    def test_entities_say_what_the_text_was(self) -> None:
        self.assertEqual(html.unescape(plain(self.name)), self.name)

    def test_annotations_are_one_line_each(self) -> None:
        lines = [line for line in self.output.splitlines() if line.startswith("::")]
        self.assertEqual(len(lines), 2)
        self.assertTrue(lines[0].startswith("::error title=a|b"))
        self.assertIn("%3A%3Aerror%3A%3Ax%250Ay is slower::", lines[0])
        self.assertTrue(lines[1].startswith("::warning title=gone cannot"))


class Json(GateCase):
    def test_whole_names_and_all_functions(self) -> None:
        name = "std::map<" + "int," * 100 + "int>::f"
        self.base_and_head({"a": f"{name}=10"}, {"a": f"{name}=20"})
        found = self.compared(status=1)["benchmarks"][0]["functions"]
        self.assertEqual([each["name"] for each in found], [name])
        self.assertEqual(found[0]["object"], "fake")
        self.assertNotIn(name, self.gate("compare", "base")[1])

    def test_functions_whose_inclusive_cost_alone_moved(self) -> None:
        caller = Path("profile")
        script = self.valgrind.read_text()
        # main calls f, which costs what the last word says.
        call = "".join(f'echo "{line}"; ' for line in
                       ("cfn=f", "calls=1 1", "1 $cost", "fn=f", "1 $cost"))  # fmt: skip
        plain = 'echo "1 $spaced"'
        self.assertIn(plain, script)
        script = script.replace(plain, f'echo "1 7"; {call}')
        self.valgrind.write_text(script)
        self.base_and_head({"a": "main=10"}, {"a": "main=20"})
        self.assertFalse(caller.exists())
        found = self.compared(status=1)["benchmarks"][0]["functions"]
        self.assertEqual(
            {each["name"]: (each["old_inclusive"]["Ir"], each["new_inclusive"]["Ir"])
             for each in found}, {"f": (10, 20), "main": (17, 27)},
        )  # fmt: skip
        output = self.gate("compare", "base")[1]
        self.assertIn("... 1 whose inclusive cost alone moved (--inclusive)", output)
        self.assertNotIn("main", output)
        self.assertIn("main", self.gate("compare", "base", "--inclusive")[1])


class Shards(GateCase):
    def test_many_benchmarks_over_8_shards(self) -> None:
        number_of_all = 200 if is_long() else 40
        many = {f"b{number}": f"f={number + 1} g=3" for number in range(number_of_all)}
        self.assertEqual(self.run_fake(many, out="whole", commit="c"), 0)
        sizes = []
        for number in range(1, 9):
            shard = f"shard{number}"
            self.assertEqual(
                self.run_fake(many, f"--shard={number}/8", out=shard, commit="c"), 0
            )
            sizes.append(len(json.loads(Path(f"{shard}/runs/c.json").read_text())
                             ["benchmarks"]))  # fmt: skip
        self.assertEqual(sizes, [number_of_all // 8] * 8)
        shards = [f"shard{number}" for number in (3, 1, 8, 2, 7, 4, 6, 5)]
        status, output, errors = self.gate("merge", "merged", *shards)
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(output, f"merged {number_of_all} benchmarks of 8 shards\n")
        content = {}
        for folder in ("whole", "merged"):
            content[folder] = {
                path.relative_to(folder): path.read_bytes()
                for path in Path(folder).rglob("*") if path.is_file()
            }
            index = json.loads(content[folder].pop(Path("runs/c.json")))
            content[folder][Path("index")] = json.dumps(index["benchmarks"]).encode()
        self.assertEqual(content["whole"], content["merged"])
        self.gate("accept", "base", "whole")
        status, output, _ = self.gate("compare", "base", "merged", "--base=c")
        same = f"{number_of_all} benchmarks: {number_of_all} same"
        self.assertEqual((status, same in output), (0, True))

    def test_what_cannot_be_merged(self) -> None:
        self.run_fake({"a": "f=1"}, out="one", commit="c")
        self.run_fake({"a": "f=2"}, out="two", commit="c")
        self.run_fake({"b": "f=2"}, out="other", commit="d")
        self.assertIn("'a' is in two shards, and differs",
                      self.gate("merge", "m", "one", "two")[2])
        self.assertIn("of different commits",
                      self.gate("merge", "m", "one", "other")[2])
        self.assertIn("has no run; one is needed",
                      self.gate("merge", "m", "one", "missing")[2])
        self.assertFalse(Path("m/runs").exists())
        self.assertEqual(self.gate("merge", "m", "one", "one")[0], 0)


class Log(GateCase):
    def setUp(self) -> None:
        super().setUp()
        for number, cost in enumerate((100, 100, 150, 120)):
            many = {"parse": f"f={cost}"}
            if number > 1:
                many["<later>"] = "f=7"
            self.run_fake(many, commit=f"c{number}")
            index = Path(f"gate-run/runs/c{number}.json")
            document = json.loads(index.read_text())
            document.update(time=number, title=f"change {number} <b>")
            index.write_text(json.dumps(document))
            self.gate("accept", "base")

    def test_sparkline(self) -> None:
        self.assertEqual(
            self.gate("log", "base")[1].splitlines(),
            [
                "c0  change 0 <b>",
                "c1  change 1 <b>",
                "c2  change 2 <b>",
                "c3  change 3 <b>",
                "",
                "<later>    ▁▁  Ir 7 -> 7 (0.00%)",
                "parse    ▁▁█▃  Ir 100 -> 120 (+20.00%)",
            ],
        )
        self.assertEqual(sparkline([0, 7, None, 3]), "▁█ ▄")
        self.assertEqual(sparkline([None]), " ")

    def test_chosen_benchmarks_and_events(self) -> None:
        output = self.gate("log", "base", "par*")[1]
        self.assertNotIn("<later>", output)
        self.assertEqual(self.gate("log", "base", "nothing")[0], 2)
        self.assertEqual(self.gate("log", "base", "-e", "Dr")[0], 2)
        self.assertEqual(self.gate("log", "empty")[0], 2)

    def test_page(self) -> None:
        self.assertEqual(self.gate("log", "base", "--html=page.html")[0], 0)
        text = Path("page.html").read_text("utf-8")
        self.assertNotIn("<later>", text)
        self.assertNotIn("<b>", text)
        self.assertNotRegex(text, r"(?i)<script|https?:")
        for drawing in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
            ElementTree.fromstring(drawing)
        circles = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', text)
        self.assertEqual(len(circles), 6)
        # The costliest is the highest, the order is that of the commits.
        parse = [(float(x), -float(y)) for x, y in circles[2:]]
        self.assertEqual(parse, sorted(parse))
        heights = [y for _, y in parse]
        self.assertEqual(heights[0], heights[1])
        self.assertEqual(max(heights), heights[2])
        self.assertIn("c2 change 2 &lt;b&gt;: 150 Ir", text)
        # Who cannot point at a circle finds the runs below the plots.
        listed = re.findall("<li><code>(.*?)</code> (.*?)</li>", text)
        self.assertEqual(listed, [(f"c{n}", f"change {n} &lt;b&gt;") for n in range(4)])


class Pages(GateCase):
    def test_a_link_needs_a_folder(self) -> None:
        self.assertEqual(self.gate("compare", "base", "--link=x")[0], 2)

    def test_trees_need_a_tool_that_has_them(self) -> None:
        status, _, errors = self.gate(
            "run", "a=costs f=1", "--trees", "--valgrind", str(self.valgrind)
        )
        self.assertEqual(status, 2)
        self.assertIn("has no --call-tree", errors)
        self.assertFalse(os.path.exists("gate-run"))
