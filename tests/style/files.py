# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which files the style is checked of.  Owns: the list of the files of this repository, as
# git knows them, or, in a copy without git, as they lie there.

"""The files of this repository, by what they are."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Iterator

from tests.machines.source_copy import names_of_files

REPOSITORY = Path(__file__).resolve().parents[2]


@lru_cache(maxsize=None)
def files() -> tuple[Path, ...]:
    """Every file of the repository that is there."""
    found = (REPOSITORY / name for name in names_of_files(REPOSITORY))
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
