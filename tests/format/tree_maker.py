#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes tree files for tests: written by hand (Maker), or large ones that look like the
# tree of a C program or of a Python program.
#
# Owns: a writer of docs/tree-format.md that shares no code with the reader, so that a
# mistake of the one does not hide the same one of the other.  All is drawn from a seed.
#
#     tree_maker.py [--like c|python] [--nodes N] [--seed N] > FILE

"""Write tree files."""

from __future__ import annotations

import argparse
import random
import sys
from typing import BinaryIO, Optional, Sequence

EVENTS = (
    ("Ir", "count", "instructions executed"),
    ("sysCount", "count", "system calls"),
    ("sysTime", "nanoseconds", "time in system calls"),
)


def escaped(text: str) -> bytes:
    """A text by the escape rule."""
    return b"".join(
        b"\\\\"
        if byte == 0x5C
        else b"\\x%02x" % byte
        if byte < 32 or byte == 127
        else bytes([byte])
        for byte in text.encode("utf-8", "surrogateescape")
    )


class Maker:
    """A tree file that is written line by line."""

    def __init__(
        self,
        events: Sequence[tuple[str, str, str]] = EVENTS,
        costs: str = "counted",
        command: str = "./demo --words 20",
        pid: int = 4711,
    ) -> None:
        self.lines: list[bytes] = []
        self._width = len(events)
        self._ids: dict[tuple[str, ...], int] = {}
        self._last_ids: dict[str, int] = {}
        self._trees, self._all_nodes, self._sums = 0, 0, [0] * len(events)
        self._tree: list[tuple[int, list[int]]] = []
        self._say("callgrind-tree 1")
        self._say("creator", "callgrind-exact 0.1.0")
        self._say("costs " + costs)
        for name, unit, description in events:
            self._say(f"event {name} {unit}", description)
        self._say(f"process 1 {pid} 0", command)

    def _say(self, words: str, text: Optional[str] = None) -> None:
        end = b"" if text is None else b" " + escaped(text)
        self.lines.append(words.encode() + end + b"\n")

    def _define(self, kind: str, fields: Sequence[object], text: str) -> int:
        """The id of a definition, written when it is first needed."""
        key = (kind, *map(str, fields), text)
        if key not in self._ids:
            self._last_ids[kind] = self._last_ids.get(kind, 0) + 1
            self._ids[key] = self._last_ids[kind]
            words = [kind, self._ids[key], *fields]
            self._say(" ".join(map(str, words)), text)
        return self._ids[key]

    def thread(self, number: int, name: str = "", process: int = 1) -> int:
        return self._define("thread", [process, number], name)

    def part(self, number: int, trigger: str = "", benchmark: str = "") -> None:
        self._say(f"part {number}")
        if trigger:
            self._say("trigger", trigger)
        if benchmark:
            self._say("benchmark", benchmark)

    def function(
        self, name: str, path: str = "", source: str = "", line: int = 0, build: str = "-"
    ) -> int:
        owner = self._define("object", [build], path) if path else 0
        file = self._define("source", [], source) if source else 0
        return self._define("function", [owner, file, line], name)

    def function_again(self, name: str) -> int:
        """Another one of this name, of which nothing else is known, either."""
        self._ids.pop(("function", "0", "0", "0", name), None)
        return self.function(name)

    def tree(self, thread: int) -> None:
        self._say(f"tree {thread}")
        self._tree = []

    def node(
        self, parent: int, function: int, calls: int, *costs: int, kind: str = ""
    ) -> int:
        """parent: what node() returned for it, or 0; the node's number."""
        number = len(self._tree) + 1
        vector = list(costs) + [0] * (self._width - len(costs))
        self._tree.append((calls, vector))
        words = [f"{kind}{number - parent if parent else 0}", str(function), str(calls)]
        self._say(" ".join(words + trimmed(vector)))
        return number

    def total(self) -> None:
        calls = sum(calls for calls, _ in self._tree)
        sums = [
            sum(costs[event] for _, costs in self._tree) for event in range(self._width)
        ]
        self._say(" ".join([f"total {len(self._tree)} {calls}", *trimmed(sums)]))
        self._trees += 1
        self._all_nodes += len(self._tree)
        self._sums = [one + other for one, other in zip(self._sums, sums)]

    def end(self) -> bytes:
        self._say(
            " ".join([f"end {self._trees} {self._all_nodes}", *trimmed(self._sums)])
        )
        return b"".join(self.lines)


