#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command callgrind_report: reads profiles, and prints the report that is asked for.
#
# Owns: which report the options ask for, and the exit status: 0; 1 when a limit is
# exceeded; 2 when an option or a file is wrong; 3 when a comparison is refused.  Each
# kind of report has a file of its own in views/; docs/report.md is the page for users.

"""Report where the costs in callgrind profiles are."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Callable, Iterable, Optional, Sequence

from analysis.callers_callees import callers_callees
from analysis.estimates import sampled_parts
from analysis.function_costs import (
    CostError,
    chosen_events,
    function_costs,
    outermost_level,
)
from analysis.growth_limits import Breach, Limit, breaches
from analysis.line_costs import LineCosts, file_list
from analysis.profile_diff import Difference, Matching, change_list, difference
from analysis.selection import function_list, matching_functions
from analysis.source_files import find_source
from analysis.surroundings import SurroundingsDifference, surroundings_differences
from console.command import run_command, show, tell
from console.process import end_process
from console.text_layout import Painter, wants_colour
from console.untrusted_text import for_terminal
from export.as_profile import as_profiles
from export.error import ExportError
from profile_file.input_files import (
    Choice,
    ChoiceError,
    named_profiles,
    newest_profile,
    read_profiles,
)
from profile_file.model import FunctionKey, Profile, unique
from profile_file.reader import Detail, ProfileError
from tree_file.definitions import TreeError
from views.annotated_source import Annotator, format_annotated
from views.callers_callees_table import format_callers_callees
from views.diff_table import (
    breach_line,
    format_changes,
    limit_lines,
    surroundings_line,
    surroundings_lines,
    total_lines,
)
from views.function_table import format_function_table
from views.labels import heading_lines, nameless_notes
from views.options import parse_options
from views.report_csv import (
    callers_callees_rows,
    diff_rows,
    functions_rows,
    source_rows,
    write_csv,
)
from views.report_json import (
    callers_callees_document,
    diff_document,
    functions_document,
    source_document,
    surroundings_objects,
    write_json,
)

NAME = "callgrind_report"
MOST_BREACHES = 10  # printed; all of them are counted


def main(arguments: Optional[Sequence[str]] = None) -> int:
    options = parse_options(arguments, NAME)

    def work() -> int:
        status, text = report(options)
        if options.form != "text" and sys.stdout.isatty():
            text = for_terminal(text.encode("utf-8", "surrogateescape")).decode("utf-8")
        show(text)
        return status

    refusals = (ProfileError, ChoiceError, CostError, TreeError, ExportError)
    return run_command(NAME, work, refusals)


def report(options: argparse.Namespace) -> tuple[int, str]:
    """The exit status and what to print."""
    coloured = options.form == "text" and wants_colour(options.color, sys.stdout)
    painter = Painter(coloured, options.full_names)
    if options.diff:
        return report_changes(options, painter)
    choice = named_profiles(options.files) if options.files else newest_profile(Path())
    profiles = read(
        options, choice, Detail.LINES if options.annotate else Detail.FUNCTIONS
    )
    return 0, Report(options, painter, choice, profiles).text()


def read(options: argparse.Namespace, choice: Choice, detail: Detail) -> list[Profile]:
    progress = options.progress == "always" or (
        options.progress == "auto" and sys.stderr.isatty()
    )
    with as_profiles(choice.paths) as paths:
        profiles = read_profiles(paths, detail, progress)
    for profile, path in zip(profiles, choice.paths):
        profile.path = path
    return profiles


def wanted_events(options: argparse.Namespace, profiles: Sequence[Profile]) -> list[str]:
    wanted: Optional[str] = options.event
    if wanted is None and options.form != "text":
        wanted = "all"
    return chosen_events(profiles, wanted)


class Report:
    """A report on profiles that are added up; not a comparison."""

    def __init__(
        self,
        options: argparse.Namespace,
        painter: Painter,
        choice: Choice,
        profiles: list[Profile],
    ) -> None:
        self._options = options
        self._painter = painter
        self._choice = choice
        self._profiles = profiles
        events = wanted_events(options, profiles)
        # Only text has intervals.
        besides = sampled_parts(profiles, events) if options.form == "text" else []
        self._costs = function_costs(profiles, events, options.merge_recursion, besides)

    def text(self) -> str:
        if self._options.annotate:
            return self._annotated()
        if self._options.function:
            return self._callers_callees()
        return self._functions()

    def _headed(self, lines: Sequence[str]) -> str:
        heading = heading_lines(
            self._costs, self._profiles, self._choice.reason, self._painter
        )
        return "\n".join([*heading, "", *lines])

    def _functions(self) -> str:
        options = self._options
        found = function_list(self._costs, options.sort, options.limit, options.threshold)
        if options.form == "json":
            return write_json(functions_document(found, self._profiles))
        if options.form == "csv":
            return write_csv(functions_rows(found))
        table = format_function_table(found, self._painter)
        return self._headed([*table, *nameless_notes(self._costs)])

    def _matching(self) -> list[FunctionKey]:
        return unique_keys(
            function.key
            for pattern in self._options.function
            for function in matching_functions(self._costs, pattern, self._options.sort)
        )

    def _callers_callees(self) -> str:
        options, costs = self._options, self._costs
        found = [
            callers_callees(costs, costs.functions[key], options.limit, options.threshold)
            for key in self._matching()
        ]
        if options.form == "json":
            return write_json(callers_callees_document(found, costs, self._profiles))
        if options.form == "csv":
            return write_csv(callers_callees_rows(found, costs.events))
        tables = format_callers_callees(costs, found, self._painter)
        return self._headed([*tables, *nameless_notes(costs)])

    def _annotated(self) -> str:
        options, costs = self._options, self._costs
        wanted = set(self._matching()) if options.function else None
        key_of: Callable[[FunctionKey], FunctionKey] = lambda key: key
        if options.merge_recursion:
            key_of = outermost_level
        lines = LineCosts(costs, key_of, wanted)
        for profile in self._profiles:
            lines.add_files(profile)
        # Of a function that was asked for, every line is wanted.
        threshold = 0.0 if wanted else options.threshold
        found = file_list(lines, options.sources, options.limit, threshold)
        for profile in self._profiles:
            lines.add_lines(profile, {file.name for file in found.shown})
        written = oldest_time(self._choice.paths)
        sources = [
            find_source(file.name, options.source_dir, written) for file in found.shown
        ]
        if options.form == "json":
            return write_json(source_document(found, sources, costs, self._profiles))
        if options.form == "csv":
            return write_csv(source_rows(found, costs.events))
        annotator = Annotator(costs, options.context, self._painter)
        return self._headed(format_annotated(found, sources, annotator))


def unique_keys(keys: Iterable[FunctionKey]) -> list[FunctionKey]:
    return list(dict.fromkeys(keys))


def oldest_time(paths: Sequence[Path]) -> Optional[float]:
    """When the first of the profiles was written; None for pipes."""
    times = [path.stat().st_mtime for path in paths if path.is_file()]
    return min(times) if times else None


def report_changes(options: argparse.Namespace, painter: Painter) -> tuple[int, str]:
    old, new = (
        read(options, named_profiles([name]), Detail.FUNCTIONS) for name in options.diff
    )
    events = wanted_events(options, [*old, *new])
    named = [limit.event for limit in options.limits if limit.event]
    chosen_events([*old, *new], ",".join(named) or None)
    events = unique([*events, *named])
    besides = sampled_parts([*old, *new], events) if options.form == "text" else []
    matching = Matching(options.match, tuple(options.map_name), tuple(options.map_path))
    grouped = []
    for profiles in (old, new):  # the old costs are gone when the new ones come
        costs = function_costs(profiles, events, options.merge_recursion, besides, False)
        grouped.append(costs.grouped(matching.key))
        notes = nameless_notes(costs)
        del costs
    found = difference(*grouped)
    chosen = change_list(found, options.sort, options.limit, options.threshold)
    differences = surroundings_differences(old, new, found.events)
    refused = refusals(options, differences, found.events)
    exceeded = [] if refused else judge(options.limits, found)
    if options.form == "json":
        document = diff_document(found, chosen, options.limits, exceeded, (old, new))
        document["surroundings"] = surroundings_objects(differences)
        text = write_json(document)
    elif options.form == "csv":
        text = write_csv(diff_rows(found, chosen))
    else:
        lines = [
            *total_lines(found, painter),
            *surroundings_lines(differences, found, painter),
            *([] if refused else limit_lines(options.limits, exceeded, painter)),
        ]
        lines += ["", *format_changes(found, chosen, painter), *notes]
        text = "\n".join(lines)
    return (3 if refused else 1 if exceeded else 0), text


def refusals(
    options: argparse.Namespace,
    differences: Sequence[SurroundingsDifference],
    events: Sequence[str],
) -> bool:
    """True, and a message for each reason, if the profiles shall not be compared."""
    if not options.same_surroundings:
        return False
    reasons = [each for each in differences if each.name not in options.may_differ]
    for reason in reasons:
        tell(NAME, f"not comparable: {surroundings_line(reason, events)}")
    return bool(reasons)


def judge(limits: Sequence[Limit], found: Difference) -> list[Breach]:
    """What grew above a limit; the first ones are told on stderr."""
    exceeded = [breach for limit in limits for breach in breaches(limit, found)]
    for breach in exceeded[:MOST_BREACHES]:
        tell(NAME, breach_line(breach))
    if len(exceeded) > MOST_BREACHES:
        tell(NAME, f"and {len(exceeded) - MOST_BREACHES} more above a limit")
    return exceeded


if __name__ == "__main__":
    end_process(NAME, main)
