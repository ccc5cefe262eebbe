# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs on the disk: a folder of plain files, for a repository, a cache or an object store.
#
#    callgrind_gate            a line that says what the folder is
#    runs/COMMIT.json          the index of a run
#    data/DIGEST.gz            a profile, a tree or counts, by the SHA-256 of its content
#
# Owns: these files.  Each appears only when it is whole, an index after all that it
# names.  Nothing in the folder is trusted: only plain files are read, a content has to be
# what its name says, and neither may be larger than any real one.

"""A folder of runs."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import re
import stat
import zlib
from pathlib import Path
from typing import Optional, Union

from console.output_file import output_file
from gate.error import GateError
from gate.run import COMMIT, Run, decode_run, encode_run

MARK = "callgrind_gate"
MARK_TEXT = b"callgrind_gate 1: runs of benchmarks; docs/gate.md describes the files\n"
INDEX_NAME = re.compile(rf"({COMMIT.pattern})\.json")
LARGEST_INDEX = 1 << 28
LARGEST_CONTENT = 1 << 31
COMPRESSION = 6


class Store:
    """A folder of runs, which need not exist until something is written."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)

    # --- Reading ------------------------------------------------------------------------

    def commits(self) -> list[str]:
        """The runs that are there."""
        if not self.folder.exists():
            return []
        self._check_mark()
        try:
            names = os.listdir(self.folder / "runs")
        except FileNotFoundError:
            return []
        found = (INDEX_NAME.fullmatch(name) for name in names)
        return sorted(match.group(1) for match in found if match)

    def _check_mark(self) -> None:
        if not (self.folder / MARK).is_file() and any(self.folder.iterdir()):
            raise GateError(
                f"{self.folder}: holds no runs of callgrind_gate; name the folder that "
                "callgrind_gate run or accept has written"
            )

    def read(self, commit: str) -> Run:
        path = self.folder / "runs" / f"{commit}.json"
        try:
            run = decode_run(_read_plain(path, LARGEST_INDEX))
        except GateError as error:
            raise GateError(f"{path}: {error}") from None
        if run.commit != commit:
            raise GateError(f"{path}: is the index of {run.commit}")
        return run

    def only_run(self) -> Run:
        """The run of a folder that has one, as `run` writes it."""
        commits = self.commits()
        if len(commits) != 1:
            what = f"{len(commits)} runs" if commits else "no run"
            raise GateError(f"{self.folder}: has {what}; one is needed")
        return self.read(commits[0])

    def get(self, digest: str) -> bytes:
        """A content, which is checked."""
        path = self._path(digest)
        packed = _read_plain(path, LARGEST_CONTENT)
        unpacking = zlib.decompressobj(wbits=31)
        try:
            content = unpacking.decompress(packed, LARGEST_CONTENT)
        except zlib.error:
            raise GateError(f"{path}: is damaged; measure again") from None
        if not unpacking.eof or hashlib.sha256(content).hexdigest() != digest:
            raise GateError(f"{path}: is damaged, or too large; measure again")
        return content

    def _path(self, digest: str) -> Path:
        return self.folder / "data" / f"{digest}.gz"

    # --- Writing ------------------------------------------------------------------------

    def put(self, content: bytes) -> str:
        """Keep a content; its digest."""
        digest = hashlib.sha256(content).hexdigest()
        path = self._path(digest)
        if not path.exists():
            self._prepare()
            with output_file(str(path)) as stream:
                stream.write(gzip.compress(content, COMPRESSION, mtime=0))
        return digest

    def write(self, run: Run) -> None:
        """The index of a run, whose contents are there."""
        self._prepare()
        with output_file(str(self.folder / "runs" / f"{run.commit}.json")) as stream:
            stream.write(encode_run(run))

    def _prepare(self) -> None:
        mark = self.folder / MARK
        if not mark.exists():
            if self.folder.exists() and any(self.folder.iterdir()):
                raise GateError(
                    f"{self.folder}: has other files in it; name a folder of its own"
                )
            self.folder.mkdir(parents=True, exist_ok=True)
            with output_file(str(mark)) as stream:
                stream.write(MARK_TEXT)
        for name in ("runs", "data"):
            (self.folder / name).mkdir(exist_ok=True)

    def add(self, other: "Store", run: Run) -> None:
        """Take over a run, which may be of several folders, from one of them."""
        self.add_blobs(other, run.blobs())
        self.write(run)

    def add_blobs(self, other: "Store", digests: set[str]) -> None:
        for digest in sorted(digests):
            if not self._path(digest).exists():
                self.put(other.get(digest))

    def keep_newest(self, number: int) -> int:
        """Remove all runs but the newest, and what no other run needs; how many."""
        runs = sorted(
            (self.read(commit) for commit in self.commits()),
            key=lambda run: (run.time, run.commit),
            reverse=True,
        )
        for run in runs[number:]:
            (self.folder / "runs" / f"{run.commit}.json").unlink()
        needed = set().union(*(run.blobs() for run in runs[:number]))
        for path in (self.folder / "data").glob("*.gz"):
            if path.name[:-3] not in needed:
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()
        return len(runs[number:])


def _read_plain(path: Path, most: int) -> bytes:
    """The bytes of a plain file; no link is followed, no pipe or device opened."""
    descriptor: Optional[int] = None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise GateError(f"{path}: is no plain file")
        if status.st_size > most:
            raise GateError(f"{path}: is too large, {status.st_size} bytes")
        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read(most)
    except OSError as error:
        raise GateError(f"{path}: {error.strerror}") from None
    finally:
        if descriptor is not None:
            os.close(descriptor)
