# SPDX-License-Identifier: GPL-2.0-or-later
#
# A C++ program whose inlined functions cost 100, 200, 300 ... instructions each, from the
# tool to the exports: names, files, lines and costs are there, and `go tool pprof` shows
# them with inlined functions and without.

"""Inlined functions in exports."""

from __future__ import annotations

import json
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import pytest

from callgrind.report.tests.export_case import ExportCase
from callgrind.report.tests.npm_packages import BUILD, SOURCE
from tests.go_tool import GO, VARIABLES, go_with_pprof

PROGRAMS = SOURCE / "callgrind" / "tests" / "inlined"
PROGRAM = PROGRAMS / "inlined_scopes.cpp"
# How many hundreds, and the line of the definition.
FUNCTIONS = {
    "shapes::Box<int>::Box(int)": (1, 14),
    "shapes::Box<int>::get() const": (2, 15),
    "shapes::Box<int>::twice(int)": (3, 20),
    "shapes::open(int)": (5, 35),
    "plain": (6, 43),
}
LAMBDA_COSTS = {51: 7, 55: 8}  # by line
# In the other program, what templates make of two lambdas, with the same costs.
RUNS = [f"shapes::Holder<main(int, char**)::<lambda#{n}> >::run" for n in (1, 2)]

pytestmark = pytest.mark.skipif(
    not (BUILD / "vg-in-place").exists(), reason="nothing is built"
)


def tree_of(source: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        program, tree = Path(folder, "program"), Path(folder, "tree")
        subprocess.run(["g++", "-static", "-O2", "-g", str(source), "-o", program],
                       check=True)
        subprocess.run(
            [BUILD / "vg-in-place", "-q", "--tool=callgrind", "--call-tree=yes",
             f"--call-tree-out-file={tree}", "--callgrind-out-file=/dev/null",
             "--read-inline-info=yes", program], check=True)
        return tree.read_bytes()


class InlinedCase(ExportCase):
    source: Path
    tree: bytes

    @classmethod
    def setUpClass(cls) -> None:
        cls.tree = tree_of(cls.source)

    def document(self, kind: str) -> Any:
        return json.loads(self.exported("--to", kind, self.file(self.tree)))

    def folded(self) -> dict[str, tuple[str, int]]:
        """By name: the parent's name, and the self cost."""
        found = {}
        for line in self.exported("--to", "folded", self.file(self.tree)).splitlines():
            path, cost = line.decode("utf-8").rsplit(" ", 1)
            names = path.split(";")
            found[names[-1]] = (names[-2] if len(names) > 1 else "", int(cost))
        return found

    def pprof(
        self, how: str, symbolize: str = "-symbolize=none"
    ) -> dict[tuple[str, str], int]:
        """The self costs of its table."""
        shown = subprocess.run(
            [go_with_pprof(), "tool", "pprof", "-top", how, "-nodefraction=0",
             "-nodecount=100000", *filter(None, [symbolize]), str(self.folder / "out")],
            capture_output=True, text=True, check=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C",
                 **VARIABLES})
        found: dict[tuple[str, str], int] = {}
        rows = shown.stdout.split("cum%\n", 1)[1].splitlines()
        for row in rows:
            flat, _, _, _, _, what = row.split(None, 5)
            what = what.removesuffix(" (inline)").removesuffix(" (partial-inline)")
            name, place = what, ":0"
            if how == "-lines" and ":" in what.rsplit("/", 1)[-1]:
                name, slash, place = what.partition(" /")  # may have blanks in it
                place = slash.strip() + place
            found[name, place] = found.get((name, place), 0) + int(flat)
        return found


