# SPDX-License-Identifier: GPL-2.0-or-later
#
# Finds the cycles of a call graph: functions that call each other, directly or not.
#
# Owns: the search for strongly connected components (Tarjan's), without recursion, since
# call chains are longer than Python's own stack.  Knows nothing of profiles.

"""Strongly connected components of a graph."""

from __future__ import annotations

from typing import Callable, Hashable, Iterable, Iterator, TypeVar

Node = TypeVar("Node", bound=Hashable)


def components(
    nodes: Iterable[Node], successors: Callable[[Node], Iterable[Node]]
) -> Iterator[list[Node]]:
    """Every node is in one component; most are the only one in theirs."""
    order: dict[Node, int] = {}
    low: dict[Node, int] = {}
    open_nodes: dict[Node, None] = {}  # found, and not in a component yet; a stack
    for root in nodes:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        open_nodes[root] = None
        path = [(root, iter(successors(root)))]
        while path:
            node, following = path[-1]
            for successor in following:
                if successor not in order:
                    order[successor] = low[successor] = len(order)
                    open_nodes[successor] = None
                    path.append((successor, iter(successors(successor))))
                    break
                if successor in open_nodes:
                    low[node] = min(low[node], order[successor])
            else:
                path.pop()
                if path:
                    below = path[-1][0]
                    low[below] = min(low[below], low[node])
                if low[node] == order[node]:
                    yield _taken_down_to(node, open_nodes)


def _taken_down_to(root: Node, open_nodes: dict[Node, None]) -> list[Node]:
    component = []
    while True:
        node, _ = open_nodes.popitem()
        component.append(node)
        if node == root:
            return component
