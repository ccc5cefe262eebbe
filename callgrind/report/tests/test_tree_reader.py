# SPDX-License-Identifier: GPL-2.0-or-later
#
# The reader of tree files: what it understands, and every way in which it refuses.

from __future__ import annotations

import random
import unittest
from pathlib import Path

from callgrind.report.tests.tree_reading import paths, read
from tests.format.tree_examples import HOSTILE, example
from tests.format.tree_maker import Maker, program
from tree_file.escape import escape, unescape, unicode_text
from tree_file.model import Object
from tree_file.reader import TreeError, read_forest


class Example(unittest.TestCase):
    """The page's example is read as the page says."""

    def setUp(self) -> None:
        self.forest = read(example())

    def test_paths(self) -> None:
        self.assertEqual(
            paths(self.forest),
            {
                ("main",): (0, [120, 0]),
                ("main", "parse"): (3, [900, 0]),
                ("main", "parse", "skip_blanks [i]"): (0, [60, 0]),
                ("main", "parse", "read"): (3, [30, 4500]),
                ("main", "read"): (1, [10, 1500]),
            },
        )

    def test_what_stands_around_the_nodes(self) -> None:
        tree = self.forest.trees[0]
        self.assertEqual(
            [(event.name, event.unit) for event in self.forest.events],
            [("Ir", "count"), ("sysTime", "nanoseconds")],
        )
        self.assertEqual(tree.thread.process.pid, 4711)
        self.assertEqual(tree.thread.process.command, "./demo --words 20")
        self.assertEqual(
            (tree.part.number, tree.part.trigger), (1, "Program termination")
        )
        main = self.forest.functions[tree.nodes.functions[0]]
        self.assertEqual((main.source, main.line), ("demo.c", 40))
        self.assertEqual(main.object, Object("/home/me/demo", "9c3b1f00aa52e1d7"))

    def test_sums(self) -> None:
        nodes = self.forest.trees[0].nodes
        self.assertEqual(self.forest.totals(), [1120, 6000])
        self.assertEqual(nodes.inclusive(0), [1120, 990, 60, 30, 10])
        self.assertEqual(list(nodes.walk()), [(0, 0), (1, 1), (2, 2), (3, 2), (4, 1)])

    def test_walk_is_depth_first_whatever_the_order_of_the_file(self) -> None:
        maker = Maker()
        thread = maker.thread(1)
        functions = [maker.function(name) for name in "abcdef"]
        maker.part(1)
        maker.tree(thread)
        for number, parent in enumerate((0, 0, 1, 2, 1, 3)):
            maker.node(parent, functions[number], 1, 1)
        maker.total()
        nodes = read(maker.end()).trees[0].nodes
        walked = [(node + 1, depth) for node, depth in nodes.walk()]
        self.assertEqual(walked, [(1, 0), (3, 1), (6, 2), (5, 1), (2, 0), (4, 1)])


