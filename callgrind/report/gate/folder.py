# SPDX-License-Identifier: GPL-2.0-or-later
#
# Folders that somebody else may have filled, or may be changing right now.
#
# Owns: how such a folder is opened, read, written and locked.  All of it goes by
# descriptors: a folder is opened once, without following a link, and its files are named
# within the descriptor.  So whatever is put in a folder's place later, no file outside of
# it is read, written or removed.  A lock belongs to the folder itself (flock of its
# descriptor): it leaves no file, needs no right to write, and ends with the process that
# holds it, however that ends.  It is seen by processes of one machine (docs/gate.md has
# what happens beyond).  Relies on console/output_file.py for files that appear
# only when they are whole.

"""Open folders, from which nothing leads out."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import threading
from pathlib import Path
from typing import BinaryIO, Callable, Iterator, Optional, Sequence

from console.output_file import file_in_folder
from gate.error import GateError
from gate.processes import no_signals

FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
PATIENCE = 5.0  # seconds without a word
# How a file system says that it locks no folder.
NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF, errno.EINVAL)


class Folder:
    """An open folder.  `path` is what messages call it, and nothing else."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self.descriptor = descriptor
        self.path = path

    def close(self) -> None:
        os.close(self.descriptor)

    def identity(self) -> tuple[int, int]:
        """Equal for two that are one folder."""
        status = os.fstat(self.descriptor)
        return status.st_dev, status.st_ino

    def names(self) -> list[str]:
        with self._errors(""):
            return os.listdir(self.descriptor)

    def inner(self, name: str, create: bool = False) -> Optional["Folder"]:
        """A folder in this one; None if there is none, unless it is to be made."""
        if create:
            with contextlib.suppress(FileExistsError), self._errors(name):
                os.mkdir(name, dir_fd=self.descriptor)
        try:
            descriptor = os.open(name, FLAGS, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._no_folder(name, error) from None
        return Folder(descriptor, self.path / name)

    def read(self, name: str, most: int) -> bytes:
        """The bytes of a plain file; GateError for a link, a pipe, a device, a file that
        is absent or that has more than `most` bytes."""
        path = self.path / name
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        try:
            if not self.is_plain(name):
                raise GateError(f"{path}: is no plain file")
            descriptor = os.open(name, flags, dir_fd=self.descriptor)
            with open(descriptor, "rb") as stream:
                # It may be another one by now.
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    raise GateError(f"{path}: is no plain file")
                if status.st_size > most:
                    raise GateError(f"{path}: is too large, above {most} bytes")
                return stream.read(status.st_size)  # which takes memory for so much
        except OSError as error:
            raise GateError(f"{path}: {error.strerror}") from None

    def is_plain(self, name: str) -> bool:
        """Whether it is a plain file; OSError if it is absent."""
        status = os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        return stat.S_ISREG(status.st_mode)

    def write(self, name: str) -> contextlib.AbstractContextManager[BinaryIO]:
        """A new file in the place of what has that name; it appears when it is whole."""
        return file_in_folder(self.descriptor, name, str(self.path / name))

    def create(self, name: str, content: bytes) -> None:
        """A file that all may read whom the umask lets; FileExistsError, and nothing is
        done, if anything has that name."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with self._errors(name):
            descriptor = os.open(name, flags, 0o666, dir_fd=self.descriptor)
            try:
                with open(descriptor, "wb") as stream:
                    stream.write(content)
            except BaseException:
                os.unlink(name, dir_fd=self.descriptor)
                raise

    def remove(self, name: str) -> None:
        """Take away a name; what a link leads to stays, and so does a folder."""
        gone = (FileNotFoundError, IsADirectoryError)
        with contextlib.suppress(*gone), self._errors(name):
            os.unlink(name, dir_fd=self.descriptor)

    @contextlib.contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            path = str(self.path / name)
            raise OSError(error.errno, error.strerror, path) from None

    def _no_folder(self, name: str, error: OSError) -> Exception:
        path = self.path / name
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            return OSError(error.errno, error.strerror, str(path))
        with contextlib.suppress(OSError):
            status = os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                return GateError(
                    f"{path}: is a symbolic link, which is not followed; name the folder "
                    "that it leads to"
                )
        return GateError(f"{path}: is no folder")


def open_folder(path: Path, create: bool = False) -> Optional[Folder]:
    """The folder that a user names; None if there is none, unless it is to be made.

    No part of a relative path may be a link, as these can come with the code under
    review; of an absolute one, the last part."""
    start = path.parent if path.is_absolute() else Path()
    parts = (path.name,) if path.is_absolute() else path.parts
    if create and path.is_absolute():
        start.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(start, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    found = Folder(descriptor, start)
    for part in parts or (".",):
        outer = found
        try:
            inner = outer.inner(part or ".", create)
        finally:
            outer.close()
        if inner is None:
            return None
        found = inner
    return found


# --- Locks ------------------------------------------------------------------------------


def lock(
    folders: Sequence[tuple[Folder, bool]], tell: Callable[[str], None]
) -> None:
    """Lock folders until they are closed: alone where the flag says so, else with other
    readers.  A folder that is given twice is locked once.  Two processes never wait for
    each other, as all lock in one order.  `tell` takes a line if it takes long."""
    wanted: dict[tuple[int, int], tuple[Folder, bool]] = {}
    for folder, alone in folders:
        other, before = wanted.get(folder.identity(), (folder, False))
        wanted[folder.identity()] = other, before or alone
    for _, (folder, alone) in sorted(wanted.items(), key=lambda item: item[0]):
        _lock_one(folder, fcntl.LOCK_EX if alone else fcntl.LOCK_SH, tell)


def _lock_one(folder: Folder, how: int, tell: Callable[[str], None]) -> None:
    line = f"{folder.path}: waits for another process that works in this folder"
    late = threading.Timer(PATIENCE, tell, [line])
    try:
        try:
            fcntl.flock(folder.descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            late.daemon = True
            with no_signals():
                late.start()
            fcntl.flock(folder.descriptor, how)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise OSError(error.errno, error.strerror, str(folder.path)) from None
        tell(f"{folder.path}: this file system has no locks ({error.strerror}); only one "
             "process at a time may work in this folder")  # fmt: skip
    finally:
        late.cancel()
