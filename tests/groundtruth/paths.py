# SPDX-License-Identifier: GPL-2.0-or-later
#
# Judges a call tree by the profile of the same run, and by the paths that the program
# counted itself.
#
# Owns: what is demanded of a tree (README.md says it in words).  Both sides have their
# paths numbered by the same table, each by its last function and the number of what is
# before it; so a path of a hundred thousand steps is one number.

"""Compare a call tree with the paths that the program counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Iterator

from profile_file.model import Part
from tests.groundtruth.case import Case
from tests.groundtruth.conservation import base_name
from tests.groundtruth.measuring import Truth
from tree_file.model import Forest, Tree

SHOWN_STEPS = 12


class Paths:
    """Numbers for paths of the program's own functions; 0 is the empty one."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, str], int] = {}
        self._paths: list[tuple[int, str]] = [(0, "")]

    def number(self, before: int, name: str) -> int:
        key = before, name
        if key not in self._numbers:
            self._numbers[key] = len(self._paths)
            self._paths.append(key)
        return self._numbers[key]

    def words(self, number: int) -> str:
        """The path, its beginning left out where it is long."""
        steps: list[str] = []
        while number and len(steps) < SHOWN_STEPS:
            number, name = self._paths[number]
            steps.append(name)
        return " > ".join([*(["..."] if number else []), *reversed(steps)])


def true_calls(
    counted: dict[int, tuple[int, str, int]], paths: Paths
) -> Counter[int]:
    """How often each path was taken, as the program says."""
    numbers = {0: 0}
    calls: Counter[int] = Counter()
    for start in counted:
        chain, at = [], start
        while at not in numbers:
            chain.append(at)
            at = counted[at][0]
        for at in reversed(chain):
            parent, name, _ = counted[at]
            numbers[at] = paths.number(numbers[parent], name)
        calls[numbers[start]] += counted[start][2]
    return calls


def counted_calls(case: Case, forest: Forest, paths: Paths) -> Counter[int]:
    """As true_calls(), in the tree: a path begins where a function is entered from
    outside."""
    own = set(case.functions)
    calls: Counter[int] = Counter()
    for tree in forest.trees:
        nodes = tree.nodes
        numbers: list[int] = []  # by node
        for node in range(len(nodes)):
            name = forest.functions[nodes.functions[node]].name
            parent = nodes.parents[node]
            before = numbers[parent] if parent >= 0 else 0
            numbers.append(paths.number(before, name) if name in own else 0)
            if name in own:
                calls[numbers[node]] += nodes.calls[node]
    return calls


def has_flat_paths(case: Case, truth: Truth) -> bool:
    """Does the program say what is called if tail calls are flat?"""
    rules = case.rules
    is_counted = rules.counts_flat_paths or not rules.uncounted_paths
    return (
        is_counted and not rules.uncounted_flat_paths and not truth.flat_paths_are_lost
    )


def check_paths(
    case: Case, truth: Truth, forest: Forest, is_flat: bool
) -> Iterator[str]:
    """Each path as often as the program took it."""
    if is_flat and not has_flat_paths(case, truth):
        return
    if not is_flat and (case.rules.uncounted_paths or truth.paths_are_lost):
        return
    paths = Paths()
    true = true_calls(truth.flat_paths if is_flat else truth.paths, paths)
    counted = counted_calls(case, forest, paths)
    for number in sorted(true.keys() | counted.keys()):
        if true[number] != counted[number]:
            yield (
                f"path {paths.words(number)}: tree {counted[number]:,}, "
                f"truth {true[number]:,}"
            )


def check_costs(forest: Forest, parts: list[Part]) -> Iterator[str]:
    """Every function costs what it does in the profile, event by event."""
    costs: dict[str, list[int]] = {}

    def add(name: str, more: list[int], sign: int) -> None:
        known = costs.setdefault(name, [0] * len(more))
        costs[name] = [one + sign * other for one, other in zip(known, more)]

    for tree in forest.trees:
        for node in range(len(tree.nodes)):
            name = forest.functions[tree.nodes.functions[node]].name
            add(name, [column[node] for column in tree.nodes.costs], 1)
    for part in parts:
        for key, function in part.functions.items():
            add(base_name(key.name), function.self_cost, -1)
    for name, difference in sorted(costs.items()):
        if any(difference):
            yield f"cost of {name}: the tree has {difference} more than the profile"


def check_twins(forest: Forest) -> Iterator[str]:
    """No two nodes are one path."""

    def keys(tree: Tree) -> Iterator[tuple[int, int, int]]:
        nodes = tree.nodes
        return zip(nodes.parents, nodes.functions, nodes.kinds)

    for tree in forest.trees:
        for (parent, function, _), count in Counter(keys(tree)).items():
            if count > 1:
                name = forest.functions[function].name
                yield f"tree: {count} nodes of {name} below node {parent + 1}"


def check_tree(
    case: Case, truth: Truth, parts: list[Part], forest: Forest, is_flat: bool
) -> list[str]:
    # What a program did that executed this one is in the same file, as an earlier part.
    numbers = {part.header.part or 1 for part in parts}
    trees = [tree for tree in forest.trees if tree.part.number in numbers]
    forest = replace(forest, trees=trees)
    return [
        *check_paths(case, truth, forest, is_flat),
        *check_costs(forest, parts),
        *check_twins(forest),
    ]
