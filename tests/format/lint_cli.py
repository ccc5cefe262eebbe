# SPDX-License-Identifier: GPL-2.0-or-later
#
# What profile_grammar.py and tree_grammar.py have in common: going through files, and
# printing what is wrong with them.
#
# Owns: what a violation is, and the command line of both.  Knows no format: a checker is
# given one line after the other, and then the end.

"""Check whether files keep to a grammar, and print where they do not."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Optional, Protocol, Sequence, TextIO

DEFAULT_MOST = 20


@dataclass(frozen=True)
class Violation:
    """One place where a file breaks a rule of the grammar."""

    path: Path
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


class GrammarError(Exception):
    """The line at hand breaks a rule."""


class Checker(Protocol):
    """Raises GrammarError; goes on with the next line after that."""

    def check(self, number: int, text: str) -> None:
        """A line with its end."""

    def finish(self) -> None:
        """The file ends here."""


def check_lines(path: Path, stream: TextIO, checker: Checker) -> Iterator[Violation]:
    """Every violation, in the order of the file; some may follow from an earlier one."""
    number = 0
    for number, text in enumerate(stream, 1):
        try:
            checker.check(number, text)
        except GrammarError as error:
            yield Violation(path, number, str(error))
    try:
        checker.finish()
    except GrammarError as error:
        yield Violation(path, number, str(error))


def lint_files(
    violations: Callable[[Path], Iterator[Violation]],
    description: Optional[str],
    arguments: Optional[Sequence[str]],
) -> int:
    """The command: prints violations.

    Returns the exit status: 1 if there are any, or if a file cannot be read."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    parser.add_argument(
        "--limit",
        type=int,
        default=DEFAULT_MOST,
        metavar="N",
        help="violations to print per file (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    broken = False
    for path in options.files:
        try:
            for count, violation in enumerate(violations(path)):
                broken = True
                if count >= options.limit:
                    print(f"{path}: and more")
                    break
                print(violation)
        except OSError as error:
            print(f"{path}: {error.strerror}", file=sys.stderr)
            broken = True
    return 1 if broken else 0
