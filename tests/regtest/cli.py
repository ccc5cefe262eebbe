# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line of vg_regtest.  Owns: its options, the selection of tests, and the
# report with its closing line `N passed, N failed, N skipped`.

"""Options, selection and report of `vg_regtest`."""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import multiprocessing
import os
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import FrameType
from typing import Callable, Generator, Optional, Sequence, cast

from tests.regtest.api import Configuration, Result, UsageError, Verdict, run_vgtest
from tests.regtest.places import TESTS_FOLDER, Trees
from tests.regtest.update import update


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"`{text}` is not a positive number of seconds")
    return value


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number above 0")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vg_regtest",
        description="Run .vgtest regression tests; docs/testing.md tells their format.",
        epilog="In the environment: EXTRA_REGTEST_OPTS, Valgrind options for every test,"
        " put before the test's own; VG_BUILD, the default of --build.",
    )
    parser.add_argument(
        "tests",
        nargs="*",
        metavar="TEST",
        help="a .vgtest file, with or without that ending, or a folder of them",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="run every test below the given folders (without any: of the source tree)",
    )
    parser.add_argument(
        "--launcher",
        "--valgrind",
        metavar="PROG",
        help="the valgrind to test (default: vg-in-place in the build folder)",
    )
    parser.add_argument(
        "--build",
        metavar="DIR",
        help="the build folder (default: $VG_BUILD, or build/ in the source tree)",
    )
    parser.add_argument(
        "--srcdir", metavar="DIR", help="the source tree (default: where this script is)"
    )
    parser.add_argument(
        "--jobs",
        type=_number,
        default=min(os.cpu_count() or 1, 8),
        metavar="N",
        help="tests at a time (default: one for each processor, here %(default)s)",
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="write what tests printed into their files, where it is not what they"
        " expect; read the difference before you commit it",
    )
    parser.add_argument(
        "--keep-unfiltered",
        action="store_true",
        help="keep the unfiltered outputs of tests that pass, as *.unfiltered.out",
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=600.0,
        metavar="SECONDS",
        help="kill a command that runs longer; a safety net (default: 600)",
    )
    parser.add_argument(
        "--warm",
        action="store_true",
        default=bool(os.environ.get("CT_WARM")),
        help="run each test three times: without stored translations, while they are"
        " stored, and with them; the profiles must be the same",
    )
    parser.add_argument("--verbose", action="store_true", help="show each command")
    return parser


def _below(folder: Path, build: Path) -> list[Path]:
    """Every test below a folder; hidden folders and a build folder in it do not count."""
    found: list[Path] = []
    for here, folders, files in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and Path(here, name) != build
        ]
        found += [Path(here, name) for name in files if _is_test(name)]
    return found


def _is_test(name: str) -> bool:
    """A hidden file is an editor's."""
    return name.endswith(".vgtest") and not name.startswith(".")


def _select(options: argparse.Namespace, trees: Trees) -> list[Path]:
    """The chosen tests, sorted, each once."""
    chosen: set[Path] = set()
    wanted: list[str] = options.tests
    if not wanted:
        if not options.all:
            raise UsageError("no test given: name files or folders, or say --all")
        wanted = [str(trees.source)]
    for name in wanted:
        # Only the folder is resolved: a file's expected outputs are its neighbours.
        given = Path(name)
        path = given.resolve() if given.is_dir() else given.parent.resolve() / given.name
        if path.is_dir():
            if options.all:
                tests, where = _below(path, trees.build), "below"
            else:
                tests = [entry for entry in path.iterdir() if _is_test(entry.name)]
                where = "in"
            if not tests:
                raise UsageError(f"there is no .vgtest file {where} {path}")
            chosen.update(tests)
            continue
        if path.suffix != ".vgtest":
            path = path.with_name(path.name + ".vgtest")
        if not path.is_file():
            raise UsageError(f"{path}: no such test")
        chosen.add(path)
    return sorted(chosen)


def _report(name: str, result: Result) -> None:
    reason = f" ({result.reason})" if result.reason else ""
    lines = [f"{name}: {result.verdict.value}{reason}", *result.details]
    print("\n".join(lines), flush=True)