class Inlined(InlinedCase):
    source = PROGRAM

    def check(self, found: dict[tuple[str, int], int]) -> None:
        """Costs by name and line."""
        for name, (hundreds, line) in FUNCTIONS.items():
            self.assertEqual(found[name, line] // 100, hundreds, name)
        lambdas = {line: cost // 100 for (name, line), cost in found.items()
                   if "operator()" in name and line in LAMBDA_COSTS}
        self.assertEqual(lambdas, LAMBDA_COSTS)

    def test_speedscope(self) -> None:
        document = self.document("speedscope")
        frames = document["shared"]["frames"]
        found: dict[tuple[str, int], int] = {}
        stack: list[int] = []
        before = 0
        for event in document["profiles"][0]["events"]:
            if stack:  # what has passed is the innermost frame's
                frame = frames[stack[-1]]
                key = frame["name"], frame.get("line", 0)
                found[key] = found.get(key, 0) + event["at"] - before
            before = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                self.assertEqual(stack.pop(), event["frame"])
        for frame in frames:
            if frame["name"] in FUNCTIONS:
                self.assertEqual(Path(frame["file"]).name, PROGRAM.name)
        self.check(found)

    def test_firefox(self) -> None:
        thread = self.document("firefox")["threads"][0]
        strings, functions = thread["stringArray"], thread["funcTable"]
        frames, stacks = thread["frameTable"], thread["stackTable"]
        found: dict[tuple[str, int], int] = {}
        depths: dict[str, int] = {}
        for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
            frame = stacks["frame"][stack]
            function = frames["func"][frame]
            name = strings[functions["name"][function]]
            key = name, frames["line"][frame] or 0
            found[key] = found.get(key, 0) + weight
            depths[name] = frames["inlineDepth"][frame]
            if name in FUNCTIONS:
                file = strings[functions["fileName"][function]]
                self.assertEqual(Path(file).name, PROGRAM.name)
        self.check(found)
        self.assertEqual([depths[name] for name in FUNCTIONS], [2, 2, 1, 1, 1])
        self.assertEqual(depths["main"], 0)

    def test_folded(self) -> None:
        found = self.folded()
        for name, (hundreds, _) in FUNCTIONS.items():
            self.assertEqual(found[name][1] // 100, hundreds)
        self.assertEqual(found["shapes::Box<int>::get() const"][0],
                         "shapes::Box<int>::twice(int)")

    @unittest.skipUnless(GO, "go is not installed")
    def test_go_tool_pprof(self) -> None:
        """Its table of costs by line, and that of functions without inlined ones."""
        self.exported("--to", "pprof", self.file(self.tree))
        by_line = self.pprof("-lines")
        found = {}
        for (name, place), cost in by_line.items():
            found[name, int(place.rsplit(":", 1)[1])] = cost
        self.check({key: cost for key, cost in found.items() if key[1]})
        without = self.pprof("-noinlines")
        names = [name for name, _ in without]
        self.assertFalse(set(names) & set(FUNCTIONS))
        self.assertIn("main", names)
        self.assertEqual(sum(without.values()), sum(by_line.values()))
        main = next(cost for (name, _), cost in without.items() if name == "main")
        self.assertEqual(main // 100, sum(range(1, 9)))

    @unittest.skipUnless(GO, "go is not installed")
    def test_go_tool_pprof_keeps_lambdas_apart(self) -> None:
        """As it is by itself, which may shorten names."""
        self.exported("--to", "pprof", self.file(self.tree))
        costs = [cost // 100 for (name, _), cost in self.pprof("-functions", "").items()
                 if "operator()" in name]
        self.assertEqual(sorted(costs), sorted(LAMBDA_COSTS.values()))


class First(InlinedCase):
    """Functions that begin with inlined code of another file are where they are
    defined."""

    source = PROGRAMS / "inlined_first.cpp"
    PLACES = {"plain(int)": 9, "Shape::area(int)": 15, "Shape::made(int)": 21,
              "main": 37}

    def check(self, found: dict[str, tuple[str, int]]) -> None:
        self.assertEqual({name: found[name] for name in self.PLACES},
                         {name: (str(self.source), line)
                          for name, line in self.PLACES.items()})

    def test_speedscope(self) -> None:
        frames = self.document("speedscope")["shared"]["frames"]
        self.check({frame["name"]: (frame.get("file", ""), frame.get("line", 0))
                    for frame in frames})

    def test_firefox(self) -> None:
        thread = self.document("firefox")["threads"][0]
        strings, functions = thread["stringArray"], thread["funcTable"]
        self.check({strings[name]: (strings[file] if file is not None else "", line or 0)
                    for name, file, line in zip(functions["name"], functions["fileName"],
                                                functions["lineNumber"])})

    @unittest.skipUnless(GO, "go is not installed")
    def test_go_tool_pprof(self) -> None:
        self.exported("--to", "pprof", self.file(self.tree))
        found = {}
        for name, place in self.pprof("-lines"):
            file, line = place.rsplit(":", 1)
            found[name] = (file, int(line))
        self.check(found)


class Templates(InlinedCase):
    """What templates make of two lambdas is two functions."""

    source = PROGRAMS / "inlined_templates.cpp"

    def test_speedscope(self) -> None:
        frames = self.document("speedscope")["shared"]["frames"]
        found = [frame["name"] for frame in frames if "::run" in frame["name"]]
        self.assertEqual(sorted(found), RUNS)

    def test_firefox(self) -> None:
        thread = self.document("firefox")["threads"][0]
        names = [thread["stringArray"][name] for name in thread["funcTable"]["name"]]
        self.assertEqual(sorted(name for name in names if "::run" in name), RUNS)

    def test_folded(self) -> None:
        found = self.folded()
        self.assertEqual([found[name][1] // 100 for name in RUNS], [2, 2])

    @unittest.skipUnless(GO, "go is not installed")
    def test_go_tool_pprof(self) -> None:
        """As it is by itself, too, which may shorten names."""
        self.exported("--to", "pprof", self.file(self.tree))
        for symbolize in ("-symbolize=none", ""):
            costs = {name: cost // 100
                     for (name, _), cost in self.pprof("-functions", symbolize).items()
                     if "::run" in name}
            self.assertEqual(costs, dict.fromkeys(RUNS, 2))
