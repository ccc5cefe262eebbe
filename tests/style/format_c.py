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
from pathlib import Path
from typing import Iterator, Optional, Sequence

REPOSITORY = Path(__file__).resolve().parents[2]
# Versions differ in details; this one is in Debian 12, 13 and later.
CLANG_FORMAT = "clang-format-19"
FOLDERS = ("callgrind", "sampler", "coregrind", "include")
# Their expectations name lines.
NOT_FORMATTED = ("callgrind/tests/", "callgrind/report/")


class FormatError(Exception):
    """clang-format cannot be run, or does not take a file."""


def sources(repository: Path = REPOSITORY) -> Iterator[Path]:
    """The files that are formatted."""
    for folder in FOLDERS:
        for path in sorted((repository / folder).rglob("*.[ch]")):
            name = path.relative_to(repository).as_posix()
            if not name.startswith(NOT_FORMATTED):
                yield path


def formatted(text: str, path: Path) -> str:
    """`text` as clang-format has it; `path` says where the settings are."""
    words = re.sub(r"\bVG_\((\w+)\)", r"VGQ_\1Q", text)
    result = subprocess.run(
        [CLANG_FORMAT, f"--assume-filename={path}"],
        input=words,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise FormatError(f"{path}: {result.stderr.strip()}")
    return re.sub(r"\bVGQ_(\w+?)Q\b", r"VG_(\1)", result.stdout)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("files", nargs="*", type=Path, help="these files (default: all)")
    options = parser.parse_args(arguments)
    if shutil.which(CLANG_FORMAT) is None:
        print(f"format_c.py: {CLANG_FORMAT} is not installed", file=sys.stderr)
        return 2
    status = 0
    for path in options.files or sources():
        try:
            text = path.read_text(encoding="utf-8")
            wanted = formatted(text, path)
        except (FormatError, OSError, UnicodeDecodeError) as error:
            print(f"format_c.py: {path}: {error}", file=sys.stderr)
            return 2
        if wanted != text:
            print(path)
            status = 1
            if not options.check:
                path.write_text(wanted, encoding="utf-8")
    return status if options.check else 0


if __name__ == "__main__":
    sys.exit(main())
