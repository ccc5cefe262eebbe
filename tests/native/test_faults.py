# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lets every call on files fail, one after the other, in every way that parts of a
# profile and the timeline are written (part_files.c and timeline_file.c in
# callgrind/control/parts, and all below them).  Whatever fails: a file is the old one or
# a new one, whole; no temporary file is left; no part is lost while there is a place for
# it; and what is said is so.

"""The n-th call fails, for every n, with each error, once or from then on."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Iterator, NamedTuple

from tests.native.building import build

FILES = (
    "control/parts/part_files.c", "control/parts/part_names.c",
    "control/parts/timeline_file.c",
    "write/output.c", "write/target.c", "write/file_calls.c", "write/outside.c",
    "base/path.c",
    "base/text.c",
)
# Filling one of the usual size thousands of times would take most of the time.
SMALL_BUFFER = ("-DBUFFER_SIZE=1024",)
OLD, OLD_MODE = "an old profile\n", 0o644
OLD_FILES = ("out", "out.2", "tree", "timeline")
GONE = "the file that was 'PATH' before cannot be written again"
SECTION = re.compile(r"begin (part|tree|timeline) (\d+)\n[.]+\nend \1 \2\n")
SAID = re.compile(r"(?:cannot write .*'|nor to '.*'|nor elsewhere): ([^;]*)")

# Which sections each mode writes.
MODES = {
    "plain": ["part 2"],
    "named": ["part 2"],  # by a link
    "parts": ["part 1", "part 2"],
    "combined": ["part 1", "part 2"],
    "exec": ["part 1", "part 2"],  # part 2 is rolled back, and written again
    "exec-first": ["part 2", "tree 2"],  # the same, where old files had been replaced
    "tree": ["part 1", "part 2", "tree 1", "tree 2"],
    "timeline": ["timeline 2"],  # twice in the middle of the program, and at its end
    "timeline-exec": ["timeline 2"],  # before an exec that fails, too
}
SHORT = 0
REASONS = {
    errno.ENOSPC: "no space left on the device",
    errno.EIO: "input/output error",
    errno.EDQUOT: "the disk quota is used up",
    errno.EACCES: "permission denied",
    errno.EINTR: "interrupted by signals",
}
# What is said where the error's own number does not come through.
OTHER_REASONS = {"unknown error", "an error, and its incomplete end cannot be removed"}
# One failure more than can be mended: nothing can be said of what stays.
# Calls that no signal interrupts.
LOCAL = {"lseek", "stat"}
UNMENDED = {"unlink", "truncate"}


class Outcome(NamedTuple):
    n_calls: int
    failed: str  # the name of the call that failed
    said: list[str]


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name, "folder")
        self.elsewhere = Path(folder.name, "elsewhere")
        for path in (self.folder, self.elsewhere):
            path.mkdir()
        (self.folder / "link").symlink_to("out")
        environment = {**os.environ, "TMPDIR": str(self.elsewhere)}
        self.writer = subprocess.Popen(
            [build("write_parts", *FILES, flags=SMALL_BUFFER)], cwd=self.folder,
            env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        self.addCleanup(self.end_writer)
        self.n_tried = 0

    def end_writer(self) -> None:
        self.writer.communicate()

    def write(self, mode: str, fault: str) -> Outcome:
        """Writes all sections of a mode anew, over old files."""
        for folder in (self.folder, self.elsewhere):
            for path in folder.iterdir():
                if path.name != "link":
                    path.unlink()
        for name in OLD_FILES:
            (self.folder / name).write_text(OLD)
            (self.folder / name).chmod(OLD_MODE)
        assert self.writer.stdin is not None and self.writer.stdout is not None
        self.writer.stdin.write(f"{mode} {fault}\n")
        self.writer.stdin.flush()
        said: list[str] = []
        for line in self.writer.stdout:
            if line.startswith("="):
                words = line.split()
                self.assertNotEqual(words[1], "crashed", said)
                return Outcome(int(words[1]), "".join(words[2:]), said)
            said.append(line.rstrip("\n").replace(f"{self.folder}/out.2", "PATH"))
        raise AssertionError("the writer has ended")

    def sections(self, may_leave: bool) -> Iterator[str]:
        """What is in all files.  Asserts that each is whole."""
        for folder in (self.folder, self.elsewhere):
            for path in folder.iterdir():
                if path.name == "link":
                    self.assertTrue(path.is_symlink())
                    continue
                if path.name.startswith("."):
                    self.assertTrue(may_leave, f"{path.name} is left")
                    continue
                text = path.read_text()
                rest = SECTION.sub("", text)
                if text != OLD and not may_leave:
                    self.assertEqual(rest, "", f"{path.name} is torn")
                for kind, part in SECTION.findall(text):
                    # Those are earlier timelines, which may stay where a later one goes
                    # elsewhere; these are there if part 2 could not be rolled back.
                    if part not in ("0", "3"):
                        yield f"{kind} {part}"

    def check(self, mode: str, error: int, once: bool, outcome: Outcome) -> None:
        self.n_tried += 1
        unmended = not once and outcome.failed in UNMENDED
        found = sorted(self.sections(unmended))
        said = "\n".join(outcome.said)
        # A part that was appended, and reported as failed, may be there all the same if
        # it could not be cut off again.
        if once or outcome.failed in UNMENDED:
            self.assertEqual(sorted(set(found)), MODES[mode], said)
        # Nor where nothing works once the first file has been rolled back.
        if not unmended and (once or GONE not in outcome.said):
            self.assertEqual(len(found), len(set(found)), f"twice: {found}\n{said}")
        for section in MODES[mode]:
            if section not in found:
                self.assertIn(" is lost", said, section)
        if once and error in (SHORT, errno.EINTR) and outcome.failed not in LOCAL:
            self.assertEqual(outcome.said, [])
        for line in outcome.said:
            reason = SAID.match(line)
            if reason is not None:
                self.assertIn(reason[1], {REASONS.get(error), *OTHER_REASONS}, line)
            elif line != GONE:
                what = "(profile|call tree|timeline)"
                self.assertRegex(line, f"^the {what} is in '.*' instead$")

    def try_all(self, mode: str) -> None:
        n_calls = self.write(mode, "none").n_calls
        self.assertEqual(sorted(self.sections(False)), MODES[mode])
        for count in range(1, n_calls + 1):
            for error in (*REASONS, SHORT):
                for once in (True, False):
                    fault = f"any:{count}:{error}:{int(once)}"
                    with self.subTest(mode=mode, fault=fault):
                        outcome = self.write(mode, fault)
                        if error != SHORT or outcome.failed == "write":
                            self.check(mode, error, once, outcome)

    def test_plain(self) -> None:
        self.try_all("plain")

    def test_named_by_a_link(self) -> None:
        self.try_all("named")

    def test_parts(self) -> None:
        self.try_all("parts")

    def test_combined(self) -> None:
        self.try_all("combined")

    def test_an_exec_that_fails(self) -> None:
        self.try_all("exec")

    def test_an_exec_that_fails_gives_old_files_back(self) -> None:
        self.write("exec-first", "none")
        old = self.folder / "out.2"
        self.assertEqual((old.read_text(), old.stat().st_mode & 0o777), (OLD, OLD_MODE))
        self.assertTrue((self.folder / "tree").read_text().startswith("begin tree 2"))
        self.try_all("exec-first")

    def test_call_tree(self) -> None:
        self.try_all("tree")

    def test_timeline(self) -> None:
        self.try_all("timeline")

    def test_timeline_before_an_exec_that_fails(self) -> None:
        self.try_all("timeline-exec")
