# SPDX-License-Identifier: GPL-2.0-or-later
#
# Folded stacks: one line per path, `frame;frame;frame COST`, outermost frame first, as
# flamegraph.pl, inferno and many others read them.
#
# Owns: how a name is written there.  The format has no escapes of its own; names have
# those of the tree file (docs/tree-format.md), and \x3b for a semicolon.  So no name
# breaks a line or a path, and each can be read back.

"""Trees as folded stacks."""

from __future__ import annotations

from typing import BinaryIO

from export.tree_titles import part_title, thread_title
from tree_file.escape import escape
from tree_file.model import Forest, Tree

LINES_AT_ONCE = 1000


def folded_name(name: str) -> bytes:
    return escape(name).replace(b";", rb"\x3b")


def write_folded(
    forest: Forest, event: int, separate: frozenset[str], stream: BinaryIO
) -> None:
    """Self costs of one event, with a frame at the root for each of `separate`.

    A path that is in several trees has a line for each; readers add these up.
    """
    names = [folded_name(function.name) for function in forest.functions]
    for tree in forest.trees:
        above = [folded_name(title) for title in root_frames(tree, separate)]
        functions, costs = tree.nodes.functions, tree.nodes.costs[event]
        lines: list[bytes] = []
        path: list[bytes] = []
        for node, depth in tree.nodes.walk():
            del path[depth:]
            path.append(names[functions[node]])
            if costs[node]:
                lines.append(b"%s %d\n" % (b";".join(above + path), costs[node]))
                if len(lines) == LINES_AT_ONCE:
                    stream.write(b"".join(lines))
                    lines.clear()
        stream.write(b"".join(lines))


def root_frames(tree: Tree, separate: frozenset[str]) -> list[str]:
    """The frames above a tree that name its process, part and thread; outermost first."""
    frames = []
    if "process" in separate:
        process = tree.thread.process
        frames.append(f"process {process.pid}: {process.command}")
    if "part" in separate:
        frames.append(part_title(tree))
    if "thread" in separate:
        frames.append(thread_title(tree.thread))
    return frames
