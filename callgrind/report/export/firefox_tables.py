# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the Firefox Profiler's processed format is made of, in one fixed version.
#
# Owns: the profile around its threads, and a thread as tables of columns: strings,
# functions, frames and stacks, where an index in one table is a row of another.  The page
# brings older versions of its format up to date when it loads them.  What a thread's
# samples and markers are, firefox.py and firefox_timeline.py know.

"""The tables of a Firefox Profiler profile."""

from __future__ import annotations

import json
import os
from typing import Any, BinaryIO, Optional, Sequence

from tree_file.escape import unicode_text
from tree_file.model import INLINED, JIT, KERNEL, Function, Process

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
OTHER = 3

Column = list[Optional[int]]


def write_profile(
    meta: dict[str, Any],
    functions: Sequence[Function],
    threads: Sequence[dict[str, Any]],
    stream: BinaryIO,
) -> None:
    profile = {
        "meta": meta,
        "libs": _libraries(functions),
        "threads": threads,
        "pages": [],
        "counters": [],
        "profilerOverhead": [],
    }
    stream.write(json.dumps(profile, separators=(",", ":")).encode() + b"\n")


def meta(product: str, creators: Sequence[str], command: str) -> dict[str, Any]:
    return {
        "interval": 1,
        "startTime": 0,
        "processType": 0,
        "categories": [
            {"name": name, "color": colour, "subcategories": ["Other"]}
            for name, colour in CATEGORIES
        ],
        "product": unicode_text(product),
        "stackwalk": 1,
        "debug": False,
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": PROCESSED_VERSION,
        "symbolicated": True,
        "sourceCodeIsNotOnSearchfox": True,
        "usesOnlyOneStackType": True,
        "doesNotUseFrameImplementation": True,
        "importedFrom": unicode_text(creators[0] if creators else ""),
        "arguments": unicode_text(command),
        "markerSchema": [],
        "extensions": {"id": [], "name": [], "baseURL": [], "length": 0},
        "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"},
    }


def _libraries(functions: Sequence[Function]) -> list[dict[str, Any]]:
    objects = dict.fromkeys(
        function.object for function in functions if function.object is not None
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


class ThreadTables:
    """The tables of one thread."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self._known = functions
        self._strings: dict[str, int] = {}
        libraries = dict.fromkeys(
            function.object for function in functions if function.object is not None
        )
        self._libraries = {owner: row for row, owner in enumerate(libraries)}
        self._resources: dict[int, int] = {}  # by library
        self._functions: dict[int, int] = {}  # by index of those that are known
        self._frames: dict[tuple[int, int, int], int] = {}  # function, category, depth
        # Of each stack: its caller, its frame, and the depth of inlining.
        self._prefixes: Column = []
        self._stack_frames: list[int] = []
        self._categories: list[int] = []
        self._depths: list[int] = []

    def string(self, text: str) -> int:
        return self._strings.setdefault(unicode_text(text), len(self._strings))

    def add_stack(self, prefix: Optional[int], function: int, kind: int) -> int:
        """The row of a new stack: a function on top of another stack, or of none."""
        depth = 0
        if kind == ord(INLINED) and prefix is not None:
            depth = self._depths[prefix] + 1
        category = CATEGORY_OF.get(kind, 0)
        frame = self._frames.setdefault((function, category, depth), len(self._frames))
        self._prefixes.append(prefix)
        self._stack_frames.append(frame)
        self._categories.append(category)
        self._depths.append(depth)
        return len(self._depths) - 1

    def document(self, process: Process, **fields: Any) -> dict[str, Any]:
        """The thread; what is in `fields` is as it is there."""
        frames = self._frame_table()
        functions = self._function_table()
        return {
            "processType": "default",
            "processName": unicode_text(process.command),
            "processStartupTime": 0,
            "processShutdownTime": None,
            "registerTime": 0,
            "unregisterTime": None,
            "pausedRanges": [],
            "pid": str(process.pid),
            "stackTable": self._stack_table(),
            "frameTable": frames,
            "funcTable": functions,
            "resourceTable": self._resource_table(),
            "nativeSymbols": table(0, libIndex=[], address=[], name=[], functionSize=[]),
            "markers": no_markers(),
            **fields,
            "stringArray": list(self._strings),
        }

    def _stack_table(self) -> dict[str, Any]:
        return table(
            len(self._depths),
            prefix=self._prefixes,
            frame=self._stack_frames,
            category=self._categories,
            subcategory=[0] * len(self._depths),
        )

    def _frame_table(self) -> dict[str, Any]:
        rows = list(self._frames)
        none: Column = [None] * len(rows)
        functions = [self._function(index) for index, _, _ in rows]
        return table(
            len(rows),
            address=[-1] * len(rows),
            inlineDepth=[depth for _, _, depth in rows],
            category=[category for _, category, _ in rows],
            subcategory=[0] * len(rows),
            func=functions,
            nativeSymbol=none,
            innerWindowID=none,
            implementation=none,
            line=[self._known[index].line or None for index, _, _ in rows],
            column=none,
            optimizations=none,
        )

    def _function(self, index: int) -> int:
        return self._functions.setdefault(index, len(self._functions))

    def _function_table(self) -> dict[str, Any]:
        found = [self._known[index] for index in self._functions]
        resources = []
        for function in found:
            resource = -1
            if function.object is not None:
                library = self._libraries[function.object]
                resource = self._resources.setdefault(library, len(self._resources))
            resources.append(resource)
        false = [False] * len(found)
        return table(
            len(found),
            name=[self.string(function.name) for function in found],
            isJS=false,
            relevantForJS=false,
            resource=resources,
            fileName=[
                self.string(function.source) if function.source else None
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
        return table(
            len(names),
            lib=list(self._resources),
            name=[self.string(name) for name in names],
            host=[None] * len(names),
            type=[1] * len(names),  # a library
        )


def no_markers() -> dict[str, Any]:
    return table(0, data=[], name=[], startTime=[], endTime=[], phase=[], category=[])


def table(length: int, **columns: Any) -> dict[str, Any]:
    return {"length": length, **columns}
