# SPDX-License-Identifier: GPL-2.0-or-later
#
# Answers questions about call trees for the `post:` lines of regression tests, in a form
# that is the same for every run.
#
#    tree_query QUERY [NAMES] [--tree FILE...] [--profile FILE...]
#
# NAMES are patterns (* ? [..]) of function names, separated by blanks.  Trees are added
# up over all threads, parts and files, unless --apart.
#
# Owns: the queries and how their answers look.  The reading is tree_file.py's, which
# refuses what is not well-formed, and profile_file's.  callgrind/tests/helpers/tree_query
# is the command.

"""Answer questions about call trees, for regression tests."""

from __future__ import annotations

import argparse
import collections
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Callable, Iterator, Mapping, Optional, Sequence, TypeVar, Union

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "callgrind" / "report")]

from profile_file.model import Part as ProfilePart  # noqa: E402
from profile_file.reader import Detail, ProfileError, read_profile  # noqa: E402
from tree_file.model import CALL, INLINED, PRUNED, Forest, Tree  # noqa: E402
from tree_file.reader import TreeError, read_forest  # noqa: E402
from tests.regtest.query_command import (  # noqa: E402
    add_files,
    add_question,
    query_parser,
)

DEFAULT_TREE = "callgrind.tree"
DEFAULT_PROFILE = "callgrind.out"

# A name as the tool gives it to code that has none.
NAMELESS = re.compile(r"0x[0-9a-f]{16}")
# What tells recursion levels apart in a profile.
LEVEL = re.compile(r"'[0-9]+$")

Ends = tuple[str, str]  # caller and callee
# glibc 2.43: free jumps to the other where the thread has no cache, and that back.
KNOWN_TAIL_LOOPS: tuple["Ends", ...] = (("tcache_free_init", "free"),)
PartKey = tuple[int, int]  # part and thread
Key = TypeVar("Key", str, Ends, PartKey)
Numbers = Union[int, list[int]]  # a count, or costs


class Question:
    """What was asked: the trees, the profiles, and which names are meant."""

    def __init__(
        self, forest: Forest, options: argparse.Namespace, folder: Path
    ) -> None:
        self.forest = forest
        self.folder = folder
        self.options = options
        self.patterns = options.names.split() or ["*"]

    def means(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)

    def ends(self, name: str) -> bool:
        ending = self.options.ending.split() or ["*"]
        return any(fnmatchcase(name, pattern) for pattern in ending)

    def name_at(self, tree: Tree, node: int) -> str:
        return self.forest.functions[tree.nodes.functions[node]].name

    def profile_parts(self) -> Iterator[ProfilePart]:
        for path in self.options.profile or [Path(DEFAULT_PROFILE)]:
            yield from read_profile(self.folder / path, Detail.FUNCTIONS).parts

    def groups(self) -> list[tuple[str, list[Tree]]]:
        """What is added up, and what it is called."""
        if not self.options.apart:
            return [("", self.forest.trees)]
        return [
            (f"part {tree.part.number}, thread {tree.thread.number}: ", [tree])
            for tree in self.forest.trees
        ]


def steps(question: Question, tree: Tree) -> list[str]:
    """Of each node, how it is written in a path: its kind, if it is no call, and name."""
    kinds = tree.nodes.kinds
    return [
        ("" if chr(kinds[node]) == CALL else f"[{chr(kinds[node])}] ")
        + question.name_at(tree, node)
        for node in range(len(tree.nodes))
    ]


def shown_paths(question: Question, tree: Tree) -> Iterator[tuple[int, str]]:
    """Each node that is meant, and its path: `...` stands for what is not meant."""
    names = steps(question, tree)
    shown: list[str] = []
    for node, name in enumerate(names):
        parent = tree.nodes.parents[node]
        before = shown[parent] + " > " if parent >= 0 else ""
        if question.means(question.name_at(tree, node)):
            shown.append(before + name)
            yield node, shown[node]
        else:
            shown.append(before if before.endswith("... > ") else before + "... > ")
            shown[node] = shown[node][: -len(" > ")]


def calls(question: Question) -> list[str]:
    """`a > b > c CALLS` for each path that ends in a function that is meant."""
    return [line.rsplit(" ", 1)[0] for line in paths(question)]


def paths(question: Question) -> list[str]:
    """`a > b > c CALLS COST`, the same with the cost at its end."""
    answer = []
    for label, trees in question.groups():
        sums: dict[str, list[int]] = {}
        for tree in trees:
            for node, path in shown_paths(question, tree):
                if not question.ends(question.name_at(tree, node)):
                    continue
                columns = tree.nodes.costs[: None if question.options.events else 1]
                numbers = [tree.nodes.calls[node], *(costs[node] for costs in columns)]
                known = sums.setdefault(path, [0] * len(numbers))
                sums[path] = [one + other for one, other in zip(known, numbers)]
        for path in sorted(sums):
            answer.append(f"{label}{path} {' '.join(map(str, sums[path]))}")
    return answer


