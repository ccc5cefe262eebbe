# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which files the style is checked of: those of this repository, as tests/source_files.py
# finds them, by what they are.

"""The files of this repository, by what they are."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Iterator

from tests.source_files import our_names

REPOSITORY = Path(__file__).resolve().parents[2]


@lru_cache(maxsize=None)
def files() -> tuple[Path, ...]:
    """Every file of the repository that is there."""
    found = (REPOSITORY / name for name in our_names())
    return tuple(path for path in found if path.is_file())


def name_of(path: Path) -> str:
    """A file's name in messages: from the top of the repository."""
    return path.relative_to(REPOSITORY).as_posix()


def with_suffix(*suffixes: str) -> Iterator[Path]:
    return (path for path in files() if path.suffix in suffixes)


def first_line(path: Path) -> str:
    with path.open("rb") as stream:
        return stream.readline(200).decode("utf-8", "replace").strip()


def scripts(*interpreters: str) -> Iterator[Path]:
    """Files whose first line names one of these interpreters."""
    for path in files():
        line = first_line(path)
        if line.startswith("#!") and line.split("/")[-1].split()[-1] in interpreters:
            yield path


def python_files() -> list[Path]:
    return sorted({*with_suffix(".py"), *scripts("python3")})


def shell_files() -> list[Path]:
    return sorted({*with_suffix(".sh"), *scripts("sh", "bash")})
