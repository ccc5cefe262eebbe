# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs on the disk: a folder of plain files, for a repository, a cache or an object store.
#
#    callgrind_gate            a line that says what the folder is
#    runs/COMMIT.json          the index of a run
#    data/DIGEST.gz            a profile, a tree or counts, by the SHA-256 of its content
#
# Owns: these files, and who may work in the folder when.  Each file appears only when it
# is whole, an index after all that it names, and goes before that.  Who writes holds the
# folder alone, who reads holds it with other readers.  Nothing in the folder is trusted:
# a content has to be what its name says before it counts as there, only plain files are
# read, none may be larger than any real one, and no other name is ever removed.  Relies
# on folder.py, which keeps all of that within the folder.

"""A folder of runs."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import re
import zlib
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence, Union

from gate.error import GateError
from gate.folder import Folder, lock, open_folder
from gate.run import COMMIT, Run, decode_run, encode_run, without_changes

MARK = "callgrind_gate"
MARK_START = b"callgrind_gate 1:"
MARK_TEXT = MARK_START + b" runs of benchmarks; docs/gate.md describes the files\n"
INDEX_NAME = re.compile(rf"({COMMIT.pattern})\.json")
CONTENT_NAME = re.compile(r"([0-9a-f]{64})\.gz")
UNFINISHED_NAME = re.compile(r"\.callgrind\.[0-9a-f]{16}\.tmp")
LARGEST_MARK = 4096
LARGEST_INDEX = 1 << 28
LARGEST_CONTENT = 1 << 31
COMPRESSION = 6
RUNS, DATA = "runs", "data"


class Store:
    """A folder of runs, which need not exist until something is written.

    It is used within `opened`."""

    def __init__(self, folder: Union[str, Path]) -> None:
        self.folder = Path(folder)
        self._top: Optional[Folder] = None
        self._inner: dict[str, Folder] = {}
        self._is_prepared = False

    def open(self, create: bool) -> Optional[Folder]:
        self._top = open_folder(self.folder, create)
        return self._top

    def close(self) -> None:
        for folder in self._inner.values():
            folder.close()
        self._inner.clear()
        if self._top is not None:
            self._top.close()
        self._top = None
        self._is_prepared = False

    def open_inner(self) -> None:
        """The two folders, if they are there; nothing is done at all if one is a link."""
        for name in (RUNS, DATA):
            found = self._top.inner(name) if self._top is not None else None
            if found is not None:
                self._inner[name] = found

    # --- Reading ------------------------------------------------------------------------

    def commits(self) -> list[str]:
        """The runs that are there."""
        return sorted(self._matching(RUNS, INDEX_NAME)) if self._has_mark() else []

    def _matching(self, folder: str, pattern: re.Pattern[str]) -> list[str]:
        """What the pattern's group finds in the names of the files of a folder."""
        inside = self._inner.get(folder)
        found = map(pattern.fullmatch, inside.names() if inside is not None else ())
        return [match.group(match.lastindex or 0) for match in found if match]

    def _has_mark(self) -> bool:
        """Whether it is a folder of runs; False if nothing is in it."""
        if self._top is None:
            return False
        names = self._top.names()
        if MARK not in names:
            if any(not UNFINISHED_NAME.fullmatch(name) for name in names):
                raise GateError(
                    f"{self.folder}: holds no runs of callgrind_gate; name the folder "
                    "that callgrind_gate run or accept has written, or one of its own"
                )
            return False
        if not self._top.read(MARK, LARGEST_MARK).startswith(MARK_START):
            raise GateError(
                f"{self.folder / MARK}: does not say {MARK_START.decode()}, so this is "
                "no folder of runs; name another, or remove that file"
            )
        return True

    def read(self, commit: str) -> Run:
        path = self.folder / RUNS / f"{commit}.json"
        runs = self._inner.get(RUNS)
        if runs is None:
            raise GateError(f"{path}: No such file or directory")
        content = runs.read(path.name, LARGEST_INDEX)
        try:
            run = decode_run(content)
        except GateError as error:
            raise GateError(
                f"{path}: {error}; remove it, or accept that run again"
            ) from None
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
        path = self.folder / DATA / f"{digest}.gz"
        data = self._inner.get(DATA)
        if data is None:
            raise GateError(f"{path}: No such file or directory; measure again")
        try:
            packed = data.read(path.name, LARGEST_CONTENT)
        except GateError as error:
            raise GateError(f"{error}; measure again") from None
        unpacking = zlib.decompressobj(wbits=31)
        try:
            content = unpacking.decompress(packed, LARGEST_CONTENT)
        except (zlib.error, MemoryError):
            raise GateError(f"{path}: is damaged; measure again") from None
        if not unpacking.eof or hashlib.sha256(content).hexdigest() != digest:
            raise GateError(f"{path}: is damaged, or too large; measure again")
        return content

    def _is_whole(self, digest: str) -> bool:
        """Whether a content is there, and what its name says."""
        try:
            self.get(digest)
        except GateError:
            return False
        return True

    # --- Writing ------------------------------------------------------------------------

    def put(self, content: bytes) -> str:
        """Keep a content, also in the place of a damaged one; its digest."""
        digest = hashlib.sha256(content).hexdigest()
        if not self._is_whole(digest):
            with self._prepared(DATA).write(f"{digest}.gz") as stream:
                stream.write(gzip.compress(content, COMPRESSION, mtime=0))
        return digest

    def write(self, run: Run) -> None:
        """The index of a run, whose contents are there."""
        with self._prepared(RUNS).write(f"{run.commit}.json") as stream:
            stream.write(encode_run(run))

    def _prepared(self, name: str) -> Folder:
        """One of the two folders, to be written to."""
        top = self._top
        assert top is not None
        if not self._is_prepared and not self._has_mark():
            with top.write(MARK) as stream:
                stream.write(MARK_TEXT)
        self._is_prepared = True
        if name not in self._inner:
            found = top.inner(name, create=True)
            assert found is not None
            self._inner[name] = found
        return self._inner[name]

    def add(self, other: "Store", run: Run) -> None:
        """Take over a run, which may be of several folders, from one of them."""
        self.add_blobs(other, run.blobs())
        self.write(run)

    def add_blobs(self, other: "Store", digests: set[str]) -> None:
        for digest in sorted(digests):
            if not self._is_whole(digest):
                self.put(other.get(digest))

    # --- Removing -----------------------------------------------------------------------

    def forget(self) -> None:
        """Remove what an earlier `run` has written here.  GateError if it is no such
        folder, but one of many runs or of other files."""
        if len(self.commits()) > 1:
            raise GateError(
                f"{self.folder}: holds several runs, so it is a baseline; run writes a "
                "folder of its own"
            )
        for commit in self.commits():
            self._remove(RUNS, f"{commit}.json")
        self._remove_contents(set())

    def keep_newest(self, number: int) -> int:
        """Remove all runs but those of the newest commits, and what no other run needs;
        how many."""
        runs = [self.read(commit) for commit in self.commits()]
        times: dict[str, tuple[int, str]] = {}
        for run in runs:
            name = without_changes(run.commit)
            times[name] = max(times.get(name, (run.time, name)), (run.time, name))
        kept = set(sorted(times, key=lambda name: times[name], reverse=True)[:number])
        old = [run for run in runs if without_changes(run.commit) not in kept]
        for run in old:
            self._remove(RUNS, f"{run.commit}.json")
        needed = set().union(*(run.blobs() for run in runs if run not in old))
        self._remove_contents(needed)
        return len(old)

    def _remove_contents(self, needed: set[str]) -> None:
        """All contents but these, and what a writer left that was killed."""
        for digest in self._matching(DATA, CONTENT_NAME):
            if digest not in needed:
                self._remove(DATA, f"{digest}.gz")
        for folder in (RUNS, DATA):
            for name in self._matching(folder, UNFINISHED_NAME):
                self._remove(folder, name)

    def _remove(self, folder: str, name: str) -> None:
        inside = self._inner.get(folder)
        if inside is not None:
            inside.remove(name)


