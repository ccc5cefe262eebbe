# SPDX-License-Identifier: GPL-2.0-or-later
#
# Packages of PyPI that tests run: one wheel each, of a fixed version and checksum,
# unpacked into a folder of the build.
#
# Owns: which ones, and installing them.  Nothing is installed for the user, and no script
# of a package is run.

"""Fetch packages of PyPI for tests."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import unittest
from pathlib import Path

# As pip takes them, and refuses any other content.
REQUIREMENTS = {
    "gprof2dot": "gprof2dot==2025.4.14 --hash=sha256:"
                 "0742e4c0b4409a5e8777e739388a11e1ed3750be86895655312ea7c20bd0090e",
}  # fmt: skip
# In the folder once all is there; an interrupted pip leaves a part.
COMPLETE = ".complete"


def python_package(name: str, build: Path) -> Path:
    """The folder, for PYTHONPATH, with the package; the test is skipped if it cannot be
    had.  Tests in several processes ask at the same time: one fetches, others wait."""
    folder = build / "python" / name
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = folder / "requirements.txt"
        known = wanted.read_text() if wanted.is_file() else ""
        if known != REQUIREMENTS[name] or not (folder / COMPLETE).is_file():
            (folder / COMPLETE).unlink(missing_ok=True)
            wanted.write_text(REQUIREMENTS[name])
            _install(name, wanted, folder)
            (folder / COMPLETE).touch()
    return folder


def _install(name: str, wanted: Path, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder,
         "--upgrade", "--no-deps", "--only-binary=:all:", "--require-hashes",
         "--disable-pip-version-check", "--retries=0", "-r", wanted],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["pip says nothing"]
        raise unittest.SkipTest(f"no {name} of PyPI: {lines[-1]}")
