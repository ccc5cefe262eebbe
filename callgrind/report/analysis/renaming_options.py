# SPDX-License-Identifier: GPL-2.0-or-later
#
# The options --map-name and --map-path of every command that compares profiles.
#
# Owns: their names, their help and what is said of an expression that is none.  Relies on
# profile_diff.py, which reads the expressions.

"""How names are rewritten before they are compared, on a command line."""

from __future__ import annotations

import argparse

from analysis.profile_diff import Substitution, substitution

OPTIONS = (
    ("--map-name", "function names"),
    ("--map-path", "paths of objects and source files"),
)


def sed_script(text: str) -> Substitution:
    try:
        return substitution(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_renaming(group: argparse._ArgumentGroup, when: str = "") -> None:
    """Adds them; `when` is put in front of the help."""
    for option, what in OPTIONS:
        group.add_argument(
            option,
            metavar="s/REGEX/TEXT/",
            type=sed_script,
            action="append",
            default=[],
            help=f"{when}rewrite {what} before they are compared; may be repeated",
        )
