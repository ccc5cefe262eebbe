# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes webs (web.py) that surely do what their kind is about.
#
# Owns: the statements that each function has whatever else is drawn, and a main that
# calls until its fuel is used up.  A web drawn freely may end before anything happens.

"""Webs of functions that use up their fuel."""

from __future__ import annotations

import random
from typing import Sequence

from tests.groundtruth.kinds import web

# So many calls at most: a function may use no fuel when its depth is used up.
MOST_CALLS = 40


def repeated(call: str, most: int = MOST_CALLS) -> str:
    """The statement, made while there is fuel."""
    loop = f"for (volatile int calls_ = 0; calls_ < {most} && fuel > 0; calls_++)"
    return f"{loop} {{ {call} }}"


def main_text(first: str, start: int, rounds: int, fuel: int, depth: int) -> str:
    """A main that calls `first` while there is fuel.  Its locals outlive a longjmp."""
    call = f"CALL(main, {first}); sum += {first}(sum + round, {depth}); NO_TAIL_CALL;"
    text = web.main_text([first], start, rounds, fuel, depth)
    if call not in text:
        raise AssertionError("web.main_text() writes another call than busy.py expects")
    return volatile_sum(text.replace(call, repeated(call)))


def function(
    random_: random.Random,
    name: str,
    writers: Sequence[web.CallWriter],
    always: Sequence[web.CallWriter],
    most_statements: int = 3,
) -> str:
    """A function of the web, with a statement by each of `always` among the others."""
    extra = []
    for write in always:
        extra += [web.guarded(write(name)), "NO_TAIL_CALL;"]
    text = web.function(random_, name, writers, most_statements, extra)
    return volatile_sum(text)


def volatile_sum(text: str) -> str:
    """The text of a function whose `sum` outlives a longjmp."""
    return text.replace("   long sum", "   volatile long sum", 1)
