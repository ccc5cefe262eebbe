# SPDX-License-Identifier: GPL-2.0-or-later
#
# Call counts against executed instructions: a check that needs no shadow stack.
#
# Owns: the rules.
#   call    a call instruction was executed as often as arcs count calls from it; those of
#           a direct call go to its target
#   jump    an unconditional direct jump to the start of another function is a tail call:
#           executed as often as its arcs count; a conditional one, at least as often
#   start   a function's first instruction, where nothing in the function leads to it, was
#           executed as often as arcs count calls to it; an indirect jump in the function
#           may have led to it
#   site    an arc begins at an instruction from which control can come to a function
# Relies on executed_code.py for both sides of the equations.

"""Compare the calls that arcs count with the instructions that make them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from profile_file.model import Arc, FunctionKey, UNKNOWN
from tests.differential.code_map import Place
from tests.differential.machine_code import Flow, LONGEST
from tests.groundtruth.conservation import base_key
from tests.groundtruth.real.executed_code import ExecutedCode, spot
from tests.groundtruth.real.plt_stubs import target_of

# Instructions whose cost is one for each time that they were executed, always.
PLAIN = (Flow.ONWARD, Flow.CONDITIONAL, Flow.SYSCALL, Flow.RETURN)
LEAVING = (Flow.CALL, Flow.JUMP, Flow.CONDITIONAL, Flow.INDIRECT)
SHOWN_CALLEES = 4


@dataclass(frozen=True)
class Difference:
    """One equation that does not hold; `name` is what exceptions are matched with."""

    rule: str
    function: FunctionKey  # whose instruction it is
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.name}: {self.text}"


@dataclass
class Outcome:
    """What one profile gave: how much was compared, and what differs."""

    checked: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)


def compare_counts(code: ExecutedCode) -> Outcome:
    """Apply all rules to all code that can be read."""
    comparison = _Comparison(code)
    for place in sorted(code.readable):
        flow = code.instruction(place).flow
        if flow is Flow.CALL:
            comparison.check_call(place)
        elif flow in (Flow.JUMP, Flow.CONDITIONAL):
            comparison.check_jump(place, flow)
    comparison.check_starts()
    for place in sorted(code.arcs_from):
        if place.object_file != UNKNOWN:
            comparison.check_site(place)
    return comparison.outcome


class _Comparison:
    def __init__(self, code: ExecutedCode) -> None:
        self.code = code
        self.outcome = Outcome()

    def _add(self, rule: str, place: Place, function: FunctionKey, text: str) -> None:
        name = f"{function.name} @ {spot(place)}"
        self.outcome.differences.append(Difference(rule, function, name, text))

    def check_call(self, place: Place) -> None:
        code = self.code
        goal = code.target(place)
        if goal is not None and goal.address == code.instruction(place).after:
            return  # reads the instruction pointer
        self.outcome.checked["call"] += 1
        arcs = code.arcs_from.get(place, [])
        cost, owner = code.cost[place], code.owner[place]
        if not code.stubs.may_cost(cost, goal, arcs):
            self._add("call", place, owner, f"cost {cost:,}, {_counted(arcs)}")
        if goal is not None and not code.files.is_stub(goal):
            wrong = [arc for arc in arcs if target_of(arc) != goal]
            if wrong:
                text = f"calls {spot(goal)}, but {_counted(wrong)}"
                self._add("call", place, owner, text)

    def check_jump(self, place: Place, flow: Flow) -> None:
        code = self.code
        goal = code.target(place)
        assert goal is not None
        if code.owner.get(goal) == code.owner[place]:
            return
        if goal not in code.owner and not code.files.is_stub(goal):
            return  # a branch that was not taken
        if goal in code.owner and code.start_of(goal) != goal.address:
            return  # into the middle: no call
        self.outcome.checked["jump"] += 1
        arcs = code.arcs_from.get(place, [])
        cost, owner = code.cost[place], code.owner[place]
        if flow is Flow.JUMP and not code.stubs.may_cost(cost, goal, arcs):
            self._add("jump", place, owner, f"cost {cost:,}, {_counted(arcs)}")
        elif flow is Flow.CONDITIONAL and cost < code.stubs.least_cost(goal, arcs):
            text = f"conditional, cost {cost:,}, {_counted(arcs)}"
            self._add("jump", place, owner, text)

    def check_starts(self) -> None:
        """Functions of one name and file are one in the profile, wherever they begin."""
        code = self.code
        starts: dict[FunctionKey, list[Place]] = defaultdict(list)
        for place in code.starts():
            starts[code.owner[place]].append(place)
        for owner, places in starts.items():
            if not all(self._is_entered_by_calls(place) for place in places):
                continue
            self.outcome.checked["start"] += 1
            calls = sum(code.calls_to.get(place, 0) for place in places)
            executed = sum(code.cost[place] for place in places)
            if not calls <= executed <= calls + code.indirect_jumps.get(owner, 0):
                text = f"executed {executed:,} times, arcs count {calls:,} calls to it"
                self._add("start", places[0], owner, text)

    def _is_entered_by_calls(self, start: Place) -> bool:
        """Whether a start is executed once for each call, and for nothing else."""
        code = self.code
        before = code.before(start)
        return (
            code.instruction(start).flow in PLAIN
            and start not in code.jumps_within
            and (before is None or code.owner[before] != code.owner[start])
        )

    def check_site(self, place: Place) -> None:
        code = self.code
        arcs = code.arcs_from[place]
        caller = base_key(arcs[0].caller)
        self.outcome.checked["site"] += 1
        if place not in code.cost:
            text = f"was not executed, but {_counted(arcs)}"
            self._add("site", place, caller, text)
            return
        if place not in code.readable:
            return
        flow = code.instruction(place).flow
        runs_on = flow is Flow.ONWARD and all(_runs_on(place, arc) for arc in arcs)
        if flow not in LEAVING and not runs_on:
            self._add("site", place, caller, f"{flow.value}, but {_counted(arcs)}")


def _counted(arcs: list[Arc]) -> str:
    calls = [f"{arc.count:,} to {arc.callee.name}" for arc in arcs]
    shown = ", ".join(calls[:SHOWN_CALLEES]) or "no call"
    more = f" and {len(calls) - SHOWN_CALLEES} more" * (len(calls) > SHOWN_CALLEES)
    return f"arcs count {sum(arc.count for arc in arcs):,}: {shown}{more}"


def _runs_on(place: Place, arc: Arc) -> bool:
    target = target_of(arc)
    distance = target.address - place.address
    return (
        target.object_file == place.object_file and 0 < distance <= LONGEST
    )
