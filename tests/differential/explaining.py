# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the distribution's profile with ours where ours is meant to be different.
#
# Owns: the rules below.  Each is a claim that is checked number by number; what no rule
# explains is a difference.  Ground truth is what both profiles agree on (how often each
# instruction ran), what the object files say (code_map.py), and, for jumps, what the
# distribution's --collect-jumps=yes counted.
#
#   owner   Code is booked here on the function that covers it, there on the function
#           that came to it without calling one.  Checked: each instruction costs the
#           same on both sides; ours is booked where symbols or frames say.
#   jump    So a jump or fall-through into another function is an arc here, one there
#           only if it hits a function's first instruction; and jumping back to a
#           function that is still in the chain of such jumps returns to it here.
#           Checked: as many arcs as jumps, fewer only where such a chain exists; and
#           where it does, no arc costs more than there (a jump back costs nothing).
#   level   Where these two have changed who is active, recursion levels and callers
#           are compared together, and one by one elsewhere (context_rule.py).
#   uncollected  While collection is off, calls and jumps have no cost, but count there.
#           Checked: not less than here; the same inclusive cost; and here, at least as
#           many calls as the instruction ran while collection was on.  More are those
#           in which it came on, which count on both sides.
#
# stub_rule.py, last_superblock.py, masked_rule.py, thread_rule.py, open_calls_rule.py and
# jump_rule.py have more, flat_profile.py those of naming.  Calls, by instructions that
# call, are never explained away: each has the same count and inclusive cost on both
# sides.  What the rules cannot decide is how the jumps round a circle of functions divide
# into arcs and returns; only that there are no more returns than arcs.

