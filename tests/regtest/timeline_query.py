# SPDX-License-Identifier: GPL-2.0-or-later
#
# Answers questions about timelines for the `post:` lines of regression tests, in a form
# that is the same for every run.
#
#    timeline_query QUERY [NAMES] [--timeline FILE...] [--profile FILE...]
#
# NAMES are patterns (* ? [..]) of function names, separated by blanks.
#
# Owns: the queries and how their answers look.  The reading is tree_file's, which refuses
# what is not well-formed, and profile_file's.  callgrind/tests/helpers/timeline_query is
# the command.

"""Answer questions about timelines, for regression tests."""

from __future__ import annotations

import argparse
import collections
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "callgrind" / "report")]

from profile_file.reader import Detail, ProfileError, read_profile  # noqa: E402
from tree_file.timeline_model import WHOLE, TimedThread, Timeline  # noqa: E402
from tree_file.timeline_reader import TreeError, read_timeline  # noqa: E402
from tests.regtest.query_command import (  # noqa: E402
    add_files,
    add_question,
    query_parser,
)

DEFAULT_TIMELINE = "callgrind.timeline"
DEFAULT_PROFILE = "callgrind.out"

# What tells recursion levels apart in a profile.
LEVEL = re.compile(r"'[0-9]+$")


class Question:
    """What was asked: the timeline, the profiles, and which names are meant."""

    def __init__(
        self, timeline: Timeline, options: argparse.Namespace, folder: Path
    ) -> None:
        self.timeline = timeline
        self.folder = folder
        self.options = options
        self.patterns = options.names.split() or ["*"]

    def means(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)

    def profiles(self) -> list[Path]:
        return self.options.profile or [Path(DEFAULT_PROFILE)]

    def calls_of(self, thread: TimedThread) -> Iterator[tuple[int, int, str]]:
        """Each call, its depth, and the name of its function."""
        for call, depth in thread.calls.nested():
            name = self.timeline.functions[thread.calls.functions[call]].name
            yield call, depth, name


def calls(question: Question) -> list[str]:
    """`a > b KIND DURATION` for each call of what is meant, in the order of time."""
    answer = []
    for number, thread in enumerate(question.timeline.threads, 1):
        path: list[str] = []
        for call, depth, name in question.calls_of(thread):
            path[depth:] = [name]
            if question.means(name):
                shown = " > ".join(filter(question.means, path))
                piece = chr(thread.calls.pieces[call])
                kind = "" if piece == WHOLE else f"[{piece}] "
                took = thread.calls.ends[call] - thread.calls.begins[call]
                answer.append(f"{number}: {kind}{shown} {took}")
    return answer


def count(question: Question) -> list[str]:
    """`NAME CALLS DURATION`: whole calls and first pieces, and all that they took."""
    numbers: dict[str, int] = collections.Counter()
    took: dict[str, int] = collections.Counter()
    for thread in question.timeline.threads:
        for call, _, name in question.calls_of(thread):
            if question.means(name):
                numbers[name] += chr(thread.calls.pieces[call]) in "wo"
                took[name] += thread.calls.ends[call] - thread.calls.begins[call]
    return [f"{name} {numbers[name]} {took[name]}" for name in sorted(took)]


def marks(question: Question) -> list[str]:
    """`INNERMOST CALL THAT IS MEANT: KIND TEXT` for each mark, in the order of time."""
    answer = []
    for number, thread in enumerate(question.timeline.threads, 1):
        for mark in thread.marks:
            around = ""
            for call, _, name in question.calls_of(thread):
                begin, end = thread.calls.begins[call], thread.calls.ends[call]
                if begin <= mark.time <= end and question.means(name):
                    around = name
            what = f"{mark.kind} {mark.text}".rstrip()
            answer.append(f"{number}: {around or '-'}: {what}")
    return answer


def threads(question: Question) -> list[str]:
    """Each thread, and by which it was made."""
    known = question.timeline.threads
    return [
        f"{number}: thread {thread.number}, made by "
        + (str(known.index(thread.creator) + 1) if thread.creator else "nobody")
        for number, thread in enumerate(known, 1)
    ]


def check(question: Question) -> list[str]:
    """With --timeline-min=1: calls nest, and take what profiles say of functions."""
    mine: dict[str, int] = collections.Counter()
    wrong = []
    total = 0
    for thread in question.timeline.threads:
        total += thread.time
        path: list[int] = []
        names: list[str] = []
        calls = thread.calls
        for call, depth, name in question.calls_of(thread):
            path[depth:], names[depth:] = [call], [name]
            took = calls.ends[call] - calls.begins[call]
            mine[name] += took
            if depth == 0:
                continue
            around = path[depth - 1]
            if not calls.begins[around] <= calls.begins[call] < calls.ends[around]:
                wrong.append(f"{name} is not within {names[depth - 1]}")
            mine[names[depth - 1]] -= took
    profile: dict[str, int] = collections.Counter()
    for path_of in question.profiles():
        for part in read_profile(question.folder / path_of, Detail.FUNCTIONS).parts:
            for function in part.functions.values():
                profile[LEVEL.sub("", function.key.name)] += function.self_cost[0]
    for name in sorted(set(mine).union(profile)):
        if mine[name] != profile[name]:
            wrong.append(f"{name}: timeline {mine[name]}, profile {profile[name]}")
    if total != sum(profile.values()):
        wrong.append(f"all: timeline {total}, profile {sum(profile.values())}")
    return wrong or [f"timeline: threads {len(question.timeline.threads)}; costs agree"]


QUERIES: dict[str, Callable[[Question], list[str]]] = {
    "calls": calls,
    "check": check,
    "count": count,
    "marks": marks,
    "threads": threads,
}


def parse_arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = query_parser("timeline_query", __doc__, QUERIES)
    add_question(parser, QUERIES)
    add_files(parser, "--timeline", DEFAULT_TIMELINE)
    add_files(parser, "--profile", DEFAULT_PROFILE, "check: ")
    return parser.parse_args(arguments)


def main(arguments: Optional[Sequence[str]] = None, folder: Path = Path()) -> int:
    """Answer the query about the files of a folder; the exit status."""
    options = parse_arguments(arguments)
    try:
        timeline = read_timeline(
            [folder / path for path in options.timeline or [Path(DEFAULT_TIMELINE)]]
        )
        answer = QUERIES[options.query](Question(timeline, options, folder))
    except (ProfileError, TreeError) as error:
        print(f"timeline_query: {error}", file=sys.stderr)
        return 1
    for line in answer:
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
