# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lets every call on files fail, one after the other, where the sampler writes its file
# (sampler/profile/output.c).  Whatever fails: the file is the old one or the new one,
# whole; no temporary file is left; and what is said is so.

"""The n-th call of the sampler fails, for every n, with each error."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.native.building import build_sampler

FILES = ("profile/output.c", "profile/target.c", "base/memory.c", "base/message.c")
WRAPPED = ("openat", "write", "close", "renameat", "unlinkat", "readlinkat", "fstat")
OLD, NEW = "old\n", "a line\n" * 20000
SHORT = 0
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EACCES, errno.EINTR)


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name, "samples")
        self.link = Path(folder.name, "link")
        self.link.symlink_to("samples")
        self.writer = subprocess.Popen(
            [build_sampler("write_sample", WRAPPED, *FILES)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        self.addCleanup(self.writer.communicate)

    def write(self, path: Path, fault: str) -> tuple[int, str, str]:
        """Writes over an old file: how many calls there were, which failed first, and
        what is said."""
        self.path.write_text(OLD)
        assert self.writer.stdin is not None and self.writer.stdout is not None
        self.writer.stdin.write(f"{path} {fault}\n")
        self.writer.stdin.flush()
        n_calls, name, said = self.writer.stdout.readline().rstrip("\n").split(" ", 2)
        self.assertNotEqual(name, "crashed", said)
        return int(n_calls), name, said

    def check(self, error: int, once: bool, name: str, said: str) -> None:
        left = {path.name for path in self.path.parent.iterdir()} - {"samples", "link"}
        if once or name != "unlink":
            self.assertEqual(left, set())
        for other in left:
            (self.path.parent / other).unlink()
        self.assertEqual(self.path.read_text(), NEW if said == "written" else OLD, said)
        harmless = once and error in (SHORT, errno.EINTR) and name not in (
            "rename", "stat", "readlink"  # which no signal interrupts
        )
        if harmless or name == "-":
            self.assertEqual(said, "written")
        elif said != "written":
            self.assertEqual(said, os.strerror(error))
        else:
            # What is written already, or was only to be released.
            self.assertTrue(name in ("close", "unlink") or error == SHORT, name)

    def try_all(self, path: Path) -> None:
        n_calls, name, said = self.write(path, "none")
        self.assertEqual((name, said), ("-", "written"))
        for count in range(1, n_calls + 1):
            for error in (*ERRORS, SHORT):
                for once in (True, False):
                    fault = f"any:{count}:{error}:{int(once)}"
                    with self.subTest(fault):
                        _, name, said = self.write(path, fault)
                        if error != SHORT or name == "write":
                            self.check(error, once, name, said)

    def test_a_file(self) -> None:
        self.try_all(self.path)

    def test_a_link(self) -> None:
        self.try_all(self.link)
