# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of vg_regtest: options, selection of tests, report, time limit and interruption.
# Relies on the made-up tree and launcher of `sandbox`.

"""The command line of `vg_regtest` and its report."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from tests.regtest.sandbox import Report, RegtestCase


def is_running(process: int) -> bool:
    """Whether a process lives; one that is dead but not waited for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def is_gone_soon(process: int) -> bool:
    """Whether a process ends that was just sent SIGKILL; a loaded machine takes time."""
    end = time.monotonic() + 600
    while is_running(process):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Selection(RegtestCase):
    """Which tests are run."""

    def setUp(self) -> None:
        super().setUp()
        self.program("true")
        for name in ("b", "a", "deep/er/c", ".hidden/d", ".#b"):
            folder = (self.source / name).parent
            self.describe(f"prog: {self.source}/prog\n", name=name, stdout="")
            self.assertTrue(folder.is_dir())

    def names(self, *arguments: str) -> list[str]:
        report = self.run_command(self.command(*arguments))
        self.assertEqual(report.status, 0, report.stderr)
        return [line.partition(":")[0] for line in report.stdout.splitlines()[:-1]]

    def refused(self, reason: str, *arguments: str) -> None:
        report = self.run_command(self.command(*arguments))
        self.assertEqual(report.status, 2)
        self.assertEqual(report.stdout, "")
        self.assertRegex(report.stderr, rf"\Avg_regtest: {reason}\n\Z")

    def test_single_files(self) -> None:
        self.assertEqual(self.names("src/group/a.vgtest"), ["group/a"])
        self.assertEqual(self.names("src/group/b"), ["group/b"])

    def test_folder_without_those_below(self) -> None:
        self.assertEqual(self.names("src/group"), ["group/a", "group/b"])

    def test_each_test_once(self) -> None:
        self.assertEqual(self.names("src/group", "src/group/b"), ["group/a", "group/b"])

    def test_all_below_a_folder_but_hidden_ones(self) -> None:
        everything = ["group/a", "group/b", "group/deep/er/c"]
        self.assertEqual(self.names("--all", "src"), everything)
        self.assertEqual(self.names("--all", "src/group/deep"), ["group/deep/er/c"])
        self.assertEqual(self.names("--all"), everything)

    def test_build_folder_in_the_source_tree_is_left_out(self) -> None:
        inside = self.top / "src" / "build"
        (inside / "copy").mkdir(parents=True)
        (inside / "copy" / "x.vgtest").write_text("")
        self.assertNotIn("build/copy/x", self.names("--all", "src", f"--build={inside}"))

    def test_nothing_selected_is_an_error(self) -> None:
        (self.source / "empty").mkdir()
        self.refused("no test given: .*")
        self.refused(f"there is no .vgtest file in {self.source}/deep", "src/group/deep")
        self.refused(f"there is no .vgtest file below {self.source}/empty",
                     "--all", "src/group/empty")
        self.refused(f"{self.source}/z.vgtest: no such test", "src/group/z")


class Launcher(RegtestCase):
    """Which valgrind is tested."""

    def setUp(self) -> None:
        super().setUp()
        self.program("true")

    def run_with(self, *options: str, **changes: str) -> Report:
        """Run the test without the launcher that other tests name."""
        command = [word for word in self.command()
                   if not word.startswith(("--launcher=", "--build="))]
        return self.run_command([*command, *options, "src/group"], **changes)

    def expect(self, launcher: Path) -> None:
        self.describe("prog: prog\npost: echo $VG_LAUNCHER\n", post=f"{launcher}\n")

    def test_default_is_in_the_build_folder(self) -> None:
        cases: list[tuple[str, list[str], dict[str, str]]] = [
            ("src/build", [], {}),
            ("one", [], {"VG_BUILD": "one"}),
            ("two", ["--build=two"], {"VG_BUILD": "one"}),
        ]
        for build, options, changes in cases:
            with self.subTest(build=build):
                self.expect(self.script(self.top / build / "vg-in-place",
                                        self.launcher.read_text()))
                self.assert_pass(self.run_with(*options, **changes))

    def test_default_that_is_not_built(self) -> None:
        report = self.run_with()
        self.assertEqual(report.status, 2)
        self.assertEqual(
            report.stderr,
            f"vg_regtest: {self.top}/src/build/vg-in-place is not there:"
            " run `make` first, or say --build=DIR or --launcher=PROG\n",
        )

    def test_relative_path_and_other_name_of_the_option(self) -> None:
        self.expect(self.launcher)
        self.assert_pass(self.run_with("--valgrind=./launcher", "--build=build"))

    def test_program_in_path(self) -> None:
        self.expect(self.launcher)
        path = f"{self.top}{os.pathsep}{os.environ['PATH']}"
        self.assert_pass(self.run_with("--launcher=launcher", "--build=build", PATH=path))

    def test_program_that_is_not_there(self) -> None:
        report = self.run_with("--launcher=./absent", "--build=build")
        self.assertEqual(report.status, 2)
        self.assertEqual(report.stderr,
                         "vg_regtest: launcher ./absent: no such program\n")


