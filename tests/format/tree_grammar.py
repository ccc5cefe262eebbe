#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks, line by line, whether a tree file keeps strictly to docs/tree-format.md.
#
# Owns: the rules for writers, also those that a reader need not enforce: one node per
# path, no needless zeros and nodes, nothing defined that is not used.  It shares no code
# with the reader in callgrind/report/tree_file/, so that a mistake there does not hide
# the same one in a writer.
#
#     tree_grammar.py FILE...    one line per violation; exit status 1 if there is one

"""Check tree files strictly against the grammar of the format."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # when run as a command

from tests.format.lint_cli import (  # noqa: E402
    GrammarError,
    Violation,
    check_lines,
    lint_files,
)

NUMBER = r"(?:0|[1-9][0-9]*)"
ID = r"[1-9][0-9]*"
ADDRESS = r"0x(?:0|[1-9a-f][0-9a-f]*)"
# Any bytes but controls and backslashes, or an escape of one of these.
TEXT = r"(?:[^\x00-\x1f\x7f\\]|\\\\|\\x[01][0-9a-f]|\\x7f)*"
UNIT = r"(?:count|nanoseconds|microseconds|milliseconds|seconds|bytes|cycles|centicycles)"
COSTS = rf"((?: {NUMBER})*)"

LINES = {
    "version": r"callgrind-tree 1",
    "creator": rf"creator {TEXT}",
    "costs": r"costs (?:counted|sampled)",
    "event": rf"event ([^\x00-\x20\x7f]+) {UNIT} {TEXT}",
    "desc": rf"desc {TEXT}",
    "process": rf"process ({ID}) {NUMBER} ({NUMBER}) {TEXT}",
    "thread": rf"thread ({ID}) ({ID}) {NUMBER} {TEXT}",
    "object": rf"object ({ID}) (?:-|(?:[0-9a-f]{{2}})+) {TEXT}",
    "map": rf"map ({ID}) ({ID}) ({ADDRESS}) ({ADDRESS}) ({ADDRESS})",
    "source": rf"source ({ID}) {TEXT}",
    "function": rf"function ({ID}) ({NUMBER}) ({NUMBER}) {NUMBER} (?=.){TEXT}",
    "entry": rf"entry ({ID}) ({ADDRESS})",
    "part": rf"part ({NUMBER})",
    "trigger": rf"trigger {TEXT}",
    "benchmark": rf"benchmark {TEXT}",
    "tree": rf"tree ({ID})",
    "total": rf"total ({NUMBER}) ({NUMBER}){COSTS}",
    "end": rf"end ({NUMBER}) ({NUMBER}){COSTS}",
}
PATTERNS = {word: re.compile(pattern) for word, pattern in LINES.items()}
NODE = re.compile(rf"([ijkspt]?)({NUMBER}) ({ID}) ({NUMBER}){COSTS}")
HEADER = ("creator", "costs", "event")
# What the numbers of a definition refer to, after its own.
REFERENCES = {
    "process": ("process",),
    "thread": ("process",),
    "object": (),
    "source": (),
    "function": ("object", "source"),
}
LARGEST = (1 << 64) - 1
LARGEST_ID = (1 << 31) - 1


@dataclass
class _Tree:
    """What is known of the tree that is being written."""

    nodes: set[tuple[int, int, str]] = field(default_factory=set)
    parents: list[int] = field(default_factory=list)
    empty: set[int] = field(default_factory=set)  # without cost, calls and children
    calls: int = 0
    sums: list[int] = field(default_factory=list)


class _Checker:
    """The state that the rules of the format need, moved on by one line at a time."""

    def __init__(self) -> None:
        self.ended = False
        self.trees, self.nodes = 0, 0
        self.all_events: Optional[list[str]] = None
        self._start_document()

    def _start_document(self) -> None:
        self.header: list[str] = []
        self.events: list[str] = []
        self.defined: dict[str, set[int]] = {kind: set() for kind in REFERENCES}
        self.used: dict[str, set[int]] = {kind: set() for kind in REFERENCES}
        self.maps: dict[int, list[tuple[int, int, int]]] = {}  # of an object
        self.objects: dict[int, int] = {}  # of functions
        self.entries: set[int] = set()  # functions that have one
        self.part = -1
        self.of_part: set[str] = set()
        self.threads: set[int] = set()
        self.tree: Optional[_Tree] = None
        self.trees, self.nodes, self.sums = 0, 0, [0]
        self.body = False

    def check(self, number: int, text: str) -> None:
        if not text.endswith("\n"):
            raise GrammarError("the last line does not end with a line feed")
        line = text[:-1]
        if self.tree is not None and not line.startswith("total "):
            self._node(line, self.tree)
            return
        word = line.partition(" ")[0]
        name = "version" if word == "callgrind-tree" else word
        match = PATTERNS[name].fullmatch(line) if name in PATTERNS else None
        if match is None:
            raise GrammarError(f"no line of the format: {line[:60]!r}")
        self._order(name)
        if name in REFERENCES:
            self._definition(name, match)
        elif name in ("event", "map", "entry", "part", "tree", "total", "end"):
            getattr(self, "_" + name)(match)

    def finish(self) -> None:
        if not self.ended:
            raise GrammarError("the last line is not an 'end' line")

    # --- What may stand where --------------------------------------------------------

    def _order(self, name: str) -> None:
        if name == "version":
            if self.header and not self.ended:
                raise GrammarError("a version line before the 'end' line")
            self._start_document()
            self.ended = False
            self.header = ["version"]
            return
        if not self.header or self.ended:
            raise GrammarError("the first line of a document is 'callgrind-tree 1'")
        if name in HEADER:
            before = {"creator": "version", "costs": "creator", "event": "costs event"}
            if self.body or self.header[-1] not in before[name]:
                raise GrammarError(f"'{name}' after '{self.header[-1]}'")
            self.header.append(name)
            return
        if self.header[-1] != "event":
            raise GrammarError(f"'{name}' in the header")
        if not self.body and self.all_events not in (None, self.events):
            raise GrammarError("other events than in the document before")
        self.all_events = self.events
        self.body = True
        if name in ("trigger", "benchmark", "desc"):
            self._of_part(name)

    def _of_part(self, name: str) -> None:
        if self.part < 0 and name == "desc":
            return
        if self.part < 0 or self.threads:
            raise GrammarError(f"'{name}' is not before the first tree of a part")
        if name in self.of_part and name != "desc":
            raise GrammarError(f"a second '{name}' in a part")
        self.of_part.add(name)

    # --- Lines ---------------------------------------------------------------------

    def _event(self, match: re.Match[str]) -> None:
        if match.group(1) in self.events:
            raise GrammarError(f"a second event {match.group(1)}")
        self.events.append(match.group(1))
        self.sums = [0] * len(self.events)

    def _definition(self, kind: str, match: re.Match[str]) -> None:
        own, *others = map(int, match.groups())
        if own in self.defined[kind] or own > LARGEST_ID:
            raise GrammarError(f"{kind} {own} is defined already, or too large")
        for referred, number in zip(REFERENCES[kind], others):
            if number or kind == "thread":
                self._use(referred, number)
        self.defined[kind].add(own)
        if kind == "function":
            self.objects[own] = others[0]

    def _use(self, kind: str, number: int) -> None:
        if number not in self.defined[kind]:
            raise GrammarError(f"{kind} {number} is not defined")
        self.used[kind].add(number)

    def _map(self, match: re.Match[str]) -> None:
        self._use("process", int(match.group(1)))
        self._use("object", int(match.group(2)))
        start, size, offset = (int(word, 16) for word in match.group(3, 4, 5))
        if not size or start + size > LARGEST or offset + size > LARGEST:
            raise GrammarError("an empty mapping, or one beyond all addresses")
        self.maps.setdefault(int(match.group(2)), []).append((start, size, offset))

    def _entry(self, match: re.Match[str]) -> None:
        function, offset = int(match.group(1)), int(match.group(2), 16)
        owner = self.objects.get(function, 0)
        if not owner or function in self.entries:
            raise GrammarError("an entry of a function without object, or a second one")
        self.entries.add(function)
        maps = self.maps.get(owner, [])
        if maps and not any(first <= offset < first + size for _, size, first in maps):
            raise GrammarError("the entry is in no mapping of its object")

    def _part(self, match: re.Match[str]) -> None:
        if int(match.group(1)) <= self.part:
            raise GrammarError(f"part {match.group(1)} after part {self.part}")
        self.part = int(match.group(1))
        self.of_part, self.threads = set(), set()

    def _tree(self, match: re.Match[str]) -> None:
        thread = int(match.group(1))
        self._use("thread", thread)
        if self.part < 0 or thread in self.threads:
            raise GrammarError(f"thread {thread} has a tree, or there is no part")
        self.threads.add(thread)
        self.tree = _Tree(sums=[0] * len(self.events))

    def _costs(self, text: str) -> list[int]:
        costs = [int(word) for word in text.split()]
        if len(costs) > len(self.events) or max(costs, default=0) > LARGEST:
            raise GrammarError(f"more costs than events, or too large ones:{text}")
        if costs and not costs[-1]:
            raise GrammarError(f"a zero at the end:{text}")
        return costs + [0] * (len(self.events) - len(costs))

    def _node(self, line: str, tree: _Tree) -> None:
        match = NODE.fullmatch(line)
        if match is None:
            raise GrammarError(f"neither a node nor 'total': {line[:60]!r}")
        kind, costs = match.group(1), self._costs(match.group(5))
        distance, function, calls = map(int, match.group(2, 3, 4))
        number = len(tree.parents) + 1
        if distance >= number:
            raise GrammarError("the parent would be before the first node")
        self._use("function", function)
        parent = number - distance if distance else 0
        if (parent, function, kind) in tree.nodes:
            raise GrammarError(f"a second node of this path: {line[:60]!r}")
        tree.nodes.add((parent, function, kind))
        tree.parents.append(parent)
        tree.empty.discard(parent)
        if not calls and not any(costs):
            tree.empty.add(number)
        if kind == "i" and calls:
            raise GrammarError("inlined code has no calls")
        tree.calls += calls
        tree.sums = [one + other for one, other in zip(tree.sums, costs)]

    def _total(self, match: re.Match[str]) -> None:
        tree, self.tree = self.tree, None
        if tree is None:
            raise GrammarError("'total' without a tree")
        said = [*map(int, match.group(1, 2)), *self._costs(match.group(3))]
        counted = [len(tree.parents), tree.calls, *tree.sums]
        self.trees += 1
        self.nodes += len(tree.parents)
        self.sums = [one + other for one, other in zip(self.sums, tree.sums)]
        if said != counted:
            raise GrammarError(f"total says {said}, the nodes add up to {counted}")
        if tree.empty:
            raise GrammarError(
                f"nodes without calls, costs and children: {sorted(tree.empty)[:5]}"
            )

    def _end(self, match: re.Match[str]) -> None:
        self.ended = True
        said = [*map(int, match.group(1, 2)), *self._costs(match.group(3))]
        counted = [self.trees, self.nodes, *self.sums]
        if said != counted:
            raise GrammarError(f"end says {said}, the trees add up to {counted}")
        for kind in ("object", "source", "function"):
            unused = self.defined[kind] - self.used[kind]
            if unused:
                raise GrammarError(f"{kind}s that are not used: {sorted(unused)[:5]}")


def violations(path: Path) -> Iterator[Violation]:
    """Every violation, in the order of the file."""
    # Latin-1: every byte is a character, and none but the line feed ends a line.
    with open(path, encoding="latin-1", newline="\n") as stream:
        yield from check_lines(path, stream, _Checker())


def main(arguments: Optional[Sequence[str]] = None) -> int:
    return lint_files(violations, __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
