# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rule for threads that take the place of dead ones.  The core uses the number of a
# dead thread again, and the distribution's callgrind then goes on with the dead one's
# call stack: it books the start of the new thread on the function in which the old one
# ended, and the whole new thread in the old one's inclusive cost.  Ours begins anew.
#
# Owns: taking that nesting apart.  With S[i] the inclusive cost of what thread i calls
# first, and c what it runs before that call, the distribution says S[1] + c + S[2] + c +
# S[3] for the first, S[2] + c + S[3] for the second...; so the sum of all S[i] is what it
# says of the first less the cost c that it booked on the wrong function.

"""Take apart threads that the distribution's callgrind nests in one another."""

from __future__ import annotations

from profile_file.model import FunctionKey, Vector, add_vector, new_vector
from tests.differential.code_map import CodeMap, Place, split_context
from tests.differential.flat_profile import Call, Flat


def separate_threads(
    stock: Flat, owners: dict[Place, FunctionKey], code: CodeMap
) -> tuple[set[FunctionKey], int]:
    """The functions concerned, and how many arcs were of nested threads."""
    starters = {
        owner
        for place, owner in owners.items()
        if code.is_system_call(place)
    }
    nested: dict[tuple[Place, FunctionKey], list[Call]] = {}
    for call in stock.arcs:
        callee, starter = split_context(call.callee)[0], owners.get(call.site.place)
        if split_context(call.caller)[0] == callee != starter and starter in starters:
            nested.setdefault((call.site.place, callee), []).append(call)
    touched: set[FunctionKey] = set()
    for (place, callee), calls in nested.items():
        first = [
            call
            for call in stock.arcs
            if call.site.place == place
            and split_context(call.callee)[0] == callee
            and split_context(call.caller)[0] == owners[place]
        ]
        if first:
            _separate(stock, owners, first, calls)
            touched |= {callee, owners[place]}
    return touched, sum(map(len, nested.values())) if touched else 0


def _separate(
    stock: Flat, owners: dict[Place, FunctionKey], first: list[Call], calls: list[Call]
) -> None:
    """Make one arc of those that start the first threads and those nested in them."""
    callee = split_context(first[0].callee)[0]
    starter = owners[first[0].site.place]
    numbers = new_vector(stock.events + 1)
    for call in first:
        add_vector(numbers, stock.arcs.pop(call))
    for call in calls:
        numbers[0] += stock.arcs.pop(call)[0]
    wrong = _give_back(stock, owners, starter, callee)
    add_vector(numbers, [0, *(-value for value in wrong)])
    stock.add_arc(Call(starter, first[0].site, callee), numbers)


def _give_back(
    stock: Flat,
    owners: dict[Place, FunctionKey],
    starter: FunctionKey,
    callee: FunctionKey,
) -> Vector:
    """Book the starter's code on the starter; returns how much was on the callee."""
    total = new_vector(stock.events)
    for spot, functions in stock.costs.items():
        if owners.get(spot.place) != starter:
            continue
        for function in [name for name in functions if split_context(name)[0] == callee]:
            cost = functions.pop(function)
            add_vector(total, cost)
            stock.add_cost(spot, starter, cost)
    return total