"""The rules that explain differences from the distribution's callgrind."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Iterable, Iterator, Optional, Sequence

from profile_file.model import FunctionKey, Vector, add_vector, new_vector
from tests.differential.code_map import CodeMap, Place, split_context
from tests.differential.comparison import Difference, LINE_USE, function_name
from tests.differential.context_rule import TouchedContexts
from tests.differential.flat_profile import Call, Flat, Spot
from tests.differential.jump_rule import JumpComparison
from tests.differential.last_superblock import (
    ArcEnds,
    LastBlock,
    arcs_to_the_end,
    find_last_blocks,
)
from tests.differential.machine_code import Flow, LONGEST
from tests.differential.masked_rule import give_back_masked
from tests.differential.open_calls_rule import count_open_calls
from tests.differential.stub_rule import dissolve_stubs
from tests.differential.thread_rule import separate_threads

RULES = {
    "object": "code outside .text is in its own object here, in ??? there",
    "nameless": "functions without name are called by their extent here, by where they "
    "were entered there",
    "stub": "stubs of .plt.got and .plt.sec are looked through here, too",
    "last superblock": "the block with the system call that ends a thread, or with the "
    "request to stop, counts here",
    "masked": "accesses under a mask, which are fetches of the instruction behind there",
    "owner": "instructions booked here on the function that covers them, there on the "
    "one that came to them without a call",
    "thread": "threads are nested there in dead ones whose number they have",
    "jump": "jumps into another function that are an arc on one side only",
    "jump back": "jumps that return to a function in the chain of jumps here",
    "jump executed": "executions of conditional jumps in superblocks where none was "
    "followed, which are left out there",
    "repeated": "string instructions whose number of repetitions is known: jumps to "
    "themselves that are conditional here",
    "level": "costs and arcs of functions touched by those, compared without levels and "
    "callers",
    "uncollected": "calls made while collection was off, which count there",
    "open call": "arcs whose calls were open before, which have none there",
}

Jump = tuple[Place, FunctionKey]  # from an instruction into a function


@dataclass
class Outcome:
    """What the rules explained, and what they did not."""

    differences: list[Difference] = field(default_factory=list)
    explained: Counter[str] = field(default_factory=Counter)

    def differ(
        self, category: str, name: str, stock: Optional[Vector], ours: Optional[Vector]
    ) -> None:
        self.differences.append(
            Difference(
                category,
                name,
                None if stock is None else tuple(stock),
                None if ours is None else tuple(ours),
            )
        )


def base(function: FunctionKey) -> FunctionKey:
    return split_context(function)[0]


def explain(
    stock: Flat, ours: Flat, code: CodeMap, toggles: Sequence[str] = ()
) -> Outcome:
    """Compare two flat profiles of the same run; `stock` is changed on the way.

    Functions that match one of `toggles` switch collection, which starts off."""
    return _Explainer(stock, ours, code, toggles).outcome


class _Explainer:
    def __init__(
        self, stock: Flat, ours: Flat, code: CodeMap, toggles: Sequence[str]
    ) -> None:
        self.stock, self.ours, self.code = stock, ours, code
        self.toggles = toggles
        self.ran = ours.executions()
        self.outcome = Outcome()
        self.outcome.explained.update(stock.renamed)
        self.owners: dict[Place, FunctionKey] = {}
        self.last_blocks: list[LastBlock] = []
        self.arcs_to_the_end: set[ArcEnds] = set()
        self.jumps_there: dict[Jump, Vector] = {}
        self.jumps_here: dict[Jump, Vector] = {}
        self.stub_sites, stubs = dissolve_stubs(stock, ours, code)
        self.outcome.explained["stub"] += stubs
        self.outcome.explained["masked"] += give_back_masked(stock, ours, code)
        self.outcome.explained["open call"] += count_open_calls(stock, ours)
        self._check_owners()
        self.circles: set[Jump] = set()  # jumps that may lead back
        self.impure, threads = separate_threads(stock, self.owners, code)
        self.outcome.explained["thread"] += threads
        self._compare_instructions()
        self._find_moved()
        self._compare_arcs()
        self.touched = TouchedContexts(self.impure, stock.old_names)
        self._compare_levels()
        self._check_conservation()
        self._compare_leaps()
        self._compare_names()

    # --- Costs ----------------------------------------------------------------------

    def _check_owners(self) -> None:
        """Ours books every instruction, and every call site, on its one owner."""
        owners, misplaced = self.owners, self.code.misplaced
        is_described = self.code.is_described
        others = set()  # booked where another function is, too
        for function, place in self._booked_here():
            owner = owners.setdefault(place, function)
            if owner is not function and owner != function:
                others.add((function, place))
        doubtful = []
        for booked in (owners.items(), ((place, name) for name, place in others)):
            for place, function in booked:
                if misplaced(function, place) is not None or not is_described(place):
                    doubtful.append((function, place))
        for function, place in others:
            owners[place] = min(owners[place], function)
        self._check_doubtful(doubtful)

    def _booked_here(self) -> Iterator[tuple[FunctionKey, Place]]:
        """The function of each instruction and call site, most of them several times."""
        for spot, functions in self.ours.costs.items():
            for function, cost in functions.items():
                if any(cost):
                    yield base(function), spot.place
        for call in self.ours.arcs:
            yield base(call.caller), call.site.place

    def _check_doubtful(self, booked: list[tuple[FunctionKey, Place]]) -> None:
        """Code on a function that the files do not name as its owner."""
        places = {place for _, place in booked}
        booked_there: dict[Place, set[FunctionKey]] = {}
        for spot, functions in self.stock.costs.items():
            if spot.place in places:
                booked_there.setdefault(spot.place, set()).update(map(base, functions))
        for function, place in sorted(booked):
            why = self.code.misplaced(function, place)
            there = booked_there.get(place, {function})
            if why is None and there != {function}:
                names = ", ".join(sorted(map(function_name, there)))
                why = f"nothing describes {place}, and it is {names} there"
            if why is not None:
                name = f"{function_name(function)}: {why}"
                self.outcome.differ("owner", name, None, [])

    def _compare_instructions(self) -> None:
        """The base of all else: every instruction has the same cost on both sides."""
        surplus: dict[Spot, Vector] = {}
        for spot in self._spots_that_differ():
            before, after = self.stock.sum_at(spot), self.ours.sum_at(spot)
            if before != after:
                surplus[spot] = [new - old for old, new in zip(before, after)]
        self.last_blocks = find_last_blocks(surplus, self.owners, self.code)
        self.outcome.explained["last superblock"] += len(self.last_blocks)
        explained = {spot for block in self.last_blocks for spot in block.spots}
        for spot in surplus.keys() - explained:
            self.outcome.differ(
                "instruction", str(spot), self.stock.sum_at(spot), self.ours.sum_at(spot)
            )

    def _spots_that_differ(self) -> Iterator[Spot]:
        """Nearly all are the same on both sides, function by function."""
        ours = self.ours.costs
        for spot, there in self.stock.costs.items():
            if ours.get(spot) != there:
                yield spot
        for spot in ours:
            if spot not in self.stock.costs:
                yield spot

    def _find_moved(self) -> None:
        """Which functions have cost elsewhere in the other profile."""
        for spot, functions in self.stock.costs.items():
            owner = self.owners.get(spot.place)
            for function in map(base, functions):
                if owner is not None and function != owner:
                    self.impure |= {function, owner}
                    self.outcome.explained["owner"] += 1

    # --- Arcs -----------------------------------------------------------------------

    def _compare_arcs(self) -> None:
        stock, ours = _by_site(self.stock.arcs), _by_site(self.ours.arcs)
        grown: dict[ArcEnds, Vector] = {}
        for key in {**stock, **ours}:
            there, here = stock.get(key), ours.get(key)
            same_count = there is not None and here is not None and there[0] == here[0]
            if self.code.instruction(key[0]).flow is not Flow.CALL:
                if there is not None:
                    self.jumps_there[key] = there
                if here is not None:
                    self.jumps_here[key] = here
            elif not same_count and not self._is_uncollected(there, here):
                self.outcome.differ("arc", self._arc_name(key), there, here)
            if there and here and there[0] == here[0] and there != here:
                grown[self._ends(key)] = [new - old for old, new in zip(there, here)]
        self._compare_jumps()
        self._check_calls_collected(ours)
        self.arcs_to_the_end = arcs_to_the_end(grown, self.last_blocks)
        for caller, place, callee in grown.keys() - self.arcs_to_the_end:
            key = (place, callee)
            if key in self.circles and all(
                new <= old for old, new in zip(stock[key], ours[key])
            ):
                self.outcome.explained["jump back"] += 1
                continue
            self.outcome.differ("arc", self._arc_name(key), stock[key], ours[key])

    def _is_uncollected(self, there: Optional[Vector], here: Optional[Vector]) -> bool:
        """Whether only calls are missing here, as they are while collection is off."""
        if not self.toggles or there is None:
            return False
        count, *inclusive = [0] * len(there) if here is None else here
        missing = there[0] > count and inclusive == there[1:]
        self.outcome.explained["uncollected"] += missing
        return missing

    def _check_calls_collected(self, ours: dict[Jump, Vector]) -> None:
        """Where stock has more calls, ours has those that were collected, all of them.

        What it has besides were made while collection was off, but something was
        collected in them: not more than there, or they are a difference already."""
        if not self.toggles:
            return
        calls: Counter[Place] = Counter()
        for (place, _), numbers in ours.items():
            if self.code.instruction(place).flow is Flow.CALL:
                calls[place] += numbers[0]
        for place, count in calls.items():
            ran = self.ran.get(place, 0)
            if count < ran:
                self.outcome.differ("arc", f"calls from {place}", [ran], [count])

    def _switches(self, function: FunctionKey) -> bool:
        return any(fnmatchcase(function.name, pattern) for pattern in self.toggles)

    def _ends(self, key: Jump) -> ArcEnds:
        return self.owners.get(key[0], key[1]), *key

    def _arc_name(self, key: Jump) -> str:
        place, callee = key
        caller = self.owners.get(place)
        name = "?" if caller is None else function_name(caller)
        return f"{name} @ {place} -> {function_name(callee)}"

    def _compare_jumps(self) -> None:
        transitions = self._transitions()
        chains = _Ways(
            (self.owners[place], callee)
            for place, callee in self.jumps_here
            if place in self.owners
        )
        ways = _Ways(  # by jumps that are arcs and by those that return
            (self.owners[place], callee)
            for place, callee in (*self.jumps_here, *transitions)
            if place in self.owners
        )
        stacks = _Ways(
            (base(call.caller), base(call.callee)) for call in self.ours.arcs
        )
        entered = self._entered_by_jumps()
        for key in dict.fromkeys((*transitions, *self.jumps_here)):
            place, callee = key
            here = self.jumps_here.get(key, [0])[0]
            there = self.jumps_there.get(key, [0])[0]
            missing = transitions.get(key, 0) - here
            owner = self.owners.get(place)
            if here and owner is not None and ways.lead(callee, owner):
                self.circles.add(key)
                self.impure |= {callee, owner}
            if here == there and not missing:
                continue
            self.impure |= {callee, callee if owner is None else owner}
            if missing > 0 and owner is not None:
                unwinds = self.code.instruction(place).flow is Flow.INDIRECT
                if chains.lead(callee, owner) and missing <= entered[owner]:
                    entered[owner] -= missing  # each return ends one such entry
                    missing = 0
                elif unwinds and stacks.lead(callee, owner):
                    missing = 0
                self.outcome.explained["jump back"] += not missing
            all_here = sum(
                numbers[0]
                for (site, _), numbers in self.jumps_here.items()
                if site == place
            )
            collected = all_here == self.ran.get(place, 0) or self._switches(callee)
            if missing and self.toggles and collected:
                self.outcome.explained["uncollected"] += 1
            elif missing:
                self.outcome.differ("jump-arc", self._arc_name(key), [there], [here])
            else:
                self.outcome.explained["jump"] += here != there

    def _entered_by_jumps(self) -> Counter[FunctionKey]:
        entered: Counter[FunctionKey] = Counter()
        for (_, callee), numbers in self.jumps_here.items():
            entered[callee] += numbers[0]
        return entered

    def _transitions(self) -> Counter[Jump]:
        """How often control went from an instruction into another function uncalled."""
        found: Counter[Jump] = Counter()
        followed: Counter[Place] = Counter()
        for (site, target), count in self.stock.jumps.items():
            followed[site] += count
            owner = self.owners.get(target)
            if owner is not None and owner != self.owners.get(site):
                found[site, owner] += count
        for (site, callee), numbers in self.jumps_there.items():
            followed[site] += numbers[0]
            if callee != self.owners.get(site):
                found[site, callee] += numbers[0]
            else:
                self.outcome.explained["jump"] += 1
                self.impure.add(callee)
        for site in {place for place, _ in self.jumps_here}:
            behind = self._next(site)
            if behind is not None and self.owners[behind] != self.owners[site]:
                found[site, self.owners[behind]] += self.ran[site] - followed[site]
        return found

    def _next(self, site: Place) -> Optional[Place]:
        """Where control goes that does not jump away."""
        instruction = self.code.instruction(site)
        if instruction.flow in (Flow.JUMP, Flow.INDIRECT, Flow.RETURN, Flow.CALL):
            return None
        for address in range(site.address + 1, site.address + 1 + LONGEST):
            if instruction.after not in (None, address):
                continue
            if site._replace(address=address) in self.owners:
                return site._replace(address=address)
        return None

    # --- Recursion levels -----------------------------------------------------------

    def _compare_levels(self) -> None:
        """Functions that no rule touched are equal in each of their contexts."""
        last = {spot for block in self.last_blocks for spot in block.spots}
        for spot, there in self.stock.costs.items():
            here = self.ours.costs.get(spot)
            if here is None or there == here or spot in last or spot in self.stub_sites:
                continue
            functions = {**there, **here}
            together = self.touched.keys((base(item), (item,)) for item in functions)
            for function in functions:
                if base(function) in together:
                    self.outcome.explained["level"] += 1
                elif there.get(function) != here.get(function):
                    self.outcome.differ(
                        "level",
                        f"{function_name(function)} @ {spot}",
                        there.get(function),
                        here.get(function),
                    )
        self._compare_arc_levels()

    def _compare_arc_levels(self) -> None:
        calls = {**self.stock.arcs, **self.ours.arcs}
        different = [
            call
            for call in calls
            if self.stock.arcs.get(call) != self.ours.arcs.get(call)
            and call.site not in self.stub_sites
        ]
        concerned = {_without_contexts(call) for call in different}
        together = self.touched.keys(
            (key, (call.caller, call.callee))
            for key, call in zip(map(_without_contexts, calls), calls)
            if key in concerned
        )
        for call in different:
            if _without_contexts(call) in together:
                self.outcome.explained["level"] += 1
                continue
            there, here = self.stock.arcs.get(call), self.ours.arcs.get(call)
            ends = self._ends((call.site.place, base(call.callee)))
            if (
                there and here and there[0] == here[0] and ends in self.arcs_to_the_end
            ):
                continue
            if self._is_uncollected(there, here):
                continue
            name = f"{function_name(call.caller)} @ {call.site} -> "
            self.outcome.differ("level", name + function_name(call.callee), there, here)

    # --- Conservation ---------------------------------------------------------------

    def _check_conservation(self) -> None:
        """In ours, what comes in by arcs is self cost and what goes out by arcs.

        But for what nobody called: where the process and its threads begin."""
        entered = {call.callee for call in self.ours.arcs}
        there = _balances(self.stock)
        for block in self.last_blocks:
            root = self._root_of(block)
            if root not in entered or any(there.get(root, ())):
                left = there.setdefault(root, new_vector(self.stock.events))
                add_vector(left, block.cost)
        for function, left in _balances(self.ours).items():
            if any(left) and function in entered and there.get(function) != left:
                self.outcome.differ(
                    "balance", function_name(function), there.get(function), left
                )

    def _root_of(self, block: LastBlock) -> FunctionKey:
        """Where the thread began that ended in the block."""
        callers = {callee: caller for caller, _, callee in self.arcs_to_the_end}
        root, seen = block.function, set()
        while root in callers and root not in seen:
            seen.add(root)
            root = callers[root]
        return root

    def _compare_leaps(self) -> None:
        comparison = JumpComparison(
            *(self.stock, self.ours, self.owners, self.touched, self.code),
            *(self.toggles, self.ran),
        )
        for name, there, here in comparison.findings():
            self.outcome.differ("jump", name, there, here)
        self.outcome.explained.update(comparison.explained)

    def _compare_names(self) -> None:
        """Functions of one name are of the same files on both sides."""
        files: dict[tuple[str, str], set[str]] = {}
        for function in _functions(self.stock):
            files.setdefault((function.object_file, function.name), set()).add(
                function.source_file
            )
        for function in sorted(_functions(self.ours)):
            known = files.get((function.object_file, function.name))
            if known is not None and function.source_file not in known:
                self.outcome.differ("function", function_name(function), None, [])


def _without_contexts(call: Call) -> Call:
    return Call(base(call.caller), call.site, base(call.callee))


def _functions(flat: Flat) -> set[FunctionKey]:
    found = {base(name) for functions in flat.costs.values() for name in functions}
    return found | {base(call.callee) for call in flat.arcs}


def _balances(flat: Flat) -> dict[FunctionKey, Vector]:
    """Self cost plus what goes out by arcs minus what comes in."""
    balance: dict[FunctionKey, Vector] = {}
    unbound = [i for i, name in enumerate(flat.names) if name in LINE_USE]
    for functions in flat.costs.values():
        for function, cost in functions.items():
            known = balance.get(function)
            if known is None:
                balance[function] = list(cost)
            else:
                add_vector(known, cost)
    for call, numbers in flat.arcs.items():
        inclusive = numbers[1:]
        add_vector(balance.setdefault(call.caller, new_vector(flat.events)), inclusive)
        back = [-value for value in inclusive]
        add_vector(balance.setdefault(call.callee, new_vector(flat.events)), back)
    for vector in balance.values():
        for index in unbound:
            vector[index] = 0
    return balance


def _by_site(arcs: dict[Call, Vector]) -> dict[Jump, Vector]:
    """Arcs by calling instruction and callee, callers and levels together."""
    found: dict[Jump, Vector] = {}
    for call, numbers in arcs.items():
        key = (call.site.place, base(call.callee))
        add_vector(found.setdefault(key, new_vector(len(numbers))), numbers)
    return found


class _Ways:
    """Steps from function to function, and what they lead to.  That is found when it is
    asked for: of the calls in a large program it hardly ever is."""

    def __init__(self, steps: Iterable[tuple[FunctionKey, FunctionKey]]) -> None:
        self._onward: dict[FunctionKey, set[FunctionKey]] = {}
        for start, end in steps:
            self._onward.setdefault(start, set()).add(end)
        self._found: dict[FunctionKey, set[FunctionKey]] = {}

    def lead(self, start: FunctionKey, end: FunctionKey) -> bool:
        """By one step or more."""
        if start not in self._found:
            seen, waiting = set(), [start]
            while waiting:
                for step in self._onward.get(waiting.pop(), ()):
                    if step not in seen:
                        seen.add(step)
                        waiting.append(step)
            self._found[start] = seen
        return end in self._found[start]
