# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lets every call on files fail, one after the other, where the sampler writes its file,
# or the one that takes its place (sampler/profile/places.c, output.c).  Whatever fails: a
# file is the old one or the new one, whole; no temporary file is left; there is one new
# file if there is a place for it; and what is said is so.

"""The n-th call of the sampler fails, for every n, with each error."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import NamedTuple

from tests.native.building import build_sampler

FILES = ("profile/output.c", "profile/places.c", "profile/target.c", "base/memory.c",
         "base/message.c")
WRAPPED = ("openat", "write", "close", "renameat", "unlinkat", "readlinkat", "fstat")
OLD, NEW = "old\n", "a line\n" * 20000
SHORT = 0
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EACCES, errno.EINTR)
FALL_BACK = re.compile(r"callgrind\.sample\.1(\.[0-9a-f]{16})?")


class Outcome(NamedTuple):
    n_calls: int
    failed: str  # the name of the call that failed; "-" if none did
    said: str


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name, "here")
        self.elsewhere = Path(folder.name, "other")
        self.folder.mkdir()
        self.elsewhere.mkdir()
        self.path, self.link = self.folder / "samples", self.folder / "link"
        self.link.symlink_to("samples")
        self.writer = subprocess.Popen(
            [build_sampler("write_sample", WRAPPED, *FILES)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": str(self.elsewhere)},
        )
        self.addCleanup(self.writer.communicate)

    def write(self, path: Path, fault: str) -> Outcome:
        """Writes over an old file."""
        for old in (*self.elsewhere.iterdir(), *self.folder.glob(".*")):
            old.unlink()
        self.path.write_text(OLD)
        assert self.writer.stdin is not None and self.writer.stdout is not None
        self.writer.stdin.write(f"{path} {fault}\n")
        self.writer.stdin.flush()
        said = ""
        for line in self.writer.stdout:
            if line.startswith("= "):
                n_calls, name = line[2:].split()
                self.assertNotEqual(name, "crashed", said)
                return Outcome(int(n_calls), name, said)
            said += line
        raise AssertionError(f"the writer has ended: {said}")

    def places(self, may_leave: bool) -> list[Path]:
        """Where the new file is.  Asserts that there are whole files only."""
        found = []
        for path in (*self.folder.iterdir(), *self.elsewhere.iterdir()):
            if path.name.startswith("."):
                self.assertTrue(may_leave, f"{path.name} is left")
            elif path == self.path:
                self.assertIn(path.read_text(), (OLD, NEW))
                found += [path] if path.read_text() == NEW else []
            elif path != self.link:
                self.assertTrue(FALL_BACK.fullmatch(path.name), path.name)
                self.assertEqual(path.read_text(), NEW)
                found.append(path)
        return found

    def check(self, error: int, once: bool, outcome: Outcome) -> None:
        found = self.places(not once and outcome.failed == "unlink")
        said = outcome.said
        if once:
            self.assertEqual(len(found), 1, said)
        self.assertLessEqual(len(found), 1, said)
        harmless = once and error in (SHORT, errno.EINTR) and outcome.failed not in (
            "rename", "stat", "readlink"  # which no signal interrupts
        )
        if harmless or outcome.failed == "-":
            self.assertEqual(said, "")
        if found == [self.path]:
            self.assertEqual(said, "")
            return
        self.assertIn(f": cannot be written: {os.strerror(error)}\n", said)
        if found:
            self.assertIn(f"the profile is in {found[0]} instead\n", said)
        else:
            self.assertIn("the profile is lost\n", said)

    def try_all(self, path: Path) -> None:
        n_calls, name, said = self.write(path, "none")
        self.assertEqual((name, said), ("-", ""))
        for count in range(1, n_calls + 1):
            for error in (*ERRORS, SHORT):
                for once in (True, False):
                    fault = f"any:{count}:{error}:{int(once)}"
                    with self.subTest(fault):
                        outcome = self.write(path, fault)
                        if error != SHORT or outcome.failed == "write":
                            self.check(error, once, outcome)

    def test_a_file(self) -> None:
        self.try_all(self.path)

    def test_a_link(self) -> None:
        self.try_all(self.link)
