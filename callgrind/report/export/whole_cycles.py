# SPDX-License-Identifier: GPL-2.0-or-later
#
# Hundredths of a cycle as cycles, for formats that hold whole numbers, or whose readers
# do not know the unit.
#
# Owns: how they are rounded.  What one node is rounded by is carried to the next, in the
# order of the walk.  As a node and all below it stand together there, the cost of every
# path, and of a tree, is wrong by less than one cycle.

"""Costs in whole cycles."""

from __future__ import annotations

from tree_file.model import Forest, Nodes

HUNDREDTHS = "centicycles"
CYCLES = "cycles"


def in_whole_cycles(forest: Forest) -> None:
    """Changes the forest; events in other units stay as they are."""
    for index, event in enumerate(forest.events):
        if event.unit == HUNDREDTHS:
            forest.events[index] = event._replace(unit=CYCLES)
            for tree in forest.trees:
                _round(tree.nodes, index)


def _round(nodes: Nodes, event: int) -> None:
    costs = nodes.costs[event]
    passed = told = 0
    for node, _ in nodes.walk():
        passed += costs[node]
        costs[node] = (passed + 50) // 100 - told
        told += costs[node]
