# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tests get from registries of packages, and build with the tools that people have.
#
# Owns: a folder for each set of packages below the build folder, which is made once and
# kept, and the reason where that cannot be: a tool that is not installed, or a registry
# that is out of reach.

"""Packages and tools for tests."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Mapping, Optional, Sequence

import pytest

from tests.differential.options import build_folder

REPOSITORY = Path(__file__).resolve().parents[2]
CLIENTS = REPOSITORY / "clients"
PYTHON_INTERPRETER = REPOSITORY / "callgrind/tests/helpers/python_interpreter"
SAID = 2000  # characters, the last ones, of what a failed program said
# Of what a package manager says where its registry is out of reach.
OUT_OF_REACH = (
    "Temporary failure in name resolution",
    "Could not resolve host",
    "Couldn't resolve host",
    "Failed to establish a new connection",
    "Network is unreachable",
    "Connection refused",
    "Connection timed out",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ETIMEDOUT",
    "no such host",
    "dial tcp",
    "download of config.json failed",
    "Could not transfer artifact",
)


def needed(name: str) -> str:
    """The path of a program; the test is skipped where it is not installed."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def run(
    words: Sequence[str],
    folder: Path,
    environment: Optional[Mapping[str, str]] = None,
    registry: str = "",
    status: int = 0,
) -> str:
    """What a program prints, stdout and stderr; it has to end well, or with this status.
    Of one that asks a registry, the test is skipped where that is out of reach."""
    # A pytest that is started has nothing to do with the one that runs the tests.
    ours = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    ended = subprocess.run(
        list(words), cwd=folder, env={**ours, **(environment or {})},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False,
    )  # fmt: skip
    said = ended.stdout
    if ended.returncode != status and registry:
        for sign in OUT_OF_REACH:
            if sign in said:
                pytest.skip(f"{registry} is out of reach: {sign}")
    assert ended.returncode == status, (
        f"{' '.join(words)} in {folder} ended with {ended.returncode}:\n{said[-SAID:]}"
    )
    return said


@contextmanager
def made_once(name: str, content: str) -> Iterator[tuple[Path, bool]]:
    """A folder below the build folder, and whether it is there already.  It is when an
    earlier user has left this block without an exception, for the same content.  Tests
    in several processes wait for each other."""
    digest = hashlib.sha256(content.encode()).hexdigest()
    folder = build_folder() / "tests" / "fetched" / name
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        complete = folder / ".complete"
        is_there = complete.is_file() and complete.read_text() == digest
        if not is_there:
            shutil.rmtree(folder)
            folder.mkdir()
        yield folder, is_there
        complete.write_text(digest)


def named_python() -> str:
    """The newest Python at hand: from 3.12 on it names its functions."""
    for name in ("python3.14", "python3.13", "python3.12", "python3"):
        found = subprocess.run(
            [str(PYTHON_INTERPRETER), name], text=True, check=False,
            capture_output=True,
        ).stdout.strip()  # fmt: skip
        if found.startswith("/"):
            return found
    pytest.skip("there is no Python with ctypes and zlib")


def python_with(name: str, packages: Sequence[str], content: str = "") -> Path:
    """The python of a virtual environment that has these packages: names with versions,
    and files.  `content` stands for that of files."""
    python = named_python()
    with made_once(name, "\n".join([python, *packages, content])) as (folder, is_there):
        inside = folder / "bin" / "python"
        if not is_there:
            run([python, "-m", "venv", str(folder)], folder)
            pip = [str(inside), "-m", "pip", "install", "-q", "--retries", "1"]
            words = [*pip, "--disable-pip-version-check", *packages]
            run(words, folder, registry="Python's registry of packages")
        return inside


def content_of(folder: Path) -> str:
    """Stands for what lies in a folder of sources."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def copy_of(source: Path, target: Path) -> Path:
    """A copy of a folder of sources; what builds have left there is not taken."""
    left = shutil.ignore_patterns("target", "node_modules", "build", "*.egg-info",
                                  "__pycache__", "dist")
    return Path(shutil.copytree(source, target, ignore=left, dirs_exist_ok=True))