@dataclass(frozen=True)
class Child:
    """A process that runs one test."""

    number: int  # of the test
    process: ForkProcess
    answer: Connection


def _end(signal_number: int, frame: Optional[FrameType]) -> None:
    raise SystemExit(1)


def _run_in_child(run: Callable[[Path], Result], path: Path, answer: Connection) -> None:
    # The process that has the tests in hand is the one to end; it ends its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    answer.send(run(path))


def _answer_of(child: Child) -> Result:
    try:
        result: Result = child.answer.recv()
    except EOFError:
        result = Result(Verdict.FAIL, "the process that ran it ended early")
    child.process.join()
    return result


def _run_and_update(path: Path, configuration: Configuration) -> Result:
    result = run_vgtest(path, configuration)
    if result.verdict is not Verdict.FAIL or not result.printed:
        return result
    update(path, result.printed)
    return run_vgtest(path, configuration)


def _results(
    tests: list[Path], run: Callable[[Path], Result], jobs: int
) -> Generator[Result, None, None]:
    """Run the tests, `jobs` of them at a time; each result in the order of the tests, as
    soon as those before it are known."""
    if min(jobs, len(tests)) == 1:
        yield from map(run, tests)
        return
    # A process for each test, which shares nothing with the others: one that is ended
    # keeps no lock that another waits for, as it may in a pool.
    forking = multiprocessing.get_context("fork")
    children: dict[Connection, Child] = {}
    known: dict[int, Result] = {}
    started = yielded = 0
    try:
        while yielded < len(tests):
            while started < len(tests) and len(children) < jobs:
                answer, end = forking.Pipe(duplex=False)
                process = forking.Process(
                    target=_run_in_child, args=(run, tests[started], end)
                )
                process.start()
                end.close()
                children[answer] = Child(started, process, answer)
                started += 1
            for ready in wait(list(children)):
                child = children.pop(cast(Connection, ready))
                known[child.number] = _answer_of(child)
            while yielded in known:
                yield known.pop(yielded)
                yielded += 1
    finally:
        # Left by an exception, this ends the children, and they the commands they run.
        for child in children.values():
            child.process.terminate()
        for child in children.values():
            child.process.join()


def _run_all(
    tests: list[Path], run: Callable[[Path], Result], trees: Trees, jobs: int
) -> int:
    counts: Counter[Verdict] = Counter()
    failed: list[str] = []
    with contextlib.closing(_results(tests, run, jobs)) as results:
        for path, result in zip(tests, results):
            name = trees.label(path)[: -len(".vgtest")]
            _report(name, result)
            counts[result.verdict] += 1
            if result.verdict is Verdict.FAIL:
                failed.append(name)
    if failed and len(tests) > 1:
        print("\nfailed:", *failed, sep="\n  ")
    print(
        f"{counts[Verdict.PASS]} passed, {counts[Verdict.FAIL]} failed,"
        f" {counts[Verdict.SKIPPED]} skipped",
        flush=True,
    )
    return 1 if failed else 0


def _interrupt(signal_number: int, frame: Optional[FrameType]) -> None:
    raise KeyboardInterrupt


def _show(line: str) -> None:
    print(f"  {line}\n", end="", flush=True)


def _say_nothing(line: str) -> None:
    pass


def main(arguments: Optional[Sequence[str]] = None) -> int:
    options = _parser().parse_args(arguments)
    # Names and outputs of any encoding can be reported, whatever the locale.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # Tests run in sessions of their own, so nothing but this process can end them.
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    run: Callable[..., Result] = run_vgtest
    if options.update:
        run = _run_and_update
    configuration = Configuration(
        source=Path(options.srcdir or TESTS_FOLDER.parent),
        build=Path(options.build) if options.build else None,
        launcher=options.launcher,
        timeout=options.timeout,
        keep_unfiltered=options.keep_unfiltered,
        log=_show if options.verbose else _say_nothing,
        warm=options.warm,
    )
    try:
        tests = _select(options, configuration.trees())
        return _run_all(
            tests,
            functools.partial(run, configuration=configuration),
            configuration.trees(),
            options.jobs,
        )
    except UsageError as error:
        print(f"vg_regtest: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("vg_regtest: interrupted", file=sys.stderr)
        return 130
