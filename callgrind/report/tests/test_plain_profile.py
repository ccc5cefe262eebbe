# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_export --to callgrind with a profile: what strict readers stop at is gone, and
# costs and calls are the same.

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from callgrind.report.tests.npm_packages import BUILD
from callgrind.report.tests.report_case import DATA
from callgrind.report.tests.test_other_writers import PPROF, XDEBUG_2, XDEBUG_3
from callgrind_export import main
from profile_file.model import Profile
from profile_file.reader import Detail, read_profile
from tests.format.profile_grammar import violations
from tests.format.tree_examples import hostile
from tests.format.tree_maker import Maker
from tests.python_package import python_package
from tests.readers.strict_reader import strict_benchmark, strict_flame_graph

# All that the format has, and what callgrind adds to it.
EVERYTHING = """# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 7
cmd: prog
part: 1

desc: Trigger: x

positions: instr line
event: sysTime : elapsed
events: Ir sysTime
summary: 30 1

ob=(1) /bin/prog
fl=(1) a.c
fn=(1) main
0x10 1 3
cfni=inlined
+1 +1 4
cfni="(1) odd"
* * 1
fi=(2) a.h
cfni=???
+1 7 5 1
jfi=(1)
jfn=(2) (1)
jcnd=1/2 0x10 1
* *
fe=(1)
cob=(2) lib
cfn=(2)
calls=2 0x50 20
+1 3 9

fn=(3) (2) of another
0x60 4 0

ob=(2)
fn=(2)
0x50 20 17
totals: 30 1

part: 2
desc: Trigger: y
positions: instr line
events: Ir sysTime
summary: 5
fn=(1)
0x10 1 5
totals: 5
"""


def by_line(profile: Profile) -> Counter[tuple[str, str, str, int]]:
    found: Counter[tuple[str, str, str, int]] = Counter()
    for part in profile.parts:
        for key, function in part.functions.items():
            for (file, line), cost in function.by_line().items():
                found[key.object_file, key.name, file, line] += cost[0]
    return +found


def calls(profile: Profile) -> Counter[tuple[str, str, int]]:
    found: Counter[tuple[str, str, int]] = Counter()
    for part in profile.parts:
        for arc in part.arcs():
            found[arc.caller.name, "/".join(arc.callee), arc.inclusive[0]] += arc.count
    return found


class Exported(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.profile, self.out = Path(folder.name, "profile"), Path(folder.name, "out")

    def exported(self, content: "bytes | str", *options: str) -> str:
        text = content if isinstance(content, bytes) else content.encode()
        self.profile.write_bytes(text)
        self.assertEqual(main(["--to", "callgrind", "-o", str(self.out), *options,
                               str(self.profile)]), 0)  # fmt: skip
        self.assertEqual([str(v) for v in violations(self.out)], [])
        return self.out.read_text("utf-8", "surrogateescape")


class PlainProfile(Exported):
    def test_everything_that_strict_readers_do_not_know_is_gone(self) -> None:
        text = self.exported(EVERYTHING)
        for word in ("cfni", "jfn", "jfi", "jcnd", "desc", "event:", "fe=", "0x"):
            self.assertNotIn(word, text)
        self.assertEqual(strict_benchmark(text).total, 35)
        self.assertEqual(strict_flame_graph(text).total, 35)

    def test_costs_and_calls_are_the_same(self) -> None:
        samples = [path.read_bytes() for path in sorted(DATA.glob("*.out"))]
        for content in (EVERYTHING.encode(), XDEBUG_2.encode(), *samples):
            text = self.exported(content)
            old, new = (read_profile(path, Detail.LINES)
                        for path in (self.profile, self.out))  # fmt: skip
            self.assertEqual(by_line(old), by_line(new))
            self.assertEqual(calls(old), calls(new))
            self.assertTrue(strict_flame_graph(text).total)

    def test_calls_whose_number_is_not_known_are_one(self) -> None:
        """callgrind_annotate would take their cost for the caller's own."""
        text = self.exported(PPROF)
        self.assertNotIn("calls=0", text)
        if shutil.which("callgrind_annotate"):
            table = subprocess.run(["callgrind_annotate", self.out], text=True,
                                   capture_output=True, check=True).stdout  # fmt: skip
            self.assertRegex(table, r"(?m)^ *50 .*leaf")
            self.assertRegex(table, r"(?m)^ *5 .*main\.main")

    def test_names_that_look_like_numbers(self) -> None:
        self.exported(EVERYTHING)
        names = {key.name for key in read_profile(self.out).parts[0].functions}
        self.assertEqual(names, {"main", "(1)"})

    def test_costs_below_zero_are_refused(self) -> None:
        self.profile.write_text(XDEBUG_3)
        words = ["--to", "callgrind", "-o", str(self.out), str(self.profile)]
        self.assertEqual(main(words), 2)
        self.assertFalse(self.out.exists())
        text = self.exported(XDEBUG_3, "--event=Time_(10ns)")
        self.assertIn("\nevents: Time10ns\n", text)

    def test_several_files_are_added_up(self) -> None:
        other = self.profile.with_name("other")
        other.write_text(EVERYTHING)
        text = self.exported(EVERYTHING, str(other))
        self.assertEqual(strict_benchmark(text).total, 70)

    def test_what_chooses_trees_is_refused(self) -> None:
        self.profile.write_text(EVERYTHING)
        for option in ("--part=1", "--thread=1", "--process=7"):
            self.assertEqual(main(["--to", "callgrind", option, str(self.profile)]), 2)


class NamesOfTrees(Exported):
    """A tree becomes a profile, too."""

    def test_names_that_look_like_numbers(self) -> None:
        maker = Maker(events=[("Ir", "count", "")], costs="counted")
        names = ("(1)", "(1) f", "(2)x", "(below main)", "(", "(1")
        functions = [maker.function(name, "(4) lib", "(3)", 5) for name in names]
        thread = maker.thread(1, "")
        maker.part(1, "", "")
        maker.tree(thread)
        node = 0
        for function in functions:
            node = maker.node(node, function, 1, 10)
        maker.total()
        text = self.exported(maker.end())
        parts = read_profile(self.out).parts
        self.assertEqual({key.name for key in parts[0].functions},
                         set(names))  # fmt: skip
        self.assertEqual({key[:2] for key in parts[0].functions}, {("(4) lib", "(3)")})
        self.assertEqual(strict_flame_graph(text).total, 60)


class Gprof2dot(Exported):
    """The program itself, which stops at the first line that it does not know."""

    def setUp(self) -> None:
        super().setUp()
        self.program = python_package("gprof2dot", BUILD) / "gprof2dot.py"

    def graph(self, path: Path) -> "subprocess.CompletedProcess[str]":
        words = [str(self.program), "-f", "callgrind", "-n0", "-e0", str(path)]
        return subprocess.run([sys.executable, *words], text=True, capture_output=True,
                              check=False)  # fmt: skip

    def test_it_takes_every_line(self) -> None:
        self.exported(EVERYTHING)
        self.assertIn("unexpected line", self.graph(self.profile).stderr)
        texts = [text.encode() for text in (EVERYTHING, XDEBUG_2, PPROF)]
        for content in (*texts, hostile(), (DATA / "inlined.out").read_bytes()):
            self.exported(content)
            done = self.graph(self.out)
            self.assertEqual(done.returncode, 0)
            self.assertNotIn("unexpected line", done.stderr)
            self.assertIn("digraph {", done.stdout)


if __name__ == "__main__":
    unittest.main()
