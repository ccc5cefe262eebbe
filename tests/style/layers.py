# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that includes (C) and imports (Python) run downwards only, as docs/layers.txt
# declares.
#
# A module is NAME.c with NAME.h, or NAME.py.  Each belongs to one room: the entry of
# layers.txt that is its own name or the folder nearest to it.  A module may use those of
# its own room and of rooms with a higher number, and no circle of modules may arise, in a
# room either.
#
# Owns: the reading of layers.txt, and the graph.  Relies on includes being written from
# the root of the tree ("model/arc.h"), and imports from the folder of the commands.

"""Layers: who may use whom."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Optional, Sequence

from tests.source_files import SOURCE, files_below

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
TREE = re.compile(r"^(\S+)/:$")
ROOM = re.compile(r"^   +(\d+)  (\S+) +(\S.*)$")
NOT_THE_PRODUCT = ("tests",)
REPOSITORY_LAYERS = "docs/layers.txt"


class LayersError(Exception):
    """layers.txt cannot be read."""


@dataclass(frozen=True)
class Room:
    """A line of layers.txt: a folder, or a file at the top of its tree."""

    layer: int
    name: str  # a folder ends with a slash
    owns: str

    def holds(self, module: str) -> bool:
        if self.name.endswith("/"):
            return module.startswith(self.name)
        return module == str(Path(self.name).with_suffix(""))


@dataclass
class Tree:
    """A part of layers.txt: a folder of the repository, and its rooms."""

    folder: str
    rooms: list[Room] = field(default_factory=list)

    def room_of(self, module: str) -> Optional[Room]:
        """The room of the longest name that holds it."""
        holding = [room for room in self.rooms if room.holds(module)]
        longest = max(holding, key=lambda room: len(room.name), default=None)
        return longest


def read_layers(path: Path) -> list[Tree]:
    """The trees of layers.txt.  Lines without indent are text, but for `FOLDER/:`."""
    trees: list[Tree] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        tree, room = TREE.match(line), ROOM.match(line)
        if tree is not None:
            trees.append(Tree(tree[1]))
        elif room is not None and trees:
            trees[-1].rooms.append(Room(int(room[1]), room[2], room[3]))
        elif line.startswith("   "):
            raise LayersError(f"{path}:{number}: neither a room nor text: {line!r}")
    if not trees:
        raise LayersError(f"{path}: declares no tree")
    return trees


def _is_product(path: Path, root: Path) -> bool:
    return not any(part in NOT_THE_PRODUCT for part in path.relative_to(root).parts)


def _module(path: Path, root: Path) -> str:
    return path.relative_to(root).with_suffix("").as_posix()


def _uses_of_c(text: str, root: Path) -> Iterator[str]:
    for name in INCLUDE.findall(text):
        if (root / name).is_file():
            yield str(Path(name).with_suffix(""))


def _uses_of_python(text: str, root: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            names.append(node.module)
        else:
            continue
        for name in names:
            module = name.replace(".", "/")
            if (root / f"{module}.py").is_file():
                yield module


def graph(root: Path, others: Sequence[Path] = ()) -> dict[str, set[str]]:
    """Every module of the tree at `root`, and those that it uses.  What is below `others`
    belongs to a tree of its own."""
    uses: dict[str, set[str]] = {}
    # A tree that is made up for a test is taken as it lies there.
    ours = files_below(root) if root.is_relative_to(SOURCE) else sorted(root.rglob("*"))
    for path in ours:
        if path.suffix not in (".c", ".h", ".py") or not _is_product(path, root):
            continue
        if any(other in path.parents for other in others):
            continue
        find = _uses_of_python if path.suffix == ".py" else _uses_of_c
        module = _module(path, root)
        used = set(find(path.read_text(encoding="utf-8"), root))
        uses.setdefault(module, set()).update(used - {module})
    return uses


def upward(tree: Tree, uses: dict[str, set[str]]) -> Iterator[str]:
    """What breaks the order of the rooms: a line each."""
    for module, used in sorted(uses.items()):
        room = tree.room_of(module)
        if room is None:
            yield f"{tree.folder}/{module}: in no room that layers.txt names"
            continue
        for other in sorted(used):
            target = tree.room_of(other)
            if target is not None and target != room and target.layer <= room.layer:
                yield (
                    f"{tree.folder}/{module} ({room.name}) uses {other} ({target.name}), "
                    f"which does not lie below it"
                )


def circles(uses: dict[str, set[str]]) -> Iterator[list[str]]:
    """Modules that use each other, directly or through others: a list for each circle."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        stack.append(module)
        for other in sorted(uses.get(module, ())):
            if other not in order:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], order[other])
        if lowest[module] == order[module]:
            at = stack.index(module)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for module in sorted(uses):
        if module not in order:
            visit(module)
    yield from found


def empty_rooms(tree: Tree, uses: dict[str, set[str]]) -> Iterator[str]:
    """Rooms that layers.txt names and that do not exist."""
    lived_in = {tree.room_of(module) for module in uses}
    for room in tree.rooms:
        if room not in lived_in:
            yield f"{tree.folder}/{room.name}: layers.txt names it, and nothing is in it"


def breaches(tree: Tree, trees: Sequence[Tree], repository: Path) -> list[str]:
    """All that is wrong with a tree, one of `trees`."""
    root = repository / tree.folder
    folders = [repository / other.folder for other in trees]
    uses = graph(root, [folder for folder in folders if root in folder.parents])
    return [
        *upward(tree, uses),
        *(f"{tree.folder}: a circle: {' '.join(circle)}" for circle in circles(uses)),
        *empty_rooms(tree, uses),
    ]
