# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shows what callgrind_annotate and gprof2dot make of profiles, also of those in which
# calls were open when counting began: by a toggle of collection, after a dump, after
# costs were set to zero.  callgrind_annotate takes a cost behind calls=0 for the caller's
# own, so that all functions below lose theirs.
#
# Owns: the comparison with what they make of the distribution's profile, for the
# functions of a program whose costs are the same on both sides.  Behind its dumps the
# distribution writes calls=0, too; its tables are those of the file with a call there.

"""Tables and graphs of other readers, of our profiles and of the distribution's."""

from __future__ import annotations

import re
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Iterator, Union

from tests.build.built import (
    BUILD,
    IN_PLACE,
    SOURCE,
    STOCK_BIN,
    STOCK_CALLGRIND,
    STOCK_LAUNCHER,
    BuildTest,
    run,
)

from tests.python_package import python_package

HERE = Path(__file__).resolve().parent
REGRESSION = SOURCE / "callgrind" / "tests"
ANNOTATE = STOCK_BIN / "callgrind_annotate"
VIEWS: list[list[str]] = [[], ["--inclusive=yes"], ["--inclusive=yes", "--tree=both"]]
NO_CALLS = re.compile(r"^calls=0 ", re.MULTILINE)
COUNT = re.compile(r" \(\d+x\)")


# Programs of regression tests that callgrind itself counts as we do, each with a function
# deep in its calls, all of which were made before that is entered.
PROGRAMS = {
    "profiles/known_costs.c": "leaf",
    "recursion/recursion.c": "odd",
    "recursion/separation.c": "leaf",
    "dumps/dump_functions.c": "inner",
    "calls/longjmp.c": "leaf",
    "code/recycled_code.c": "main",
}
# FUNCTION stands for that one.
TOGGLED = (
    ["--toggle-collect=FUNCTION", "--collect-jumps=yes", "--compress-strings=no",
     "--compress-pos=no"],
    ["--toggle-collect=FUNCTION", "--separate-callers=1", "--dump-line=no"],
)  # fmt: skip
OPTIONS = (
    TOGGLED[0],
    ["--separate-recs=4", "--separate-callers=2", "--dump-instr=yes"],
    ["--dump-before=FUNCTION", "--combine-dumps=yes"],
)


class Compared(BuildTest):
    FLAGS: tuple[str, ...] = ()

    def compiled(self, source: Path) -> Path:
        program = self.folder / source.stem
        include: list[Union[str, Path]]
        include = ["-I", REGRESSION / "helpers", "-I", SOURCE / "include"]
        ended = run("gcc", "-g", "-O1", "-fno-inline", "-pthread", *self.FLAGS, *include,
                    "-o", program, source)  # fmt: skip
        self.assert_ended(ended, 0)
        return program

    def profiles(self, launcher: Path, *words: str) -> dict[str, Path]:
        """The files of a run, by what follows the name of the last one."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        ended = run(launcher, "-q", "--tool=callgrind",
                    f"--callgrind-out-file={folder}/out", *words, cwd=folder)
        self.assert_ended(ended, 0)
        # Not a timeline, nor the empty file that the distribution leaves beside threads'.
        found = [path for path in folder.glob("out*") if path.stat().st_size]
        return {path.name[len("out"):]: path for path in found}

    def pairs(self, *words: str) -> Iterator[tuple[str, Path, Path]]:
        """The distribution's files and ours, with calls where that has none."""
        stock = self.profiles(STOCK_LAUNCHER, *words)
        ours = self.profiles(IN_PLACE, *words)
        self.assertEqual(sorted(ours), sorted(stock))
        for end, path in sorted(stock.items()):
            self.assertNotRegex(ours[end].read_text(), NO_CALLS)
            path.write_text(NO_CALLS.sub("calls=1 ", path.read_text()))
            yield end, path, ours[end]


