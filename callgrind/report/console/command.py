# SPDX-License-Identifier: GPL-2.0-or-later
#
# What callgrind_report and callgrind_export have in common as commands.
#
# Owns: the message for a wrong option, which numbers options take, and how a command
# ends: with its own status; with 2 and a line on stderr if something is wrong; silently
# if the reader of its output has gone.

"""The frame of a command: options, errors, exit status."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import Callable, NoReturn

from console.near_misses import did_you_mean
from console.untrusted_text import one_line, parse_decimal


# What argparse says of a word that it does not know.
_UNKNOWN_OPTION = re.compile(r"unrecognized arguments: (-[^\s=]+)")
_UNKNOWN_WORD = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        message += self._suggestion(message)
        self.exit(2, f"{self.prog}: {one_line(message)}; see {self.prog} --help\n")

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


def run_command(
    name: str, work: Callable[[], int], refusals: tuple[type[Exception], ...]
) -> int:
    """Run `work`; the exit status.

    An exception of `refusals` is printed as one line on stderr."""
    try:
        return work()
    except refusals as error:
        return _refuse(name, str(error))
    except BrokenPipeError:
        # The reader of the pipe has gone; keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{one_line(str(error.filename))}: " if error.filename else ""
        return _refuse(name, f"{where}{error.strerror or error}")
    except KeyboardInterrupt:
        return 130


def _refuse(name: str, what: str) -> int:
    print(f"{name}: {one_line(what)}", file=sys.stderr)
    return 2
