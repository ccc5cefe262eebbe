# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shows what callgrind_annotate makes of profiles in which calls were open when counting
# began: by a toggle of collection, after a dump, after costs were set to zero.  It takes
# a cost behind calls=0 for the caller's own, so that all functions below lose theirs.
#
# Owns: the comparison with its tables of the distribution's profile, for the functions of
# a program whose costs are the same on both sides.  Behind its dumps the distribution
# writes calls=0, too; its tables are those of the file with a call there.

"""The tables of callgrind_annotate, of our profiles and of the distribution's."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

from tests.build.built import (
    IN_PLACE,
    SOURCE,
    STOCK_BIN,
    STOCK_CALLGRIND,
    STOCK_LAUNCHER,
    BuildTest,
    run,
)

HERE = Path(__file__).resolve().parent
ANNOTATE = STOCK_BIN / "callgrind_annotate"
VIEWS: list[list[str]] = [[], ["--inclusive=yes"], ["--inclusive=yes", "--tree=both"]]
NO_CALLS = re.compile(r"^calls=0 ", re.MULTILINE)
COUNT = re.compile(r" \(\d+x\)")


@unittest.skipUnless(
    STOCK_CALLGRIND.exists() and ANNOTATE.exists(), "no callgrind of the distribution"
)
class Annotate(BuildTest):
    def compiled(self, source: Path) -> Path:
        program = self.folder / source.stem
        self.assert_ended(
            run("gcc", "-g", "-O1", "-fno-inline", "-pthread", "-o", program, source), 0
        )
        return program

    def profiles(self, launcher: Path, *words: str) -> dict[str, Path]:
        """The files of a run, by what follows the name of the last one."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        ended = run(launcher, "-q", "--tool=callgrind",
                    f"--callgrind-out-file={folder}/out", *words)  # fmt: skip
        self.assert_ended(ended, 0)
        # The distribution leaves an empty file beside those of the threads.
        found = [path for path in folder.iterdir() if path.stat().st_size]
        return {path.name[len("out"):]: path for path in found}

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
        stock = self.profiles(STOCK_LAUNCHER, *words)
        ours = self.profiles(IN_PLACE, *words)
        self.assertEqual(sorted(ours), sorted(stock))
        n_rows = 0
        for end, path in sorted(stock.items()):
            self.assertNotRegex(ours[end].read_text(), NO_CALLS)
            path.write_text(NO_CALLS.sub("calls=1 ", path.read_text()))
            for view in VIEWS:
                there, here = (
                    self.table(side, source.name, view) for side in (path, ours[end])
                )
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


if __name__ == "__main__":
    unittest.main()