class ReportLines(RegtestCase):
    """What is printed."""

    def test_one_line_per_test_and_the_sum(self) -> None:
        self.program("echo out")
        self.describe("prog: prog\n", name="a", stdout="out\n")
        self.describe("prog: prog\n", name="b", stdout="other\n")
        self.describe("prog: prog\nprereq: false\n", name="c", stdout="")
        report = self.regtest()
        lines = report.stdout.splitlines()
        self.assertEqual(lines[:2], ["group/a: pass", "group/b: FAIL (stdout)"])
        self.assertEqual(
            lines[-5:],
            [
                "group/c: skipped (prereq: false)",
                "",
                "failed:",
                "  group/b",
                "1 passed, 1 failed, 1 skipped",
            ],
        )
        self.assertEqual(report.status, 1)

    def test_verbose_shows_the_commands(self) -> None:
        self.program("exit 3")
        self.describe("prog: prog\nargs: 'x y'\npost: echo done\n", post="done\n")
        report = self.regtest("--verbose")
        command = f"  a: prog: exec {self.launcher} --command-line-only"
        self.assertIn(command, report.stdout)
        self.assertIn("/prog 'x y'\n  a: prog ended with status 3\n", report.stdout)
        self.assertIn("\n  a: post in line 3: echo done\n", report.stdout)
        self.assertEqual(report.counts, (1, 0, 0))

    def test_bad_time_limit(self) -> None:
        for value in ("0", "-1", "soon", "inf", "nan"):
            report = self.regtest(f"--timeout={value}")
            self.assertEqual(report.status, 2)
            self.assertIn(f"`{value}` is not a positive number of seconds", report.stderr)


class Ending(RegtestCase):
    """Programs that do not end by themselves."""

    # Its last file appears whole, and when all is as a test wants it.
    HANGS = "sleep 3600 & echo $! > sleeper; echo $$ > new; mv new self; wait\n"

    def processes(self, folder: str = ".") -> list[int]:
        return [
            int((self.notes / folder / name).read_text()) for name in ("sleeper", "self")
        ]

    def test_time_limit(self) -> None:
        """Of every kind of command, all at the same time: each takes the whole limit."""
        self.program("true")
        for name in ("first", "second"):
            (self.notes / name).mkdir(parents=True)
            self.program(f"cd $VG_TOP_BUILDDIR/{name}; {self.HANGS}", name)
        self.describe("prog: first\ncleanup: touch $VG_TOP_BUILDDIR/cleaned\n",
                      name="prog", stdout="")
        self.describe("prog: prog\nprogB: second\n", name="progB", stdout="")
        others = {
            "cleanup": "cleanup",
            "post": "post in line 2",
            "prereq": "prereq",
            "stdout_filter": "stdout_filter",
        }
        for key in others:
            self.describe(f"prog: prog\n{key}: sleep 3600\n", name=key, stdout="")
        late = {"prog": "prog", "progB": "progB", **others}
        report = self.regtest("--timeout=5", f"--jobs={len(late)}")
        self.assertEqual(report.counts, (0, len(late), 0))
        for name, what in late.items():
            self.assertIn(f"group/{name}: FAIL ({what} timed out after 5 s)\n",
                          report.stdout)
        # The whole group of the program has ended, and what is to clean up has run.
        for name in ("first", "second"):
            for process in self.processes(name):
                self.assertTrue(is_gone_soon(process))
        self.assertTrue((self.notes / "cleaned").exists())

    def test_a_process_left_in_the_background_holds_nothing_up(self) -> None:
        self.program("sleep 3600 & echo $! > $VG_TOP_BUILDDIR/sleeper")
        self.describe("prog: prog\n", stdout="")
        self.assert_pass()
        os.kill(int((self.notes / "sleeper").read_text()), signal.SIGKILL)

    def test_interruption_ends_the_running_test(self) -> None:
        self.program(f"cd $VG_TOP_BUILDDIR; {self.HANGS}")
        self.describe("prog: prog\n", stdout="")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name):
                (self.notes / "self").unlink(missing_ok=True)
                with subprocess.Popen(self.command("src/group"), cwd=self.top,
                                      env=self.environment(), stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True) as runner:
                    while not (self.notes / "self").exists() and runner.poll() is None:
                        time.sleep(0.05)
                    runner.send_signal(number)
                    _, errors = runner.communicate()
                self.assertEqual(runner.returncode, 130)
                self.assertEqual(errors, "vg_regtest: interrupted\n")
                for process in self.processes():
                    self.assertTrue(is_gone_soon(process))
