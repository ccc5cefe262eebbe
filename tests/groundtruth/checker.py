# SPDX-License-Identifier: GPL-2.0-or-later
#
# Judges a profile by the truth that the program wrote about itself.
#
# Owns: what is demanded (README.md says it in words), and how a fault is worded.  Every
# demand is exact: a count that is off by one fails.  The law of conservation is
# conservation.py's; calls that were open at a fork are open_calls.py's.

"""Compare a program's profiles with the counts that it kept itself."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import Callable, Iterable

from profile_file.model import Part
from tests.groundtruth.case import Case, Rules
from tests.groundtruth.conservation import base_name, violations
from tests.groundtruth.measuring import Measurement, Truth
from tests.groundtruth.open_calls import OUTSIDE, agrees, open_calls
from tests.groundtruth.paths import check_tree, has_flat_paths

# Calls to these are nobody's concern: what writes the truth, and the dynamic linker's
# resolver, which a lazily bound call runs first.
UNCOUNTED = ("truth_write", "truth_forget", "_dl_runtime_resolve*")
# Where a process begins.
FIRST_FUNCTIONS = ("_start", "(below main)")
DYNAMIC_LINKER = "ld-linux*"


def matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


class Graph:
    """A profile's arcs by names alone, recursion levels merged.

    `open` are the calls among them that were under way when the process began."""

    def __init__(
        self, parts: list[Part], were_open: Counter[tuple[str, str]]
    ) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self.open = were_open
        for part in parts:
            for arc in part.arcs():
                ends = (base_name(arc.caller.name), base_name(arc.callee.name))
                self.calls[ends] += arc.count


def check_arcs(case: Case, truth: Truth, graph: Graph) -> list[str]:
    """Calls among the program's own functions: each arc as often as it happened."""
    own = set(case.functions)
    counted = {ends: n for ends, n in graph.calls.items() if own.issuperset(ends)}
    true = {ends: n for ends, n in truth.arcs.items() if own.issuperset(ends)}
    return [
        f"arc {caller} -> {callee}: profile {counted.get((caller, callee), 0):,}, "
        f"truth {true.get((caller, callee), 0):,}"
        for caller, callee in sorted(counted.keys() | true.keys())
        if not agrees(
            counted.get((caller, callee), 0),
            true.get((caller, callee), 0),
            graph.open[caller, callee],
        )
    ]


def check_calls_from_outside(case: Case, truth: Truth, graph: Graph) -> list[str]:
    """What entered a function of the program without being called by one of them."""
    own = set(case.functions)
    into: Counter[str] = Counter()
    problems = []
    for (caller, callee), count in sorted(graph.calls.items()):
        if callee not in own or caller in own:
            continue
        into[callee] += count
        allowed = case.rules.callers.get(callee)
        if allowed is not None and not matches(caller, allowed):
            problems.append(
                f"arc {caller} -> {callee}: profile {count:,}, but only "
                f"{' or '.join(allowed) or 'the program'} may call it"
            )
    for name in case.functions:
        within = sum(n for (_, callee), n in truth.arcs.items() if callee == name)
        expected = truth.entered[name] - within - truth.roots[name]
        if not agrees(into[name], expected, graph.open[OUTSIDE, name]):
            problems.append(
                f"calls of {name} from outside: profile {into[name]:,}, "
                f"truth {expected:,} (entered {truth.entered[name]:,}, "
                f"called from within {within:,}, roots {truth.roots[name]:,})"
            )
    return problems


def check_calls_to_outside(case: Case, truth: Truth, graph: Graph) -> list[str]:
    """Arcs that leave the program: counted ones agree, and there are no others."""
    own = set(case.functions)
    problems = []
    found: Counter[tuple[str, str]] = Counter()
    for (caller, callee), count in sorted(graph.calls.items()):
        if caller not in own or callee in own:
            continue
        names = [n for n, aliases in case.outside.items() if matches(callee, aliases)]
        if names:
            found[caller, names[0]] += count
        elif not matches(callee, UNCOUNTED) and not any(
            fnmatchcase(caller, who) and fnmatchcase(callee, whom)
            for who, whom in case.rules.uncounted
        ):
            problems.append(f"arc {caller} -> {callee}: profile {count:,}, truth 0")
    true = {ends: n for ends, n in truth.arcs.items() if ends[1] not in own}
    for caller, callee in sorted(found.keys() | true.keys()):
        count, expected = found[caller, callee], true.get((caller, callee), 0)
        if not agrees(count, expected, graph.open[caller, callee]):
            problems.append(
                f"arc {caller} -> {callee}: profile {count:,}, truth {expected:,}"
            )
    return problems


def linker_entry(part: Part) -> set[str]:
    """The dynamic linker's first function, which nobody calls.  It may have no name."""
    called = {arc.callee for arc in part.arcs()}
    return {
        base_name(key.name)
        for key in part.functions
        if key not in called
        and fnmatchcase(PurePath(key.object_file).name, DYNAMIC_LINKER)
    }


