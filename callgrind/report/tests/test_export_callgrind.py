# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_export --to callgrind: sums, recursion, names, and that readers take it.

"""Trees as a callgrind profile."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from callgrind_export import main
from tests.format.profile_grammar import violations
from tests.format.tree_examples import example, hostile
from tests.format.tree_maker import Maker


def recursion(costs: str = "counted") -> bytes:
    """main - f - f - f - g, and f - g; each frame costs something."""
    maker = Maker(events=[("Ir", "count", "")], costs=costs)
    calls = 1 if costs == "counted" else 0
    thread = maker.thread(1, "")
    names = [maker.function(name, "a.c", "a", 5) for name in ("main", "f", "g")]
    maker.part(1, "", "")
    maker.tree(thread)
    first = maker.node(0, names[0], 0, 1)
    outer = maker.node(first, names[1], calls, 10)
    middle = maker.node(outer, names[1], calls, 20)
    inner = maker.node(middle, names[1], calls, 40)
    maker.node(inner, names[2], calls, 100)
    maker.node(outer, names[2], calls, 200)
    maker.total()
    return maker.end()


class ToCallgrind(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name, "a.tree")
        self.out = Path(folder.name, "callgrind.out")

    def export(self, content: bytes, *options: str) -> str:
        self.tree.write_bytes(content)
        self.assertEqual(main(["--to", "callgrind", "-o", str(self.out), *options,
                               str(self.tree)]), 0)
        self.assertEqual([str(v) for v in violations(self.out)], [])
        return self.out.read_text("utf-8", "surrogateescape")

    def arcs(self, text: str) -> dict[tuple[str, str], tuple[int, int]]:
        """Calls and inclusive cost, by caller and callee."""
        found = {}
        for function in text.split("\nob=")[1:]:
            caller = re.findall(r"^fn=(.*)$", function, re.M)[0]
            for callee, calls, cost in re.findall(
                    r"^cfn=(.*)\ncalls=(\d+) \d+\n\d+ (\d+)$", function, re.M):
                found[caller, callee] = (int(calls), int(cost))
        return found

    def test_sums(self) -> None:
        text = self.export(example())
        self.assertIn("\nevents: Ir sysTime\nsummary: 1120 6000\n", text)
        self.assertTrue(text.endswith("\ntotals: 1120 6000\n"))
        self.assertIn("\nob=/usr/lib/x86_64-linux-gnu/libc.so.6\nfl=???\nfn=read\n"
                      "0 40 6000\n", text)

    def test_recursion_does_not_count_twice(self) -> None:
        self.assertEqual(self.arcs(self.export(recursion())), {
            ("main", "f"): (1, 370),
            ("f", "f'2"): (1, 160),
            ("f'2", "f'2"): (1, 140),
            ("f'2", "g"): (1, 100),
            ("f", "g"): (1, 200),
        })

    def test_calls_that_are_not_known_are_one(self) -> None:
        text = self.export(recursion("sampled"))
        self.assertIn("numbers of calls are not known", text)
        self.assertEqual({calls for calls, _ in self.arcs(text).values()}, {1})

    def test_hostile_names(self) -> None:
        self.export(hostile())

    def test_one_event(self) -> None:
        self.assertIn("\nevents: sysTime\nsummary: 6000\n",
                      self.export(example(), "-e", "sysTime"))

    def test_event_names_that_fall_together(self) -> None:
        maker = Maker(events=[("a-b", "count", ""), ("ab", "count", "")])
        self.tree.write_bytes(maker.end())
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(main(["--to", "callgrind", str(self.tree)]), 2)
        self.assertIn("cannot be told apart", errors.getvalue())

    def test_annotate_reads_it(self) -> None:
        if not shutil.which("callgrind_annotate"):
            self.skipTest("callgrind_annotate is not installed")
        self.export(recursion("sampled"))
        text = subprocess.run(["callgrind_annotate", "--threshold=100", self.out],
                              check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertRegex(text, r"371 \(100\.0%\) +PROGRAM TOTALS")
        self.assertRegex(text, r" 60 \(16\.17%\) +a:f'2 ")
