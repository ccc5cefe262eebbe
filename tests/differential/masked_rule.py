# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rule for accesses under a condition, the masked moves of AVX.  While it simulates
# caches, the distribution's callgrind has no room for the data accesses of such an
# instruction: it counts them in what follows in memory, which are the fetches of the
# instruction behind.  An access there is one more Ir of that, a miss one more miss of its
# fetches.  Its inclusive costs are right.
#
# Owns: booking these accesses back.  How many there were only ours says; whether that is
# right shows by what is left of the instruction behind, which is compared as any other.

"""Give the accesses of masked moves back to them."""

from __future__ import annotations

from typing import Optional

from profile_file.model import Vector
from tests.differential.code_map import CodeMap, Place
from tests.differential.flat_profile import Flat, Spot
from tests.differential.machine_code import LONGEST, Masked

# Where a count of data is found: among those of fetches.
COUNTED_AS = {
    "Dr": "Ir",
    "Dw": "Ir",
    "D1mr": "I1mr",
    "D1mw": "I1mr",
    "DLmr": "ILmr",
    "DLmw": "ILmr",
}
# Besides, where the profile has these.
WRITTEN_BACK_AS = {"DLdmr": "ILdmr", "DLdmw": "ILdmr"}
READS = ("Dr", "D1mr", "DLmr", "DLdmr")
WRITES = ("Dw", "D1mw", "DLmw", "DLdmw")


def give_back_masked(stock: Flat, ours: Flat, code: CodeMap) -> int:
    """Changes `stock`; returns of how many instructions it has moved accesses."""
    if not all(event in stock.names for event in COUNTED_AS):
        return 0
    kinds = {spot: code.masked(spot.place) for spot in ours.costs}
    masked = sorted(spot for spot, kind in kinds.items() if kind is not None)
    by_place = {spot.place: spot for spot in ours.costs} if masked else {}
    moved = 0
    for spot in masked:
        kind = kinds[spot]
        behind = _spot_behind(spot, by_place)
        if kind is not None and behind is not None:
            moved += _give_back(stock, ours, spot, behind, kind)
    return moved


def _spot_behind(spot: Spot, known: dict[Place, Spot]) -> Optional[Spot]:
    for address in range(spot.place.address + 1, spot.place.address + 1 + LONGEST):
        found = known.get(spot.place._replace(address=address))
        if found is not None:
            return found
    return None


def _give_back(stock: Flat, ours: Flat, spot: Spot, behind: Spot, kind: Masked) -> int:
    counted_as = {
        event: counted
        for event, counted in {**COUNTED_AS, **WRITTEN_BACK_AS}.items()
        if event in stock.names
    }
    of_kind = READS if kind is Masked.LOAD else WRITES
    wanted = [event for event in of_kind if event in counted_as]
    moved = 0
    for function, cost in ours.costs[spot].items():
        there = stock.costs.get(spot, {}).get(function)
        after = stock.costs.get(behind, {}).get(function)
        if there is None or after is None or not any(cost):
            continue
        counts = {event: _of(stock, cost, event) for event in wanted}
        if any(_of(stock, there, event) for event in counted_as):
            continue  # counted as data: there is nothing to give back
        for event, count in counts.items():
            there[stock.names.index(event)] += count
            after[stock.names.index(counted_as[event])] -= count
            moved += count > 0
    return 1 if moved else 0


def _of(flat: Flat, cost: Vector, event: str) -> int:
    return cost[flat.names.index(event)]