def root_test(rules: Rules, truth: Truth, part: Part) -> Callable[[str], bool]:
    """Which functions may have activations without a caller."""
    names = linker_entry(part) | set(FIRST_FUNCTIONS) | truth.live
    names.update(name for name, count in truth.roots.items() if count)
    return lambda name: name in names or matches(name, rules.roots)


def check_conservation(case: Case, truth: Truth, part: Part) -> list[str]:
    if not case.rules.conserves:
        return []
    is_root = root_test(case.rules, truth, part)
    return [
        f"conservation: {violation}"
        for violation in violations(part, is_root)
        if not matches(base_name(violation.function.name), case.rules.unconserved)
    ]


def check_sums(case: Case, part: Part) -> list[str]:
    """Totals, summary and the sum of self costs are one number."""
    header, counted = part.header, part.sum_of_self_costs()
    problems = [
        f"{what}: {said}, but self costs add up to {counted}"
        for what, said in (("totals", header.totals), ("summary", header.summary))
        if said != counted
    ]
    if not any(counted):
        problems.append("nothing was counted")
    if case.rules.bounded_arcs:
        problems += [
            f"arc {arc.caller.name} -> {arc.callee.name}: inclusive cost "
            f"{arc.inclusive}, more than the program's total {counted}"
            for arc in part.arcs()
            if any(cost > total for cost, total in zip(arc.inclusive, counted))
        ]
    return problems


def check_costs(case: Case, truth: Truth, parts: list[Part]) -> list[str]:
    """Functions of which every call costs the same."""
    problems = []
    for name, costs in case.rules.cost_of_call.items():
        found: Counter[str] = Counter()
        for part in parts:
            for key, function in part.functions.items():
                if base_name(key.name) == name:
                    found.update(dict(zip(part.header.events, function.self_cost)))
        for event in parts[0].header.events:
            expected = truth.entered[name] * costs[event] if event in costs else None
            if expected is not None and found[event] != expected:
                problems.append(
                    f"self cost of {name}: profile {found[event]:,} {event}, truth "
                    f"{expected:,} ({truth.entered[name]:,} calls)"
                )
    return problems


def flat_truth(truth: Truth) -> Truth:
    """Its calls if each jump is a call by the caller of the one that jumps."""
    arcs: Counter[tuple[str, str]] = Counter()
    for before, name, count in truth.flat_paths.values():
        if before:
            arcs[truth.flat_paths[before][1], name] += count
    return replace(truth, arcs=arcs)


def check_calls(case: Case, truth: Truth, graph: Graph, is_flat: bool) -> list[str]:
    if not is_flat:
        problems = check_arcs(case, truth, graph)
        problems += check_calls_from_outside(case, truth, graph)
        return problems + check_calls_to_outside(case, truth, graph)
    # What is outside does not say whether a jump has led there; nor what it jumped to
    # that is in the program, whether nobody called what has jumped.
    if not has_flat_paths(case, truth):
        return []
    truth = flat_truth(truth)
    problems = check_arcs(case, truth, graph)
    if not truth.roots:
        problems += check_calls_from_outside(case, truth, graph)
    return problems


def check_process(
    case: Case, truth: Truth, parts: list[Part], is_flat: bool
) -> list[str]:
    graph = Graph(parts, open_calls(truth, is_flat))
    problems = check_calls(case, truth, graph, is_flat)
    problems += check_costs(case, truth, parts)
    for part in parts:
        problems += check_conservation(case, truth, part)
        problems += check_sums(case, part)
    return problems


def check_run(case: Case, run: Measurement) -> list[str]:
    """Status, output and messages."""
    rules, problems = case.rules, []
    if run.status != rules.exit_status:
        problems.append(f"exit status {run.status}, expected {rules.exit_status}")
    if rules.prints and not run.output.strip():
        problems.append("nothing on stdout")
    problems += [
        f"stderr: {line}"
        for line in run.errors.splitlines()
        if not any(re.search(pattern, line) for pattern in rules.complaints)
    ]
    if rules.peak_memory is not None:
        if run.peak_memory is None:
            problems.append("peak memory was not measured")
        elif run.peak_memory > rules.peak_memory:
            problems.append(
                f"peak memory {run.peak_memory:,} KB, allowed {rules.peak_memory:,} KB"
            )
    return problems


def check(case: Case, run: Measurement) -> list[str]:
    """Everything that is wrong with a run, in lines; none when it is right."""
    problems = check_run(case, run)
    if len(run.truths) != case.rules.processes:
        problems.append(
            f"{len(run.truths)} processes wrote their counts, "
            f"expected {case.rules.processes}"
        )
    if run.truths.keys() != run.profiles.keys():
        problems.append(
            f"{len(run.profiles)} profiles, but {len(run.truths)} processes wrote "
            f"their counts"
        )
    several = len(run.truths) > 1
    for number, (process, truth) in enumerate(sorted(run.truths.items()), 1):
        if process in run.profiles:
            parts = run.profiles[process].parts
            found = check_process(case, truth, parts, run.is_flat)
            if run.trees and process not in run.trees:
                found.append("there is no call tree")
            elif run.trees:
                forest = run.trees[process]
                found += check_tree(case, truth, parts, forest, run.is_flat)
            who = f"process {number}: " if several else ""
            problems += [who + problem for problem in found]
    return problems
