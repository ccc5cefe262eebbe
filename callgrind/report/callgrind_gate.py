#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command callgrind_gate: measures many benchmarks, judges them, and keeps baselines.
#
# Owns: what each of its commands does, in which order, and the exit status: 0; 1 when a
# benchmark has got worse; 2 when an option or a file is wrong, or a benchmark does not
# run; 3 when a benchmark cannot be compared.  The parts are in gate/; docs/gate.md is the
# page for users.

"""Measure many benchmarks, and judge what they cost."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Optional, Sequence
from urllib.parse import quote

from analysis.function_costs import CostError
from analysis.profile_diff import Matching
from analysis.selection import pattern_of
from console.command import run_command, show, tell
from console.output_file import output_file
from console.process import end_process
from console.text_layout import Painter, wants_colour
from export.error import ExportError
from export.options import DEFAULT_MOST_FRAMES
from gate import git
from gate.benchmark import Benchmark
from gate.ci_views import format_annotations, format_junit, format_markdown
from gate.comparison import NOT_COMPARABLE, Comparison, base_run, compare
from gate.error import GateError
from gate.filters import rests_of
from gate.first_file import write_first_file
from gate.folder import open_folder
from gate.history import format_log, format_page, series_of
from gate.json_view import format_json, format_run
from gate.judge import SAME, Rules
from gate.measure import Job, find_tool, measure_all, progress
from gate.measured import Outcome
from gate.names import shown
from gate.options import parse_options
from gate.projects import obstacle
from gate.results import results_of
from gate.run import Run, checked_commit, merged, with_changes, without_changes
from gate.settings import DEFAULT_FILE, check_names, read_benchmarks, suite_of
from gate.store import Store, is_in_a_store, opened
from gate.suites import BETWEEN, Suite, shard_of
from gate.text_view import format_text
from profile_file.reader import ProfileError
from tree_file.model import Forest
from tree_file.reader import TreeError, read_forest

NAME = "callgrind_gate"
NOT_RUN = 2
UNVERSIONED = "unversioned"
MOST_OF_A_NAME = 100  # characters, in the name of a page


def main(arguments: Optional[Sequence[str]] = None) -> int:
    options = parse_options(arguments, NAME)
    work: Callable[[argparse.Namespace], int] = ACTIONS[options.action]
    refusals = (GateError, ProfileError, CostError, TreeError, ExportError)
    return run_command(NAME, lambda: work(options), refusals)


def say(text: str) -> None:
    tell(NAME, text)


def write_file(name: str, text: str) -> None:
    with output_file(name) as stream:
        stream.write(text.encode("utf-8", "backslashreplace"))


# --- init, run --------------------------------------------------------------------------


def write_config(options: argparse.Namespace) -> int:
    suites, others = write_first_file(options.project)
    names = ", ".join(f"{suite.name} ({suite.framework})" for suite in suites)
    show(f"wrote {options.project / DEFAULT_FILE}: {names}")
    for suite in suites:
        if suite.first:
            say(f"{suite.name}: {suite.first}")
    for suite in others:
        say(f"not measured: {obstacle(suite)}")
    return 0


def chosen(options: argparse.Namespace) -> list[Benchmark]:
    """The benchmarks and suites to measure; of a suite, those that it says it wants."""
    found = []
    if options.config or options.words or not options.command:
        found = read_benchmarks(options.config, options.words)
    if options.command:
        found.append(suite_of(options.command, options.suite))
    check_names(found)
    for pattern in options.only:
        if not any(has_any(each, pattern) for each in found):
            raise GateError(f"no benchmark is called {pattern!r}; * stands for any text")
    if options.only:
        for suite in found:
            if isinstance(suite, Suite):
                suite.only = [each for each in options.only if has_any(suite, each)]
        found = [each for each in found if any(has_any(each, p) for p in options.only)]
    return shard_of(found, *options.shard) if options.shard else found


def has_any(benchmark: Benchmark, pattern: str) -> bool:
    """Whether a pattern of --only is of this benchmark, or may be of one in a suite."""
    if isinstance(benchmark, Suite):
        return bool(rests_of(pattern, benchmark.name + BETWEEN))
    return pattern_of(pattern).fullmatch(benchmark.name) is not None


def new_run(commit: Optional[str]) -> Run:
    name = git.full_name(commit) if commit else git.head() or UNVERSIONED
    made = git.time_of(name)
    run = Run(name, int(time.time()) if made is None else made, git.title_of(name))
    run.commit = checked_commit(with_changes(name) if is_changed(name) else name)
    return run


def is_changed(commit: str) -> bool:
    """Whether this commit is checked out, and files that git keeps are not as in it.
    Runs that are kept in the repository are no changes of what is measured."""
    if commit != git.head():
        return False
    return any(not is_in_a_store(path) for path in git.changed_files())


def run_benchmarks(options: argparse.Namespace) -> int:
    benchmarks = chosen(options)
    for benchmark in benchmarks:
        benchmark.options = [*options.option, *benchmark.options]
        benchmark.timeout = options.timeout or benchmark.timeout
    tool = find_tool(options.valgrind)
    if options.trees and not tool.has_trees:
        raise GateError(f"{tool.valgrind}: has no --call-tree, which --trees needs")
    run = new_run(options.commit)
    store = Store(options.output)
    with opened([], store, say):
        store.forget()
    # Benchmarks are kept in order, and so are those of a shard that has none.
    numbers = range(options.shake or 1)
    jobs = [
        Job(tool, benchmark, number, options.trees and number == 0)
        for benchmark in benchmarks
        for number in numbers
    ]
    measured: dict[str, list[Outcome]] = {}
    if jobs:
        tell = progress(len(jobs), sys.stderr.isatty())
        measured = measure_all(jobs, options.jobs, tell)
    with opened([], store, say):
        store.forget()  # what another one has left meanwhile
        for benchmark in benchmarks:
            for result in results_of(benchmark, measured[benchmark.name], store):
                run.results[result.name] = result
        store.write(run)
    notes = notes_on_suites(benchmarks, measured, list(run.results))
    errors = [f"{shown(r.name)}: {r.error}" for r in run.results.values() if r.error]
    for line in [*notes, *errors]:
        say(line)
    status = NOT_RUN if errors else 0
    if options.json:
        write_file(options.json, format_run(run, store.folder, status, notes))
    done = len(run.results) - len(errors)
    show(f"{done} of {len(run.results)} measured, in {store.folder}")
    return status


def notes_on_suites(
    benchmarks: Sequence[Benchmark], outcomes: dict[str, list[Outcome]], names: list[str]
) -> list[str]:
    """What is odd in a suite, but no failure."""
    found = []
    for suite in benchmarks:
        if not isinstance(suite, Suite):
            continue
        notes = dict.fromkeys(n for each in outcomes[suite.name] for n in each.notes)
        found += [f"{suite.name}: {note}" for note in notes]
        is_part = bool(suite.only) or suite.is_sharded()
        if is_part or any(each.error for each in outcomes[suite.name]):
            continue
        own = [name for name in names if name.startswith(suite.name + BETWEEN)]
        found += [
            f"{suite.name}: no benchmark is called {pattern!r}, of which the file says "
            "something"
            for pattern in suite.idle_rules(own)
        ]
    return found


# --- compare ----------------------------------------------------------------------------


def rules_of(options: argparse.Namespace) -> Rules:
    key_of = matching_of(options).key
    return Rules(options.confidence, key_of, options.limits, options.strict)


def matching_of(options: argparse.Namespace) -> Matching:
    return Matching(options.match, tuple(options.map_name), tuple(options.map_path))


def compare_runs(options: argparse.Namespace) -> int:
    head, base = Store(options.run), Store(options.base)
    with opened([head, base], tell=say):
        return compare_stores(options, head, base)


def compare_stores(
    options: argparse.Namespace, head_store: Store, base_store: Store
) -> int:
    head = head_store.only_run()
    base = base_run(base_store, options.base_commit, head)
    if base is None:
        say(f"{options.base}: has no run yet; accept makes one")
        return 0 if options.allow_missing else NOT_COMPARABLE
    found = compare(
        base, base_store, head, head_store, rules_of(options), options.allow_missing
    )
    links = {}
    if options.pages:
        links = write_pages(found, base_store, head_store, options)
    if options.json:
        write_file(options.json, format_json(found, links))
    if options.junit:
        write_file(options.junit, format_junit(found))
    if options.markdown:
        write_file(options.markdown, format_markdown(found, links, options.inclusive))
    if options.annotations:
        show(format_annotations(found), end="")
    show(format_text(found, Painter(wants_colour(options.color, sys.stdout)),
                     options.inclusive))  # fmt: skip
    return found.status()


def write_pages(
    found: Comparison, base: Store, head: Store, options: argparse.Namespace
) -> dict[str, str]:
    """A flame graph for each benchmark that differs; its link by the benchmark."""
    from export.html_page import write_html  # takes as long as a short benchmark

    links: dict[str, str] = {}
    folder = open_folder(options.pages, create=True)
    assert folder is not None
    start = (options.link or quote(str(options.pages))).rstrip("/")
    for verdict in found.verdicts:
        old = found.base.results.get(verdict.name)
        new = found.head.results.get(verdict.name)
        if verdict.state == SAME or old is None or new is None:
            continue
        if not (old.trees and new.trees):
            continue
        page = f"{len(links) + 1}-{file_name(verdict.name)}.html"
        forests = [forest_of(base, old.trees), forest_of(head, new.trees)]
        events = list(range(len(forests[-1].events)))
        with folder.write(page) as stream:
            write_html(
                forests, events, shown(verdict.name), DEFAULT_MOST_FRAMES, stream,
                matching_of(options),
            )  # fmt: skip
        links[verdict.name] = f"{start}/{quote(page)}"
    folder.close()
    return links


def file_name(name: str) -> str:
    """Safe and short; the pages are numbered besides."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[:MOST_OF_A_NAME]


