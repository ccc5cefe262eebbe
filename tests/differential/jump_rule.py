# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rule for jumps within a function, as --collect-jumps=yes counts them.  Jumps that
# leave their function are arcs here, or lead back to a function under way: explaining.py
# counts those.
#
# Owns: these claims, checked for every jump.
#   - It was followed as often here as there; in each context, unless another rule
#     has touched the function.  One to its own function's start is an arc there.
#   - Here, a conditional jump was executed as often as its instruction, and a direct one
#     that is not conditional was followed as often.  There, superblocks in which a
#     conditional jump was never followed are left out: not more executions than here.
#   - A part has no line for a jump that was not followed while it was counted, by a
#     context.  So there are less executions here, too, where parts have been added up, or
#     contexts of one name (callers may be namesakes).
#   - A repeated instruction jumps to itself conditionally here.  There, it does so
#     unconditionally in superblocks that know the number of repetitions.

"""Compare jumps within functions."""

from __future__ import annotations

from collections import Counter
from typing import Iterator, Mapping, Optional, Sequence

from profile_file.model import FunctionKey, Vector, add_vector, new_vector
from tests.differential.code_map import CodeMap, Place, callers_named, split_context
from tests.differential.context_rule import TouchedContexts
from tests.differential.flat_profile import Flat, Leap
from tests.differential.machine_code import Flow

# What a difference is called, what stock has, what ours has.
Finding = tuple[str, Optional[Vector], Optional[Vector]]


class JumpComparison:
    """The jumps of two profiles; `touched` are the contexts that may differ."""

    def __init__(
        self,
        stock: Flat,
        ours: Flat,
        owners: dict[Place, FunctionKey],
        touched: TouchedContexts,
        code: CodeMap,
        toggles: Sequence[str],
        executions: Mapping[Place, int],  # in ours
    ) -> None:
        self.stock, self.ours, self.code = stock, ours, code
        self.owners, self.touched = owners, touched
        self.collects_always = not toggles
        self.executions = executions
        self.explained: Counter[str] = Counter()
        self.ran: Counter[tuple[FunctionKey, Place]] = Counter()  # where jumps are
        sites = {leap.site for leap in ours.leaps}
        functions_known: set[FunctionKey] = set()
        for spot, functions in ours.costs.items():
            functions_known.update(functions)
            if spot.place in sites:
                for function, cost in functions.items():
                    self.ran[function, spot.place] += cost[0]
        known = {split_context(function)[0] for function in functions_known}
        names = Counter(function.name for function in known)
        self.namesakes = {name for name, times in names.items() if times > 1}

    def findings(self) -> Iterator[Finding]:
        yield from self._compare_over_levels()
        yield from self._compare_levels()
        yield from self._check_executions()

    def _is_one_context(self, function: FunctionKey) -> bool:
        """Whether all its jumps were counted by one context, in one part."""
        return self.ours.parts == 1 and self.namesakes.isdisjoint(callers_named(function))

    def _leaves(self, site: Place, target: Place) -> bool:
        return self.owners.get(site) != self.owners.get(target)

    def _compare_over_levels(self) -> Iterator[Finding]:
        there, here = _by_places(self.stock), _by_places(self.ours)
        restarts = self._restarts()
        for site, target in {**there, **here}:
            stock, ours = there.get((site, target)), here.get((site, target))
            if self._leaves(site, target):
                if ours is not None:
                    yield f"{site} -> {target} leaves its function", stock, ours
                self.explained["jump"] += 1
            elif self._may_be_uncollected(stock, ours):
                self.explained["uncollected"] += stock != ours
            elif stock is None and ours is not None and restarts[site] == ours[1]:
                self.explained["jump"] += 1
            elif stock is None or ours is None or stock[1] != ours[1]:
                yield f"{site} -> {target}", stock, ours
            elif stock[0] > self.executions[site]:
                yield f"{site} -> {target} executed", stock, [self.executions[site]]
            else:
                self.explained["jump executed"] += stock[0] != ours[0]

    def _may_be_uncollected(
        self, stock: Optional[Vector], ours: Optional[Vector]
    ) -> bool:
        """Jumps while collection is off, which stock counts; the others are in both."""
        if self.collects_always or stock is None:
            return False
        return ours is None or stock[1] >= ours[1]

    def _restarts(self) -> Counter[Place]:
        """How often each jump was an arc there from a function to itself."""
        found: Counter[Place] = Counter()
        for call, numbers in self.stock.arcs.items():
            place = call.site.place
            is_call = self.code.instruction(place).flow is Flow.CALL
            if not is_call and split_context(call.callee)[0] == self.owners.get(place):
                found[place] += numbers[0]
        return found

    def _compare_levels(self) -> Iterator[Finding]:
        there, here = _by_functions(self.stock), _by_functions(self.ours)
        jumps = {**there, **here}
        together = self.touched.keys(
            ((split_context(function)[0], site, target), (function,))
            for function, site, target in jumps
        )
        for key in jumps:
            function, site, target = key
            if (split_context(function)[0], site, target) in together:
                continue
            if self._leaves(site, target):
                continue
            leap = Leap(function, site, target, conditional=True)
            if leap in self.stock.leaps and leap in self.ours.leaps:
                executed = [self.stock.leaps[leap][0]], [self.ours.leaps[leap][0]]
                if executed[0] > executed[1] and self._is_one_context(function):
                    yield f"{function.name} @ {site} -> {target} executed", *executed
            stock, ours = there.get(key, Counter()), here.get(key, Counter())
            name = f"{function.name} @ {site} -> {target}"
            if site == target:
                self.explained["repeated"] += stock != ours
                if sum(stock.values()) != sum(ours.values()) or ours[False]:
                    yield name, [*stock.values()], [*ours.values()]
            elif stock != ours and (
                self.collects_always or sum(stock.values()) < sum(ours.values())
            ):
                yield name, [*stock.values()], [*ours.values()]

    def _check_executions(self) -> Iterator[Finding]:
        """Ours, against how often each of its instructions ran."""
        followed: Counter[tuple[FunctionKey, Place]] = Counter()
        for leap, numbers in self.ours.leaps.items():
            at = (leap.function, leap.site)
            short = numbers[0] - self.ran[at]
            if not self._is_one_context(leap.function):
                short = max(0, short)
            if leap.conditional and short:
                yield f"{leap.site} -> {leap.target} of {self.ran[at]}", None, numbers
            followed[at] += numbers[1]
        for at, count in followed.items():
            is_direct = self.code.instruction(at[1]).flow is Flow.JUMP
            ran = self.ran[at]
            if count > ran or is_direct and count != ran:
                yield f"{at[0].name} @ {at[1]} executed, followed", None, [ran, count]


def _by_places(flat: Flat) -> dict[tuple[Place, Place], Vector]:
    """[executed, followed] by site and target."""
    found: dict[tuple[Place, Place], Vector] = {}
    for leap, numbers in flat.leaps.items():
        add_vector(found.setdefault((leap.site, leap.target), new_vector(2)), numbers)
    return found


def _by_functions(
    flat: Flat,
) -> dict[tuple[FunctionKey, Place, Place], Counter[bool]]:
    """How often followed, conditionally or not, by function with level."""
    found: dict[tuple[FunctionKey, Place, Place], Counter[bool]] = {}
    for leap, numbers in flat.leaps.items():
        key = (leap.function, leap.site, leap.target)
        found.setdefault(key, Counter())[leap.conditional] += numbers[1]
    return found
