# SPDX-License-Identifier: GPL-2.0-or-later
#
# Profiles as other programs than callgrind write them: what cl-format leaves open, and
# what it forbids but everybody reads.  Each example has the shape of its writer's files.

from __future__ import annotations

import gzip
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Union

from callgrind.report.tests.report_case import run
from profile_file.model import FunctionKey, Profile
from profile_file.reader import Detail, ProfileError, read_profile

# Function by function: self cost of the first event, inclusive cost of its calls.
Sums = dict[str, tuple[int, int]]

XDEBUG_2 = """version: 1
creator: xdebug 2.9.8 (PHP 7.4)
cmd: /srv/a.php
part: 1
positions: line

events: Time Memory

fl=(1) php:internal
fn=(1) php::strlen
5 4 32

fl=(2) /srv/a.php
fn=(2) tester
10 128 64
cfl=(1)
cfn=(1)
calls=1 0 0
5 4 32

fl=(2)
fn=(3) {main}

summary: 267 160

0 135 64
cfl=(2)
cfn=(2)
calls=1 0 0
10 132 96
"""
XDEBUG_3 = """version: 1
creator: xdebug 3.3.1 (PHP 8.2.7)
cmd: /srv/a.php
part: 1
positions: line

events: Time_(10ns) Memory_(bytes)

fl=(1) php:internal
fn=(1) php::unset
5 4 -392

fl=(2) /srv/a.php
fn=(2) tester
10 128 64
cfl=(1)
cfn=(1)
calls=1 0 0
5 4 -392

fl=(2)
fn=(3) {main}
1 135 64
cfl=(2)
cfn=(2)
calls=1 0 0
10 132 -328

summary: 267 -264
"""
XDEBUG_SUMS = {"tester": (128, 4), "{main}": (135, 132)}

# An empty name is written for what has none, and a step of more than one digit.
PPROF = """positions: instr line
events: cpu(ms)

ob=(1) /bin/prog
fl=
fn=(1) leaf
0x1000 0 50

ob=(1)
fl=(1) main.go
fn=(2) main.main
+16 10 5
cfl=
cfn=(1)
calls=0 +0 0
* * 50
cfl=(1)
cfn=(3) main.other
calls=0 * 14
* +2 7

ob=
fl=(1)
fn=(3)
-0x10 -2 7
"""

PYPROF2CALLTREE = """event: ns : Nanoseconds
events: ns
summary: 267

fl=~
fn=(2) <built-in method len>
0 4

fl=/srv/a.py
fn=tester
10 128
cfl=~
cfn=(2)
calls=1 0
11 4

fn=<module>
1 135
cfn=tester
calls=1 10
3 132
"""

RUBY_PROF = """version: 1
creator: ruby-prof 1.6.3
pid: 12
cmd: a.rb
part: 1
positions: line
arch: x86_64
date: today
events: wall_time

ob=
fl=a.rb
fn=Object::tester
10 128
cfi=ruby_runtime
cfn=String::length
calls=1 0
11 4

fi=ruby_runtime
fn=String::length
0 4
"""


def sums(profile: Profile) -> Sums:
    return {
        key.name: (function.self_cost[0],
                   sum(arc.inclusive[0] for arc in function.arcs.values()))
        for part in profile.parts
        for key, function in part.functions.items()
    }  # fmt: skip


