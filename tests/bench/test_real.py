# SPDX-License-Identifier: GPL-2.0-or-later
"""What is made for the set `real`, and what is told where it cannot be made."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests.bench.inputs import Maker, Place, Unavailable
from tests.bench.real import (
    REAL,
    classes,
    commits,
    go_program,
    packaged,
    queries,
    r_program,
    repository,
    text,
)

PROGRAMS = Path(__file__).resolve().parent / "programs"


class Real(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.place = Place(PROGRAMS, self.folder, "gcc")

    def made(self, maker: Maker, size: int) -> dict[str, str]:
        try:
            return maker(self.place, size)
        except Unavailable as missing:
            self.skipTest(str(missing))

    def output(self, *command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def commands(self, **scripts: str) -> None:
        """Only these commands are on PATH, as shell scripts, and what they need."""
        folder = self.folder / "commands"
        folder.mkdir()
        for name, script in scripts.items():
            (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
            (folder / name).chmod(0o755)
        changed = mock.patch.dict(os.environ, {"PATH": str(folder)})
        changed.start()
        self.addCleanup(changed.stop)


class Made(Real):
    def test_a_repository_has_as_many_commits_each_with_changes(self) -> None:
        folder = self.made(repository, 100)["repository"]
        git = ("git", f"--git-dir={folder}")
        log = self.output(*git, "log", "--format=%s", "--shortstat", "main")
        self.assertEqual(log.count("1 file changed"), 100)
        head = self.output(*git, "rev-parse", "main")
        size = int(self.output(*git, "cat-file", "-s", "main:text"))
        self.assertAlmostEqual(size, 60 * 1024, delta=5 * 1024)
        # Anew, and the same.
        self.made(repository, 100)
        self.assertEqual(self.output(*git, "rev-parse", "main"), head)

    def test_every_commit_changes_some_lines_and_adds_none(self) -> None:
        found = list(commits(["some words\n"] * 200, 250))
        texts = [piece.split("\n", 2)[2] for piece in found[3::4]]
        self.assertEqual(len(texts), 250)
        for old, new in zip(texts, texts[1:]):
            lines = list(zip(old.split("\n"), new.split("\n")))
            changed = sum(before != after for before, after in lines)
            self.assertIn(changed, (2, 3))
            self.assertEqual(old.count("\n"), new.count("\n"))

    def test_a_program_in_go(self) -> None:
        program = self.made(go_program, 1)["program"]
        self.assertGreater(int(self.output(program, "2")), 0)

    def test_a_class_of_java(self) -> None:
        folder = self.made(classes, 1)["classes"]
        found = self.output("java", "-XX:+UseSerialGC", "-cp", folder, "Real", "2")
        self.assertGreater(int(found), 0)

    def test_text_and_queries_have_their_size(self) -> None:
        size = Path(text(self.place, 30)["text"]).stat().st_size
        self.assertAlmostEqual(size, 30 * 1024, delta=200)
        self.assertIn("i < 77)", Path(queries(self.place, 77)["queries"]).read_text())

    def test_r_is_where_it_says(self) -> None:
        home = self.folder / "lib"
        (home / "bin/exec").mkdir(parents=True)
        shutil.copy("/bin/true", home / "bin/exec/R")
        self.commands(R=f'[ "$1" = RHOME ] && echo {home}')
        values = r_program(self.place, 1)
        self.assertEqual(values["program"], f"{home}/bin/exec/R")
        (row,) = [workload for workload in REAL if workload.name == "R"]
        self.assertIn(("R_HOME", str(home)), row.environment(values))


class Missing(Real):
    def test_a_program_is_told_with_its_package(self) -> None:
        with self.assertRaisesRegex(Unavailable, r"/no/lua .*\(package lua5.4\)"):
            packaged("/no/lua", "lua5.4")(self.place, 1)

    def test_commands_are_told_with_their_packages(self) -> None:
        self.commands()
        for maker, package in (
            (repository, "git"),
            (go_program, "golang-go"),
            (classes, "default-jdk-headless"),
            (r_program, "r-base-core"),
        ):
            with self.assertRaisesRegex(Unavailable, rf"\(package {package}\)"):
                maker(self.place, 1)

    def test_commands_that_fail_are_told(self) -> None:
        wrong = "echo it went wrong >&2; exit 7"
        self.commands(git=f'case "$*" in *fast-import*) {wrong};; esac',
                      go=wrong, javac=wrong, R=wrong)  # fmt: skip
        for maker in (repository, go_program, classes, r_program):
            with self.assertRaisesRegex(Unavailable, "failed: it went wrong"):
                maker(self.place, 200)

    def test_an_r_without_the_program_itself(self) -> None:
        self.commands(R="echo /no/such/home")
        with self.assertRaisesRegex(Unavailable, "/no/such/home/bin/exec/R is not"):
            r_program(self.place, 1)


class Rows(unittest.TestCase):
    def test_variables_have_no_placeholder_left(self) -> None:
        for workload in REAL:
            for _, value in workload.environment({"home": "/x"}):
                self.assertNotIn("{", value)


if __name__ == "__main__":
    unittest.main()