@unittest.skipUnless(
    STOCK_CALLGRIND.exists() and ANNOTATE.exists(), "no callgrind of the distribution"
)
class Annotate(Compared):
    # Only the program's own functions are compared, and without a dynamic linker both
    # sides start in a part of the time.
    FLAGS = ("-static",)

    def table(self, profile: Path, source: str, view: list[str]) -> list[str]:
        """The rows of the functions of `source`: costs, names, how often called."""
        ended = run(ANNOTATE, "--auto=no", "--show-percs=no", "--threshold=100", *view,
                    profile)  # fmt: skip
        self.assert_ended(ended, 0)
        rows = [row.split(" [")[0] for row in ended.out.splitlines()
                if f"/{source}:" in row]  # fmt: skip
        return sorted(re.sub(r"\s+", " ", row).strip() for row in rows)

    def compare(self, source: Path, *words: str, with_counts: bool = True) -> int:
        """How many rows are the same."""
        program = self.folder / source.stem
        words = tuple(str(program) if word == "PROGRAM" else word for word in words)
        n_rows = 0
        for end, *sides in self.pairs(*words):
            for view in VIEWS:
                there, here = (self.table(side, source.name, view) for side in sides)
                if not with_counts:
                    there, here = ([COUNT.sub("", row) for row in side]
                                   for side in (there, here))  # fmt: skip
                with self.subTest(words=words, part=end, view=view):
                    self.assertEqual(here, there)
                n_rows += len(here)
        return n_rows

    def test_first_example_of_the_readme(self) -> None:
        source = SOURCE / "docs" / "demo" / "primes.c"
        self.compiled(source)
        self.assertGreater(
            self.compare(source, "--toggle-collect=by_*", "PROGRAM"), 12
        )

    def test_collection_that_comes_on_in_open_calls(self) -> None:
        source = HERE / "calls.c"
        self.compiled(source)
        for options in (
            ["--toggle-collect=leaf"],
            ["--toggle-collect=bottom", "--dump-instr=yes"],
            ["--toggle-collect=middle", "--separate-callers=2"],
            ["--toggle-collect=bottom", "--separate-recs=4", "--collect-jumps=yes"],
            ["--toggle-collect=bottom", "--skip-direct-rec=yes"],
            ["--toggle-collect=bottom", "--separate-threads=yes"],
        ):
            self.assertGreater(self.compare(source, *options, "PROGRAM", "thread"), 20)

    def test_parts_that_begin_in_open_calls(self) -> None:
        source = HERE / "calls.c"
        self.compiled(source)
        for options in (
            ["--dump-before=bottom"],
            ["--dump-after=bottom", "--dump-instr=yes"],
            ["--zero-before=recursive", "--separate-callers=2"],
            ["--dump-after=middle", "--toggle-collect=bottom"],
        ):
            n_rows = self.compare(source, *options, "PROGRAM", with_counts=False)
            self.assertGreater(n_rows, 20)

    def test_programs_of_regression_tests(self) -> None:
        for name, function in PROGRAMS.items():
            source = REGRESSION / name
            self.compiled(source)
            for options in OPTIONS:
                words = [word.replace("FUNCTION", function) for word in options]
                parted = any(word.startswith("--dump-before") for word in words)
                with self.subTest(name, options=words):
                    n_rows = self.compare(source, *words, "PROGRAM",
                                          with_counts=not parted)  # fmt: skip
                    self.assertGreater(n_rows, 3)


@unittest.skipUnless(STOCK_CALLGRIND.exists(), "no callgrind of the distribution")
class Gprof2dot(Compared):
    """Its graph has the inclusive share of each function and call, which it works out
    from self costs, by the shares of the arcs; and the object of each function, which it
    takes from the first line that names it, and mistakes in the distribution's files."""

    ITEM = re.compile(r'^\t(.*) \[.*label="([^"]*)"')  # a node, or an edge
    NAME = re.compile(r'"([^"\']*)|(\w+)')  # without callers and recursion levels

    def graph(self, profile: Path, source: Path) -> list[tuple[str, str, str]]:
        """The nodes of the source's functions and the edges between them, the object of
        a node, shares and calls."""
        program = python_package("gprof2dot", BUILD) / "gprof2dot.py"
        ended = run(sys.executable, program, "-f", "callgrind", "-n0", "-e0", "--wrap",
                    profile)  # fmt: skip
        self.assert_ended(ended, 0)
        self.assertNotIn("unexpected line", ended.err)
        words = set(re.findall(r"\w+", source.read_text()))
        found = []
        for what, label in map(self._item, ended.out.splitlines()):
            names = [
                match.group(1) or match.group(2)
                for match in map(self.NAME.match, what.split(" -> ")) if match
            ]
            if names and words.issuperset(names):
                is_edge = len(names) > 1
                where, _, shares = ("", "", label) if is_edge else label.partition("\\n")
                found.append((what, where, shares))
        return sorted(found)

    def _item(self, line: str) -> tuple[str, str]:
        match = self.ITEM.match(line)
        return (match.group(1), match.group(2)) if match else ("", "")

    def test_calls_that_were_open_when_collecting_began(self) -> None:
        for name, function in PROGRAMS.items():
            source = REGRESSION / name
            program = self.compiled(source)
            for options in TOGGLED:
                words = [word.replace("FUNCTION", function) for word in options]
                for _, *sides in self.pairs(*words, str(program)):
                    with self.subTest(name, options=words):
                        there, here = (self.graph(side, source) for side in sides)
                        self.assertGreater(len(here), 3)
                        self.assertEqual(
                            {where for _, where, _ in here}, {"", program.name}
                        )
                        self.assertEqual([(what, label) for what, _, label in here],
                                         [(what, label) for what, _, label in there])

    def test_parts_that_begin_in_open_calls(self) -> None:
        source = HERE / "calls.c"
        program = self.compiled(source)
        for end, path in self.profiles(
            IN_PLACE, "--dump-before=bottom", "--dump-instr=yes", str(program)
        ).items():
            with self.subTest(end):
                found = {where for _, where, _ in self.graph(path, source)}
                self.assertEqual(found, {"", program.name})


if __name__ == "__main__":
    unittest.main()
