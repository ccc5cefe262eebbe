# SPDX-License-Identifier: GPL-2.0-or-later
#
# Answers questions about profiles for the `post:` lines of regression tests, in a form
# that is the same for every run.
#
#    profile_query QUERY [NAMES] [+ QUERY [NAMES]]... [--profile FILE...]
#
# NAMES are patterns (* ? [..]) of function names, separated by blanks.  Costs are added
# up over all parts of all files; a name stands for all functions that have it.  `+`
# begins another query of the same files.
#
# Owns: the queries and how their answers look.  The reading is profile_file's and the
# judgement of form tests/format's.  callgrind/tests/helpers/profile_query is the command.

"""Answer questions about callgrind profiles, for regression tests."""

from __future__ import annotations

import argparse
import collections
import itertools
import os
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Callable, Iterable, Iterator, Optional, Sequence

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "callgrind" / "report")]

from profile_file.reader import Detail, ProfileError, read_profile  # noqa: E402
from tests.format.profile_grammar import violations  # noqa: E402
from tests.regtest.query_command import add_files, query_parser  # noqa: E402
from tests.regtest.remembered import remembered  # noqa: E402
from profile_file.model import (  # noqa: E402
    Arc,
    FunctionKey,
    FunctionProfile,
    Part,
    Profile,
)

DEFAULT_PROFILE = "callgrind.out"

# A name as the tool gives it to code that has none.
NAMELESS = re.compile(r"0x[0-9a-f]{16}")


@remembered
def profile_of(path: Path) -> Profile:
    return read_profile(path, Detail.LINES)


@remembered
def breaches_of_form(path: Path) -> list[str]:
    return [str(violation) for violation in violations(path)]


class Question:
    """What was asked: the profiles, and which names are meant."""

    def __init__(
        self, profiles: Sequence[Profile], names: str, options: argparse.Namespace
    ) -> None:
        self.profiles = profiles
        self.patterns = names.split() or ["*"]
        self.roots = options.roots.split()
        self.event_patterns = options.events.split() or ["*"]
        self.excepted = options.excepted.split()

    def means(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)

    def means_event(self, event: str) -> bool:
        return any(fnmatchcase(event, pattern) for pattern in self.event_patterns)

    def parts(self) -> Iterator[Part]:
        for profile in self.profiles:
            yield from profile.parts

    def functions(self) -> Iterator[FunctionProfile]:
        for part in self.parts():
            yield from part.functions.values()

    def arcs(self, wanted: Callable[[Arc], bool]) -> Iterator[Arc]:
        for part in self.parts():
            for arc in part.arcs():
                if wanted(arc):
                    yield arc


