# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs benchmarks under callgrind, several at a time.
#
# Owns: the command line of Valgrind, which processes run when, and what a run leaves.
# Each run has a folder of its own for its profiles, which is gone at the end.  Results do
# not depend on the order of the runs, nor on what else the machine does.

"""Measure benchmarks."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Callable, Iterable, Optional, Sequence

from analysis.function_costs import CostError
from console.command import reason_of
from console.untrusted_text import printable
from gate.benchmark import Benchmark
from gate.error import GateError
from gate.frameworks import FRAMEWORKS, SCRATCH, command_in, options_in
from gate.inner_valgrind import gather, prepared
from gate.measured import Measured, Outcome, forget_maps, measured_of, profiles_in
from gate.processes import (
    OutOfTime,
    busy,
    end_workers,
    how_it_ended,
    no_signals,
    run,
    signals_as_exceptions,
    start_worker,
)
from gate.suite_parts import collect_suite
from gate.suites import Suite
from gate.surroundings import plain_environment, surroundings
from profile_file.reader import ProfileError

BESIDE_VARIABLE = "CALLGRIND_BESIDE"  # set by the command: the folder it lies in
CACHE_VARIABLE = "CALLGRIND_TRANSLATION_CACHE"
VALGRINDS = ("vg-in-place", "valgrind")
FOLDERS = ("profiles", "trees", "scratch")  # of a run
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
WORDS_OF_ERROR = 300
MOST_ERRORS = 1 << 16  # bytes at the end of what a benchmark has said


@dataclass(frozen=True)
class Tool:
    """A valgrind command and what it can do."""

    valgrind: str
    is_steady: bool  # knows --steady
    lengthens_folder: bool  # knows --steady-folder
    has_trees: bool  # knows --call-tree
    cache: str  # for --translation-cache; empty: does not know it


@dataclass(frozen=True)
class Job:
    """One run of one benchmark."""

    tool: Tool
    benchmark: Benchmark
    number: int  # of its surroundings
    wants_trees: bool


def find_tool(wanted: Optional[str]) -> Tool:
    """The command that is asked for, or the one beside ours, or the first in PATH."""
    beside = os.environ.get(BESIDE_VARIABLE)
    names = [str(Path(beside, name)) for name in VALGRINDS] if beside else []
    names = [wanted] if wanted else [*names, "valgrind"]
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        raise GateError(f"{names[-1]}: no such command; name one with --valgrind")
    found = str(Path(found).absolute())
    done = subprocess.run(
        [found, "--tool=callgrind", "--help"],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    if done.returncode:
        raise GateError(f"{found}: --tool=callgrind --help fails; is it Valgrind?")
    is_steady, lengthens, has_trees, is_cached = (
        f"--{name}=" in done.stdout
        for name in ("steady", "steady-folder", "call-tree", "translation-cache")
    )
    cache = translation_cache() if is_cached else ""
    return Tool(found, is_steady, lengthens, has_trees, cache)


def translation_cache() -> str:
    """Where translations are kept from run to run: on, unless the user says otherwise.
    The tool would look at variables that benchmarks are not given."""
    wanted = os.environ.get(CACHE_VARIABLE, "yes")
    home = os.environ.get("XDG_CACHE_HOME", "")
    if wanted == "yes" and home.startswith("/"):
        return f"{home}/callgrind-exact/translations"
    return wanted


# --- One run ----------------------------------------------------------------------------


def measure(job: Job) -> Outcome:
    """Run a benchmark, or a suite, once.  What goes wrong is told in the result."""
    outcome = Outcome(job.benchmark.name, job.number)
    try:
        with tempfile.TemporaryDirectory(prefix="callgrind-gate.") as name:
            folder = Path(name)
            for each in FOLDERS:
                (folder / each).mkdir()
            try:
                outcome.error = _run(job, folder)
                if starts_valgrind(job.benchmark):
                    gather(folder / "scratch", folder / "profiles")
                if isinstance(job.benchmark, Suite):
                    collect_suite(job.benchmark, job.number == 0, folder, outcome)
                elif not outcome.error:
                    outcome.add(_collect(job, folder))
            finally:
                forget_maps(folder)
    except (GateError, ProfileError, CostError) as error:
        outcome.error = outcome.error or str(error)
    except Exception as error:  # pylint: disable=broad-except
        outcome.error = outcome.error or reason_of(error)  # of this one; the others go on
    return outcome


def starts_valgrind(benchmark: Benchmark) -> bool:
    """Whether the framework of a suite does so itself."""
    return (
        isinstance(benchmark, Suite) and FRAMEWORKS[benchmark.framework].starts_valgrind
    )


def _run(job: Job, folder: Path) -> str:
    """Why it did not end as it should; '' if it did."""
    benchmark = job.benchmark
    env = plain_environment(os.environ, benchmark.keep_env, benchmark.env)
    scratch = str(folder / "scratch")
    env = {name: value.replace(SCRATCH, scratch) for name, value in env.items()}
    command = list(benchmark.command)
    options = benchmark.valgrind_options()
    if isinstance(benchmark, Suite):
        command = command_in(benchmark, env, folder / "scratch")
        command += [*benchmark.filter_words(), *benchmark.shard_words()]
        options += [*options_in(benchmark, env), "--combine-dumps=no"]
    around = surroundings(
        benchmark.name, job.number, command, env, str(benchmark.folder)
    )
    words = [job.tool.valgrind, "--tool=callgrind", "-q"]
    if job.tool.is_steady:
        words.append("--steady=yes")
        if around.stack_shift:
            words.append(f"--steady-shift={around.stack_shift}")
        if around.folder_slashes and job.tool.lengthens_folder:
            words.append(f"--steady-folder={around.folder_slashes}")
    if job.tool.cache:
        words.append(f"--translation-cache={job.tool.cache}")
    words.append(f"--callgrind-out-file={folder}/profiles/%p")
    if job.wants_trees:
        words += ["--call-tree=yes", f"--call-tree-out-file={folder}/trees/%p"]
    words += options
    seen = around.env
    if starts_valgrind(benchmark):
        seen = prepared(seen, folder / "scratch", words)
        words = list(around.command)
    else:
        words += ["--", *around.command]
    mark = f"--callgrind-out-file={folder}/"
    with open(folder / "said", "w+b") as said:
        try:
            # What a test framework says of a failure is on its standard output.
            is_suite = isinstance(benchmark, Suite)
            output = said.fileno() if is_suite else subprocess.DEVNULL
            status = run(words, benchmark.folder, seen, said, around.processors,
                         benchmark.timeout, mark, output)  # fmt: skip
            ended = how_it_ended(status) if status != benchmark.status else ""
        except OutOfTime:
            ended = (
                f"was ended after {benchmark.timeout:.10g} seconds; --timeout, or "
                "timeout in the file, gives it more"
            )
        return f"{ended}: {_last_words(said)}" if ended else ""


def _last_words(said: BinaryIO) -> str:
    said.seek(max(0, said.seek(0, os.SEEK_END) - MOST_ERRORS))
    text = COLOURS.sub("", said.read(MOST_ERRORS).decode("utf-8", "replace")).strip()
    last = " ".join(printable(line) for line in text.splitlines()[-3:])
    return last[-WORDS_OF_ERROR:] or "without a word"


def _collect(job: Job, folder: Path) -> Measured:
    """Read what a benchmark has written, and leave out what no other run can repeat."""
    name = job.benchmark.name
    paths = profiles_in(folder)
    if not paths:
        raise GateError("it has left no profile; did it end by an exec?")
    measured = measured_of(name, paths, job.number == 0)
    if job.number == 0:
        measured.trees = sorted(
            path.read_bytes() for path in folder.glob("trees/*") if path.is_file()
        )
    return measured


# --- All of them ------------------------------------------------------------------------


def measure_all(
    jobs: Sequence[Job], at_once: int, tell: Callable[[Outcome], None]
) -> dict[str, list[Outcome]]:
    """Run all jobs, `at_once` at a time.  Of each benchmark the runs, by number."""
    found: dict[str, list[Outcome]] = {}
    with signals_as_exceptions(), concurrent.futures.ProcessPoolExecutor(
        max_workers=min(at_once, len(jobs)),
        mp_context=multiprocessing.get_context("fork"),
        initializer=start_worker,
    ) as pool:
        with no_signals():
            tasks = {pool.submit(_measure_in_worker, job): job for job in jobs}
        try:
            for task in concurrent.futures.as_completed(tasks):
                name = tasks[task].benchmark.name
                if task.cancelled():
                    tell(Outcome(name, tasks[task].number))
                    continue
                outcome = task.result()
                found.setdefault(name, []).append(outcome)
                tell(outcome)
                if outcome.error:
                    _cancel(each for each in tasks if tasks[each].benchmark.name == name)
        except BrokenProcessPool:
            raise GateError(
                "a process that measures was killed; if memory was short, let fewer run "
                "at a time (--jobs)"
            ) from None
        except BaseException:
            _cancel(tasks)
            end_workers()
            raise
    for runs in found.values():
        runs.sort(key=lambda outcome: outcome.number)
    return found


def _measure_in_worker(job: Job) -> Outcome:
    with busy():
        return measure(job)


def _cancel(tasks: Iterable[concurrent.futures.Future[Outcome]]) -> None:
    """What has not begun.  A benchmark that has failed once is not measured again."""
    for task in tasks:
        task.cancel()


def progress(total: int, shown: bool) -> Callable[[Outcome], None]:
    """A line on the terminal for each run that has ended."""
    done = 0

    def tell(outcome: Outcome) -> None:
        nonlocal done
        done += 1
        if shown:
            name = printable(outcome.name)[:60]
            end = "\n" if done == total else ""
            print(f"\r\033[K{done}/{total} {name}", end=end, file=sys.stderr, flush=True)

    return tell
