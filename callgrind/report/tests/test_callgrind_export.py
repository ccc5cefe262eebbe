# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command callgrind_export: what it refuses, what it selects, and where it writes.
# Each format has a file of its own.

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from callgrind.report.tests.export_case import (
    REPORT,
    SCRIPT,
    ExportCase,
    read_folded,
)
from tests.format.tree_examples import HOSTILE, example, hostile
from tests.format.tree_maker import Maker, program


class Command(ExportCase):
    def refused(self, what: str, *arguments: str) -> None:
        status, errors = self.run_main(*arguments)
        self.assertEqual(status, 2)
        self.assertRegex(errors, rf"^callgrind_export: .*{what}")
        self.assertEqual(errors.count("\n"), 1)

    def test_refusals(self) -> None:
        tree = self.file(example())
        folded = ["--to", "folded", "-o", str(self.folder / "x")]
        self.refused("which TREE file", "--to", "folded")
        self.refused("the following arguments are required: --to", tree)
        self.refused("invalid choice: 'svg'", "--to", "svg", tree)
        self.refused("no event 'Dr'", *folded, "--event", "Dr", tree)
        self.refused("holds one event", *folded, "--event", "Ir,sysTime", tree)
        self.refused("no part 2 in the file, only 1", *folded, "--part", "2", tree)
        self.refused("no thread 5", *folded, "--thread", "5", tree)
        self.refused("no process 1", *folded, "--process", "1", tree)
        self.refused("--to html alone", *folded, "--diff", tree, tree)
        self.refused("--to folded alone", "--to", "firefox", "--separate=part", tree)
        self.refused("'colour' is none of", *folded, "--separate=colour", tree)
        self.refused("not .*a.tree as well", "--to", "html", "--diff", tree, tree, tree)
        self.refused(
            "absent.tree: No such file", *folded, str(self.folder / "absent.tree")
        )
        absent = str(self.folder / "none" / "out")
        self.refused("none/out: No such file", "--to", "folded", "-o", absent, tree)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.tree"])

    def test_bad_files_are_refused_with_the_place_in_every_format(self) -> None:
        cut = self.file(example()[:-40], "cut.tree")
        profile = str(REPORT / "tests" / "data" / "tiny_default.out")
        out = str(self.folder / "out")
        for form in ("folded", "speedscope", "pprof", "firefox", "html"):
            with self.subTest(form=form):
                self.refused(r"cut\.tree:\d+: .*cut off", "--to", form, "-o", out, cut)
                self.refused(
                    r"tiny_default\.out:1: .*which path", "--to", form, "-o", out, profile
                )
                self.assertFalse(Path(out).exists())

    def test_a_tree_without_nodes(self) -> None:
        maker = Maker()
        thread = maker.thread(1)
        maker.part(1)
        maker.tree(thread)
        maker.total()
        tree = self.file(maker.end())
        self.assertEqual(self.exported("--to", "folded", tree), b"")
        document = json.loads(self.exported("--to", "speedscope", tree))
        self.assertEqual(document["profiles"], [])

    def test_selection(self) -> None:
        tree = self.file(hostile())
        text = self.exported("--to", "folded", "--thread", "2", "--part=1", tree)
        self.assertEqual(
            sum(read_folded(text).values()), 2 * sum(range(len(HOSTILE) + 1))
        )

    def test_standard_output_and_a_pipe_that_is_closed(self) -> None:
        tree = self.file(program("python", 20_000))
        command = [sys.executable, str(SCRIPT), "--to", "folded", tree]
        result = subprocess.run(command, capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertEqual(result.stdout, self.exported("--to", "folded", tree))
        shell = shlex.join(map(str, command)) + " | head -c 100"
        result = subprocess.run(shell, shell=True, capture_output=True, check=False)
        self.assertEqual(result.stderr, b"")

    def test_a_device_is_written_to_and_not_replaced(self) -> None:
        tree = self.file(example())
        status, errors = self.run_main("--to", "folded", "-o", os.devnull, tree)
        self.assertEqual((status, errors), (0, ""))
        self.assertTrue(Path(os.devnull).is_char_device())