def forest_of(store: Store, digests: Sequence[str]) -> Forest:
    with tempfile.TemporaryDirectory(prefix="callgrind-gate.") as name:
        paths = []
        for digest in digests:
            paths.append(Path(name, digest))
            paths[-1].write_bytes(store.get(digest))
        return read_forest(paths)


# --- accept, merge, log -----------------------------------------------------------------


def accept_run(options: argparse.Namespace) -> int:
    source, store = Store(options.run), Store(options.base)
    with opened([source], tell=say):
        acceptable_run(source)  # before a folder is made
    with opened([source], store, say):
        run = acceptable_run(source)
        run.commit = accepted_name(run.commit, options.replace)
        store.add(source, run)
        number = len(run.results)
        show(f"accepted {number} benchmarks of {run.commit} into {store.folder}")
        removed = store.keep_newest(options.keep) if options.keep else 0
    if removed:
        show(f"removed {removed} older")
    return 0


def accepted_name(commit: str, is_replacing: bool) -> str:
    """What a run is called in the baseline.  Changes that are in no commit are told, and
    do not take the place of the commit's own run, unless that is wanted."""
    if commit == without_changes(commit) and not is_changed(commit):
        return commit
    own, changed = without_changes(commit), with_changes(commit)
    if is_replacing:
        say(f"the work tree has changes that are not committed; kept as the run of {own}")
        return own
    say(
        f"the work tree has changes that are not committed; kept as {changed}, beside "
        "the run of the commit, which --replace would replace"
    )
    return changed


