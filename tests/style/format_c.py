#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Formats the C sources with clang-format.
#
#     format_c.py              formats what is not as clang-format has it
#     format_c.py --check      names it, and ends with status 1
#
# Owns: which files are formatted, and one trick.  The core's functions are called through
# a macro, VG_(name)(...), which clang-format takes for two words and breaks apart.  Its
# own remedy, the setting `Macros`, measures the columns of what the macro stands for and
# not of what is written, and breaks inside VG_().  So each VG_(name) is handed to it as
# one word of the same length, and put back afterwards.

"""Format the C sources of the tool and the sampler."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterable, Iterator, Mapping, Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.source_files import files_below  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[2]
SETTINGS = REPOSITORY / ".clang-format"
# Versions differ in details; this one is in Debian 12, 13 and later.
CLANG_FORMAT = "clang-format-19"
FOLDERS = ("callgrind", "sampler", "reader", "shared", "coregrind", "include", "clients")
# Their expectations name lines.
NOT_FORMATTED = ("callgrind/tests/", "callgrind/report/")


class FormatError(Exception):
    """clang-format cannot be run, or does not take a file."""


def _files_of(repository: Path, folder: str) -> list[Path]:
    # A tree that is made up for a test is taken as it lies there.
    if repository == REPOSITORY:
        found = files_below(repository / folder)
    else:
        found = sorted((repository / folder).rglob("*"))
    return [path for path in found if path.suffix in (".c", ".h")]


def sources(repository: Path = REPOSITORY) -> Iterator[Path]:
    """The files that are formatted."""
    for folder in FOLDERS:
        for path in _files_of(repository, folder):
            name = path.relative_to(repository).as_posix()
            if not name.startswith(NOT_FORMATTED):
                yield path


def hidden(text: str) -> str:
    """`text` with each VG_(name) as one word of the same length."""
    return re.sub(r"\bVG_\((\w+)\)", r"VGQ_\1Q", text)


def unhidden(text: str) -> str:
    return re.sub(r"\bVGQ_(\w+?)Q\b", r"VG_(\1)", text)


def formatted(texts: Mapping[Path, str]) -> dict[Path, str]:
    """Each file's text as clang-format has it.

    Copies are formatted, all by one clang-format: to start it takes longer than to format
    a file.  Only the names of the files matter, they need not be there.
    """
    if not texts:
        return {}
    with tempfile.TemporaryDirectory(prefix="format_c.") as name:
        folder = Path(name)
        shutil.copy(SETTINGS, folder)
        copies = {}
        for number, (path, text) in enumerate(texts.items()):
            copies[path] = folder / str(number) / path.name
            copies[path].parent.mkdir()
            copies[path].write_text(hidden(text), encoding="utf-8")
        result = subprocess.run(
            [CLANG_FORMAT, "-i", *map(str, copies.values())],
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            raise FormatError(f"{CLANG_FORMAT}: {result.stderr.strip()}")
        return {
            path: unhidden(copy.read_text(encoding="utf-8"))
            for path, copy in copies.items()
        }


def read(paths: Iterable[Path]) -> dict[Path, str]:
    texts = {}
    for path in paths:
        try:
            texts[path] = path.read_text(encoding="utf-8")
        except OSError as error:
            raise FormatError(f"{path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise FormatError(f"{path}: {error}") from error
    return texts


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("files", nargs="*", type=Path, help="these files (default: all)")
    options = parser.parse_args(arguments)
    if shutil.which(CLANG_FORMAT) is None:
        print(f"format_c.py: {CLANG_FORMAT} is not installed", file=sys.stderr)
        return 2
    try:
        texts = read(options.files or sources())
        wanted = formatted(texts)
        changed = [path for path in texts if wanted[path] != texts[path]]
        for path in changed:
            print(path)
            if not options.check:
                path.write_text(wanted[path], encoding="utf-8")
    except (FormatError, OSError) as error:
        print(f"format_c.py: {error}", file=sys.stderr)
        return 2
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
