# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands of the build where each user may run them: a checkout may lie below a
# folder that only its owner can enter.
#
# Owns: the copy that is made then, by `make install`, which is gone when the tests end.
# Relies on a finished build, named in VG_BUILD.

"""The build, for tests that run it as another user."""

from __future__ import annotations

import atexit
import functools
import shutil
import stat
import tempfile
from pathlib import Path

from tests.build.built import BUILD, SOURCE, make


def everybody_enters(folder: Path) -> bool:
    """Anybody may pass through the folder, and all that it lies in."""
    return all(each.stat().st_mode & stat.S_IXOTH for each in (folder, *folder.parents))


@functools.lru_cache(maxsize=None)
def reachable_build() -> Path:
    """A folder with vg-in-place and callgrind_export."""
    folder = Path(tempfile.mkdtemp(prefix="reachable.", dir="/tmp"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    commands = BUILD
    if not everybody_enters(BUILD) or not everybody_enters(SOURCE):
        ended = make("install", f"DESTDIR={folder}", "prefix=/exact")
        if ended.status:
            raise AssertionError(f"make install: status {ended.status}\n{ended.err}")
        commands = folder / "exact" / "bin"
    found = folder / "bin"
    found.mkdir(mode=0o755)
    launcher = "vg-in-place" if commands == BUILD else "valgrind"
    (found / "vg-in-place").symlink_to(commands / launcher)
    (found / "callgrind_export").symlink_to(commands / "callgrind_export")
    return found


@functools.lru_cache(maxsize=None)
def reachable_copy(program: Path) -> Path:
    """A copy of a program that tests have compiled, beside those."""
    copy = reachable_build() / program.name
    shutil.copy(program, copy)
    copy.chmod(0o755)
    return copy