class Files(unittest.TestCase):
    def test_documents_of_one_file_and_files_share_functions_and_keep_their_trees(
        self,
    ) -> None:
        for forest in (read(example() + example()), read(example(), example())):
            self.assertEqual(len(forest.trees), 2)
            self.assertEqual(len(forest.functions), 4)
            self.assertEqual(forest.totals(), [2240, 12000])
            self.assertEqual(len(forest.processes()), 1)

    def test_files_with_other_events_do_not_add_up(self) -> None:
        other = Maker(events=[("Ir", "count", "")]).end()
        with self.assertRaisesRegex(TreeError, r"1\.tree:\d+: .*do not add up"):
            read(example(), other)

    def test_paths_that_are_not_known(self) -> None:
        content = example().replace(b" demo.c\n", b" ???\n")
        forest = read(content.replace(b" /home/me/demo\n", b" ???\n"))
        main = forest.functions[0]
        self.assertEqual((main.object, main.source, main.line), (None, "", 40))

    def test_a_made_program(self) -> None:
        forest = read(program("python", 3000))
        self.assertEqual(len(forest.trees[0].nodes), 3000)
        self.assertEqual(sum(forest.trees[0].nodes.inclusive(0)[:1]), forest.totals()[0])

    def test_parts_threads_processes_and_maps(self) -> None:
        maker = Maker()
        maker.lines.append(b"process 2 99 1 child\n")
        maker.lines.append(b"object 7 - [vdso]\nmap 2 7 0x7fff000 0x1000 0x0\n")
        threads = [maker.thread(1), maker.thread(1, "worker", process=2)]
        function = maker.function("f")
        for number, trigger in ((3, "one"), (5, "two")):
            maker.part(number, trigger, "file.py::bench")
            for thread in threads:
                maker.tree(thread)
                maker.node(0, function, 1, number)
                maker.total()
        forest = read(maker.end())
        found = [
            (tree.part.number, tree.part.benchmark, tree.thread.process.pid)
            for tree in forest.trees
        ]
        uri = "file.py::bench"
        self.assertEqual(
            found, [(3, uri, 4711), (3, uri, 99), (5, uri, 4711), (5, uri, 99)]
        )
        child = forest.processes()[1]
        self.assertEqual(child.parent, forest.processes()[0])
        self.assertEqual(child.mappings[0].start, 0x7FFF000)
        (vdso,) = forest.mappings_of(child.mappings[0].object)
        self.assertEqual(vdso.address_of(0xFFF), 0x7FFFFFF)
        self.assertIsNone(vdso.address_of(0x1000))

    def test_where_functions_begin(self) -> None:
        entries = b"entry 2 0x1a40\nentry 4 0x7ffffffff\ntree 1\n0 "
        forest = read(example().replace(b"tree 1\n0 ", entries))
        found = {forest.functions[index].name: at for index, at in forest.entries.items()}
        self.assertEqual(found, {"parse": 0x1A40, "read": 0x7FFFFFFFF})

    def test_no_entry_in_no_object(self) -> None:
        text = example().replace(b"function 2 1 ", b"function 2 0 ")
        text = text.replace(b"tree 1\n0 ", b"entry 2 0x1\ntree 1\n0 ")
        with self.assertRaisesRegex(TreeError, ":17: a function without an object"):
            read(text)


class Texts(unittest.TestCase):
    def test_hostile_names_come_through(self) -> None:
        maker = Maker(command=HOSTILE[1])
        thread = maker.thread(1, HOSTILE[2])
        functions = [maker.function(name, name, name) for name in HOSTILE]
        maker.part(1, HOSTILE[3])
        maker.tree(thread)
        for function in functions:
            maker.node(0, function, 1, 1)
        maker.total()
        forest = read(maker.end())
        found = forest.functions
        self.assertEqual([function.name for function in found], HOSTILE)
        self.assertEqual([function.source for function in found], HOSTILE)
        self.assertEqual(
            [function.object.path for function in found if function.object], HOSTILE
        )
        tree = forest.trees[0]
        self.assertEqual(tree.thread.process.command, HOSTILE[1])
        self.assertEqual((tree.thread.name, tree.part.trigger), (HOSTILE[2], HOSTILE[3]))

    def test_escape_is_the_rule_of_the_page(self) -> None:
        self.assertEqual(escape("a\\b\nc\x7f"), rb"a\\b\x0ac\x7f")
        for text in HOSTILE:
            line = escape(text)
            self.assertNotRegex(line, rb"[\x00-\x1f\x7f]")
            self.assertEqual(unescape(line), text)

    def test_unicode_text_shows_bytes_that_are_none(self) -> None:
        self.assertEqual(unicode_text("a\udcffö"), "a\\xffö")


