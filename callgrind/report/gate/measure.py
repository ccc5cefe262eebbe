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
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Callable, Iterable, Optional, Sequence

from analysis.function_costs import CostError
from console.command import reason_of
from console.untrusted_text import printable
from gate.counts import Costs, counts_of, encode, measured_costs
from gate.error import GateError
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
from gate.run import Result
from gate.settings import Benchmark
from gate.store import Store
from gate.surroundings import plain_environment, surroundings
from profile_file.model import Profile, unique
from profile_file.reader import Detail, ProfileError, read_profile

BESIDE_VARIABLE = "CALLGRIND_BESIDE"  # set by the command: the folder it lies in
CACHE_VARIABLE = "CALLGRIND_TRANSLATION_CACHE"
VALGRINDS = ("vg-in-place", "valgrind")
PROFILE_NAME = re.compile(r"[0-9]+(\.pid[0-9]+)?(\.[0-9]+)?(-[0-9]+)?")
PROCESS_LINE = re.compile(rb"(?m)^pid: [0-9]+\n")
PASSING = ("Timerange", "Trigger", "Spawned pid", "Benchmark pid")  # no surroundings
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


@dataclass
class Measured:
    """What one run has left."""

    name: str
    number: int
    error: str = ""
    profiles: list[bytes] = field(default_factory=list)
    trees: list[bytes] = field(default_factory=list)
    costs: Optional[Costs] = None
    surroundings: dict[str, str] = field(default_factory=dict)


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


def measure(job: Job) -> Measured:
    """Run a benchmark once.  What goes wrong is told in the result."""
    measured = Measured(job.benchmark.name, job.number)
    try:
        with tempfile.TemporaryDirectory(prefix="callgrind-gate.") as name:
            folder = Path(name)
            for each in ("profiles", "trees"):
                (folder / each).mkdir()
            _run(job, folder)
            _collect(job, folder, measured)
    except (GateError, ProfileError, CostError) as error:
        measured.error = str(error)
    except Exception as error:  # pylint: disable=broad-except
        measured.error = reason_of(error)  # of this one; the others go on
    return measured


def _run(job: Job, folder: Path) -> None:
    benchmark = job.benchmark
    env = plain_environment(os.environ, benchmark.keep_env, benchmark.env)
    around = surroundings(
        benchmark.name, job.number, benchmark.command, env, str(benchmark.folder)
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
    words += [*benchmark.valgrind_options(), "--", *around.command]
    mark = f"--callgrind-out-file={folder}/"
    with open(folder / "errors", "w+b") as errors:
        try:
            status = run(words, benchmark.folder, around.env, errors,
                         around.processors, benchmark.timeout, mark)  # fmt: skip
            ended = how_it_ended(status) if status != benchmark.status else ""
        except OutOfTime:
            ended = (
                f"was ended after {benchmark.timeout:.10g} seconds; --timeout, or "
                "timeout in the file, gives it more"
            )
        if ended:
            raise GateError(f"{ended}: {_last_words(errors)}")


def _last_words(errors: BinaryIO) -> str:
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - MOST_ERRORS))
    said = errors.read(MOST_ERRORS).decode("utf-8", "replace").strip()
    last = " ".join(printable(line) for line in said.splitlines()[-3:])
    return last[-WORDS_OF_ERROR:] or "without a word"


def _collect(job: Job, folder: Path, measured: Measured) -> None:
    """Read what the run has written, and leave out what no other run can repeat."""
    found: list[tuple[bytes, Profile]] = []
    for path in (folder / "profiles").iterdir():
        if PROFILE_NAME.fullmatch(path.name) and path.stat().st_size:
            profile = read_profile(path, Detail.FUNCTIONS)
            profile.path = Path(job.benchmark.name)
            found.append((PROCESS_LINE.sub(b"", path.read_bytes()), profile))
    if not found:
        raise GateError("it has left no profile; did it end by an exec?")
    found.sort(key=lambda pair: pair[0])
    profiles = [profile for _, profile in found]
    measured.costs = measured_costs(profiles)
    if not any(measured.costs.total):
        raise GateError("nothing was counted; do the toggles, or START, ever come?")
    if job.number == 0:
        measured.profiles = [content for content, _ in found]
        measured.trees = sorted(
            path.read_bytes() for path in folder.glob("trees/*") if path.is_file()
        )
        measured.surroundings = surroundings_of(profiles)


def surroundings_of(profiles: Sequence[Profile]) -> dict[str, str]:
    """What the profiles say of tool, caches and machine."""
    headers = [part.header for profile in profiles for part in profile.parts]
    found: dict[str, list[str]] = {"creator": [h.creator for h in headers if h.creator]}
    for header in headers:
        for name, value in header.descriptions:
            if name not in PASSING:
                found.setdefault(name, []).append(value)
    return {name: ", ".join(unique(values)) for name, values in found.items()}


# --- All of them ------------------------------------------------------------------------


def measure_all(
    jobs: Sequence[Job], at_once: int, tell: Callable[[Measured], None]
) -> dict[str, list[Measured]]:
    """Run all jobs, `at_once` at a time.  Of each benchmark the runs, by number."""
    found: dict[str, list[Measured]] = {}
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
                    tell(Measured(name, tasks[task].number))
                    continue
                measured = task.result()
                found.setdefault(name, []).append(measured)
                tell(measured)
                if measured.error:
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
        runs.sort(key=lambda measured: measured.number)
    return found


def _measure_in_worker(job: Job) -> Measured:
    with busy():
        return measure(job)


def _cancel(tasks: Iterable[concurrent.futures.Future[Measured]]) -> None:
    """What has not begun.  A benchmark that has failed once is not measured again."""
    for task in tasks:
        task.cancel()


def kept_result(benchmark: Benchmark, runs: Sequence[Measured], store: Store) -> Result:
    """Put what was measured into the store."""
    result = Result(
        benchmark.name,
        list(benchmark.command),
        events=list(benchmark.events),
        limits=list(benchmark.limits),
    )
    result.error = next((run.error for run in runs if run.error), "")
    costs = [run.costs for run in runs if run.costs is not None]
    if result.error or len(costs) != len(runs):
        return result
    result.surroundings = runs[0].surroundings
    try:
        counts = counts_of(costs)
    except GateError as error:
        result.error = str(error)
        return result
    result.counts = store.put(encode(counts))
    result.total = {
        event: spread.middle for event, spread in zip(counts.events, counts.total)
    }
    result.profiles = [store.put(content) for content in runs[0].profiles]
    result.trees = [store.put(content) for content in runs[0].trees]
    return result


def progress(total: int, shown: bool) -> Callable[[Measured], None]:
    """A line on the terminal for each run that has ended."""
    done = 0

    def tell(measured: Measured) -> None:
        nonlocal done
        done += 1
        if shown:
            name = printable(measured.name)[:60]
            end = "\n" if done == total else ""
            print(f"\r\033[K{done}/{total} {name}", end=end, file=sys.stderr, flush=True)

    return tell
