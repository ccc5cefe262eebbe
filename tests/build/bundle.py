# SPDX-License-Identifier: GPL-2.0-or-later
#
# The bundle for tests: `make bundle`, once for all, and what it holds.  Owns: the folder
# that it is unpacked into, which is read-only and lasts as long as the process.

"""The bundle under test."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

from tests.build.built import BUILD, make, makefile_variable, run

MACHINE = {"amd64": "x86_64", "arm64": "aarch64"}[makefile_variable("CORE_ARCH")]
VERSION = makefile_variable("PACKAGE_VERSION")
NAME = f"callgrind-exact-{VERSION}-linux-{MACHINE}"


@functools.lru_cache(maxsize=None)
def archive() -> Path:
    """The bundle, in a folder with its sum and install.sh, as it is published."""
    ended = make("-s", "bundle")
    if ended.status != 0:
        raise AssertionError(f"make bundle: {ended.out}{ended.err}")
    folder = Path(tempfile.mkdtemp(prefix="callgrind-exact-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in (f"{NAME}.tar.xz", f"{NAME}.tar.xz.sha256", "install.sh"):
        shutil.copy2(BUILD / "bundle" / name, folder)
    return folder / f"{NAME}.tar.xz"


@functools.lru_cache(maxsize=None)
def unpacked() -> Path:
    """The folder of the bundle, where nobody may write."""
    folder = Path(tempfile.mkdtemp(prefix="callgrind exact-"))
    atexit.register(remove_read_only, folder)
    unpack_into(folder)
    run("chmod", "-R", "a-w", folder)
    return folder / NAME


def unpack_into(folder: Path) -> Path:
    ended = run("tar", "-C", folder, "-xJf", archive())
    if ended.status != 0:
        raise AssertionError(ended.err)
    return folder / NAME


def remove_read_only(folder: Path) -> None:
    run("chmod", "-R", "u+w", folder)
    shutil.rmtree(folder, ignore_errors=True)
