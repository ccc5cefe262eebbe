# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the commands have in common as commands.
#
# Owns: the message for a wrong option, which numbers options take, and what becomes of
# work that fails: 2 and a line on stderr, whatever the reason.  0, 1 and 3 are verdicts,
# and only work that came to its end gives one.  How the process ends is process.py's.

"""The frame of a command: options, messages, errors."""

from __future__ import annotations

import argparse
import os
import re
import sys
import traceback
from pathlib import Path
from typing import Callable, NoReturn

from console.near_misses import did_you_mean
from console.untrusted_text import one_line, parse_decimal

FAILED = 2  # what a command ends with that has no verdict


# What argparse says of a word that it does not know.
_UNKNOWN_OPTION = re.compile(r"unrecognized arguments: (-[^\s=]+)")
_UNKNOWN_WORD = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        message += self._suggestion(message)
        self.exit(FAILED, f"{self.prog}: {one_line(message)}; see {self.prog} --help\n")

    def _suggestion(self, message: str) -> str:
        option = _UNKNOWN_OPTION.match(message)
        if option is not None:
            return did_you_mean(option.group(1), self._all_options())
        word = _UNKNOWN_WORD.search(message)
        if word is not None:
            return did_you_mean(word.group(1), re.findall(r"[\w-]+", word.group(2)))
        return ""

    def _all_options(self) -> list[str]:
        """Those of commands within the command, too, whose errors come here."""
        found = list(self._option_string_actions)
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    found += parser._option_string_actions
        return found


def number_from(least: int) -> Callable[[str], int]:
    """The type of an option that takes a whole number, `least` or more."""

    def number(text: str) -> int:  # argparse names the function in its message
        value = parse_decimal(text)
        if value < least:
            raise ValueError
        return value

    return number


def tell(name: str, text: str) -> None:
    """A message of the command `name`, on stderr: one line, whatever is in it."""
    print(f"{name}: {one_line(text)}", file=sys.stderr, flush=True)


def show(text: str, end: str = "\n") -> None:
    """Print text on stdout.  A reader of a pipe that has gone has what it wanted: what
    is judged after that is judged all the same."""
    # A character that the terminal's encoding lacks must not end the report.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        print(text, end=end)
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()


def drop_output() -> None:
    """What is written to stdout from now on, and what waits to be, goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def run_command(
    name: str, work: Callable[[], int], refusals: tuple[type[Exception], ...]
) -> int:
    """Run `work`; the exit status.

    An exception of `refusals` is printed as one line on stderr; so is any other, with the
    place of the fault that it must be."""
    try:
        return work()
    except refusals as error:
        tell(name, str(error))
    except Exception as error:  # pylint: disable=broad-except
        tell(name, reason_of(error))
    return FAILED


def reason_of(error: BaseException) -> str:
    """Why a command failed that nobody expected to: one line for the user."""
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and (error.strerror or error.filename):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    frames = traceback.extract_tb(error.__traceback__, -1)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    what = str(error).strip()[:200]
    kind = type(error).__name__
    return f"a fault of this command, please report it: {kind}: {what}{place}"
