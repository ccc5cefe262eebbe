# SPDX-License-Identifier: GPL-2.0-or-later
#
# Packages of npm that tests need: each set in a folder, here or elsewhere, with
# package.json and package-lock.json, installed into a folder of the build of the same
# name.
#
# Owns: copying and installing.  Versions and checksums are those of the lock file, and no
# script of a package is run.

"""Install npm packages for tests."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from tests.source_files import files_below

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent.parent
BUILD = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()
INSTALL_SECONDS = 120
# In node_modules once `npm ci` has ended well; an interrupted one leaves a part.
COMPLETE = ".complete"


class Absent(Exception):
    """Why something is not here that a test needs; one line."""


def npm_folder(
    name: str, package: str, sources: Path = HERE, build: Path = BUILD
) -> Path:
    """The folder in `build` with what is in `name` of `sources`, and its package.

    Tests in several processes ask at the same time: one of them installs, and the others
    wait until all of the package is there."""
    if not shutil.which("node"):
        raise Absent("node is not installed")
    folder = build / name
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _copy_sources(sources / name, folder)
        complete = folder / "node_modules" / COMPLETE
        if not complete.is_file():
            _install(folder, package)
            complete.touch()
    return folder


def _copy_sources(source_folder: Path, folder: Path) -> None:
    """Copy what has changed; with the lock file, installed packages are out of date."""
    for source in files_below(source_folder):
        target = folder / source.name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        if source.name == "package-lock.json":
            shutil.rmtree(folder / "node_modules", ignore_errors=True)
        shutil.copyfile(source, target)


def _install(folder: Path, package: str) -> None:
    if not shutil.which("npm"):
        raise Absent(f"npm is not installed, which brings {package}")
    try:
        subprocess.run(
            ["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=INSTALL_SECONDS,
            check=True,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        raise Absent(f"npm cannot install {package}") from None
