# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rule for calls that were open when a part began, or when costs were set to zero.
# They were counted before.  What they cost afterwards is an arc with an inclusive cost
# and, if it was not taken again, without calls.  The distribution's callgrind writes
# calls=0, behind which callgrind_annotate takes the cost for the caller's own.  Here such
# an arc has as many calls as are open.
#
# Owns: counting them in the distribution's profile, too.  How many were open only ours
# says; checked is that there is one, and that the arc is not taken for one that both
# counted.  dumps/parts.vgtest and its neighbours hold the numbers.

"""Count the calls that are open at the beginning of a part."""

from __future__ import annotations

from profile_file.model import Vector
from tests.differential.flat_profile import Flat


def count_open_calls(stock: Flat, ours: Flat) -> int:
    """Changes `stock`; returns at how many arcs."""
    counted = 0
    for call, there in stock.arcs.items():
        here = ours.arcs.get(call)
        if here is not None and _may_be_open(there, here, ours.parts):
            there[0] = here[0]
            counted += 1
    return counted


def _may_be_open(there: Vector, here: Vector, parts: int) -> bool:
    """Of one part: there it has no call.  Of several, added up: each call there may be
    open at the beginning of each part but the first."""
    if not any(there[1:]) or here[0] <= there[0]:
        return False
    return here[0] <= there[0] * parts if parts > 1 else there[0] == 0
