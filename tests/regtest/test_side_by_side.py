# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of vg_regtest: several tests at a time, the folder that each runs in, and several
# runs in one build tree.

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from unittest import mock

from tests.regtest.run_folder import RunFolder
from tests.regtest.sandbox import RegtestCase
from tests.regtest.test_command_line import is_gone_soon


class Jobs(RegtestCase):
    """--jobs=N: so many tests at a time, and one report whatever their number."""

    def test_so_many_at_a_time(self) -> None:
        # Opening a fifo waits for the other end: neither test would end alone.
        self.notes.mkdir()
        os.mkfifo(self.notes / "fifo")
        self.program("echo met > $VG_TOP_BUILDDIR/fifo", name="writes")
        self.program("cat $VG_TOP_BUILDDIR/fifo", name="reads")
        self.describe("prog: writes\n", name="a", stdout="")
        self.describe("prog: reads\n", name="b", stdout="met\n")
        self.assertEqual(self.regtest("--jobs=2", "--timeout=600").counts, (2, 0, 0))
        report = self.regtest("--jobs=1", "--timeout=1")
        self.assertEqual(report.counts, (0, 2, 0))
        self.assertIn("group/a: FAIL (prog timed out after 1 s)\n", report.stdout)

    def test_the_report_is_in_the_order_of_the_names(self) -> None:
        self.program("while [ ! -e $VG_TOP_BUILDDIR/late ]; do sleep 0.05; done",
                     name="waits")
        self.program("touch $VG_TOP_BUILDDIR/late; exit 3", name="first_to_end")
        for name in ("a", "b", "c"):
            self.describe("prog: waits\n", name=name, stdout="")
        self.describe("prog: first_to_end\n", name="d", stdout="other\n")
        report = self.regtest("--jobs=4", "--timeout=600")
        self.assertEqual(
            [line for line in report.stdout.splitlines() if line.startswith("group/")],
            ["group/a: pass", "group/b: pass", "group/c: pass", "group/d: FAIL (stdout)"],
        )

    def test_interruption_ends_all_that_run_and_starts_no_more(self) -> None:
        self.program("cd $VG_TOP_BUILDDIR; echo $$ > $1.new; mv $1.new $1; sleep 3600")
        for name in ("a", "b", "c"):
            self.describe(f"prog: prog\nargs: {name}\n", name=name, stdout="")
        both = [self.notes / "a", self.notes / "b"]
        with subprocess.Popen(self.command("--jobs=2", "src/group"), cwd=self.top,
                              env=self.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as runner:
            while not all(path.exists() for path in both) and runner.poll() is None:
                time.sleep(0.05)
            runner.send_signal(signal.SIGINT)
            output, errors = runner.communicate()
        self.assertEqual((runner.returncode, output), (130, ""))
        self.assertEqual(errors, "vg_regtest: interrupted\n")
        for path in both:
            self.assertTrue(is_gone_soon(int(path.read_text())))
        self.assertFalse((self.notes / "c").exists())

    def test_bad_number(self) -> None:
        for value in ("0", "-1", "many", "1.5", ""):
            report = self.regtest(f"--jobs={value}")
            self.assertEqual(report.status, 2)
            self.assertIn(f"`{value}` is not a number above 0", report.stderr)


class Folders(RegtestCase):
    """NAME.run: the folder of the build tree, with nothing of other tests in it."""

    def test_files_of_one_name_do_not_meet(self) -> None:
        # Each waits until the other has written, and then looks at its own.
        self.program("echo $1 > file; touch $VG_TOP_BUILDDIR/$1\n"
                     "while [ ! -e $VG_TOP_BUILDDIR/$2 ]; do sleep 0.05; done; cat file")
        self.describe("prog: prog\nargs: one two\n", name="a", stdout="one\n")
        self.describe("prog: prog\nargs: two one\n", name="b", stdout="two\n")
        report = self.regtest("--jobs=2", "--timeout=600")
        self.assertEqual(report.counts, (2, 0, 0))

    def test_programs_libraries_and_folders_of_the_build_folder_are_there(self) -> None:
        self.script(self.build / "prog", "ls; cat below/file; ./other")
        self.script(self.build / "other", "echo other")
        (self.build / "below").mkdir()
        (self.build / "below" / "file").write_text("content\n")
        for name in ("prog.o", ".hidden", "callgrind.out"):
            (self.build / name).touch()
        (self.build / "b.run").mkdir()
        self.describe("prog: prog\nstdout_filter: grep -v [.]unfiltered[.]\n",
                      stdout="below\nother\nprog\ncontent\nother\n")
        self.assert_pass()

    def test_symbolic_links_where_there_can_be_no_others(self) -> None:
        program = self.script(self.build / "prog", "true")
        refused = mock.patch("os.link", side_effect=PermissionError)
        with refused, RunFolder(self.build, "a", self.build) as folder:
            self.assertEqual(os.readlink(folder.path / "prog"), str(program))
            folder.clear()
        self.assertTrue(program.exists())
        self.assertFalse(folder.path.exists())

    def test_nothing_stays_of_a_test_that_passed_or_was_skipped(self) -> None:
        self.program("mkdir made; touch made/file; ln -s nowhere link")
        self.describe("prog: prog\n", stdout="")
        self.assert_pass()
        self.assertFalse(self.run_folder.exists())
        self.describe("prog: prog\nprereq: touch file; false\n", stdout="")
        self.assert_skipped("prereq: touch file; false")
        self.assertFalse(self.run_folder.exists())

    def test_what_a_failed_test_made_stays_until_it_runs_again(self) -> None:
        self.program('test -e made && echo still there; mkdir made')
        self.describe("prog: prog\n", stdout="nothing\n")
        self.assert_fail("stdout")
        self.assertTrue((self.run_folder / "made").is_dir())
        self.describe("prog: prog\n", stdout="")
        self.assert_pass()
        self.assertEqual(list(self.build.iterdir()), [])

    def test_a_program_of_the_build_folder_outlives_its_links(self) -> None:
        program = self.script(self.build / "prog", "rm prog; echo gone > prog")
        before = program.read_text()
        self.describe("prog: prog\n", stdout="")
        self.assert_pass()
        self.assertEqual(program.read_text(), before)


class Runs(RegtestCase):
    """Several runs of vg_regtest in one build tree."""

    def test_one_test_is_run_by_one_at_a_time(self) -> None:
        # Fails when it finds the other's mark, and the other when it loses its own.
        self.program("mark=$VG_TOP_BUILDDIR/mark; set -e\n"
                     "mkdir $mark; touch own; sleep 0.2; rm own; rmdir $mark")
        self.describe("prog: prog\npost: echo $VG_STATUS\n", post="0\n")
        runs = [
            subprocess.Popen(self.command("src/group"), cwd=self.top,
                             env=self.environment(), stdout=subprocess.PIPE, text=True)
            for _ in range(4)
        ]
        for run in runs:
            output, _ = run.communicate()
            self.assertEqual(output, "group/a: pass\n1 passed, 0 failed, 0 skipped\n")

    def test_waiting_for_another_run_can_be_interrupted(self) -> None:
        self.program("touch $VG_TOP_BUILDDIR/runs; sleep 3600")
        self.describe("prog: prog\n", stdout="")
        with subprocess.Popen(self.command("src/group"), cwd=self.top,
                              env=self.environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as first:
            while not (self.notes / "runs").exists() and first.poll() is None:
                time.sleep(0.05)
            with subprocess.Popen(self.command("src/group"), cwd=self.top,
                                  env=self.environment(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as second:
                # It opens the folder to lock it, by then it knows what to do on a signal.
                while not self.has_open(second.pid, self.run_folder):
                    self.assertIsNone(second.poll())
                    time.sleep(0.01)
                second.send_signal(signal.SIGTERM)
                self.assertEqual(second.wait(600), 130)
            self.assertIsNone(first.poll())
            first.send_signal(signal.SIGTERM)
            self.assertEqual(first.wait(600), 130)

    def has_open(self, process: int, path: Path) -> bool:
        for entry in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                if os.readlink(entry) == str(path.resolve()):
                    return True
        return False
