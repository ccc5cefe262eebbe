#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The second half of `profile --by-clock`: samples a program and reports.  Owns: where
# the tree file goes, and the table made of it.  Relies on profile_run.py for running a
# program as if it were us, and on callgrind_report for the table.
#
#    sample_run.py SAMPLER [--html] [sampler options] PROGRAM [ARGS]
#
# SAMPLER is the callgrind_sample that `profile` has built, beside callgrind_export.

"""Sample a program; then name the tree file and the functions with most of the time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, NoReturn, Optional

from profile_run import (
    PAGE_OPTION,
    REPORT,
    current_folder,
    end_like,
    make_page,
    refuse,
    run,
    say,
    shown,
    suggest,
)

# Options whose value may be the next word.
WITH_VALUE = {"-o", "-p", "--output", "--pid", "--frequency", "--event", "--stack-size",
              "--kernel", "--start", "--control", "--obj-skip", "--test-without",
              "--test-with"}


class Wanted(NamedTuple):
    """What is asked for in front of the program; options end there."""

    arguments: list[str]  # for the sampler
    tree: Optional[str]  # where the user wants it, if that is said
    page: bool
    options: list[str]  # as they were given, without values that are words


def read_arguments(arguments: list[str]) -> Wanted:
    tree, page = None, False
    kept: list[str] = []
    options: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--" or not word.startswith("-"):
            kept += [word, *words]
            break
        if word == PAGE_OPTION:
            page = True
            continue
        kept.append(word)
        options.append(word)
        value = next(words, None) if word in WITH_VALUE else None
        if value is not None:
            kept.append(value)
        if word in ("-o", "--output"):
            tree = value
        elif word.startswith("--output="):
            tree = word.split("=", 1)[1]
        elif word.startswith("-o"):
            tree = word[2:]
    return Wanted(kept, tree, page, options)


def report(tree: Path) -> None:
    """The table goes to stderr: the program's stdout is its own."""
    print(file=sys.stderr, flush=True)
    subprocess.run([sys.executable, str(REPORT), "--", str(tree)],
                   stdin=subprocess.DEVNULL, stdout=2, check=False)


def main() -> NoReturn:
    sampler, arguments = sys.argv[1], sys.argv[2:]
    if not os.access(sampler, os.X_OK):
        refuse("callgrind_sample was not built: install libdw-dev, and remove build/")
    wanted = read_arguments(arguments)
    if not current_folder():
        refuse("the working folder does not exist any more; enter another one")
    tree = Path(wanted.tree or f"callgrind.sample.{os.getpid()}").absolute()
    before = tree.stat().st_mtime_ns if tree.exists() else None
    try:
        status = run([sampler, "-o", str(tree), *wanted.arguments])
    except OSError as error:
        refuse(f"cannot run {sampler}: {error.strerror}")
    try:
        if tree.is_file() and tree.stat().st_mtime_ns != before:
            say(f"wrote {shown(str(tree))}")
            report(tree)
            if wanted.page:
                make_page([str(tree)], str(tree), sampler, [])
        elif os.WIFEXITED(status):
            suggest(wanted.options, [sampler, "--help"])
    except (OSError, KeyboardInterrupt):
        pass  # no one reads our output; still end with the program's status
    end_like(status)


if __name__ == "__main__":
    main()
