# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a generated program is: the data that kinds/ make, building.py builds, measuring.py
# runs and checker.py judges by.
#
# Owns: these data classes, and how a function's name becomes an identifier of C.

"""The data classes of a generated program and of what it may do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Optional

# The beginning of the names of call trees that a run writes.
TREE_STEM = "callgrind.tree"
FLAT_OPTION = "--tail-calls=flat"


@dataclass
class Library:
    """A shared library, libNAME.so, which the program links to or opens."""

    name: str
    sources: dict[str, str]  # file name -> text
    flags: list[str] = field(default_factory=list)  # beside the case's, and -fPIC
    link_flags: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)  # names of libraries built before
    linked: bool = True  # by the executable; otherwise it is opened at run time


@dataclass
class Rules:
    """What the checker is to allow or to demand beyond the default.

    Patterns are those of fnmatch, and are compared with the names of functions as the
    profile has them, without recursion levels.
    """

    # Functions, of the program or not, that may have activations without a caller.
    roots: list[str] = field(default_factory=list)
    # Arcs from the program's functions to the outside that nobody counts:
    # (pattern of the caller, pattern of the callee).
    uncounted: list[tuple[str, str]] = field(default_factory=list)
    # Who outside of the program may call a function of it: name -> patterns.
    # A function that is not named here may be called by anyone outside.
    callers: dict[str, list[str]] = field(default_factory=dict)
    exit_status: int = 0  # as subprocess has it: negative for a signal
    processes: int = 1  # that write their truth, and a profile each
    prints: bool = True  # something must stand on stdout
    complaints: list[str] = field(default_factory=list)  # regexes of lines on stderr
    conserves: bool = True  # the conservation law is checked
    # Functions for which the law is not checked, and why.
    unconserved: dict[str, str] = field(default_factory=dict)
    # Why the paths of the call tree are not as the program counts them: no word if they
    # are.
    uncounted_paths: str = ""
    # The program counts the paths in which tail calls are flat, even so.
    counts_flat_paths: bool = False
    # Why it does not, though it counts the others.
    uncounted_flat_paths: str = ""
    # What each call of a function costs itself: function -> event -> cost.  Events that
    # are not counted in the run are passed over.
    cost_of_call: dict[str, dict[str, int]] = field(default_factory=dict)
    # No arc's inclusive cost exceeds the total; nested activations of recursion may.
    bounded_arcs: bool = False
    peak_memory: Optional[int] = None  # in kilobytes, of the whole run


@dataclass
class Case:
    """All that a generated program is."""

    kind: str
    seed: int
    sources: dict[str, str]  # file name -> text, of the executable: .c, .cpp, .S
    functions: list[str]  # the functions of the program, as the profile names them
    compiler: str = "gcc"
    flags: list[str] = field(default_factory=list)
    link_flags: list[str] = field(default_factory=list)
    libraries: list[Library] = field(default_factory=list)
    # Functions of no concern themselves, of which calls are counted: name -> patterns of
    # the names that the profile may have for it.
    outside: dict[str, list[str]] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)  # of callgrind
    # May run with the tool's own checks: they cost as much again for each frame.
    may_be_checked: bool = True
    # May keep its call tree: a node for each frame of the deepest recursion.
    may_have_tree: bool = True
    # Is about tail calls: runs with flat ones, too, whatever the seed.
    has_tail_calls: bool = False
    may_have_flat_tree: bool = False  # with flat tail calls even so
    rules: Rules = field(default_factory=Rules)
    description: str = ""  # one line on the variant, for the report

    @property
    def label(self) -> str:
        return f"{self.kind}/{self.seed}"


class CaseError(Exception):
    """A program that could not be built, run or judged: what and why."""


class CaseUnavailable(Exception):
    """A program that cannot be built here, for want of something: what."""


def identifier(name: str) -> str:
    """`ns::f(int)` -> ns_f_int: for fn_... in C."""
    return re.sub(r"\W+", "_", re.sub(r"^\W+|\W+$", "", name))
