# SPDX-License-Identifier: GPL-2.0-or-later
#
# Writing a file safely (docs/files.md): under a name that nobody can foresee, in the
# folder of the file, until it is whole.
#
# Owns: where a name leads, and what is trusted on the way.  A symbolic link, a pipe or a
# device is written to only if it belongs to the user or to root.

"""A file that appears only when it is complete."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from dataclasses import dataclass
from typing import BinaryIO, Iterator, Optional

MAX_LINKS = 40  # the kernel follows as many
MAX_TRIES = 10  # to find a free name, or to remove one
# Their links have texts that are no paths.
OPEN_FILES = ("/proc/", "/dev/fd/", "/dev/stdout", "/dev/stderr")


@dataclass(frozen=True)
class _Place:
    """Where a name leads."""

    folder: Optional[int]  # open; None for a file that a process has open
    name: str  # in the folder
    is_stream: bool


@contextlib.contextmanager
def output_file(name: str) -> Iterator[BinaryIO]:
    """The file of that name, to be written.  An error leaves what was there before."""
    with _errors_of(name):
        place = _find(os.path.join(os.getcwd(), name))
    try:
        writing = _stream(place, name) if place.is_stream else _new_file(place, name)
        with writing as stream:
            yield stream
    finally:
        _close(place.folder)


@contextlib.contextmanager
def file_in_folder(folder: int, name: str, path: str) -> Iterator[BinaryIO]:
    """A file of an open folder, to be written.  It takes the place of whatever has that
    name, a link or a pipe too: nothing is followed.  Errors call it `path`."""
    with _new_file(_Place(folder, name, is_stream=False), path) as stream:
        yield stream


@contextlib.contextmanager
def _errors_of(name: str, but_named: bool = False) -> Iterator[None]:
    """Errors in here are of the file of that name; `but_named`: unless they tell."""
    try:
        yield
    except OSError as error:
        if but_named and error.filename is not None:
            raise
        reason = "nobody reads it" if error.errno == errno.ENXIO else error.strerror
        raise OSError(error.errno, reason, name) from None


# --- Where it leads -------------------------------------------------------------------


def _find(path: str) -> _Place:
    """Follow the links at the end of a path.  Opens the folder of the last one."""
    folder: Optional[int] = None
    try:
        for n_links in range(MAX_LINKS + 1):
            if path.startswith(OPEN_FILES):
                return _Place(None, path, is_stream=True)
            head, tail = os.path.split(path)
            inner = _open(head or ".", os.O_PATH | os.O_DIRECTORY, folder)
            _close(folder)
            folder = inner
            found = _look(folder, tail, n_links > 0)
            if isinstance(found, bool):
                place = _Place(folder, tail, is_stream=found)
                folder = None
                return place
            path = found
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    finally:
        _close(folder)


def _look(folder: int, name: str, is_linked: bool) -> "bool | str":
    """Whether it is a stream; or the path that it leads to, if it is a link."""
    if name in ("", ".", ".."):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    try:
        descriptor = _open(name, os.O_PATH | os.O_NOFOLLOW, folder)
    except FileNotFoundError:
        return False
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        is_file = stat.S_ISREG(status.st_mode)
        if is_file and not is_linked:
            return False
        is_link = stat.S_ISLNK(status.st_mode)
        if status.st_uid not in (0, os.geteuid()):
            what = "symbolic link" if is_link else "file"
            raise OSError(errno.EPERM, f"it is another user's {what}")
        return os.readlink("", dir_fd=descriptor) if is_link else not is_file
    finally:
        _close(descriptor)


def _open(name: str, flags: int, folder: Optional[int]) -> int:
    return os.open(name, flags | os.O_CLOEXEC | os.O_NOCTTY, 0o600, dir_fd=folder)


def _close(descriptor: Optional[int]) -> None:
    """What was only opened to look at it has nothing to lose."""
    if descriptor is not None:
        with contextlib.suppress(OSError):
            os.close(descriptor)


# --- Writing --------------------------------------------------------------------------


@contextlib.contextmanager
def _stream(place: _Place, name: str) -> Iterator[BinaryIO]:
    """A pipe, a device, or a file that a process has open, behind what is there."""
    flags = os.O_WRONLY | os.O_NONBLOCK
    flags |= os.O_APPEND if place.folder is None else os.O_NOFOLLOW
    with _errors_of(name):
        descriptor = _open(place.name, flags, place.folder)
    os.set_blocking(descriptor, True)
    try:
        with open(descriptor, "wb") as stream:
            yield stream
    except BrokenPipeError:
        raise  # whose reader has what it wanted
    except OSError as error:
        raise OSError(error.errno, error.strerror, error.filename or name) from None


@contextlib.contextmanager
def _new_file(place: _Place, name: str) -> Iterator[BinaryIO]:
    """A file that takes the place of one that is there."""
    folder = place.folder
    with _errors_of(name):
        temporary, descriptor = _create(folder)
    try:
        with _errors_of(name, but_named=True), open(descriptor, "wb") as stream:
            yield stream
        with _errors_of(name):
            os.replace(temporary, place.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        _remove(temporary, folder)
        raise


def _create(folder: Optional[int]) -> tuple[str, int]:
    """A new file that only the user can open: its name and descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    for _ in range(MAX_TRIES - 1):
        name = f".callgrind.{secrets.token_hex(8)}.tmp"
        with contextlib.suppress(FileExistsError):
            return name, _open(name, flags, folder)
    return name, _open(name, flags, folder)


def _remove(name: str, folder: Optional[int]) -> None:
    for _ in range(MAX_TRIES):
        try:
            os.unlink(name, dir_fd=folder)
            return
        except OSError:
            continue
