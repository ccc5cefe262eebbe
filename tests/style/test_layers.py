# SPDX-License-Identifier: GPL-2.0-or-later
#
# Includes and imports run downwards only, as docs/layers.txt declares; and nothing else
# lists the rooms.

"""The layers of the tool, the sampler and the readers."""

from __future__ import annotations

import os
import re
import tempfile
import unittest
from pathlib import Path

from tests.source_files import files_below
from tests.style.layers import (
    REPOSITORY_LAYERS,
    LayersError,
    Tree,
    breaches,
    circles,
    read_layers,
)
from tests.style.symbols import Symbols, read, undeclared, uses

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("VG_BUILD") or REPOSITORY / "build")


class Layers(unittest.TestCase):
    """The trees of this repository."""

    trees = read_layers(REPOSITORY / REPOSITORY_LAYERS)

    def tree(self, folder: str) -> Tree:
        return next(tree for tree in self.trees if tree.folder == folder)

    def test_all_five_trees_are_declared(self) -> None:
        self.assertEqual(
            [tree.folder for tree in self.trees],
            ["callgrind", "sampler", "reader", "shared", "callgrind/report"],
        )

    def test_nothing_reaches_upwards_and_nothing_goes_in_circles(self) -> None:
        for tree in self.trees:
            self.assertEqual(breaches(tree, self.trees, REPOSITORY), [], tree.folder)

    def test_the_top_of_each_tree_holds_its_commands_and_folders(self) -> None:
        for folder, commands in (
            ("callgrind", {"main.c"}),
            ("sampler", {"main.c"}),
            ("reader", {"main.c"}),
            ("shared", set()),
            (
                "callgrind/report",
                {
                    "callgrind_report.py",
                    "callgrind_export.py",
                    "callgrind_gate.py",
                    "start.py",
                },
            ),
        ):
            files = {
                path.name
                for path in files_below(REPOSITORY / folder)
                if path.parent == REPOSITORY / folder
                and path.suffix in (".c", ".h", ".py")
            }
            self.assertEqual(files, commands, folder)

    def test_only_that_file_lists_the_rooms(self) -> None:
        for name in ("callgrind/main.c", "sampler/main.c", "CONTRIBUTING.md"):
            text = (REPOSITORY / name).read_text(encoding="utf-8")
            self.assertIn(REPOSITORY_LAYERS, text)
            listed = [
                room.name
                for tree in self.trees
                for room in tree.rooms
                if re.search(re.escape(room.name) + r"\W+" + re.escape(room.owns), text)
            ]
            self.assertEqual(listed, [], name)


class Linked(unittest.TestCase):
    """The tool, by the symbols of its object files."""

    def setUp(self) -> None:
        self.modules = read(BUILD / "callgrind", REPOSITORY / "callgrind")
        if not self.modules:
            self.skipTest(f"{BUILD} has no object files")

    def test_a_file_defines_only_what_its_own_header_declares(self) -> None:
        self.assertEqual(list(undeclared(self.modules, REPOSITORY / "callgrind")), [])

    def test_no_calls_go_in_circles(self) -> None:
        self.assertEqual(list(circles(uses(self.modules))), [])


class PlantedSymbols(unittest.TestCase):
    """What is to be found among symbols is found."""

    def undeclared_in(self, source: str, header: str) -> list[str]:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            (root / "it.c").write_text(source, encoding="utf-8")
            (root / "it.h").write_text(header, encoding="utf-8")
            symbols = Symbols(defined={"it_does", "it_hides"})
            return list(undeclared({"it": symbols}, root))

    def test_what_another_header_declares(self) -> None:
        self.assertEqual(
            self.undeclared_in("", "/* it_hides() */ void it_does(void);"),
            ["it.c defines it_hides, which it.h does not declare"],
        )

    def test_what_assembler_calls(self) -> None:
        both = '__asm__("call it_hides"); __attribute__((used)) void it_does(void) {}'
        self.assertEqual(self.undeclared_in(both, ""), [])

    def test_a_circle_of_calls(self) -> None:
        modules = {
            "a": Symbols({"a_does"}, {"b_does", "memcpy"}),
            "b": Symbols({"b_does"}, {"a_does"}),
            "c": Symbols({"c_does"}, {"a_does"}),
        }
        self.assertEqual(list(circles(uses(modules))), [["a", "b"]])


class Planted(unittest.TestCase):
    """What is to be found is found."""

    LAYERS = """Who may use whom.

it/:
   1  main.c  the top
   2  high/   what is above
   2  side/   what is beside it
   3  low/    what is below
"""

    def breaches_with(self, **files: str) -> list[str]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "layers.txt").write_text(self.LAYERS, encoding="utf-8")
            contents = {
                "main.c": '#include "high/a.h"\n',
                "high/a.c": '#include "high/a.h"\n#include "low/c.h"\n',
                "high/a.h": "",
                "side/b.c": '#include "low/c.h"\n',
                "low/c.h": "",
                "low/d.py": "import os\n",
            }
            for at, text in files.items():
                contents[at.replace("__", "/").replace("_dot_", ".")] = text
            for at, text in contents.items():
                path = folder / "it" / at
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            (tree,) = read_layers(folder / "layers.txt")
            return breaches(tree, [tree], folder)

    def test_what_is_in_order(self) -> None:
        self.assertEqual(self.breaches_with(), [])

    def test_an_include_upwards(self) -> None:
        (said,) = self.breaches_with(low__e_dot_c='#include "high/a.h"\n')
        self.assertIn("it/low/e (low/) uses high/a (high/)", said)

    def test_an_include_of_what_stands_beside(self) -> None:
        (said,) = self.breaches_with(side__e_dot_c='#include "high/a.h"\n')
        self.assertIn("it/side/e (side/) uses high/a (high/)", said)

    def test_a_circle_in_a_room(self) -> None:
        (said,) = self.breaches_with(
            low__e_dot_h='#include "low/f.h"\n',
            low__f_dot_c='#include "low/e.h"\n',
            low__f_dot_h="",
        )
        self.assertEqual(said, "it: a circle: low/e low/f")

    def test_an_import_upwards(self) -> None:
        (said,) = self.breaches_with(
            high__g_dot_py="", low__d_dot_py="def f():\n    from high.g import x\n"
        )
        self.assertIn("it/low/d (low/) uses high/g (high/)", said)

    def test_a_file_in_no_room(self) -> None:
        (said,) = self.breaches_with(loose_dot_c="")
        self.assertIn("it/loose: in no room", said)

    def test_a_line_that_is_no_room(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "layers.txt"
            path.write_text("it/:\n   high/ no number\n", encoding="utf-8")
            with self.assertRaisesRegex(LayersError, "layers.txt:2: neither a room"):
                read_layers(path)
