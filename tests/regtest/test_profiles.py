# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests that every profile which a test leaves has to keep to the format, whatever else
# the test looks at.

"""Tests of the check of profiles' form."""

from __future__ import annotations

from tests.regtest.sandbox import RegtestCase

PROFILE = """\
# callgrind format
version: 1
creator: callgrind-exact-0.1.0 (Valgrind 3.19.0)
pid: 1
cmd:  prog
part: 1

desc: Timerange: Basic block 0 - 1
desc: Trigger: Program termination

positions: line
events: Ir
summary: 3

ob=prog
fl=prog.c
fn=main
1 3

totals: 3
"""
BROKEN = PROFILE.replace("\n1 3\n", "\n1 3 nonsense\n")

TREE = """\
callgrind-tree 1
creator callgrind-exact 0.1.0
costs counted
event Ir count instructions
process 1 1 0 prog
thread 1 1 1 main
part 1
function 1 0 0 0 main
tree 1
0 1 0 3
total 1 0 3
end 1 1 3
"""


class Profiles(RegtestCase):
    def write(self, text: str, name: str = "callgrind.out") -> str:
        """A shell command that writes a profile."""
        return f"cat > {name} <<'END'\n{text}END\n"

    def assert_broken(self) -> None:
        report = self.regtest()
        self.assertEqual(report.counts, (0, 1, 0))
        self.assertIn("the form of a profile", report.stdout)
        self.assertIn("nonsense", report.stdout)

    def test_a_sound_profile_passes(self) -> None:
        self.program(self.write(PROFILE))
        self.describe("prog: prog\n", stdout="")
        self.assert_pass()

    def test_a_broken_profile_fails_a_test_that_does_not_look_at_it(self) -> None:
        self.program(self.write(BROKEN))
        self.describe("prog: prog\n", stdout="")
        self.assert_broken()

    def test_also_one_that_post_removes(self) -> None:
        self.program(self.write(BROKEN, "mine.1"))
        self.describe("prog: prog\npost: rm mine.1\n", stdout="", post="")
        self.assert_broken()

    def test_also_one_that_post_writes(self) -> None:
        self.program(self.write(BROKEN), "maker")
        self.program("")
        self.describe('prog: prog\npost: "$VG_SRCDIR"/maker\n', stdout="", post="")
        self.assert_broken()

    def test_also_a_tree(self) -> None:
        self.program(self.write(TREE, "callgrind.tree"))
        self.describe("prog: prog\n", stdout="")
        self.assert_pass()
        self.program(self.write(TREE.replace("\n0 1 0 3\n", "\n0 1 0 nonsense\n")))
        self.assert_broken()

    def test_not_one_that_was_there_before(self) -> None:
        self.build.mkdir(parents=True)
        (self.build / "old").write_text(BROKEN)
        self.program("")
        self.describe("prog: prog\n", stdout="")
        self.assert_pass()

    def test_not_one_of_another_callgrind(self) -> None:
        text = BROKEN.replace("callgrind-exact-0.1.0", "callgrind-3.19.0")
        self.program(self.write(text))
        self.describe("prog: prog\n", stdout="")
        self.assert_pass()
