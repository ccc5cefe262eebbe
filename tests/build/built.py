# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of the build share.  Owns: where source, build and the distribution's
# Valgrind are, how commands are run, and temporary folders.  Relies on a finished build,
# named in VG_BUILD.

"""The build under test, and running commands against it."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Union
from unittest import mock

SOURCE = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()
IN_PLACE = BUILD / "vg-in-place"


def makefile_variable(name: str) -> str:
    """A value that `configure` found, from the Makefile it wrote.  Where there is none,
    nothing that relies on the build can go on: the program that asks ends."""
    try:
        text = (BUILD / "Makefile").read_text()
    except OSError as error:
        raise SystemExit(
            f"{BUILD}: no build there ({error.strerror}): run make, or name one in"
            " VG_BUILD"
        ) from None
    match = re.search(rf"^{name} = (.*)$", text, re.MULTILINE)
    if match is None:
        raise LookupError(f"{BUILD}/Makefile does not set {name}")
    return match.group(1)


PLATFORM = makefile_variable("CORE_PLATFORM")
STOCK_TOOLS = Path(makefile_variable("CORE_LIBEXECDIR"))
STOCK_BIN = Path(makefile_variable("CORE_BINDIR"))
STOCK_LAUNCHER = STOCK_BIN / "valgrind"
STOCK_CALLGRIND = STOCK_TOOLS / f"callgrind-{PLATFORM}"
OUR_CALLGRIND = BUILD / ".in_place" / f"callgrind-{PLATFORM}"

# What the tool can do with a core: a probe, a part, and what is lost.
PART = re.compile(r'^   PART\((\w+), "(.*)", "(.*)"\)(?: \\)?$', re.M)


def parts_told() -> list[str]:
    """How the table of parts ends each of its lines, for this build."""
    table = (SOURCE / "coregrind" / "core_parts.h").read_text(encoding="utf-8")
    config = (BUILD / "config.h").read_text(encoding="utf-8")
    lines = []
    for name, part, without in PART.findall(table):
        is_there = f"#define {name} 1\n" in config
        lines.append(f": {part}: " + ("yes" if is_there else f"no, {without}") + "\n")
    return lines


Word = Union[str, Path]


@dataclass(frozen=True)
class Ended:
    """How a command ended; a negative status is the signal that killed it."""

    status: int
    out: str
    err: str


def run(
    *command: Word,
    stdin: str = "",
    cwd: Optional[Path] = None,
    env: Optional[Mapping[str, str]] = None,
    **changes: str,
) -> Ended:
    """Run a command to its end. Keywords change its environment."""
    environment = dict(os.environ if env is None else env)
    environment.update(changes)
    ended = subprocess.run(
        [str(word) for word in command],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def make(*words: Word, **changes: Any) -> Ended:
    """`make` in the build folder, as from a shell: not as a part of the outer make.  One
    at a time, as `install` keeps scratch files there."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "DESTDIR")
    }
    with open(BUILD / "Makefile", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return run("make", "-C", BUILD, *words, env=environment, **changes)


class BuildTest(unittest.TestCase):
    """A test with an empty folder of its own, self.folder, and an empty $HOME in it."""

    folder: Path
    home: Path

    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(tempfile.mkdtemp(prefix="callgrind-exact-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.home = self.folder / "home"
        self.home.mkdir()
        environment = mock.patch.dict(os.environ, HOME=str(self.home))
        environment.start()
        self.addCleanup(environment.stop)
        for name in ("VALGRIND_OPTS", "VALGRIND_LIB", "XDG_CACHE_HOME"):
            os.environ.pop(name, None)

    def configure_script(self) -> Path:
        """`configure`, by a path without spaces: by one that has some, it refuses to work
        (setup.sh calls it by a relative one)."""
        if not re.search(r"\s", str(SOURCE)):
            return SOURCE / "configure"
        source = self.folder / "source"
        if not source.is_symlink():
            source.symlink_to(SOURCE)
        return source / "configure"

    def assert_ended(self, ended: Ended, status: int) -> None:
        told = f"stdout: {ended.out}\nstderr: {ended.err}"
        self.assertEqual(ended.status, status, told)
