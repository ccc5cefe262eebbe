# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line of vg_regtest.  Owns: its options, the selection of tests, and the
# report with its closing line `N passed, N failed, N skipped`.

"""Options, selection and report of `vg_regtest`."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import sys
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Iterator, Optional

from .places import TESTS_FOLDER, Trees
from .runner import Result, Settings, Verdict, run_test
from .shell import Processes


class UsageError(Exception):
    """The command line asks for something that is not there."""


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
    parser.add_argument("--verbose", action="store_true", help="show each command")
    return parser


def _trees(options: argparse.Namespace) -> Trees:
    source = Path(options.srcdir or TESTS_FOLDER.parent).resolve()
    if not source.is_dir():
        raise UsageError(f"source tree {source}: no such folder")
    build = Path(options.build or os.environ.get("VG_BUILD") or source / "build")
    build = build.resolve()
    return Trees(source, build, _launcher(options.launcher, build))


def _launcher(given: Optional[str], build: Path) -> Path:
    wanted = given or str(build / "vg-in-place")
    found = shutil.which(wanted)
    if found is not None:
        # Made absolute but not resolved: a launcher may go by the name it is called by.
        return Path(os.path.abspath(found))
    if given is None:
        raise UsageError(
            f"{wanted} is not there: run `make` first, or say --build=DIR or"
            " --launcher=PROG"
        )
    raise UsageError(f"launcher {wanted}: no such program")


def _below(folder: Path, build: Path) -> list[Path]:
    """Every test below a folder; hidden folders and a build folder in it do not count."""
    found: list[Path] = []
    for here, folders, files in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and Path(here, name) != build
        ]
        found += [Path(here, name) for name in files if name.endswith(".vgtest")]
    return found


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
                tests, where = list(path.glob("*.vgtest")), "in"
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


def _results(
    tests: list[Path], trees: Trees, settings: Settings, jobs: int
) -> Iterator[tuple[Path, Result]]:
    """Run the tests, `jobs` of them at a time; each result in the order of the tests, as
    soon as those before it are known."""
    futures: list[Future[Result]] = []
    with ThreadPoolExecutor(jobs) as pool:
        try:
            futures += (pool.submit(run_test, path, trees, settings) for path in tests)
            for path, future in zip(tests, futures):
                yield path, future.result()
        finally:  # where all went well, nothing is left to be ended
            for future in futures:
                future.cancel()
            settings.processes.stop()


def _run_all(tests: list[Path], trees: Trees, settings: Settings, jobs: int) -> int:
    counts: Counter[Verdict] = Counter()
    failed: list[str] = []
    with contextlib.closing(_results(tests, trees, settings, jobs)) as results:
        for path, result in results:
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


def main() -> int:
    options = _parser().parse_args()
    # Names and outputs of any encoding can be reported, whatever the locale.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    # Tests run in sessions of their own, so nothing but this process can end them.
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    settings = Settings(
        keep_unfiltered=options.keep_unfiltered,
        limit=options.timeout,
        extra_options=os.environ.get("EXTRA_REGTEST_OPTS", ""),
        log=(lambda line: print(f"  {line}\n", end="", flush=True))
        if options.verbose
        else (lambda line: None),
        processes=Processes(),
    )
    try:
        trees = _trees(options)
        return _run_all(_select(options, trees), trees, settings, options.jobs)
    except UsageError as error:
        print(f"vg_regtest: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("vg_regtest: interrupted", file=sys.stderr)
        return 130
