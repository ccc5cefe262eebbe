# SPDX-License-Identifier: GPL-2.0-or-later
#
# Copies of the dynamic linker and of the C library whose debug information has symbols
# alone, for programs of tests to be linked with.
#
# Where the C library's debug information is installed, Valgrind reads all of it at each
# start, which takes longer than everything else about a small program.  But for symbols,
# what it says is about code that is not the program's.
#
#    python3 -m tests.bare_libc FOLDER   makes the copies there, and prints the linker's
#                                        words on one line
#
# Owns: the copies, in a folder that is shared by all programs, and the linker's words.
# Where debug information is not installed, or cannot be copied, the libraries are used as
# they are, and there are no words.

"""C libraries that Valgrind reads quickly."""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Optional

from tests.differential.reuse import contents
from tests.groundtruth.architecture import AMD64, target

LINKER = Path("/lib64/ld-linux-x86-64.so.2")
LIBRARIES = ("libc.so.6", "libm.so.6")
DEBUG_FILES = Path("/usr/lib/debug/.build-id")
# How an object names the file with its debug information.
BUILD_ID, DEBUG_LINK = ".note.gnu.build-id", ".gnu_debuglink"


def link_words(shared: Path) -> list[str]:
    """What the linker is told; the copies are in a folder of `shared`."""
    folder = _copies(shared)
    if folder is None:
        return []
    return [f"-Wl,--dynamic-linker={folder / LINKER.name}", f"-Wl,-rpath,{folder}"]


def _said(*words: str) -> str:
    """What a command prints; nothing if it fails."""
    try:
        done = subprocess.run(words, check=False, capture_output=True, encoding="utf-8")
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def _debug_file(library: Path) -> Path:
    """The file that the core finds for a library, where one is installed."""
    number = re.search(r"Build ID: ([0-9a-f]+)", _said("readelf", "-n", str(library)))
    digits = number[1] if number else "none"
    return DEBUG_FILES / digits[:2] / f"{digits[2:]}.debug"


@lru_cache(maxsize=None)
def _originals() -> list[tuple[Path, Path]]:
    """Each library with its debug information; none if one lacks it."""
    found = [LINKER]
    for name in LIBRARIES:
        found.append(Path(_said("gcc", f"-print-file-name={name}").strip()))
    pairs = [(path, _debug_file(path)) for path in found]
    return pairs if all(debug.is_file() for _, debug in pairs) else []


def _copy(library: Path, debug: Path, folder: Path) -> None:
    """The library, and beside it what is left of its debug information."""
    symbols = folder / f"{library.name}.symbols"
    removed = ["--remove-section", BUILD_ID, "--remove-section", DEBUG_LINK]
    new = str(folder / library.name)
    for words in (
        ["objcopy", "--strip-debug", str(debug), str(symbols)],
        ["objcopy", *removed, str(library.resolve()), new],
        ["objcopy", f"--add-gnu-debuglink={symbols}", new],
    ):
        subprocess.run(words, check=True, capture_output=True)


@lru_cache(maxsize=None)
def _copies(shared: Path) -> Optional[Path]:
    """The folder with the copies, made when it is not there; None: there are none."""
    if target() != AMD64 or not _originals():
        return None
    known = [contents(path) for pair in _originals() for path in pair]
    folder = shared / f"libc-{hashlib.sha256(repr(known).encode()).hexdigest()[:16]}"
    with open(shared / "libc.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder
        new = folder.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        try:
            for library, debug in _originals():
                _copy(library, debug, new)
        except (OSError, subprocess.CalledProcessError):
            return None
        new.rename(folder)
    return folder


if __name__ == "__main__":
    place = Path(sys.argv[1]).resolve()
    place.mkdir(parents=True, exist_ok=True)
    print(*link_words(place))