def roots(question: Question) -> list[str]:
    """The first functions of paths, those that are meant."""
    return [
        f"{label}{name}"
        for label, trees in question.groups()
        for name in sorted(
            {
                name
                for tree in trees
                for node, name in enumerate(steps(question, tree))
                if tree.nodes.parents[node] < 0
                and question.means(question.name_at(tree, node))
            }
        )
    ]


def pruned(question: Question) -> list[str]:
    """How much was pruned: the number of sums, their calls and costs."""
    count = calls = cost = 0
    for tree in question.forest.trees:
        for node, kind in enumerate(tree.nodes.kinds):
            if chr(kind) == PRUNED:
                count += 1
                calls += tree.nodes.calls[node]
                cost += tree.nodes.costs[0][node]
    return [f"{count} {calls} {cost}"]


def total(question: Question) -> list[str]:
    """All calls, and all costs of each event."""
    calls = sum(sum(tree.nodes.calls) for tree in question.forest.trees)
    return [" ".join(map(str, [calls, *question.forest.totals()]))]


def nodes(question: Question) -> list[str]:
    """How many nodes there are."""
    return [str(sum(len(tree.nodes) for tree in question.forest.trees))]


def places(question: Question) -> list[str]:
    """`NAME ADDRESS` for each function: where it began in memory."""
    forest, answer = question.forest, []
    for index, entry in forest.entries.items():
        function = forest.functions[index]
        if function.object is None or not question.means(function.name):
            continue
        for mapping in forest.mappings_of(function.object):
            address = mapping.address_of(entry)
            if address is not None:
                answer.append(f"{function.name} {address:#x}")
    return sorted(answer)


# --- Is it right? -----------------------------------------------------------------------


def twins(question: Question, tree: Tree) -> Iterator[str]:
    """Nodes that agree in parent, function and kind."""
    seen = set()
    columns = tree.nodes
    for node, name in enumerate(steps(question, tree)):
        key = columns.parents[node], columns.functions[node], columns.kinds[node]
        if key in seen:
            yield f"two nodes of {name} below node {columns.parents[node] + 1}"
        seen.add(key)


class Sums:
    """What trees, or a profile, add up to: in all, by function, by caller and callee."""

    def __init__(self) -> None:
        self.parts: dict[PartKey, list[int]] = {}
        self.functions: dict[str, list[int]] = {}
        self.calls: collections.Counter[Ends] = collections.Counter()

    def add(self, part: PartKey, name: str, costs: Sequence[int]) -> None:
        add_costs(self.parts, part, costs)
        add_costs(self.functions, name, costs)


def add_costs(sums: dict[Key, list[int]], key: Key, costs: Sequence[int]) -> None:
    known = sums.setdefault(key, [0] * len(costs))
    for event, cost in enumerate(costs):
        known[event] += cost


def sums_of_trees(question: Question, has_threads: bool) -> Sums:
    sums = Sums()
    for tree in question.forest.trees:
        part = tree.part.number, tree.thread.number if has_threads else 0
        columns = tree.nodes
        owners: list[str] = []  # by node: the function that was called
        for node in range(len(columns)):
            parent, kind = columns.parents[node], chr(columns.kinds[node])
            belongs_to_parent = kind in (INLINED, PRUNED) and parent >= 0
            name = owners[parent] if belongs_to_parent else question.name_at(tree, node)
            owners.append(name)
            sums.add(part, name, [costs[node] for costs in columns.costs])
            if parent >= 0 and columns.calls[node] and not belongs_to_parent:
                sums.calls[owners[parent], name] += columns.calls[node]
    return sums


def sums_of_profiles(parts: Sequence[ProfilePart]) -> Sums:
    sums = Sums()
    for part in parts:
        key = part.header.part or 0, part.header.thread or 0
        for function in part.functions.values():
            sums.add(key, LEVEL.sub("", function.key.name), function.self_cost)
        for arc in part.arcs():
            ends = LEVEL.sub("", arc.caller.name), LEVEL.sub("", arc.callee.name)
            sums.calls[ends] += arc.count
    return sums


def differences(
    what: str,
    tree: Mapping[Key, Numbers],
    profile: Mapping[Key, Numbers],
    written: Callable[[Key], str] = str,
) -> Iterator[str]:
    """What is not the same in both; what is missing is the same as zero."""

    def is_nothing(value: Optional[Numbers]) -> bool:
        return not (any(value) if isinstance(value, list) else value)

    for key in sorted(set(tree).union(profile)):
        one, other = tree.get(key), profile.get(key)
        if one != other and not (is_nothing(one) and is_nothing(other)):
            yield f"{what} {written(key)}: tree {one}, profile {other}"


