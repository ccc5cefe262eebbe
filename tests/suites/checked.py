# SPDX-License-Identifier: GPL-2.0-or-later
#
# What has to be seen of a suite of benchmarks, whichever framework runs it.
#
# Owns: the five benchmarks that each suite here has, written in the framework's language,
# and how often the functions in them are called:
#
#    parse     the numbers 0 to 39, separated by commas: digits() for each
#    sort      64 numbers, by merging: merge() for each pair of halves
#    allocate  a list of 100 nodes: make_node() for each
#    strings   how often each of 160 words is there: count_word() for each
#    pool      9 tasks for 3 threads: task() for each
#
# and what the flame graph of each has: the user's functions by their names, and nothing
# of the framework but what is named as its root.

"""Check the parts that a suite of benchmarks leaves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterable, Sequence

from profile_file.model import Part
from tests.clients.measured import Run, calls, paths, total

# Of each benchmark, the function that is called, and how often.
COUNTED = {
    "parse": ("digits", 40),
    "sort": ("merge", 63),
    "allocate": ("make_node", 100),
    "strings": ("count_word", 160),
    "pool": ("task", 9),
}
LEAST_SHARE = 0.9  # of the cost of a benchmark, that is below the user's function


@dataclass(frozen=True)
class Expected:
    """How one framework names things; regular expressions for whole names."""

    # The part of a benchmark, with {} for the benchmark.
    part: str
    # A function of the user's, with {} for its name in the source.
    function: str
    # What is above the user's functions in a flame graph, besides.
    roots: str
    # The benchmarks that are not there, or cannot be told apart, with the reason.
    left_out: Sequence[str] = ()

    def named(self, function: str) -> str:
        return self.function.replace("{}", function)


Named = Sequence[tuple[str, Part]]  # parts with their names
Paths = Iterable[tuple[list[str], int]]  # functions from the root on, and a cost


def _parts_of(named: Named, expected: Expected) -> dict[str, list[Part]]:
    """The parts of each benchmark; no part has another name."""
    found: dict[str, list[Part]] = {}
    for name, part in named:
        for benchmark in COUNTED:
            if re.fullmatch(expected.part.replace("{}", benchmark), name):
                found.setdefault(benchmark, []).append(part)
                break
        else:
            assert name.startswith("Metadata:"), f"a part is called {name!r}"
    return found


def check_counts(run: Run, expected: Expected) -> None:
    """As check_parts, of a run."""
    check_parts(run.parts(), expected, run.said)


def check_parts(named: Named, expected: Expected, said: str) -> None:
    """Each benchmark is measured once, and its functions are called as often as they
    are."""
    parts = _parts_of(named, expected)
    wanted = [name for name in COUNTED if name not in expected.left_out]
    assert sorted(parts) == sorted(wanted), said
    wrong = []
    for benchmark in wanted:
        function, count = COUNTED[benchmark]
        name = expected.named(function)
        seen = sum(calls(part, name) for part in parts[benchmark])
        if seen != count:
            wrong.append(f"{benchmark}: {function} is called {seen} times, not {count}")
        with_cost = [part for part in parts[benchmark] if total(part) > 0]
        if benchmark != "pool" and len(with_cost) != 1:
            wrong.append(f"{benchmark}: {len(with_cost)} parts have costs")
    assert not wrong, "\n".join(wrong)


def check_flame_graph(
    run: Run, expected: Expected, benchmark: str, least_share: float = LEAST_SHARE
) -> None:
    """As check_paths, of a run."""
    check_paths(paths(run, benchmark), expected, least_share)


def check_paths(
    graph: Paths, expected: Expected, least_share: float = LEAST_SHARE
) -> None:
    """Nearly all, or the given share, is below the user's functions, and above the first
    of them are none but the roots."""
    function = re.compile(expected.named(r"\w+"))
    roots = re.compile(expected.roots)
    ours = others = 0
    strange = set()
    for path, cost in graph:
        first = next(
            (at for at, name in enumerate(path) if function.fullmatch(name)), None
        )
        above = path if first is None else path[:first]
        if first is None:
            others += cost
        else:
            ours += cost
            strange |= {name for name in above if not roots.fullmatch(name)}
    assert not strange, f"above the user's functions: {sorted(strange)}"
    assert ours >= least_share * (ours + others), (ours, others)
    assert ours > 0