class Refusals(unittest.TestCase):
    def refused(self, content: bytes, place: str, what: str) -> None:
        with self.assertRaises(TreeError) as caught:
            read(content)
        message = str(caught.exception)
        self.assertRegex(message, rf"/0\.tree{place}: .*{what}")
        self.assertNotIn("\n", message)

    def test_a_file_cut_off_anywhere(self) -> None:
        whole = example()
        for length in range(1, len(whole)):
            with self.subTest(length=length):
                what = (
                    "cut off" if length >= len("callgrind-tree ") else "not a tree file"
                )
                line = whole[:length].count(b"\n") + (whole[length - 1 : length] != b"\n")
                self.refused(whole[:length], f":{line}", what)

    def test_random_damage_is_told_in_one_line_or_changes_texts_alone(self) -> None:
        places = b"map 1 1 0x1000 0x1000 0x0\nentry 1 0x10\npart 1\n"
        whole = program("c", 60).replace(b"part 1\n", places)
        self.assertIn(places, whole)
        draw = random.Random(7)
        for attempt in range(600):
            content = bytearray(whole)
            for _ in range(draw.choice((1, 1, 2, 40))):
                place = draw.randrange(len(content))
                if draw.random() < 0.5:
                    content[place] = draw.randrange(256)
                elif draw.random() < 0.5:
                    del content[place : place + draw.randrange(1, 90)]
                else:
                    content[place:place] = draw.randbytes(draw.randrange(1, 9))
            with self.subTest(attempt=attempt):
                try:
                    forest = read(bytes(content))
                except TreeError as error:
                    self.assertRegex(str(error), r"^/.*/0\.tree:\d+: [^\n]+$")
                else:
                    self.assertEqual(forest.totals(), read(whole).totals())

    def test_each_number_of_the_sums_changed(self) -> None:
        lines = example().decode().splitlines(keepends=True)
        for number, line in enumerate(lines, 1):
            if line[0].isdigit() or line.startswith(("total", "end", "i1")):
                words = line.split()
                for index, word in enumerate(words):
                    if not word.isdigit() or (line[0] in "0123456789i" and index < 2):
                        continue
                    changed = [*words[:index], str(int(word) + 1), *words[index + 1 :]]
                    text = "".join(
                        [*lines[: number - 1], " ".join(changed) + "\n", *lines[number:]]
                    )
                    with self.subTest(line=line, index=index):
                        self.refused(text.encode(), r":\d+", "damaged")

    def test_foreign_files(self) -> None:
        self.refused(b"", "", "empty")
        self.refused(b"\x7fELF\x02\x01", ":1", "not a tree file")
        self.refused(b"main;f 12\n", ":1", "not a tree file")
        self.refused(b"callgrind-tree 2\n", ":1", "version 2")
        for line in (b"# callgrind format\n", b"version: 1\n", b"events: Ir\n"):
            self.refused(line, ":1", "callgrind profile, which does not say which path")

    def test_a_profile_of_the_distribution(self) -> None:
        profile = Path(__file__).resolve().parent / "data" / "tiny_default.out"
        with self.assertRaisesRegex(TreeError, "--call-tree=yes"):
            read_forest([profile])

    def test_a_file_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(TreeError, "absent.tree: No such file"):
            read_forest(["absent.tree"])

    def test_lines_against_the_rules(self) -> None:
        cases = [
            ("3 1 0 120", "the parent is before the first node"),
            ("0 9 0 120", "a function that is not defined"),
            ("x1 1 0 120", "expected a node or 'total'"),
            ("0 1 0 -120", "expected '.KIND.DISTANCE"),
            ("0  1 0 120", "expected '.KIND.DISTANCE"),
            ("0 1 0 1 2 3", "more costs than events"),
            (f"0 1 0 {1 << 64}", "."),
        ]
        for line, what in cases:
            with self.subTest(line=line):
                text = example().replace(b"\n0 1 0 120\n", f"\n{line}\n".encode())
                self.refused(text, ":18", what)

    def test_definitions_against_the_rules(self) -> None:
        cases = [
            ("object 1 - twice", "object 1 is defined twice"),
            ("object 0 - zero", "ids begin at 1"),
            ("object 3 xyz path", "no build id"),
            ("function 9 8 0 0 f", "object 8 is not defined"),
            ("function 9 1 7 0 f", "7 is not defined"),
            ("function 9 1 1 0 ", "without a name"),
            ("function 9 1 1", "too few words"),
            ("function 9 1 1 1 a\\qb", "a backslash that begins"),
            ("source 2 a\tb", "control character"),
            ("thread 2 5 1 x", "process 5 is not defined"),
            ("map 1 1 0x1 0x2", "five words"),
            ("map 1 1 1 2 3", "no address"),
            ("entry 1", "two words"),
            ("entry 1 16", "no address"),
            ("entry 9 0x10", "function 9 is not defined"),
            ("part 1", "part 1 after part 1"),
            ("trigger again", "a second 'trigger'"),
            ("colour red", "unknown line 'colour red'"),
        ]
        for line, what in cases:
            with self.subTest(line=line):
                text = example().replace(b"tree 1\n0", line.encode() + b"\ntree 1\n0")
                self.refused(text, ":17", what)

    def test_a_second_tree_of_a_thread(self) -> None:
        text = example().replace(b"\nend", b"\ntree 1\ntotal 0 0\nend")
        self.refused(text, ":24", "a second tree of thread 1")
