# SPDX-License-Identifier: GPL-2.0-or-later
#
# What README.md shows is what its commands print.
#
# The examples stand between two lines `<!-- demo -->`: commands behind `$ `, then what
# they print.  `[...]` stands for any number of lines.  Numbers are compared to the digit
# where the compiler is the one that Debian 12 has; otherwise the rest of each line is.

"""The examples of README.md, run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.source_files import our_names

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("VG_BUILD") or REPOSITORY / "build").resolve()
README = REPOSITORY / "README.md"
MARKER = "<!-- demo -->\n"
ANY_LINES = "[...]"
COMPILER = "12"  # of Debian 12; others make other instructions
# Shares are of a total that holds the interpreter's own instructions.
SHARE = re.compile(r"\d+\.\d+%")


def examples() -> list[tuple[list[str], list[str]]]:
    """The commands and the output of each example."""
    text = README.read_text(encoding="utf-8").replace("\\\n", " ")
    found = []
    for block in text.split(MARKER)[1::2]:
        lines = block.strip().splitlines()[1:-1]  # without the fence
        commands = [line[2:] for line in lines if line.startswith("$ ")]
        output = [line for line in lines if not line.startswith("$ ")]
        found.append((commands, output))
    return found


def compiler_version() -> str:
    done = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True,
                          check=True)
    return done.stdout.strip().partition(".")[0]


def comparable(line: str, is_exact: bool, is_interpreted: bool) -> str:
    """What of a line must be the same wherever it is printed."""
    if is_interpreted:
        line = SHARE.sub("%", line)
    if not is_exact or (is_interpreted and "(below main)" in line):
        line = re.sub(r"[\d,.]+", "0", line)
    return " ".join(line.split())


def linked_by_internals() -> set[str]:
    """The pages for developers to which the page that README links leads."""
    text = (REPOSITORY / "docs" / "internals.md").read_text(encoding="utf-8")
    return {f"docs/{name}" for name in re.findall(r"\]\(([\w-]+\.md)[)#]", text)}


class Readme(unittest.TestCase):
    """In a folder that looks like the top of a clone."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="readme."))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "docs").symlink_to(REPOSITORY / "docs")
        # `./profile` as it is once everything is set up.
        profile = self.folder / "profile"
        runner = REPOSITORY / "coregrind" / "profile_run.py"
        profile.write_text(
            f"#!/bin/sh\nexec '{sys.executable}' '{runner}' '{BUILD}/vg-in-place'"
            ' "$@"\n',
            encoding="utf-8",
        )
        profile.chmod(0o755)

    def run_all(self, commands: list[str]) -> list[str]:
        printed: list[str] = []
        # Debian's own python3: another one may be a script that executes the real one.
        environment = {**os.environ, "PATH": f"/usr/bin:{os.environ['PATH']}"}
        for command in commands:
            done = subprocess.run(
                command,
                shell=True,
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
            printed += done.stdout.splitlines()
        return printed

    def assert_prints(self, commands: list[str], shown: list[str]) -> None:
        printed = self.run_all(commands)
        flags = (compiler_version() == COMPILER, "python3" in " ".join(commands))
        left = [comparable(line, *flags) for line in printed]
        may_pass_over = False
        for line in shown:
            if line == ANY_LINES:
                may_pass_over = True
                continue
            wanted = comparable(line, *flags)
            self.assertIn(wanted, left if may_pass_over else left[:1], "\n".join(printed))
            del left[: left.index(wanted) + 1]
            may_pass_over = False
        if not may_pass_over:
            self.assertEqual(left, [], "README.md ends before the output does")

    def test_there_are_two_examples(self) -> None:
        self.assertEqual(len(examples()), 2)

    def test_a_program(self) -> None:
        self.assert_prints(*examples()[0])

    def test_a_part_of_a_program(self) -> None:
        self.assert_prints(*examples()[1])

    def test_names_of_documents_are_links_and_none_is_left_out(self) -> None:
        text = README.read_text(encoding="utf-8")
        links = re.findall(r"\[[^]]*\]\(([\w./-]+\.md)(?:#[\w-]+)?\)", text)
        for name in links:
            self.assertTrue((REPOSITORY / name).is_file(), name)
        documents = {
            name for name in our_names()
            if re.fullmatch(r"docs/[^/]+\.md", name) is not None
        }
        self.assertEqual(documents - set(links) - linked_by_internals(), set())
        without = re.sub(r"\[[^]]*\]\([^)]*\)", "", text)
        self.assertEqual(re.findall(r"[\w/-]+\.md\b", without), [])

    def test_the_table_of_frameworks_is_that_of_their_page(self) -> None:
        page = (REPOSITORY / "docs" / "frameworks.md").read_text(encoding="utf-8")
        start = page.index("| framework |")
        table = page[start:page.index("\n\n", start)]
        section = README.read_text(encoding="utf-8").split("\n## ")[2]
        self.assertIn(table.replace("](#", "](docs/frameworks.md#"), section)

    def test_a_file_of_benchmarks_of_five_lines(self) -> None:
        text = README.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
        self.assertEqual(len(text.splitlines()), 5)
        (self.folder / "gate.toml").write_text(text, encoding="utf-8")
        (self.folder / "build").symlink_to(BUILD)
        compiled, *_ = examples()[0][0]
        gate = "build/callgrind_gate"
        first, second = f"{gate} run --commit=one", f"{gate} run --commit=two"
        self.run_all([compiled, first, f"{gate} accept baseline", second])
        said = self.run_all([f"{gate} compare baseline --base=one"])
        self.assertIn("1 benchmark: 1 same", "\n".join(said))
