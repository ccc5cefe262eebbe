# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Firefox Profiler's processed format, in one fixed version.
#
# Owns: how a tree becomes a thread of that format: tables of strings, functions, frames
# and stacks, as columns, and a sample with a weight for each path that has a cost.  A
# sample there has one weight, so a file has one event.  The page brings older versions
# of its format up to date when it loads them.

"""Trees as a Firefox Profiler profile."""

from __future__ import annotations

import json
import os
from typing import Any, BinaryIO, Optional, Sequence

from export.tree_titles import part_title, thread_title
from tree_file.escape import unicode_text
from tree_file.model import INLINED, JIT, KERNEL, Event, Forest, Nodes, Tree

PROCESSED_VERSION = 48
GECKO_VERSION = 29

# A category by the kind of a node; its index, and the colour on the page.
CATEGORIES = [
    ("User", "yellow"),
    ("Kernel", "orange"),
    ("JIT", "green"),
    ("Other", "grey"),
]
CATEGORY_OF = {ord(KERNEL): 1, ord(JIT): 2}

# What one millisecond on the page's axis is; its samples stand one behind the other.
MILLISECONDS = {"nanoseconds": 1e-6, "microseconds": 1e-3, "seconds": 1e3}

Column = list[Optional[int]]


def write_firefox(forest: Forest, event: int, title: str, stream: BinaryIO) -> None:
    what = forest.events[event]
    profile = {
        "meta": _meta(forest, what, title),
        "libs": _libraries(forest),
        "threads": [
            _Thread(forest, tree, event).document()
            for tree in forest.trees
            if any(tree.nodes.costs[event])
        ],
        "pages": [],
        "counters": [],
        "profilerOverhead": [],
    }
    stream.write(json.dumps(profile, separators=(",", ":")).encode() + b"\n")


def _meta(forest: Forest, what: Event, title: str) -> dict[str, Any]:
    return {
        "interval": 1,
        "startTime": 0,
        "processType": 0,
        "categories": [
            {"name": name, "color": colour, "subcategories": ["Other"]}
            for name, colour in CATEGORIES
        ],
        "product": unicode_text(f"{title} ({what.name})"),
        "stackwalk": 1,
        "debug": False,
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": PROCESSED_VERSION,
        "symbolicated": True,
        "sourceCodeIsNotOnSearchfox": True,
        "usesOnlyOneStackType": True,
        "doesNotUseFrameImplementation": True,
        "importedFrom": unicode_text(forest.creators[0] if forest.creators else ""),
        "arguments": unicode_text(forest.processes()[0].command if forest.trees else ""),
        "markerSchema": [],
        "extensions": {"id": [], "name": [], "baseURL": [], "length": 0},
        "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"},
    }


def _libraries(forest: Forest) -> list[dict[str, Any]]:
    objects = dict.fromkeys(
        function.object for function in forest.functions if function.object is not None
    )
    return [
        {
            "arch": "",
            "name": unicode_text(os.path.basename(owner.path)),
            "path": unicode_text(owner.path),
            "debugName": unicode_text(os.path.basename(owner.path)),
            "debugPath": unicode_text(owner.path),
            "breakpadId": "",
            "codeId": owner.build_id or None,
        }
        for owner in objects
    ]


