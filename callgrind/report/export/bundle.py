# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes trees small enough for a page: keeps the costliest nodes, and adds the others up
# in one node below their parent, so that every sum stays exact.
#
# Owns: what "the costliest" means.  A node is ranked by the largest share that it has of
# any event's total, in any of the forests on the page.  So a path is kept in all trees or
# in none, and two runs stay comparable.  A node never ranks above its parent, so what is
# kept is connected.

"""Bundle the nodes of trees below a threshold."""

from __future__ import annotations

from typing import Sequence

from tree_file.model import BUNDLED, NO_PARENT, Forest, Function, Nodes

BUNDLE = Function("(bundled)", None, "", 0)


def bundle(forests: Sequence[Forest], events: Sequence[int], most: int) -> int:
    """Keep at most `most` paths of all trees together; returns how many are left out."""
    trees = [(forest, tree.nodes) for forest in forests for tree in forest.trees]
    if sum(len(nodes) for _, nodes in trees) <= most:
        return 0
    paths = _path_numbers(forests, [nodes for _, nodes in trees])
    shares = [0.0] * (1 + max((max(path, default=-1) for path in paths), default=-1))
    for (forest, nodes), path in zip(trees, paths):
        _raise_shares(forest, nodes, path, events, shares)
    if len(shares) <= most:
        return 0
    # Parents have smaller numbers, so among equals they come first.
    order = sorted(range(len(shares)), key=lambda number: -shares[number])
    kept = bytearray(len(shares))
    for number in order[:most]:
        kept[number] = 1
    for forest in forests:
        function = _bundle_function(forest)
        for tree in forest.trees:
            tree.nodes = _bundled(tree.nodes, paths.pop(0), kept, function)
    return len(shares) - most


def _path_numbers(
    forests: Sequence[Forest], columns: Sequence[Nodes]
) -> list[Sequence[int]]:
    """For each tree, the number of each node's path; equal paths have equal numbers."""
    if len(columns) == 1:
        return [range(len(columns[0]))]
    functions: dict[Function, int] = {}
    known: dict[int, int] = {}  # by parent's path, function and kind, in one number
    found: list[Sequence[int]] = []
    most = sum(len(forest.functions) for forest in forests)
    remaining = iter(columns)
    for forest in forests:
        numbers = [
            functions.setdefault(function, len(functions))
            for function in forest.functions
        ]
        for _ in forest.trees:
            nodes = next(remaining)
            path: list[int] = []
            for parent, function, kind in zip(
                nodes.parents, nodes.functions, nodes.kinds
            ):
                above = path[parent] + 1 if parent >= 0 else 0
                key = ((above * most) + numbers[function]) * 256 + kind
                path.append(known.setdefault(key, len(known)))
            found.append(path)
    return found


def _raise_shares(
    forest: Forest,
    nodes: Nodes,
    path: Sequence[int],
    events: Sequence[int],
    shares: list[float],
) -> None:
    totals = forest.totals()
    for event in events:
        if totals[event]:
            scale = 1 / totals[event]
            for number, cost in zip(path, nodes.inclusive(event)):
                share = cost * scale
                if share > shares[number]:
                    shares[number] = share


def _bundle_function(forest: Forest) -> int:
    if BUNDLE not in forest.functions:
        forest.functions.append(BUNDLE)
    return forest.functions.index(BUNDLE)


def _bundled(nodes: Nodes, path: Sequence[int], kept: bytearray, function: int) -> Nodes:
    """What is kept, with a last child of each node for what was below it."""
    small = Nodes(len(nodes.costs))
    place: list[int] = []  # in the new columns; of a node left out, its nearest kept one
    rest: dict[int, list[int]] = {}  # below a kept node: calls and costs
    pairs = zip(small.costs, nodes.costs)
    columns = list(pairs)
    for node, parent in enumerate(nodes.parents):
        above = place[parent] if parent >= 0 else NO_PARENT
        if kept[path[node]]:
            place.append(len(small))
            _append(small, above, nodes.functions[node], nodes.kinds[node])
            small.calls.append(nodes.calls[node])
            for column, costs in columns:
                column.append(costs[node])
        else:
            place.append(above)
            sums = rest.setdefault(above, [0] * (1 + len(columns)))
            sums[0] += nodes.calls[node]
            for event, (_, costs) in enumerate(columns, 1):
                sums[event] += costs[node]
    for above, (calls, *sums) in rest.items():
        _append(small, above, function, ord(BUNDLED))
        small.calls.append(calls)
        for (column, _), cost in zip(columns, sums):
            column.append(cost)
    return small


def _append(nodes: Nodes, parent: int, function: int, kind: int) -> None:
    nodes.parents.append(parent)
    nodes.functions.append(function)
    nodes.kinds.append(kind)
