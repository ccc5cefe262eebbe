# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Firefox Profiler's processed format, of trees.
#
# Owns: how a tree becomes a thread of that format: a stack for each node, and a sample
# with a weight for each path that has a cost.  A sample there has one weight, so a file
# has one event.

"""Trees as a Firefox Profiler profile."""

from __future__ import annotations

from typing import Any, BinaryIO

from export.firefox_tables import ThreadTables, meta, table, write_profile
from export.tree_titles import part_title, thread_title
from tree_file.escape import unicode_text
from tree_file.model import Forest, Nodes, Tree

# What one millisecond on the page's axis is; its samples stand one behind the other.
MILLISECONDS = {"nanoseconds": 1e-6, "microseconds": 1e-3, "seconds": 1e3}


def write_firefox(forest: Forest, event: int, title: str, stream: BinaryIO) -> None:
    what = forest.events[event]
    command = forest.processes()[0].command if forest.trees else ""
    write_profile(
        meta(
            f"{title} ({what.name}, {forest.kind_of_costs})", forest.creators, command
        ),
        forest.functions,
        [
            _thread(forest, tree, event)
            for tree in forest.trees
            if any(tree.nodes.costs[event])
        ],
        stream,
    )


def _thread(forest: Forest, tree: Tree, event: int) -> dict[str, Any]:
    tables = ThreadTables(forest.functions)
    unit = MILLISECONDS.get(forest.events[event].unit, 1)
    process = tree.thread.process
    several = len(forest.processes()) > 1
    names = [f"process {process.pid}"] * several
    names += [thread_title(tree.thread), part_title(tree)]
    return tables.document(
        process,
        samples=_samples(tables, tree.nodes, event, unit),
        name=unicode_text(", ".join(names)),
        isMainThread=tree is forest.trees[0],
        tid=tree.thread.number,
    )


def _samples(
    tables: ThreadTables, nodes: Nodes, event: int, unit: float
) -> dict[str, Any]:
    """A stack is a node: both know their parents."""
    costs = nodes.costs[event]
    rows: dict[int, int] = {}
    stack: list[int] = []
    weight: list[int] = []
    time: list[float] = []
    passed = 0
    for node, _ in nodes.walk():
        prefix = rows.get(nodes.parents[node])
        rows[node] = tables.add_stack(prefix, nodes.functions[node], nodes.kinds[node])
        if costs[node]:
            stack.append(rows[node])
            weight.append(costs[node])
            time.append(passed * unit)
            passed += costs[node]
    return table(len(stack), stack=stack, time=time, weight=weight, weightType="samples")