def is_in_a_store(path: Path) -> bool:
    """Whether a path is, or was, that of a file in a folder of runs."""
    folder, name = path.parent, path.name
    if folder.name == RUNS and INDEX_NAME.fullmatch(name):
        folder = folder.parent
    elif folder.name == DATA and CONTENT_NAME.fullmatch(name):
        folder = folder.parent
    elif name != MARK:
        return False
    with contextlib.suppress(OSError, GateError):
        opened_folder = open_folder(folder)
        if opened_folder is not None:
            with contextlib.closing(opened_folder):
                mark = opened_folder.read(MARK, LARGEST_MARK)
                return mark.startswith(MARK_START)
    return False


def _check_that_none_is_read_and_written(folders: Sequence[tuple[Folder, bool]]) -> None:
    read = {folder.identity() for folder, is_written in folders if not is_written}
    for folder, is_written in folders:
        if is_written and folder.identity() in read:
            raise GateError(f"{folder.path}: is read and written; name two folders")


@contextlib.contextmanager
def opened(
    reading: Sequence[Store],
    writing: Optional[Store] = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Iterator[None]:
    """Use stores: what is read stays as it is meanwhile, and nobody sees what is written
    before it is whole.  The folder that is written to is made.  `tell` takes a line when
    that has to wait for long."""
    stores = [*reading, *([writing] if writing is not None else [])]
    with contextlib.ExitStack() as stack:
        folders = []
        for store in stores:
            stack.callback(store.close)
            folder = store.open(create=store is writing)
            if folder is not None:
                folders.append((folder, store is writing))
        _check_that_none_is_read_and_written(folders)
        lock(folders, tell)
        for store in stores:
            store.open_inner()
        yield
