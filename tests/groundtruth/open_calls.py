# SPDX-License-Identifier: GPL-2.0-or-later
#
# The calls that were under way when a process was forked.  They are its parent's, but
# what they cost from then on is the child's, and an arc with an inclusive cost has calls:
# those that it counted itself, or, if there was none, those that are open.
#
# Owns: which calls these are, and which counts of an arc are right.

"""What a forked process shows of calls that its parent made."""

from __future__ import annotations

from collections import Counter

from tests.groundtruth.measuring import Truth

OUTSIDE = ""  # as a caller
# A function that forks is open, too: it returns in the child.
FORKING = "fork"


def open_calls(truth: Truth, is_flat: bool) -> Counter[tuple[str, str]]:
    """By caller and callee.  None for a process that was not forked."""
    calls: Counter[tuple[str, str]] = Counter()
    paths = truth.flat_paths if is_flat else truth.paths
    at = truth.open_flat_path if is_flat else truth.open_path
    callee = FORKING
    while at:
        at, caller, _ = paths[at]
        calls[caller, callee] += 1
        callee = caller
    if calls:
        calls[OUTSIDE, callee] += 1
    return calls


def agrees(shown: int, made: int, were_open: int) -> bool:
    """May an arc show so many calls, of which so many were made, and open before?

    Arcs of one caller and callee by several contexts are added up: some of them may have
    new calls, others those that are open."""
    if made == 0:
        return shown == were_open
    return made <= shown <= made + were_open