class _Thread:
    """One tree, as tables of columns; an index in one table is a row of another."""

    def __init__(self, forest: Forest, tree: Tree, event: int) -> None:
        self._forest = forest
        self._tree = tree
        self._event = event
        self._strings: dict[str, int] = {}
        libraries = dict.fromkeys(
            function.object
            for function in forest.functions
            if function.object is not None
        )
        self._libraries = {owner: row for row, owner in enumerate(libraries)}
        self._resources: dict[int, int] = {}  # by library
        self._functions: dict[int, int] = {}  # by index of the forest
        self._frames: dict[tuple[int, int, int], int] = {}  # function, category, depth

    def _string(self, text: str) -> int:
        return self._strings.setdefault(unicode_text(text), len(self._strings))

    def document(self) -> dict[str, Any]:
        tree, process = self._tree, self._tree.thread.process
        stacks, samples = self._stacks_and_samples(tree.nodes)
        several = len(self._forest.processes()) > 1
        names = [f"process {process.pid}"] * several
        names += [thread_title(tree.thread), part_title(tree)]
        return {
            "processType": "default",
            "processName": unicode_text(process.command),
            "processStartupTime": 0,
            "processShutdownTime": None,
            "registerTime": 0,
            "unregisterTime": None,
            "pausedRanges": [],
            "name": unicode_text(", ".join(names)),
            "isMainThread": tree is self._forest.trees[0],
            "pid": str(process.pid),
            "tid": tree.thread.number,
            "samples": samples,
            "stackTable": stacks,
            "frameTable": self._frame_table(),
            "funcTable": self._function_table(),
            "resourceTable": self._resource_table(),
            "nativeSymbols": _table(0, libIndex=[], address=[], name=[], functionSize=[]),
            "markers": _table(
                0, data=[], name=[], startTime=[], endTime=[], phase=[], category=[]
            ),
            "stringArray": list(self._strings),
        }

    def _stacks_and_samples(self, nodes: Nodes) -> tuple[dict[str, Any], dict[str, Any]]:
        """A stack is a node: both know their parents."""
        costs, inlined = nodes.costs[self._event], ord(INLINED)
        unit = MILLISECONDS.get(self._forest.events[self._event].unit, 1)
        rows: dict[int, int] = {}
        prefix: Column = []
        frame: list[int] = []
        category: list[int] = []
        depths: list[int] = []  # of inlining
        stack: list[int] = []
        weight: list[int] = []
        time: list[float] = []
        passed = 0
        for node, _ in nodes.walk():
            parent = nodes.parents[node]
            row = rows[node] = len(frame)
            depths.append(0)
            if nodes.kinds[node] == inlined and parent >= 0:
                depths[row] = depths[rows[parent]] + 1
            category.append(CATEGORY_OF.get(nodes.kinds[node], 0))
            prefix.append(rows[parent] if parent >= 0 else None)
            key = (nodes.functions[node], category[row], depths[row])
            frame.append(self._frames.setdefault(key, len(self._frames)))
            if costs[node]:
                stack.append(row)
                weight.append(costs[node])
                time.append(passed * unit)
                passed += costs[node]
        stacks = _table(
            len(frame),
            prefix=prefix,
            frame=frame,
            category=category,
            subcategory=[0] * len(frame),
        )
        samples = _table(len(stack), stack=stack, time=time, weight=weight)
        samples["weightType"] = "samples"
        return stacks, samples

    def _frame_table(self) -> dict[str, Any]:
        rows = list(self._frames)
        none: Column = [None] * len(rows)
        functions = [self._function(index) for index, _, _ in rows]
        return _table(
            len(rows),
            address=[-1] * len(rows),
            inlineDepth=[depth for _, _, depth in rows],
            category=[category for _, category, _ in rows],
            subcategory=[0] * len(rows),
            func=functions,
            nativeSymbol=none,
            innerWindowID=none,
            implementation=none,
            line=[self._forest.functions[index].line or None for index, _, _ in rows],
            column=none,
            optimizations=none,
        )

    def _function(self, index: int) -> int:
        return self._functions.setdefault(index, len(self._functions))

    def _function_table(self) -> dict[str, Any]:
        found = [self._forest.functions[index] for index in self._functions]
        resources = []
        for function in found:
            resource = -1
            if function.object is not None:
                library = self._libraries[function.object]
                resource = self._resources.setdefault(library, len(self._resources))
            resources.append(resource)
        false = [False] * len(found)
        return _table(
            len(found),
            name=[self._string(function.name) for function in found],
            isJS=false,
            relevantForJS=false,
            resource=resources,
            fileName=[
                self._string(function.source) if function.source else None
                for function in found
            ],
            lineNumber=[function.line or None for function in found],
            columnNumber=[None] * len(found),
        )

    def _resource_table(self) -> dict[str, Any]:
        owners = list(self._libraries)
        names: Sequence[str] = [
            os.path.basename(owners[library].path) for library in self._resources
        ]
        return _table(
            len(names),
            lib=list(self._resources),
            name=[self._string(name) for name in names],
            host=[None] * len(names),
            type=[1] * len(names),  # a library
        )


def _table(length: int, **columns: Any) -> dict[str, Any]:
    return {"length": length, **columns}
