# SPDX-License-Identifier: GPL-2.0-or-later
#
# The data of a page: all trees as one, in a compact binary form.
#
# Owns: the form, which page/data.js and page/tree.js read.  The paths of all trees are
# put together: a node is a path that at least one of them has.  Nodes are numbered depth
# first, so that what is below a node lies right behind it, and the tree is one column:
# how many levels each node goes back from the one before.  Costs are a column for each
# event, of all trees one after the other.  What is not binary is one JSON document.
# page_columns.py has the form of columns.

"""The data of a page."""

from __future__ import annotations

import json
from array import array
from typing import Any, NamedTuple, Optional, Sequence

from analysis.build_names import without_hashes
from export.page_columns import packed_block, packed_bytes
from export.page_timeline import page_timeline
from tree_file.escape import unicode_text
from tree_file.model import (
    INDEX,
    NO_PARENT,
    Forest,
    Function,
    Nodes,
    Object,
    Tree,
)
from tree_file.timeline_model import Timeline

TIMELINE, SOURCE = "timeline", "source"
# The names of the blocks with the tree itself; those of events are their places.
SHAPE, FUNCTIONS, CALLS = "shape", "functions", "calls"
# What page/unpack.js makes of a block, where that is not what it is named for.
BYTES, VALUES, SUMS = "bytes", "values", "sums"


class Shape(NamedTuple):
    """The paths of all trees, depth first."""

    levels_back: list[int]  # 0: a child of the node before
    functions: list[int]
    kinds: bytes
    # For each tree: its nodes in the order of the paths, and their paths; None: all.
    nodes: list[list[int]]
    paths: list[Sequence[int]]


class Block(NamedTuple):
    """Numbers or a document, compressed, in base64."""

    name: str
    becomes: str
    is_first: bool  # the page waits for it
    text: bytes


class PageData(NamedTuple):
    """What is written into a page: a JSON document, and blocks.

    What takes longest comes first: a page unpacks it while it reads what follows."""

    document: dict[str, Any]
    blocks: list[Block]


def page_data(
    forests: Sequence[Forest],
    events: Sequence[int],
    title: str,
    left_out: int,
    timeline: Optional[Timeline] = None,
) -> PageData:
    """The data of one forest, or of an old and a new one; and of a timeline."""
    functions, numbers = _functions(forests)
    shape = _shape(forests, numbers)
    is_one = len(shape.nodes) == 1  # tree, of which the worker knows all paths
    blocks = [
        Block(SHAPE, SHAPE, True, packed_block([shape.levels_back])),
        Block(FUNCTIONS, FUNCTIONS, True, packed_block([shape.functions, shape.kinds])),
    ]
    for place, event in enumerate(events):
        costs: list[int] = []
        for tree, nodes in zip(_trees(forests), shape.nodes):
            column = tree.nodes.costs[event]
            costs.extend([column[node] for node in nodes])
        becomes = SUMS if is_one else BYTES
        blocks.append(Block(str(place), becomes, not place, packed_block([costs])))
    becomes = VALUES if is_one else BYTES
    blocks.append(Block(CALLS, becomes, True, _calls(forests, shape)))
    document_of_timeline = None
    if timeline is not None:
        document_of_timeline, text = page_timeline(timeline, functions)
        blocks.append(Block(TIMELINE, BYTES, False, text))
    document = _document(forests, events, title, functions)
    document["timeline"] = document_of_timeline
    document["leftOut"] = left_out
    document["paths"] = len(shape.functions)
    return PageData(document, blocks)


def source_block(found: dict[str, Any]) -> Block:
    """Lines and their sources: a document that most readers of a page never look at."""
    return Block(SOURCE, BYTES, False, packed_bytes(json.dumps(found).encode("ascii")))


def _trees(forests: Sequence[Forest]) -> list[Tree]:
    return [tree for forest in forests for tree in forest.trees]


def _functions(
    forests: Sequence[Forest],
) -> tuple[list[Function], list[list[int]]]:
    """All functions, the commonest first; and for each forest, their numbers."""
    uses: dict[Function, int] = {}
    for forest in forests:
        counts = [0] * len(forest.functions)
        for tree in forest.trees:
            for index in tree.nodes.functions:
                counts[index] += 1
        for function, count in zip(forest.functions, counts):
            if count:
                uses[function] = uses.get(function, 0) + count
    commonest = sorted(uses, key=lambda function: -uses[function])
    place = {function: number for number, function in enumerate(commonest)}
    numbers = [
        [place.get(function, 0) for function in forest.functions] for forest in forests
    ]
    return commonest, numbers


# --- The shape ------------------------------------------------------------------------


def _shape(forests: Sequence[Forest], numbers: Sequence[list[int]]) -> Shape:
    if len(_trees(forests)) == 1:
        (tree,) = _trees(forests)
        (own,) = [own for forest, own in zip(forests, numbers) if forest.trees]
        order, levels_back = _depth_first(tree.nodes)
        functions = [own[tree.nodes.functions[node]] for node in order]
        kinds = bytes([tree.nodes.kinds[node] for node in order])
        return Shape(levels_back, functions, kinds, [order], [range(len(order))])
    return _merged_shape(forests, numbers)