def trimmed(costs: Sequence[int]) -> list[str]:
    """Costs as words, without the zeros at the end."""
    words = [str(cost) for cost in costs]
    while words and words[-1] == "0":
        words.pop()
    return words


# --- Programs -------------------------------------------------------------------------

C_NAMES = (
    "parse_line skip_blanks hash_insert hash_find qsort_r msort_with_tmp compare memcpy "
    "malloc free _int_malloc vfprintf write_block compress_block fill_window "
    "longest_match read_file append_node rehash strlen"
).split()
PYTHON_NAMES = (
    "_PyEval_EvalFrameDefault _PyFunction_Vectorcall PyObject_Vectorcall "
    "_PyObject_MakeTpCall PyObject_GetAttr _PyObject_GenericGetAttrWithDict "
    "PyDict_GetItemWithError PyLong_FromLong _PyLong_Add PyUnicode_New "
    "PyObject_Malloc PyObject_Free list_append gc_collect_main dict_dealloc "
    "slot_tp_call type_call call_unbound_method cfunction_vectorcall_FASTCALL"
).split()


def grow(maker: Maker, like: str, nodes: int, seed: int) -> None:
    """One part, one thread, `nodes` nodes: wide for C, deep and repetitive for Python."""
    draw = random.Random(seed)
    names = PYTHON_NAMES if like == "python" else C_NAMES
    home = "/usr/bin/python3.11" if like == "python" else "/home/me/demo"
    library = "/usr/lib/x86_64-linux-gnu/libc.so.6"
    table = [
        maker.function(
            f"{name}_{copy}" if copy else name,
            library if index % 5 == 4 else home,
            f"{name.lower()[:8]}.c",
            10 + index,
            "9c3b1f00aa52e1d7" if index % 5 == 4 else "00ff",
        )
        for copy in range(20)
        for index, name in enumerate(names)
    ]
    main = maker.function("main", home, "main.c", 3, "00ff")
    thread = maker.thread(1, "main")
    maker.part(1, "Program termination")
    maker.tree(thread)
    taken: dict[tuple[int, int, str], bool] = {}
    depths = [0, 1]
    maker.node(0, main, 0, 1500, 2, 40_000)
    deepest = 220 if like == "python" else 24
    while len(depths) - 1 < nodes:
        count = len(depths) - 1
        # The deeper child of a recent node, or somewhere in what there is.
        if draw.random() < (0.85 if like == "python" else 0.6):
            parent = count - draw.randrange(min(count, 4))
        else:
            parent = 1 + int(count * draw.random() ** 2)
        if depths[parent] >= deepest:
            parent = 1 + draw.randrange(min(count, 1000))
        function = table[int(len(table) * draw.random() ** 3)]
        kind = "i" if draw.random() < 0.06 else ""
        if (parent, function, kind) in taken:
            continue
        taken[parent, function, kind] = True
        depths.append(depths[parent] + 1)
        calls = 0 if kind else 1 + int(draw.paretovariate(1.1)) % 100_000
        cost = int(7 * draw.paretovariate(0.9)) % 3_000_000
        system = int(draw.random() < 0.02)
        maker.node(parent, function, calls, cost, system, system * cost * 11, kind=kind)
    maker.total()


def program(like: str, nodes: int, seed: int = 1) -> bytes:
    command = "python3 bench.py" if like == "python" else "./demo --words 20"
    maker = Maker(command=command)
    grow(maker, like, nodes, seed)
    return maker.end()


def main() -> int:
    parser = argparse.ArgumentParser(description="Write a tree file to standard output.")
    parser.add_argument("--like", choices=("c", "python"), default="c")
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    output: BinaryIO = sys.stdout.buffer
    output.write(program(options.like, options.nodes, options.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