def acceptable_run(source: Store) -> Run:
    run = source.only_run()
    failed = [result.name for result in run.results.values() if result.error]
    if failed:
        raise GateError(f"{source.folder}: {failed[0]!r} was not measured; not accepted")
    return run


def merge_shards(options: argparse.Namespace) -> int:
    shards = [Store(folder) for folder in options.shards]
    store = Store(options.run)
    with opened(shards, store, say):
        runs = [shard.only_run() for shard in shards]
        whole = merged(runs)
        store.forget()
        for shard, run in zip(shards, runs):
            store.add_blobs(shard, run.blobs())
        store.write(whole)
    show(f"merged {len(whole.results)} benchmarks of {len(runs)} shards")
    return 0


def show_log(options: argparse.Namespace) -> int:
    store = Store(options.base)
    with opened([store], tell=say):
        runs = git.in_order([store.read(commit) for commit in store.commits()])
    if not runs:
        raise GateError(f"{options.base}: has no run yet; accept makes one")
    found = series_of(runs, options.patterns, options.event)
    if options.html:
        write_file(options.html, format_page(runs, found))
    show(format_log(runs, found))
    return 0


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "init": write_config,
    "run": run_benchmarks,
    "compare": compare_runs,
    "accept": accept_run,
    "merge": merge_shards,
    "log": show_log,
}


if __name__ == "__main__":
    end_process(NAME, main)
