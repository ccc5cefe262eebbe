# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/write/output.c where the system refuses: a file is whole, or as before.

"""Files of the tool, with errors of the system."""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from tests.native.building import build

FILES = ("write/output.c", "write/target.c", "write/file_calls.c", "write/outside.c")
LARGE = 200_000  # several times what is buffered


class Output(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "file"

    def write(self, *sizes: int, fault: str = "") -> list[str]:
        """Writes that many bytes to the file, once for each; what is said of each."""
        program = build("write_files", *FILES)
        words = [word for size in sizes for word in (str(self.path), str(size))]
        environment = {**os.environ, "FAULT": fault}
        done = subprocess.run(
            [program, *words], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    def assert_only(self, content: bytes) -> None:
        """The file holds this, and nothing else is left in the folder."""
        self.assertEqual([path.name for path in self.folder.iterdir()], ["file"])
        self.assertEqual(self.path.read_bytes(), content)

    def test_written_and_appended(self) -> None:
        self.assertEqual(self.write(LARGE, LARGE), ["written", "written"])
        self.assert_only(b"a" * LARGE + b"b" * LARGE)

    def test_a_link_stays_one(self) -> None:
        real = self.folder / "there" / "real"
        real.parent.mkdir()
        self.path.symlink_to("there/real")
        self.assertEqual(self.write(10, 5), ["written", "written"])
        self.assertTrue(self.path.is_symlink())
        self.assertEqual(real.read_bytes(), b"a" * 10 + b"b" * 5)

    def test_a_write_that_fails(self) -> None:
        self.path.write_bytes(b"old")
        said = self.write(LARGE, fault=f"write:2:{errno.ENOSPC}")
        self.assertEqual(said, ["not written: no space left on the device"])
        self.assert_only(b"old")

    def test_a_close_that_fails(self) -> None:
        self.path.write_bytes(b"old")
        said = self.write(10, fault=f"close:1:{errno.EDQUOT}")
        self.assertEqual(said, ["not written: the disk quota is used up"])
        self.assert_only(b"old")

    def test_a_close_that_is_interrupted(self) -> None:
        self.assertEqual(self.write(10, fault=f"close:1:{errno.EINTR}"), ["written"])
        self.assert_only(b"a" * 10)

    def test_a_rename_that_is_refused(self) -> None:
        """The file is written in place, if it is ours, and no other one is left."""
        for error in (errno.EPERM, errno.ENOSYS, errno.EBUSY):
            for old in (None, b"x" * (LARGE + 1)):
                with self.subTest(error=error, old=old is not None):
                    self.path.unlink(missing_ok=True)
                    if old is not None:
                        self.path.write_bytes(old)
                    fault = f"rename:1:{error}"
                    self.assertEqual(self.write(LARGE, fault=fault), ["written"])
                    self.assert_only(b"a" * LARGE)
        os.link(self.path, self.folder / "other")
        said = self.write(10, fault=f"rename:1:{errno.EPERM}")
        self.assertEqual(said, ["not written: operation not permitted"])
        self.assertEqual(self.path.read_bytes(), b"a" * LARGE)

    def test_a_rename_that_fails_says_why(self) -> None:
        self.path.write_bytes(b"old")
        for error, words in (
            (errno.EROFS, "the file system is read-only"),
            (errno.ENOSPC, "no space left on the device"),
            (errno.EMLINK, f"error {errno.EMLINK}"),
        ):
            with self.subTest(words=words):
                said = self.write(10, fault=f"rename:1:{error}")
                self.assertEqual(said, [f"not written: {words}"])
                self.assert_only(b"old")

    def test_a_read_that_fails_while_appending(self) -> None:
        for count in (1, 2):
            with self.subTest(read=count):
                said = self.write(10, LARGE, fault=f"read:{count}:{errno.EIO}")
                self.assertEqual(said, ["written", "not written: input/output error"])
                self.assert_only(b"a" * 10)

    def test_a_write_that_fails_while_appending(self) -> None:
        # One for the first file, four for the second's temporary file.
        said = self.write(10, LARGE, fault=f"write:7:{errno.ENOSPC}")
        self.assertEqual(said, ["written", "not written: no space left on the device"])
        self.assert_only(b"a" * 10)

    def test_a_close_that_fails_after_appending(self) -> None:
        said = self.write(10, 10, fault=f"close:3:{errno.EIO}")
        self.assertEqual(said, ["written", "not written: input/output error"])
        self.assert_only(b"a" * 10)
