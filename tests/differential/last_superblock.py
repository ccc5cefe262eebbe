# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rule for the last superblock of a process or thread.  The distribution's callgrind
# counts a superblock when the next one begins, so it loses the one with the system call
# that ends a thread, unless a later thread takes its place; ours counts it.
#
# So it is when a client request switches instrumentation off: each time.
#
# But the system call itself, an event of its own with --collect-systime, the
# distribution's has in the inclusive costs.
#
# Owns: what such a superblock looks like in a comparison of costs per instruction, and
# which arcs' inclusive costs it changes.

"""Find last superblocks, and the arcs that lead to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from profile_file.model import FunctionKey, Vector
from tests.differential.code_map import CodeMap, Place
from tests.differential.flat_profile import Spot
from tests.differential.machine_code import Flow, LONGEST

# The most instructions that the core puts into a superblock (its default).
LARGEST = 50
# The process ends in one, and the last thread that ended before it in another.
MOST_BLOCKS = 2

# An arc without recursion levels: caller, call site, callee.
ArcEnds = tuple[FunctionKey, Place, FunctionKey]


@dataclass
class LastBlock:
    """Instructions in a row that ours counts more often, up to a system call (once) or a
    client request (as often as it switched instrumentation off)."""

    spots: list[Spot]
    cost: Vector
    function: FunctionKey


def find_last_blocks(
    surplus: dict[Spot, Vector], owners: dict[Place, FunctionKey], code: CodeMap
) -> list[LastBlock]:
    """The blocks among the spots where ours has more; none if there are too many."""
    by_place = {spot.place: spot for spot in surplus}
    blocks, ends_of_threads = [], 0
    for spot in sorted(surplus):
        flow, times = code.instruction(spot.place).flow, surplus[spot][0]
        if flow not in (Flow.SYSCALL, Flow.REQUEST) or min(surplus[spot]) < 0:
            continue
        events = len(surplus[spot])
        spots = [spot]
        while surplus[spots[-1]][0] == times:
            before = _instruction_before(spots[-1].place, by_place)
            if before is None or surplus[by_place[before]][0] != times:
                break
            if code.instruction(before).flow not in (Flow.ONWARD, Flow.REPEATED):
                break
            spots.append(by_place[before])
        fits = times == 1 or (flow is Flow.REQUEST and times > 0)
        if fits and len(spots) <= LARGEST and spot.place in owners:
            cost = [sum(surplus[item][i] for item in spots) for i in range(events)]
            blocks.append(LastBlock(spots, cost, owners[spot.place]))
            ends_of_threads += flow is Flow.SYSCALL
    return blocks if ends_of_threads <= MOST_BLOCKS else []


def _instruction_before(place: Place, known: dict[Place, Spot]) -> Optional[Place]:
    for address in range(place.address - 1, place.address - 1 - LONGEST, -1):
        if place._replace(address=address) in known:
            return place._replace(address=address)
    return None


def _is_by(change: Vector, block: LastBlock) -> bool:
    """Whether an arc grew by the block: by its instructions, and by as much of each other
    event as the distribution's has not counted."""
    count, instructions, *others = change
    return (count, instructions) == (0, block.cost[0]) and all(
        more in (0, whole) for more, whole in zip(others, block.cost[1:])
    )


def arcs_to_the_end(
    changes: dict[ArcEnds, Vector], blocks: list[LastBlock]
) -> set[ArcEnds]:
    """The arcs whose inclusive cost grew by what they led to: a last superblock.

    `changes` has, for each arc, what ours has more: of the count and of each event."""
    found: set[ArcEnds] = set()
    for block in blocks:
        leading, grown = {block.function}, True
        while grown:
            grown = False
            for arc, change in changes.items():
                if arc not in found and arc[2] in leading and _is_by(change, block):
                    found.add(arc)
                    leading.add(arc[0])
                    grown = True
    return found