class OtherWriters(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "profile.out"

    def read(self, text: Union[str, bytes], parts: int = 1) -> Profile:
        content = text if isinstance(text, bytes) else text.encode()
        self.path.write_bytes(content)
        for detail in (Detail.INSTRUCTIONS, Detail.LINES, Detail.FUNCTIONS):
            profile = read_profile(self.path, detail)
            self.assertEqual(len(profile.parts), parts)
        status, _, errors = run("--annotate", str(self.path))
        self.assertEqual((status, errors), (0, ""))
        return profile

    def assert_total(self, total: int) -> None:
        """In our table, and in that of callgrind_annotate, where that is at hand."""
        status, table, errors = run("-n0", "--color=never", str(self.path))
        self.assertEqual((status, errors), (0, ""))
        self.assertRegex(table, rf"(?m)^Total: +{total}$")
        if shutil.which("callgrind_annotate"):
            theirs = subprocess.run(["callgrind_annotate", self.path],
                                    capture_output=True, text=True, check=True).stdout
            self.assertRegex(theirs, rf"(?m)^ *{total}\b.*PROGRAM TOTALS")


class Xdebug(OtherWriters):
    def test_summary_within_the_record_of_main(self) -> None:
        profile = self.read(XDEBUG_2)
        self.assertEqual(sums(profile), {**XDEBUG_SUMS, "php::strlen": (4, 0)})
        self.assertEqual(profile.parts[0].header.summary, [267, 160])
        self.assert_total(267)

    def test_memory_that_is_set_free(self) -> None:
        profile = self.read(XDEBUG_3)
        self.assertEqual(sums(profile), {**XDEBUG_SUMS, "php::unset": (4, 0)})
        self.assertEqual(profile.parts[0].sum_of_self_costs(), [267, -264])
        for form in ("--json", "--csv", "--event=all", "--diff"):
            both = [str(self.path)] * (2 if form == "--diff" else 1)
            status, _, errors = run(form, *both)
            self.assertEqual((status, errors), (0, ""), form)
        status, table, _ = run("--event=Memory_(bytes)", str(self.path))
        self.assertRegex(table, r"Total: +-264")

    def test_a_version_that_is_no_number(self) -> None:
        for version in ("0.9.6", "2.5.5", "dev", "", "1.0"):
            self.read(XDEBUG_2.replace("version: 1", f"version: {version}"))

    def test_compressed(self) -> None:
        profile = self.read(gzip.compress(XDEBUG_2.encode()))
        self.assertEqual(sums(profile), {**XDEBUG_SUMS, "php::strlen": (4, 0)})

    def test_compressed_and_damaged(self) -> None:
        whole = gzip.compress(XDEBUG_2.encode())
        for damaged in (whole[:40], whole[:12] + b"\xff" * 20 + whole[32:], whole[:2],
                        whole[:-6] + b"xxxxxx"):  # fmt: skip
            self.path.write_bytes(damaged)
            with self.assertRaises(ProfileError):
                read_profile(self.path)


class Pprof(OtherWriters):
    def test_an_empty_name_is_one(self) -> None:
        part = self.read(PPROF).parts[0]
        leaf = FunctionKey("/bin/prog", "???", "leaf")
        self.assertEqual(
            set(part.functions),
            {leaf, FunctionKey("/bin/prog", "main.go", "main.main"),
             FunctionKey("???", "main.go", "main.other")},
        )  # fmt: skip
        self.assertEqual(
            [arc.inclusive for arc in part.arcs() if arc.callee == leaf], [[50]]
        )

    def test_empty_names_of_every_kind(self) -> None:
        """Behind fi= and cfl=, fn= and cob=: none of them falls back to its context."""
        part = self.read(
            "events: Ir\nob=lib\nfl=a\nfn=f\n1 1\nfi=\n2 2\ncob=\ncfi=\ncfn=\n"
            "calls=1 1\n2 3\nfe=a\n3 4\nob=\nfl=\nfn=\n1 3\n"
        ).parts[0]
        nameless = FunctionKey("???", "???", "???")
        caller = FunctionKey("lib", "a", "f")
        self.assertEqual(set(part.functions), {caller, nameless})
        self.assertEqual([arc.callee for arc in part.arcs()], [nameless])
        self.assertEqual(part.functions[caller].self_cost, [7])

    def test_steps_back_and_in_hexadecimal(self) -> None:
        self.path.write_text(PPROF)
        part = read_profile(self.path, Detail.INSTRUCTIONS).parts[0]
        other = part.functions[FunctionKey("???", "main.go", "main.other")]
        self.assertEqual(other.by_instruction(), {("main.go", 0x1000): [7]})
        self.assertEqual(other.by_line(), {("main.go", 10): [7]})


class Others(OtherWriters):
    def test_pyprof2calltree(self) -> None:
        self.assertEqual(
            sums(self.read(PYPROF2CALLTREE)),
            {"<built-in method len>": (4, 0), "tester": (128, 4), "<module>": (135, 132)},
        )

    def test_header_lines_that_callgrind_does_not_have(self) -> None:
        self.assertEqual(
            sums(self.read(RUBY_PROF)),
            {"Object::tester": (128, 4), "String::length": (4, 0)},
        )

    def test_windows_and_its_mark(self) -> None:
        for text in (XDEBUG_2, PPROF, RUBY_PROF):
            plain = sums(self.read(text))
            windows = text.replace("\n", "\r\n").encode()
            self.assertEqual(sums(self.read(windows)), plain)
            self.assertEqual(sums(self.read(b"\xef\xbb\xbf" + windows)), plain)

    def test_no_line_feed_at_the_end(self) -> None:
        for text in (XDEBUG_2, XDEBUG_3, PPROF, PYPROF2CALLTREE):
            self.assertEqual(sums(self.read(text.rstrip())), sums(self.read(text)))

    def test_events_and_positions_said_again(self) -> None:
        again = "positions: line\nevents: Ir Dr\n"
        body = "fl=a\nfn=f\n1 1 1\n"
        profile = self.read(again + body + again + "2 2 2\n" + again + body)
        self.assertEqual(sums(profile), {"f": (4, 0)})

    def test_other_events_begin_a_part(self) -> None:
        self.path.write_text("events: A\nfn=f\n1 1\nevents: B\nfn=f\n1 2\n")
        profile = read_profile(self.path)
        self.assertEqual(len(profile.parts), 2)
        self.assertEqual(profile.events, ["A", "B"])

    def test_a_part_without_events_has_those_of_the_one_before(self) -> None:
        profile = self.read(
            "positions: instr line\nevents: A\nfn=f\n0x1 1 1\n"
            "part: 2\nfn=f\n0x1 1 2\n", parts=2,
        )  # fmt: skip
        self.assertEqual([part.sum_of_self_costs() for part in profile.parts], [[1], [2]])

    def test_callgrind_itself_is_held_to_its_format(self) -> None:
        own = "version: 1\ncreator: callgrind-3.19.0\n"
        for text in (XDEBUG_3.replace("creator: xdebug", "creator: callgrind"),
                     own + "arch: x\nevents: Ir\nfn=f\n1 1\ntotals: 1\n",
                     own + "events: Ir\nfn=f\n1 1\n",
                     own + "events: Ir\nfn=f\n1 1\ntotals: 1\npart: 2\nfn=f\n1 1\n"):
            self.path.write_text(text)
            self.assertRaises(ProfileError, read_profile, self.path)


if __name__ == "__main__":
    unittest.main()
