# SPDX-License-Identifier: GPL-2.0-or-later
#
# The strict check of tree files: what it lets pass, and each violation that it finds.

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.format.tree_examples import HOSTILE, example
from tests.format.tree_grammar import violations
from tests.format.tree_maker import Maker

HERE = Path(__file__).resolve().parent


def judged(content: bytes) -> list[tuple[int, str]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.tree")
        path.write_bytes(content)
        return [(found.line, found.what) for found in violations(path)]


class Passes(unittest.TestCase):
    def test_the_example_and_two_documents(self) -> None:
        self.assertEqual(judged(example()), [])
        self.assertEqual(judged(example() * 2), [])

    def test_hostile_texts_parts_and_threads(self) -> None:
        maker = Maker(command=HOSTILE[2])
        threads = [maker.thread(1, HOSTILE[0]), maker.thread(2)]
        functions = [maker.function(name, name, name, 7, "00ff") for name in HOSTILE]
        for part in (1, 4):
            maker.part(part, HOSTILE[1], HOSTILE[3])
            for thread in threads:
                maker.tree(thread)
                for function in functions:
                    maker.node(0, function, 1, 0, part)
                maker.total()
        self.assertEqual(judged(maker.end()), [])

    def test_mappings_and_entries_within_them(self) -> None:
        lines = b"map 1 1 0x400000 0x2000 0x1000\nentry 1 0x1000\nentry 2 0x2fff\n"
        content = example().replace(b"tree 1\n0", lines + b"tree 1\n0")
        self.assertEqual(judged(content), [])

    def test_a_tree_without_nodes(self) -> None:
        maker = Maker()
        thread = maker.thread(1)
        maker.part(1)
        maker.tree(thread)
        maker.total()
        self.assertEqual(judged(maker.end()), [])


class Breaches(unittest.TestCase):
    def test_each(self) -> None:
        end, tree = "end 1 5 1120 6000", "tree 1\n0"
        cases = [
            ("costs counted\n", "", 3, "'event' after 'creator'"),
            ("creator call", "desc x\ncreator call", 2, "'desc' in the header"),
            ("event sys", "event Ir count x\nevent sys", 5, "a second event Ir"),
            ("1 4711 0", "1 04711 0", 6, "no line of the format"),
            ("main\npart", "m\tain\npart", 7, "no line of the format"),
            ("/home", "\\q/home", 10, "no line of the format"),
            ("object 2 -", "object 1 -", 11, "object 1 is defined already"),
            ("2 1 1 12 parse", "2 7 1 12 parse", 14, "object 7 is not defined"),
            ("4 2 0 0 read", "4 2 0 0 ", 16, "no line of the format"),
            ("part 1\n", "part 1\npart 1\n", 9, "part 1 after part 1"),
            ("trigger P", "trigger x\ntrigger P", 10, "a second 'trigger'"),
            ("0 1 0 120", "1 1 0 120", 18, "before the first node"),
            ("1 2 3 900", "1 2 3 900 0", 19, "a zero at the end"),
            ("1 2 3 900", "1 2 3 900 1 1", 19, "more costs than events"),
            ("1 2 3 900", "1 9 3 900", 19, "function 9 is not defined"),
            ("i1 3 0", "x1 3 0", 20, "neither a node nor"),
            ("i1 3 0 60", "i1 3 1 60", 20, "inlined code has no calls"),
            ("4 4 1 10 1500", "3 4 1 10 1500", 22, "a second node of this path"),
            ("total 5 7", "total 5 8", 23, "total says"),
            (tree, f"map 1 1 0x10 0x20 0x040\n{tree}", 17, "no line of the format"),
            (tree, f"map 1 1 0x10 0x0 0x40\n{tree}", 17, "an empty mapping"),
            (tree, f"entry 1 0x1\nentry 1 0x1\n{tree}", 18, "or a second one"),
            (
                tree,
                f"map 1 1 0x10 0x20 0x40\nentry 1 0x60\n{tree}",
                18,
                "the entry is in no mapping of its object",
            ),
            (end, "end 1 5 1121 6000", 24, "end says"),
            (end, f"tree 1\ntotal 0 0\n{end}", 24, "thread 1 has a tree"),
            (end, f"desc x\n{end}", 24, "not before the first tree"),
            (end, f"source 9 x\n{end}", 25, "sources that are not used: .9."),
            (end + "\n", "", 23, "the last line is not an 'end' line"),
            (end + "\n", end, 24, "does not end with a line feed"),
            (end, f"{end}\n{end}", 25, "first line of a document"),
        ]
        for old, new, line, what in cases:
            with self.subTest(new=new):
                text = example().decode("utf-8")
                self.assertEqual(text.count(old), 1, old)
                found = judged(text.replace(old, new).encode("utf-8"))
                self.assertTrue(found, "nothing was seen")
                self.assertEqual(found[0][0], line, found)
                self.assertRegex(found[0][1], what)

    def test_a_node_without_anything(self) -> None:
        maker = Maker()
        thread, function = maker.thread(1), maker.function("f")
        maker.part(1)
        maker.tree(thread)
        maker.node(maker.node(0, function, 0), function, 0)
        maker.total()
        (breach,) = judged(maker.end())
        self.assertIn("without calls, costs and children: [2]", breach[1])

    def test_another_document_with_other_events(self) -> None:
        found = judged(example() + Maker().end())
        self.assertIn("other events", found[0][1])


class Command(unittest.TestCase):
    def run_on(self, content: bytes) -> "subprocess.CompletedProcess[str]":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.tree")
            path.write_bytes(content)
            command = [sys.executable, str(HERE / "tree_grammar.py"), str(path)]
            return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_status_and_places(self) -> None:
        passed = self.run_on(example())
        self.assertEqual((passed.returncode, passed.stdout), (0, ""))
        failed = self.run_on(example()[:-5])
        self.assertEqual(failed.returncode, 1)
        self.assertRegex(failed.stdout, r"a\.tree:24: the last line does not end")
