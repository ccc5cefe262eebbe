# SPDX-License-Identifier: GPL-2.0-or-later
#
# Packages of npm that tests need: each set in a folder here with package.json and
# package-lock.json, installed into a folder of the build of the same name.
#
# Owns: copying and installing.  Versions and checksums are those of the lock file, and no
# script of a package is run.

"""Install npm packages for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent.parent
BUILD = Path(os.environ.get("VG_BUILD") or SOURCE / "build").resolve()
INSTALL_SECONDS = 120


class Absent(Exception):
    """Why something is not here that a test needs; one line."""


def npm_folder(name: str, package: str) -> Path:
    """The folder in the build with what is in the folder `name` here, and its package."""
    if not shutil.which("node"):
        raise Absent("node is not installed")
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted((HERE / name).iterdir()):
        target = folder / source.name
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            if source.name == "package-lock.json":
                shutil.rmtree(folder / "node_modules", ignore_errors=True)
            shutil.copyfile(source, target)
    if not (folder / "node_modules" / package).is_dir():
        _install(folder, package)
    return folder


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
