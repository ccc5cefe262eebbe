#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command callgrind_export: reads tree files and timelines, and writes them in
# another format.
#
# Owns: which trees, events and format the options ask for, and the exit status: 0; 2 when
# an option or a file is wrong.  Each format has a file of its
# own in export/; docs/export.md is the page for users.

"""Export call trees to flame graphs and the formats of other viewers."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from typing import BinaryIO, Iterator, Optional, Sequence

from analysis.profile_diff import Matching
from console.command import drop_output, run_command
from console.output_file import output_file
from console.process import end_process
from console.untrusted_text import for_terminal
from export.as_profile import is_tree
from export.callgrind_format import write_callgrind
from export.error import ExportError
from export.firefox import write_firefox
from export.firefox_timeline import write_firefox_timeline
from export.folded import write_folded
from export.html_page import write_html
from export.options import ONE_EVENT, parse_options
from export.perfetto import write_perfetto
from export.plain_profile import write_plain
from export.pprof import write_pprof
from export.source_lines import LineOptions
from export.speedscope import write_speedscope, write_timeline
from export.whole_cycles import in_whole_cycles
from profile_file.input_files import ChoiceError, ProfileError, read_profiles
from profile_file.reader import Detail
from tree_file.model import Forest
from tree_file.reader import TreeError, read_forest
from tree_file.timeline_reader import is_timeline, read_timeline

NAME = "callgrind_export"
# Which formats a timeline can have, and who writes them.
OF_TIMELINES = {
    "perfetto": write_perfetto,
    "firefox": write_firefox_timeline,
    "speedscope": write_timeline,
}
# Formats of whole numbers, and those whose readers do not know hundredths of a cycle.
WITHOUT_HUNDREDTHS = ("folded", "speedscope", "pprof", "firefox")


def main(arguments: Optional[Sequence[str]] = None) -> int:
    options = parse_options(arguments, NAME)

    def work() -> int:
        try:
            export(options)
        except BrokenPipeError:  # whose reader has what it wanted
            drop_output()
        return 0

    return run_command(NAME, work, (TreeError, ExportError, ProfileError, ChoiceError))


def export_timeline(options: argparse.Namespace) -> None:
    if options.to not in OF_TIMELINES:
        raise ExportError(
            f"a timeline cannot become {options.to}, only {', '.join(OF_TIMELINES)}; "
            "a page shows it beside a tree (--to html --timeline)"
        )
    if options.event or options.part or options.thread or options.process:
        raise ExportError(
            "timelines are exported whole: --event, --part, --thread and --process "
            "choose nothing of them"
        )
    timeline = read_timeline(options.trees)
    commands = [process.command for process in timeline.processes()]
    title = options.title or ", ".join(dict.fromkeys(commands)) or "nothing"
    with opened(options.output) as stream:
        OF_TIMELINES[options.to](timeline, title, stream)


def are_profiles(options: argparse.Namespace) -> bool:
    """Whether profiles are to be written again as such.  Of a pipe one cannot tell."""
    return options.to == "callgrind" and all(
        path.is_file() and not is_tree(path) and not is_timeline(path)
        for path in options.trees
    )


def export_profiles(options: argparse.Namespace) -> None:
    if options.part or options.thread or options.process:
        raise ExportError(
            "profiles are exported whole: --part, --thread and --process choose nothing "
            "of them"
        )
    profiles = read_profiles(options.trees, Detail.LINES, False)
    with opened(options.output) as stream:
        write_plain(profiles, options.event, stream)


def export(options: argparse.Namespace) -> None:
    if are_profiles(options):
        export_profiles(options)
        return
    if options.to == "perfetto" or any(map(is_timeline, options.trees)):
        export_timeline(options)
        return
    files = [[path] for path in options.diff] if options.diff else [options.trees]
    forests = [read_forest(paths) for paths in files]
    for forest in forests:
        select(forest, options)
    forest = forests[-1]
    events = chosen_events(forest, options.event, options.to)
    title = options.title or title_of(forest)
    if options.output == "-" and options.to == "pprof" and sys.stdout.isatty():
        raise ExportError("pprof is no text for a terminal; name a file with -o")
    if options.to in WITHOUT_HUNDREDTHS:
        in_whole_cycles(forest)
    with opened(options.output) as stream:
        if options.to == "folded":
            write_folded(forest, events[0], options.separate, stream)
        elif options.to == "speedscope":
            write_speedscope(forest, events, title, stream)
        elif options.to == "pprof":
            write_pprof(forest, events, stream)
        elif options.to == "firefox":
            write_firefox(forest, events[0], title, stream)
        elif options.to == "callgrind":
            write_callgrind(forest, events, stream)
        else:
            matching = Matching(
                options.match, tuple(options.map_name), tuple(options.map_path)
            )
            lines = LineOptions(options.lines, options.source, options.include)
            most = options.max_frames
            timeline = read_timeline(options.timeline) if options.timeline else None
            write_html(forests, events, title, most, stream, matching, lines, timeline)


# --- Which trees and events -----------------------------------------------------------


def select(forest: Forest, options: argparse.Namespace) -> None:
    """Drop the trees that --part, --thread and --process do not name."""
    numbers_of = {
        "part": [tree.part.number for tree in forest.trees],
        "thread": [tree.thread.number for tree in forest.trees],
        "process": [tree.thread.process.pid for tree in forest.trees],
    }
    keep = set(range(len(forest.trees)))
    for what, numbers in numbers_of.items():
        wanted = getattr(options, what)
        for number in wanted:
            if number not in numbers:
                known = ", ".join(map(str, sorted(set(numbers)))) or "none"
                raise ExportError(
                    f"there is no {what} {number} in the file, only {known}"
                )
        if wanted:
            keep &= {row for row, number in enumerate(numbers) if number in wanted}
    if forest.trees and not keep:
        raise ExportError("no tree is of these processes, parts and threads all at once")
    forest.trees = [tree for row, tree in enumerate(forest.trees) if row in keep]


def chosen_events(forest: Forest, wanted: Optional[str], form: str) -> list[int]:
    """The indexes of the chosen events; the main one first."""
    names = [event.name for event in forest.events]
    if wanted is None:
        return [0] if form in ONE_EVENT else list(range(len(names)))
    events = []
    for name in dict.fromkeys(wanted.split(",")):
        if name not in names:
            raise ExportError(f"there is no event {name!r} in the file, only {names}")
        events.append(names.index(name))
    if len(events) > 1 and form in ONE_EVENT:
        raise ExportError(f"--to {form} holds one event; name one with --event")
    return events


def title_of(forest: Forest) -> str:
    commands = [process.command for process in forest.processes()]
    return ", ".join(dict.fromkeys(commands)) or "nothing"


# --- Output ---------------------------------------------------------------------------


@contextlib.contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """Standard output, or a file, which appears only when it is complete."""
    if name == "-":
        if sys.stdout.isatty():
            content = io.BytesIO()
            yield content
            sys.stdout.buffer.write(for_terminal(content.getvalue()))
        else:
            yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with output_file(name) as stream:
        yield stream


if __name__ == "__main__":
    end_process(NAME, main)