def count_arcs(arcs: Iterable[Arc]) -> list[str]:
    """One line `caller -> callee count` for each pair of names."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    for arc in arcs:
        counts[arc.caller.name, arc.callee.name] += arc.count
    return [f"{pair[0]} -> {pair[1]} {count}" for pair, count in sorted(counts.items())]


def arcs(question: Question) -> list[str]:
    """Calls between functions that are both meant."""
    return count_arcs(
        question.arcs(
            lambda arc: question.means(arc.caller.name)
            and question.means(arc.callee.name)
        )
    )


def callers(question: Question) -> list[str]:
    """Calls of the functions that are meant, whoever makes them."""
    return count_arcs(question.arcs(lambda arc: question.means(arc.callee.name)))


def callees(question: Question) -> list[str]:
    """Calls that the functions that are meant make, whomever they call."""
    return count_arcs(question.arcs(lambda arc: question.means(arc.caller.name)))


def times_called(question: Question) -> list[str]:
    """How often the functions that are meant were called, in all."""
    counted = question.arcs(
        lambda arc: question.means(arc.callee.name)
        and not any(fnmatchcase(arc.caller.name, name) for name in question.excepted)
    )
    return [str(sum(arc.count for arc in counted))]


def inclusive(question: Question) -> list[str]:
    """`caller -> callee cost` for arcs between functions that are both meant."""
    costs: collections.Counter[tuple[str, str]] = collections.Counter()
    for arc in question.arcs(
        lambda arc: question.means(arc.caller.name) and question.means(arc.callee.name)
    ):
        costs[arc.caller.name, arc.callee.name] += arc.inclusive[0]
    return [f"{pair[0]} -> {pair[1]} {cost}" for pair, cost in sorted(costs.items())]


def self_costs(question: Question) -> list[str]:
    """`name cost`, of the first event; functions without any cost are left out."""
    costs: collections.Counter[str] = collections.Counter()
    for function in question.functions():
        if question.means(function.key.name):
            costs[function.key.name] += function.self_cost[0]
    return [f"{name} {cost}" for name, cost in sorted(costs.items()) if cost]


def events(question: Question) -> list[str]:
    """`name event count`, `caller -> callee event count`: all but the first and times."""
    costs: collections.Counter[tuple[str, str]] = collections.Counter()
    for part in question.parts():
        counted = list(enumerate(part.header.events))[1:]
        counted = [
            (i, event)
            for i, event in counted
            if not event.endswith("Time") and question.means_event(event)
        ]
        for function in part.functions.values():
            for i, event in counted:
                if question.means(function.key.name):
                    costs[function.key.name, event] += function.self_cost[i]
        for arc in part.arcs():
            ends = f"{arc.caller.name} -> {arc.callee.name}"
            for i, event in counted:
                if question.means(arc.caller.name) and question.means(arc.callee.name):
                    costs[ends, event] += arc.inclusive[i]
    return [f"{name} {event} {n}" for (name, event), n in sorted(costs.items()) if n]


def names(question: Question) -> list[str]:
    """`name, file, object` of each function, without the folders."""
    keys = {
        function.key
        for function in question.functions()
        if question.means(function.key.name)
    }
    return sorted(
        f"{key.name}, {os.path.basename(key.source_file)}, "
        f"{os.path.basename(key.object_file)}"
        for key in keys
    )


def lines(question: Question) -> list[str]:
    """`name file:line cost` for each source line of the functions that are meant."""
    costs: collections.Counter[tuple[str, str, int]] = collections.Counter()
    for function in question.functions():
        if question.means(function.key.name):
            for (file, line), cost in function.by_line().items():
                costs[function.key.name, os.path.basename(file), line] += cost[0]
    return [
        f"{name} {file}:{line} {cost}"
        for (name, file, line), cost in sorted(costs.items())
    ]


def jumps(question: Question) -> list[str]:
    """`name file:line -> line followed/executed`; without `/` if not conditional."""
    counts: dict[tuple[str, str, int, str, bool], list[int]] = {}
    for function in question.functions():
        for jump in function.jumps.values() if question.means(function.key.name) else ():
            site = os.path.basename(jump.source.file)
            goal = str(jump.target.line)
            if jump.target_file != jump.source.file:
                goal = f"{os.path.basename(jump.target_file)}:{goal}"
            key = (function.key.name, site, jump.site.line, goal, jump.conditional)
            known = counts.setdefault(key, [0, 0])
            known[0] += jump.followed
            known[1] += jump.executed
    return [
        f"{name} {file}:{line} -> {goal} {count[0]}"
        + (f"/{count[1]}" if is_conditional else "")
        for (name, file, line, goal, is_conditional), count in sorted(counts.items())
    ]


def parts(question: Question) -> list[str]:
    """`file: part N: trigger`; the names of the files without their folders."""
    return [
        f"{profile.path.name}: part {part.header.part}: "
        f"{part.header.description('Trigger')}"
        for profile in question.profiles
        for part in profile.parts
    ]


def total(question: Question) -> list[str]:
    """The sum of all self costs."""
    return [str(sum(part.sum_of_self_costs()[0] for part in question.parts()))]


# --- Is it right? -----------------------------------------------------------------------


def disagreements(path: Path, part: Part) -> Iterator[str]:
    """Sums of the header, of the last line and of the body that are not one."""
    missing = [0] * len(part.header.events)  # zeros at the end may be left out
    sums = {
        name: [*(costs or []), *missing][: max(len(missing), len(costs or []))]
        for name, costs in {
            "summary": part.header.summary,
            "totals": part.header.totals,
            "self costs": part.sum_of_self_costs(),
        }.items()
    }
    if sums["summary"] != sums["totals"] or sums["totals"] != sums["self costs"]:
        yield f"{path.name}: part {part.header.part}: the sums differ: {sums}"


def unconserved(path: Path, part: Part, roots: Sequence[str]) -> Iterator[str]:
    """Functions whose inclusive cost is not their self cost and that of their calls.

    For each call, the inclusive cost is what its frame spent itself and what its own
    calls included; the sums over all calls must agree as well, recursion or not.  A
    function that nobody calls has no inclusive cost; one that is called and also runs
    without a caller has to be announced as a root.
    """
    entering: collections.Counter[FunctionKey] = collections.Counter()
    leaving: collections.Counter[FunctionKey] = collections.Counter()
    called: set[FunctionKey] = set()
    for arc in part.arcs():
        entering[arc.callee] += arc.inclusive[0]
        leaving[arc.caller] += arc.inclusive[0]
        called.add(arc.callee)
    for key, function in part.functions.items():
        own = function.self_cost[0]
        is_root = key not in called or any(fnmatchcase(key.name, root) for root in roots)
        spent = own + leaving[key]
        if entering[key] > spent or (entering[key] < spent and not is_root):
            yield (
                f"{path.name}: part {part.header.part}: {key.name}: inclusive "
                f"{entering[key]}, but self {own} and calls {leaving[key]}"
            )


def check(question: Question) -> list[str]:
    """Form, sums and conservation of every profile; what is wrong, or that nothing is."""
    answer: list[str] = []
    for profile in question.profiles:
        wrong = list(breaches_of_form(profile.path))
        for part in profile.parts:
            wrong += disagreements(profile.path, part)
            wrong += unconserved(profile.path, part, question.roots)
        count = len(profile.parts)
        answer += wrong or [
            f"{profile.path.name}: {count} part{'' if count == 1 else 's'}, "
            "well-formed, sums agree, inclusive costs conserved"
        ]
    return answer


def content(profile: Profile, question: Question) -> dict[str, int]:
    """Everything that the form of a file must not change, as text and number."""
    facts: collections.Counter[str] = collections.Counter()
    for number, part in enumerate(profile.parts):
        for function in part.functions.values():
            if not question.means(function.key.name):
                continue
            place = f"part {number}: {function.key}"
            for (file, line), cost in function.by_line().items():
                facts[f"{place} {file}:{line}"] += cost[0]
            for arc in function.arcs.values():
                call = f"{place} {arc.source.file}:{arc.site.line} -> {arc.callee}"
                facts[f"{call} {arc.target.line}: calls"] += arc.count
                facts[f"{call} {arc.target.line}: inclusive"] += arc.inclusive[0]
    return facts


def same(question: Question) -> list[str]:
    """Whether all profiles say the same of the functions that are meant."""
    first, *others = question.profiles
    expected = content(first, question)
    if not expected:
        return [f"{first.path.name}: holds no function that is meant"]
    answer: list[str] = []
    for other in others:
        found = content(other, question)
        wrong = [
            f"{other.path.name}: {fact}: {found.get(fact)}, not {expected.get(fact)}"
            for fact in sorted({*expected, *found})
            if expected.get(fact) != found.get(fact)
        ]
        answer += wrong or [f"{other.path.name}: the same"]
    return answer


def same_total(question: Question) -> list[str]:
    """Whether all profiles have the same total, one above 0."""
    first, *others = (
        (profile.path.name, sum(part.sum_of_self_costs()[0] for part in profile.parts))
        for profile in question.profiles
    )
    if first[1] <= 0:
        return [f"{first[0]}: nothing was measured"]
    return [
        "same total" if total == first[1] else f"{first[0]}: {first[1]}, {name}: {total}"
        for name, total in others
    ]


QUERIES: dict[str, Callable[[Question], list[str]]] = {
    "arcs": arcs,
    "callees": callees,
    "callers": callers,
    "check": check,
    "events": events,
    "inclusive": inclusive,
    "jumps": jumps,
    "lines": lines,
    "names": names,
    "parts": parts,
    "same": same,
    "same_total": same_total,
    "self": self_costs,
    "times_called": times_called,
    "total": total,
}


# --- The command ------------------------------------------------------------------------


def parse_arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = query_parser("profile_query", __doc__, QUERIES)
    parser.add_argument(
        "queries",
        nargs="+",
        metavar="QUERY [NAMES]",
        help="what is asked, and patterns of function names (default: all);"
        " `+` begins another query",
    )
    add_files(parser, "--profile", DEFAULT_PROFILE)
    parser.add_argument(
        "--apart", action="store_true", help="answer for each file by itself"
    )
    parser.add_argument(
        "--events",
        default="",
        metavar="NAMES",
        help="events: patterns of those that are meant (default: all)",
    )
    parser.add_argument(
        "--roots",
        default="",
        metavar="NAMES",
        help="check: functions that are called, but also run without a caller",
    )
    parser.add_argument(
        "--except",
        dest="excepted",
        default="",
        metavar="NAMES",
        help="times_called: callers whose calls do not count",
    )
    parser.add_argument(
        "--hide-addresses",
        action="store_true",
        help="write 0x................ for the name of code without one",
    )
    options = parser.parse_intermixed_args(arguments)
    options.queries = split_queries(parser, options.queries)
    return options


def split_queries(
    parser: argparse.ArgumentParser, words: Sequence[str]
) -> list[tuple[str, str]]:
    """Each query with its names."""
    queries: list[tuple[str, str]] = []
    for is_between, group in itertools.groupby(words, lambda word: word == "+"):
        if is_between:
            continue
        query, *names = group
        if query not in QUERIES:
            parser.error(f"`{query}` is no query; there are: {', '.join(QUERIES)}")
        if len(names) > 1:
            parser.error(f"{query}: more than one list of names: quote them as one")
        queries.append((query, names[0] if names else ""))
    return queries


def main(arguments: Optional[Sequence[str]] = None, folder: Path = Path()) -> int:
    """Answer the queries about the files of a folder; the exit status."""
    options = parse_arguments(arguments)
    try:
        profiles = [
            profile_of(folder / path)
            for path in options.profile or [Path(DEFAULT_PROFILE)]
        ]
    except ProfileError as error:
        print(f"profile_query: {error}", file=sys.stderr)
        return 1
    for group in [[one] for one in profiles] if options.apart else [profiles]:
        for query, names in options.queries:
            for line in QUERIES[query](Question(group, names, options)):
                if options.hide_addresses:
                    line = NAMELESS.sub("0x" + "." * 16, line)
                print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
