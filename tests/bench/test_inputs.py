# SPDX-License-Identifier: GPL-2.0-or-later
"""What is made for the workloads, and what is told where it cannot be made."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Optional
from unittest import mock

from callgrind.report.tests.npm_packages import BUILD
from tests.bench.inputs import (
    Maker,
    Place,
    Unavailable,
    commits,
    compiled,
    compiler_proper,
    installed,
    made_by,
    queries,
    r_program,
    random_lines,
    repository,
    text,
)
from tests.bench.workloads import WORKLOADS, chosen
from tests.runner.series import is_long

PROGRAMS = Path(__file__).resolve().parent / "programs"
# What comes over the network is kept in the build folder.
KEPT = Place(PROGRAMS, BUILD / "tests" / "bench", "gcc")
VALGRIND = "/usr/bin/valgrind"


def maker_of(name: str) -> Maker:
    return chosen([name])[0].make


def output(*command: str, **variables: str) -> str:
    """Bytes that are no text stay what they are."""
    return subprocess.run(command, capture_output=True, text=True, check=True,
                          errors="surrogateescape",
                          env={**os.environ, **variables}).stdout


class InFolder(unittest.TestCase):
    def setUp(self) -> None:
        KEPT.build.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.place = Place(PROGRAMS, self.folder, "gcc")

    def made(
        self, maker: Maker, size: int, place: Optional[Place] = None
    ) -> dict[str, str]:
        try:
            return maker(place or self.place, size)
        except Unavailable as missing:
            self.skipTest(str(missing))

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


class Made(InFolder):
    @unittest.skipUnless(is_long(), "the bench compares, too: with --long")
    def test_every_workload_prints_the_same_twice(self) -> None:
        for workload in WORKLOADS:
            with self.subTest(workload=workload.name):
                size = workload.sizes[0]
                values = self.made(workload.make, size, KEPT)
                variables = dict(workload.environment(values))
                for command in workload.filled(size, values):
                    self.assertEqual(output(*command, **variables),
                                     output(*command, **variables))

    def test_text_is_as_long_as_asked_but_for_the_last_line(self) -> None:
        lines = list(random_lines(16))
        without_last = sum(len(line) for line in lines[:-1])
        self.assertLess(without_last, 16 * 1024)
        self.assertGreaterEqual(without_last + len(lines[-1]), 16 * 1024)
        self.assertEqual("".join(lines),
                         Path(text(self.place, 16)["text"]).read_text())
        self.assertIn("i < 77)", Path(queries(self.place, 77)["queries"]).read_text())

    def test_fib_is_compiled_with_its_calls(self) -> None:
        program = maker_of("fib")(self.place, 1)["program"]
        code = output("objdump", "-d", "--disassemble=fibonacci", program)
        self.assertEqual(code.count("call "), 2, code)

    def test_copies_of_a_program_have_other_names_and_are_compiled(self) -> None:
        values = compiler_proper()(self.place, 3)
        code = output(values["program"], "-fpreprocessed", "-quiet", "-o", "-",
                      values["source"])
        self.assertEqual(re.findall(r"^work_(\d+):", code, re.M), ["0", "1", "2"])

    def test_a_repository_has_as_many_commits_each_with_changes(self) -> None:
        folder = self.made(repository, 100)["repository"]
        git = ("git", f"--git-dir={folder}")
        log = output(*git, "log", "--format=%s", "--shortstat", "main")
        self.assertEqual(log.count("1 file changed"), 100)
        head = output(*git, "rev-parse", "main")
        size = int(output(*git, "cat-file", "-s", "main:text"))
        self.assertAlmostEqual(size, 60 * 1024, delta=5 * 1024)
        # Anew, and the same.
        self.made(repository, 100)
        self.assertEqual(output(*git, "rev-parse", "main"), head)

    def test_every_commit_changes_some_lines_and_adds_none(self) -> None:
        pieces = commits(["some words\n"] * 200, 250)
        texts = [piece.split("\n", 6)[6] for piece in pieces]
        self.assertEqual(len(texts), 250)
        for old, new in zip(texts, texts[1:]):
            lines = list(zip(old.split("\n"), new.split("\n")))
            changed = sum(before != after for before, after in lines)
            self.assertIn(changed, (2, 3))
            self.assertEqual(old.count("\n"), new.count("\n"))

    def test_programs_in_go_and_java(self) -> None:
        for name in ("go", "java"):
            with self.subTest(name):
                values = self.made(maker_of(name), 1)
                (command,) = chosen([name])[0].filled(2, values)
                self.assertGreater(int(output(*command)), 0)

    def test_r_is_where_it_says(self) -> None:
        home = self.folder / "lib"
        (home / "bin/exec").mkdir(parents=True)
        shutil.copy("/bin/true", home / "bin/exec/R")
        self.commands(R=f'[ "$1" = RHOME ] && echo {home}')
        values = r_program(self.place, 1)
        self.assertEqual(values["program"], f"{home}/bin/exec/R")
        self.assertEqual(chosen(["R"])[0].environment(values),
                         (("R_HOME", str(home)), ("LD_LIBRARY_PATH", f"{home}/lib")))

    @unittest.skipUnless(os.access(VALGRIND, os.X_OK), "no valgrind installed")
    def test_benchmarks_ask_for_instrumentation_as_often_as_there_are(self) -> None:
        """Under a Valgrind, whichever is installed; the plugin brings its own library."""
        plugin = [("plugin", 3, 3)] if is_long() else []  # nearly all of the time
        for name, size, parts in (
            ("pytest", 1, 4), ("small", 3, 3), ("cxx", 100, 4), *plugin,
        ):
            with self.subTest(workload=name):
                values = self.made(maker_of(name), size, KEPT)
                profile = self.folder / name
                output(VALGRIND, "-q", "--tool=callgrind", "--instr-atstart=no",
                       "--combine-dumps=yes", f"--callgrind-out-file={profile}",
                       *chosen([name])[0].filled(size, values)[0])
                totals = re.findall(r"^totals: *(\d*)$", profile.read_text(), re.M)
                counted = [total for total in totals if int(total or 0) > 0]
                self.assertEqual(len(counted), parts, totals)


class Steps(InFolder):
    def test_read_what_they_are_fed(self) -> None:
        fed = (f"{number}\n" for number in range(3))
        self.assertEqual(made_by(["cat"], fed), "0\n1\n2\n")

    def test_that_end_before_they_have_read_all_are_told(self) -> None:
        endless = ("x" * 10_000 for _ in range(1_000))
        with self.assertRaisesRegex(Unavailable, "^sh .* failed: it went wrong$"):
            made_by(["sh", "-c", "echo it went wrong >&2; exit 3"], endless)

    def test_that_are_missing_are_told_with_their_package(self) -> None:
        (self.folder / "bad.c").write_text("not C\n", encoding="ascii")
        no_compiler = Place(PROGRAMS, self.folder, "/no/such/cc")
        for maker, place, reason in (
            (compiled("bad.c"), Place(self.folder, self.folder, "gcc"),
             "bad.c .*failed: .*error"),
            (compiled("fib.c"), no_compiler, "cannot run /no/such/cc"),
            (installed("/no/such"), self.place, "^/no/such is not installed$"),
            (installed("/no/lua", "lua5.4"), self.place, r"/no/lua .*\(package lua5.4\)"),
        ):
            with self.assertRaisesRegex(Unavailable, reason):
                maker(place, 1)
        self.commands()
        for maker, package in ((repository, "git"), (r_program, "r-base-core"),
                               (maker_of("go"), "golang-go")):
            with self.assertRaisesRegex(Unavailable, rf"\(package {package}\)"):
                maker(self.place, 1)

    def test_that_fail_are_told(self) -> None:
        wrong = "echo it went wrong >&2; exit 7"
        self.commands(git=f'case "$*" in *fast-import*) {wrong};; esac', go=wrong,
                      R=wrong)  # fmt: skip
        for maker in (repository, maker_of("go"), r_program):
            with self.assertRaisesRegex(Unavailable, "failed: it went wrong"):
                maker(self.place, 200)
        (self.folder / "commands/R").write_text("#!/bin/sh\necho /no/such/home\n")
        with self.assertRaisesRegex(Unavailable, "/no/such/home/bin/exec/R is not"):
            r_program(self.place, 1)


class Chosen(unittest.TestCase):
    def test_names_keep_the_order_of_the_table_and_none_are_all(self) -> None:
        names = [workload.name for workload in chosen(["perl", "fib"])]
        self.assertEqual(names, ["fib", "perl"])
        self.assertEqual(chosen([]), list(WORKLOADS))
