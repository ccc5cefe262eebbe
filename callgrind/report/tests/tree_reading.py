# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tree files as tests look at them: read from bytes, and taken apart into paths.

"""Read trees in tests."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tree_file.model import Forest
from tree_file.reader import read_forest


def read(*files: bytes) -> Forest:
    """One forest of files with these contents."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{number}.tree") for number in range(len(files))]
        for path, content in zip(paths, files):
            path.write_bytes(content)
        return read_forest(paths)


def paths(forest: Forest) -> dict[tuple[str, ...], tuple[int, list[int]]]:
    """Calls and costs by path, for small forests."""
    found: dict[tuple[str, ...], tuple[int, list[int]]] = {}
    for tree in forest.trees:
        nodes = tree.nodes
        names: list[tuple[str, ...]] = []
        for node, parent in enumerate(nodes.parents):
            above = names[parent] if parent >= 0 else ()
            kind = chr(nodes.kinds[node])
            name = forest.functions[nodes.functions[node]].name
            names.append((*above, name if kind == "c" else f"{name} [{kind}]"))
            costs = [column[node] for column in nodes.costs]
            found[names[-1]] = (nodes.calls[node], costs)
    return found
