# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rule for stubs of the procedure linkage table that one side shows and the other does
# not: with --skip-plt=yes the distribution's callgrind looks through .plt only, ours
# through .plt.got and .plt.sec, too.
#
# Owns: taking such stubs out of the distribution's flat profile.  What a stub cost goes
# to its call sites, and its arcs become arcs of its callers, all by arithmetic that has
# one solution; what does not add up afterwards is found by the comparison like any other
# difference.  Misses are not the same for each call: which call had them only ours
# knows, and they have to be as many in all as the stub had.

"""Take stubs out of a flat profile."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Optional

from profile_file.model import FunctionKey, Vector, add_vector, new_vector
from tests.differential.code_map import CodeMap, NAMELESS, Place, split_context
from tests.differential.comparison import LINE_USE, TIMES
from tests.differential.flat_profile import Call, Flat, Spot

RESOLVER = "_dl_runtime_"
# What each pass through a stub has as much of as any other.
EVEN = frozenset(("Ir", "Dr", "Dw", "Bc", "Bi", "Ge", "sysCount", *TIMES))


@dataclass
class _Stub:
    """What the profile says of one stub, recursion levels together."""

    cost: Vector
    spots: list[tuple[Spot, FunctionKey]] = field(default_factory=list)
    entries: list[Call] = field(default_factory=list)
    exits: list[Call] = field(default_factory=list)


def dissolve_stubs(stock: Flat, ours: Flat, code: CodeMap) -> tuple[set[Spot], int]:
    """The call sites whose calls now end behind a stub, and how many stubs went."""
    stubs = _stubs_shown(stock, code)
    shown_by_us = _stubs_shown(ours, code)
    sites: set[Spot] = set()
    dissolved = 0
    for function, stub in stubs.items():
        if function in shown_by_us:
            continue
        per_call, first = _solve(stub, stock, ours)
        if per_call is None:
            continue
        shares = _shares(stub, stock, ours, per_call, first)
        if shares is None:
            continue
        _replace(stub, stock, shares, first)
        stock.old_names.add(function.name)
        sites |= {call.site for call in stub.entries}
        dissolved += 1
    return sites, dissolved


def _stubs_shown(flat: Flat, code: CodeMap) -> dict[FunctionKey, _Stub]:
    @lru_cache(maxsize=None)  # asked for every instruction of a function
    def is_stub(function: FunctionKey) -> bool:
        nameless = NAMELESS.match(split_context(function)[0].name)
        return nameless is not None and code.is_stub(
            Place(function.object_file, int(nameless[1], 16))
        )

    found: dict[FunctionKey, _Stub] = {}

    def stub_of(function: FunctionKey) -> _Stub:
        key = split_context(function)[0]
        return found.setdefault(key, _Stub(new_vector(flat.events)))

    for spot, functions in flat.costs.items():
        for function, cost in functions.items():
            if is_stub(function):
                add_vector(stub_of(function).cost, cost)
                stub_of(function).spots.append((spot, function))
    for call in flat.arcs:
        if is_stub(call.callee):
            stub_of(call.callee).entries.append(call)
        if is_stub(call.caller):
            stub_of(call.caller).exits.append(call)
    return found


def _is_resolver(call: Call) -> bool:
    return call.callee.name.startswith(RESOLVER)


def _solve(
    stub: _Stub, stock: Flat, ours: Flat
) -> tuple[Optional[Vector], Optional[Call]]:
    """What a call through the stub costs, and the one that bound it, if any did.

    Binding costs more than passing.  Which call bound the stub only ours knows, by the
    resolver's arc; whether that is right follows from the sums."""
    targets = {split_context(c.callee)[0] for c in stub.exits if not _is_resolver(c)}
    if len(targets) != 1 or not stub.entries:
        return None, None
    calls = sum(stock.arcs[call][0] for call in stub.entries)
    first = _binding_call(stub, ours) if any(map(_is_resolver, stub.exits)) else None
    if first is None:
        if any(stub.cost[i] % calls for i in _even(stock)):
            return None, None
        return [total // calls for total in stub.cost], None
    for call in stub.entries:
        if call.site != first.site:
            there, here = stock.sum_at(call.site), ours.sum_at(call.site)
            passed = sum(
                stock.arcs[other][0] for other in stub.entries if other.site == call.site
            )
            return [(new - old) // passed for old, new in zip(there, here)], first
    return new_vector(stock.events), first


def _binding_call(stub: _Stub, ours: Flat) -> Optional[Call]:
    resolved = {call.site for call in ours.arcs if _is_resolver(call)}
    bound = [call for call in stub.entries if call.site in resolved]
    return bound[0] if len(bound) == 1 else None


def _even(flat: Flat) -> list[int]:
    """The events of which each call has as much as any other."""
    names = flat.names or ("Ir",) * flat.events
    return [i for i, name in enumerate(names) if name in EVEN]


def _shares(
    stub: _Stub, stock: Flat, ours: Flat, per_call: Vector, first: Optional[Call]
) -> Optional[dict[Call, Vector]]:
    """What the stub cost each of its callers; None if that is not what it cost in all."""
    even, rest = _even(stock), list(stub.cost)
    shares: dict[Call, Vector] = {}
    for call in stub.entries:
        there = stock.costs.get(call.site, {}).get(call.caller, new_vector(stock.events))
        here = ours.costs.get(call.site, {}).get(call.caller, new_vector(stock.events))
        count = stock.arcs[call][0]
        shares[call] = [
            count * per_call[i] if i in even else here[i] - there[i]
            for i in range(stock.events)
        ]
        add_vector(rest, [-value for value in shares[call]])
    if first is not None:  # binding costs more than passing
        for i in even:
            shares[first][i] += rest[i]
            rest[i] = 0
    uneven = [i for i in range(stock.events) if i not in even]
    return None if any(rest[i] for i in uneven) else shares


def _replace(
    stub: _Stub, stock: Flat, shares: dict[Call, Vector], first: Optional[Call]
) -> None:
    (target,) = {split_context(c.callee)[0] for c in stub.exits if not _is_resolver(c)}
    binding = {c.callee: stock.arcs[c] for c in stub.exits if _is_resolver(c)}
    for call in stub.entries:
        count, *inclusive = stock.arcs.pop(call)
        moved = shares[call]
        if call == first:
            for callee, numbers in binding.items():
                stock.add_arc(Call(call.caller, call.site, callee), numbers)
                add_vector(inclusive, [-value for value in numbers[1:]])
        stock.add_cost(call.site, call.caller, moved)
        inside = [i for i, name in enumerate(stock.names) if name not in LINE_USE]
        left = list(inclusive)
        for i in inside or range(stock.events):
            left[i] -= moved[i]
        stock.add_arc(Call(call.caller, call.site, target), [count, *left])
    for call in stub.exits:
        stock.arcs.pop(call)
    for spot, function in stub.spots:
        del stock.costs[spot][function]