def merge_known_tail_loops(tree: Sums, profile: Sums) -> None:
    """Of functions of the C library that jump to each other round a circle, a profile has
    each jump as a call, and a tree has the node of the first: who calls is not compared,
    how often is."""
    for ends in KNOWN_TAIL_LOOPS:
        if ends not in profile.calls:
            continue
        for sums in (tree, profile):
            merged: collections.Counter[Ends] = collections.Counter()
            for (caller, callee), count in sums.calls.items():
                merged["*" if callee == ends[1] else caller, callee] += count
            sums.calls = merged


def leave_out_open(tree: Sums, profile: Sums) -> None:
    """Takes away what the profile has more than the tree."""
    for ends, count in profile.calls.items():
        profile.calls[ends] = min(count, tree.calls[ends])


def by_callee(sums: Sums) -> collections.Counter[str]:
    calls: collections.Counter[str] = collections.Counter()
    for (_, callee), count in sums.calls.items():
        calls[callee] += count
    return calls


def check(question: Question) -> list[str]:
    """Form; sums of parts, functions and calls, as in the profile, event by event.

    With --pruned, functions and calls are not compared: what was pruned says of neither
    whose it was; with --folded, calls are not.  With --tail-loops the callers are not: a
    jump back to a function of the same chain of tail calls is a call of its node.  With
    --open, as what a part begins with are calls that are open, the profile may have more:
    it counts those that have no other beside them.
    """
    wrong = [line for tree in question.forest.trees for line in twins(question, tree)]
    parts = list(question.profile_parts())
    has_threads = any(part.header.thread for part in parts)
    tree, profile = sums_of_trees(question, has_threads), sums_of_profiles(parts)
    events = [event.name for event in question.forest.events]
    if any(part.header.events != events for part in parts):
        wrong.append(f"events: tree {events}, profile {parts[0].header.events}")
    wrong += differences("part", tree.parts, profile.parts)
    compared = "parts"
    if not question.options.pruned:
        compared += ", functions"
        wrong += differences("function", tree.functions, profile.functions)
    if question.options.tail_loops:
        compared += ", calls by callee"
        wrong += differences("calls of", by_callee(tree), by_callee(profile))
    elif not question.options.pruned and not question.options.folded:
        compared += ", calls"
        merge_known_tail_loops(tree, profile)
        if question.options.open:
            compared += " but open ones"
            leave_out_open(tree, profile)
        wrong += differences("calls", tree.calls, profile.calls, " -> ".join)
    n_parts = len({tree.part.number for tree in question.forest.trees})
    n_threads = len({tree.thread.number for tree in question.forest.trees})
    return wrong or [f"tree: parts {n_parts}, threads {n_threads}; {compared} agree"]


QUERIES: dict[str, Callable[[Question], list[str]]] = {
    "calls": calls,
    "check": check,
    "nodes": nodes,
    "paths": paths,
    "places": places,
    "pruned": pruned,
    "roots": roots,
    "total": total,
}


def parse_arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = query_parser("tree_query", __doc__, QUERIES)
    add_question(parser, QUERIES)
    add_files(parser, "--tree", DEFAULT_TREE)
    add_files(parser, "--profile", DEFAULT_PROFILE, "check: ")
    parser.add_argument(
        "--ending", default="", metavar="NAMES", help="paths, calls: only those to these"
    )
    parser.add_argument(
        "--apart", action="store_true", help="answer for each part and thread"
    )
    parser.add_argument(
        "--events", action="store_true", help="paths: the costs of all events"
    )
    parser.add_argument("--pruned", action="store_true", help="check: nodes were pruned")
    parser.add_argument(
        "--folded", action="store_true", help="check: recursion was folded"
    )
    parser.add_argument(
        "--open", action="store_true", help="check: parts begin with open calls"
    )
    parser.add_argument(
        "--tail-loops", action="store_true", help="check: there are loops of tail calls"
    )
    parser.add_argument(
        "--hide-addresses",
        action="store_true",
        help="write 0x................ for the name of code without one",
    )
    return parser.parse_args(arguments)


def main(arguments: Optional[Sequence[str]] = None, folder: Path = Path()) -> int:
    """Answer the query about the files of a folder; the exit status."""
    options = parse_arguments(arguments)
    try:
        forest = read_forest(
            [folder / path for path in options.tree or [Path(DEFAULT_TREE)]]
        )
        answer = QUERIES[options.query](Question(forest, options, folder))
    except (ProfileError, TreeError) as error:
        print(f"tree_query: {error}", file=sys.stderr)
        return 1
    for line in answer:
        print(NAMELESS.sub("0x" + "." * 16, line) if options.hide_addresses else line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