def _depth_first(nodes: Nodes) -> tuple[list[int], list[int]]:
    order, levels_back = [], []
    before = -1
    for node, depth in nodes.walk():
        order.append(node)
        levels_back.append(before + 1 - depth)
        before = depth
    return order, levels_back


def _merged_shape(forests: Sequence[Forest], numbers: Sequence[list[int]]) -> Shape:
    union = Nodes(0)
    known: dict[tuple[int, int, int], int] = {}
    paths_of: list[list[int]] = []
    last_tree = array(INDEX)  # that has a path
    for forest, own in zip(forests, numbers):
        for tree in forest.trees:
            now = len(paths_of) + 1
            paths_of.append(_add_paths(union, known, tree.nodes, own, last_tree, now))
    known.clear()
    order, levels_back = _depth_first(union)
    place = array(INDEX, [0]) * len(order)
    for number, node in enumerate(order):
        place[node] = number
    nodes: list[list[int]] = []
    paths: list[Sequence[int]] = []
    for found in paths_of:
        final = [place[path] for path in found]
        by_path = sorted(range(len(final)), key=final.__getitem__)
        nodes.append(by_path)
        paths.append([final[node] for node in by_path])
    functions = [union.functions[node] for node in order]
    kinds = bytes([union.kinds[node] for node in order])
    return Shape(levels_back, functions, kinds, nodes, paths)


def _add_paths(
    union: Nodes,
    known: dict[tuple[int, int, int], int],
    nodes: Nodes,
    own: list[int],
    last_tree: "array[int]",
    now: int,
) -> list[int]:
    """The path of each node, new ones added to the union.

    Two functions of a tree may agree in all that is known of them, and be called by the
    same one: the second of them is the second one of the other trees."""
    found: list[int] = []
    for parent, function, kind in zip(nodes.parents, nodes.functions, nodes.kinds):
        key = (found[parent] if parent >= 0 else NO_PARENT, own[function], kind)
        path = known.setdefault(key, len(known))
        while path < len(last_tree) and last_tree[path] == now:
            key = (key[0], key[1], key[2] + 256)
            path = known.setdefault(key, len(known))
        if path < len(last_tree):
            last_tree[path] = now
        else:
            last_tree.append(now)
            union.parents.append(key[0])
            union.functions.append(key[1])
            union.kinds.append(kind)
            union.calls.append(0)
        found.append(path)
    return found


def _calls(forests: Sequence[Forest], shape: Shape) -> bytes:
    """The calls, and of each tree that was added up: which paths it has."""
    calls: list[int] = []
    steps: list[int] = []  # from a path to the next one of a tree
    for tree, nodes, paths in zip(_trees(forests), shape.nodes, shape.paths):
        column = tree.nodes.calls
        calls.extend([column[node] for node in nodes])
        if len(shape.nodes) > 1:
            before = -1
            for path in paths:
                steps.append(path - before - 1)
                before = path
    return packed_block([calls, steps])


# --- What is not binary ---------------------------------------------------------------


def _document(
    forests: Sequence[Forest],
    events: Sequence[int],
    title: str,
    functions: Sequence[Function],
) -> dict[str, Any]:
    objects: dict[Object, int] = {}
    sources: dict[str, int] = {}
    is_diff = len(forests) > 1  # of two builds, whose hashes mean nothing
    found = [
        [
            unicode_text(without_hashes(function.name) if is_diff else function.name),
            -1
            if function.object is None
            else objects.setdefault(function.object, len(objects)),
            sources.setdefault(function.source, len(sources)) if function.source else -1,
            function.line,
        ]
        for function in functions
    ]
    forest = forests[-1]
    return {
        "title": unicode_text(title),
        "creator": unicode_text(", ".join(forest.creators)),
        "sampled": forest.sampled,
        "longestPeriod": forest.longest_period(),
        "events": [
            [unicode_text(forest.events[event].name), forest.events[event].unit]
            + [unicode_text(forest.events[event].description)]
            for event in events
        ],
        "objects": [unicode_text(owner.path) for owner in objects],
        "sources": [unicode_text(source) for source in sources],
        "functions": found,
        "runs": [_run(each) for each in forests],
    }


def _run(forest: Forest) -> dict[str, Any]:
    commands = dict.fromkeys(process.command for process in forest.processes())
    return {
        "command": unicode_text(", ".join(commands)),
        "trees": [_tree(tree) for tree in forest.trees],
    }


def _tree(tree: Tree) -> dict[str, Any]:
    part, thread = tree.part, tree.thread
    return {
        "part": [part.number, unicode_text(part.benchmark or part.trigger)],
        "thread": [thread.number, unicode_text(thread.name)],
        "process": [thread.process.pid, unicode_text(thread.process.command)],
        "nodes": len(tree.nodes),
    }
