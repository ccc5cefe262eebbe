# SPDX-License-Identifier: GPL-2.0-or-later
#
# The conservation law of a call graph: what arrives in a function by its arcs is what it
# spends itself and what it hands on by its arcs.
#
# Owns: the law, and what makes two records of a profile the same function.  It holds for
# each activation that begins and has a caller within the measurement: its cost is its own
# instructions and the costs of the calls that it made.  So it holds for the sum over
# activations, with recursion levels apart or merged, whatever the graph looks like.
# An activation that nobody called (a root: the first function of a thread, a signal
# handler, a function that was live when the measurement began) has cost, but no arc in:
# then less may arrive than is spent, but never more.
# Relies on callgrind/report/profile_file/model.py for what a profile is.

"""Check that every function of a profile passes on exactly what it is given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Iterator

from profile_file.model import FunctionKey, Part, Vector, add_vector, new_vector

# `f'2` is f on its second level of recursion, and on all beyond.  Level 1 has no suffix.
_LEVEL = re.compile(r"'(?:[2-9]|[1-9][0-9]+)$")


@dataclass(frozen=True)
class Violation:
    """A function through which cost appears or vanishes, for one event."""

    function: FunctionKey
    event: str
    incoming: int
    self_cost: int
    outgoing: int

    @property
    def missing(self) -> int:
        """What was spent, but not given; below zero: given, but not spent."""
        return self.self_cost + self.outgoing - self.incoming

    def __str__(self) -> str:
        return (
            f"{self.function.name} ({self.function.object_file}, "
            f"{self.function.source_file}): {self.event}: in {self.incoming:,}, "
            f"self {self.self_cost:,} + out {self.outgoing:,} "
            f"= {self.self_cost + self.outgoing:,} (in {-self.missing:+,})"
        )


@dataclass
class Flow:
    """What goes through one function."""

    incoming: Vector
    self_cost: Vector
    outgoing: Vector


def base_name(name: str) -> str:
    """The function's own name, without its recursion level."""
    return _LEVEL.sub("", name)


def base_key(key: FunctionKey) -> FunctionKey:
    return key._replace(name=base_name(key.name))


def flows(part: Part, merge_levels: bool = True) -> dict[FunctionKey, Flow]:
    """The flow through every function that has costs or arcs in this part."""
    events = len(part.header.events)
    found: dict[FunctionKey, Flow] = {}

    def flow_of(key: FunctionKey) -> Flow:
        if merge_levels:
            key = base_key(key)
        flow = found.get(key)
        if flow is None:
            zeros = new_vector(events)
            found[key] = flow = Flow(zeros, list(zeros), list(zeros))
        return flow

    for function in part.functions.values():
        caller = flow_of(function.key)
        add_vector(caller.self_cost, function.self_cost)
        for arc in function.arcs.values():
            add_vector(caller.outgoing, arc.inclusive)
            add_vector(flow_of(arc.callee).incoming, arc.inclusive)
    return found


def violations(
    part: Part, is_root: Callable[[str], bool], merge_levels: bool = True
) -> list[Violation]:
    """Every breach of the law, the gravest first.

    `is_root` is asked with a function's name (without its level, if levels are merged):
    a root may have activations without a caller, so less may arrive than is spent.
    """
    found = []
    for key, flow in flows(part, merge_levels).items():
        root = is_root(key.name)
        for event, incoming, self_cost, outgoing in zip(
            part.header.events, flow.incoming, flow.self_cost, flow.outgoing
        ):
            missing = self_cost + outgoing - incoming
            if missing < 0 or (missing > 0 and not root):
                found.append(Violation(key, event, incoming, self_cost, outgoing))
    found.sort(key=lambda violation: (-abs(violation.missing), violation.function))
    return found


def violations_by_levels(part: Part) -> Iterator[tuple[str, Violation]]:
    """Every breach with recursion levels merged, and what is one with levels apart only,
    each with words that say which.  No function is a root."""
    seen = set()
    for levels, merged in (("levels merged", True), ("levels apart", False)):
        for violation in violations(part, lambda name: False, merged):
            if violation not in seen:
                seen.add(violation)
                yield levels, violation
