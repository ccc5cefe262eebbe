# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests console/output_file.py: what a name leads to, and every call on files failing, one
# after the other.  The file is the old one or the new one, whole, and no temporary file
# is left.  Another user's links and pipes: tests/files/.

"""Files that appear only when they are complete."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import select
import stat
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, Callable, Optional
from unittest import mock

from console.output_file import output_file

OLD, NEW = b"old", b"new" * 100_000
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EACCES)
CALLS = ("open", "fstat", "readlink", "write", "replace", "unlink", "close")
MOST_AT_ONCE = 100_000  # so writes are short


def write(name: "str | Path", content: bytes = NEW) -> None:
    with output_file(str(name)) as stream:
        stream.write(content)


class Faults:
    """Lets one call of `os` fail, the COUNTth; or also those of its kind after it."""

    def __init__(self, count: int, error: int, once: bool) -> None:
        self.count, self.error, self.once = count, error, once
        self.n_calls = 0
        self.failed = ""

    def wrapped(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*arguments: Any, **options: Any) -> Any:
            self.n_calls += 1
            if self.n_calls == self.count:
                self.failed = name
            elif self.once or name != self.failed:
                return real(*arguments, **options)
            if name == "close":
                real(*arguments)
            raise OSError(self.error, os.strerror(self.error))

        return call

    def write(self, name: Path) -> Optional[OSError]:
        with contextlib.ExitStack() as patches:
            for call in CALLS:
                patches.enter_context(mock.patch.object(os, call, self.wrapped(call)))
            patches.enter_context(
                mock.patch("console.output_file.open", open_by_os, create=True)
            )
            try:
                write(name)
            except OSError as error:
                return error
        return None


class Raw(io.RawIOBase):
    """A file whose calls can be seen."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        return os.write(self.descriptor, content[:MOST_AT_ONCE])

    def close(self) -> None:
        if not self.closed:
            super().close()
            os.close(self.descriptor)


def open_by_os(descriptor: int, mode: str) -> io.BufferedWriter:
    assert mode == "wb"
    return io.BufferedWriter(Raw(descriptor))


class OutputFile(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.path = self.folder / "file"
        self.link = self.folder / "link"
        self.link.symlink_to("file")

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}

    def refused(self, reason: str, name: Path) -> None:
        with self.assertRaises(OSError) as caught:
            write(name)
        self.assertEqual(caught.exception.filename, str(name))
        self.assertIn(reason, caught.exception.strerror)
        self.assertFalse([name for name in self.names() if name.startswith(".")])

    def test_only_its_owner_may_read_it(self) -> None:
        write(self.path)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)

    def test_a_link_of_ours_is_followed(self) -> None:
        write(self.link)
        self.assertTrue(self.link.is_symlink())
        self.assertEqual(self.path.read_bytes(), NEW)

    def test_a_link_to_itself(self) -> None:
        loop = self.folder / "loop"
        loop.symlink_to("loop")
        self.refused(os.strerror(errno.ELOOP), loop)
        self.assertTrue(loop.is_symlink())

    def test_a_folder_and_a_missing_one(self) -> None:
        self.refused("Is a directory", self.folder)
        self.refused("No such file", self.folder / "none" / "file")

    def test_the_longest_name(self) -> None:
        write(self.folder / ("x" * 255))

    def test_a_pipe_that_nobody_reads(self) -> None:
        os.mkfifo(self.path)
        self.refused("nobody reads it", self.path)

    def test_a_pipe_with_a_reader(self) -> None:
        """More than fits into it: the writer waits for the reader."""
        os.mkfifo(self.path)
        with open(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
            os.set_blocking(reader.fileno(), True)
            writer = threading.Thread(target=write, args=(self.path,))
            writer.start()
            select.select([reader], [], [])  # until the writer has begun
            content = reader.read(len(NEW))
            writer.join()
        self.assertEqual(content, NEW)

    def test_an_error_of_the_writer(self) -> None:
        self.path.write_bytes(OLD)
        with self.assertRaises(ZeroDivisionError), output_file(str(self.path)) as stream:
            stream.write(NEW)
            raise ZeroDivisionError
        self.assertEqual(self.path.read_bytes(), OLD)
        self.assertEqual(self.names(), {"file", "link"})

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no /dev/full")
    def test_a_full_device(self) -> None:
        self.refused("No space left", Path("/dev/full"))

    def test_every_call_fails(self) -> None:
        for path in (self.path, self.link):
            counting = Faults(0, 0, True)
            self.assertIsNone(counting.write(path))
            for count in range(1, counting.n_calls + 1):
                for error in ERRORS:
                    for once in (True, False):
                        self.fail_one(path, Faults(count, error, once))

    def fail_one(self, path: Path, faults: Faults) -> None:
        self.path.write_bytes(OLD)
        raised = faults.write(path)
        with self.subTest(path=path.name, call=faults.failed, error=faults.error):
            self.assertEqual(self.names(), {"file", "link"})
            content = self.path.read_bytes()
            if raised is None:
                self.assertEqual(content, NEW)
            else:
                self.assertEqual(content, OLD)
                self.assertEqual(raised.errno, faults.error)
