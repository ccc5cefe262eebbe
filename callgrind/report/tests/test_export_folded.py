# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_export --to folded: what is read from it again is what is in the tree.

from __future__ import annotations

from callgrind.report.tests.export_case import (
    EXAMPLE_SELF,
    HOSTILE_SELF,
    ExportCase,
    only,
    read_folded,
    totals_of,
)
from tests.format.tree_examples import HOSTILE, example, hostile
from tests.format.tree_maker import program


class Folded(ExportCase):
    def test_example(self) -> None:
        tree = self.file(example())
        found = read_folded(self.exported("--to", "folded", tree))
        self.assertEqual(found, only(EXAMPLE_SELF, 0))

    def test_another_event(self) -> None:
        tree = self.file(example())
        found = read_folded(self.exported("--to", "folded", "--event", "sysTime", tree))
        self.assertEqual(found, only(EXAMPLE_SELF, 1))

    def test_hostile_names_come_back(self) -> None:
        text = self.exported("--to", "folded", self.file(hostile()))
        self.assertNotRegex(text, rb"[\x00-\x09\x0b-\x1f\x7f]")
        self.assertEqual(read_folded(text), only(HOSTILE_SELF, 0))

    def test_programs_sum_to_their_totals(self) -> None:
        for like in ("c", "python"):
            content = program(like, 4000)
            found = read_folded(self.exported("--to", "folded", self.file(content)))
            self.assertEqual(sum(found.values()), totals_of(content)[0])

    def test_files_add_up(self) -> None:
        trees = [self.file(example(), "a"), self.file(example(), "b")]
        found = read_folded(self.exported("--to", "folded", *trees))
        self.assertEqual(
            found, {stack: 2 * cost for stack, cost in only(EXAMPLE_SELF, 0).items()}
        )

    def test_separate(self) -> None:
        tree = self.file(hostile())
        found = read_folded(
            self.exported("--to", "folded", "--separate=part,thread,process", tree)
        )
        above = {stack[:3] for stack in found}
        command, benchmark = HOSTILE[1], HOSTILE[9]
        self.assertEqual(
            above,
            {
                (
                    f"process 4711: {command}",
                    f"part 1: {benchmark}",
                    f"thread {number}: {name}",
                )
                for number, name in ((1, HOSTILE[0]), (2, HOSTILE[2]))
            },
        )
