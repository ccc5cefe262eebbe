# SPDX-License-Identifier: GPL-2.0-or-later
#
# The callgrind format: for KCachegrind, callgrind_annotate and callgrind_report.
#
# Owns: how a forest of paths becomes functions and calls between them.  Self costs are
# added up over all paths.  A call's inclusive cost is that of its outermost paths, so
# that recursion is not counted twice.  A function inside itself is called NAME'2,
# as callgrind does by default.  Names are escaped as in the tree file, so that none
# breaks a line.

"""Trees as a callgrind profile."""

from __future__ import annotations

from collections import defaultdict
from typing import BinaryIO, Sequence

from export.callgrind_names import NameLines, event_names
from tree_file.escape import escape, to_bytes
from tree_file.model import Forest, Function, Nodes

# A function, and whether it is within itself.
Key = tuple[int, bool]
Arc = tuple[Key, Key]


def write_callgrind(forest: Forest, events: Sequence[int], stream: BinaryIO) -> None:
    """All trees of the forest in one profile, with the chosen events."""
    selves: defaultdict[Key, list[int]] = defaultdict(lambda: [0] * len(events))
    arcs: defaultdict[Arc, list[int]] = defaultdict(lambda: [0] * (len(events) + 1))
    for tree in forest.trees:
        _add_tree(tree.nodes, events, selves, arcs)
    names = event_names([forest.events[event].name for event in events])
    stream.write(b"".join(_header(forest, events, names)))
    totals = [sum(costs) for costs in zip(*selves.values())] or [0] * len(events)
    stream.write(b"summary: %s\n\n" % _costs(totals))
    callees: defaultdict[Key, list[Arc]] = defaultdict(list)
    for arc in arcs:
        callees[arc[0]].append(arc)
    of_names = NameLines()
    for key in sorted(selves):
        lines = _function(forest, key, selves[key], callees[key], arcs, of_names)
        stream.write(b"".join(lines))
    stream.write(b"totals: %s\n" % _costs(totals))


def _add_tree(
    nodes: Nodes,
    events: Sequence[int],
    selves: defaultdict[Key, list[int]],
    arcs: defaultdict[Arc, list[int]],
) -> None:
    """Adds one tree up into self costs and arcs."""
    inclusive = [nodes.inclusive(event) for event in events]
    path: list[Key] = []
    on_path: defaultdict[int, int] = defaultdict(int)  # functions
    open_arcs: defaultdict[Arc, int] = defaultdict(int)

    def leave(depth: int) -> None:
        while len(path) > depth:
            key = path.pop()
            on_path[key[0]] -= 1
            if path:
                open_arcs[(path[-1], key)] -= 1

    for node, depth in nodes.walk():
        leave(depth)
        function = nodes.functions[node]
        key = (function, on_path[function] > 0)
        on_path[function] += 1
        costs = [nodes.costs[event][node] for event in events]
        mine = selves[key]
        for column, cost in enumerate(costs):
            mine[column] += cost
        if path:
            arc = (path[-1], key)
            sums = arcs[arc]
            sums[0] += nodes.calls[node]
            if not open_arcs[arc]:
                for column in range(len(events)):
                    sums[column + 1] += inclusive[column][node]
            open_arcs[arc] += 1
        path.append(key)


def _header(forest: Forest, events: Sequence[int], names: Sequence[str]) -> list[bytes]:
    commands = dict.fromkeys(process.command for process in forest.processes())
    lines = [
        b"# callgrind format\n",
        b"version: 1\n",
        b"creator: callgrind_export\n",
        *(b"pid: %d\n" % process.pid for process in forest.processes()[:1]),
        b"cmd: %s\n" % _escaped(", ".join(commands)),
        b"part: 1\n\n",
    ]
    for text in forest.descriptions:
        lines.append(b"desc: Note: %s\n" % _escaped(text))
    if forest.sampled:
        lines.append(
            b"desc: Note: sampled; numbers of calls are not known, and written as 1\n"
        )
    lines.append(b"positions: line\n")
    for event, name in zip(events, names):
        description = forest.events[event].description
        if description:
            lines.append(b"event: %s : %s\n" % (name.encode(), _escaped(description)))
    lines.append(b"events: %s\n" % " ".join(names).encode())
    return lines


def _costs(costs: Sequence[int]) -> bytes:
    return " ".join(map(str, costs)).encode()


def _escaped(text: str) -> bytes:
    """A name that every reader takes for one, and does not shorten."""
    if not text:
        return b"???"
    if text.isascii() and text.isprintable() and "\\" not in text:
        name = text.encode()
    else:
        name = b"".join(
            escape(char) if ord(char) < 128 or char.isprintable()
            else b"".join(b"\\x%02x" % byte for byte in to_bytes(char))
            for char in text
        )
    if name[:1] == b" ":
        name = rb"\x20" + name[1:]
    if name[-1:] == b" ":
        name = name[:-1] + rb"\x20"
    return name


def _place(function: Function, within_itself: bool) -> tuple[bytes, bytes, bytes]:
    """Object, source file and name."""
    return (
        _escaped(function.object.path) if function.object else b"???",
        _escaped(function.source),
        _escaped(function.name) + (b"'2" if within_itself else b""),
    )


def _function(
    forest: Forest,
    key: Key,
    costs: Sequence[int],
    callees: Sequence[Arc],
    arcs: dict[Arc, list[int]],
    names: NameLines,
) -> list[bytes]:
    """The lines of a function: its own cost, and its calls."""
    function = forest.functions[key[0]]
    lines = list(map(names.line, ("ob", "fl", "fn"), _place(function, key[1])))
    lines.append(b"%d %s\n" % (function.line, _costs(costs)))
    for arc in sorted(callees):
        callee = forest.functions[arc[1][0]]
        calls, *inclusive = arcs[arc]
        lines += map(names.line, ("cob", "cfi", "cfn"), _place(callee, arc[1][1]))
        # callgrind_annotate takes the cost behind calls=0 for the function's own.
        lines.append(b"calls=%d %d\n" % (calls or 1, callee.line))
        lines.append(b"%d %s\n" % (function.line, _costs(inclusive)))
    lines.append(b"\n")
    return lines
