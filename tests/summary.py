#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs Python unit tests and closes with the one line that `check` reads from every suite:
#
#     N passed, N failed, N skipped
#
# Owns: how unittest's outcomes are counted in that line (one per test, however many
# sub-tests it has), the discovery of test files, and running several of them at a time,
# each in a process of its own.  Relies on unittest alone.
#
# In a test script:        from summary import run_suite
#                          sys.exit(run_suite())
# From the command line:   python3 tests/summary.py [--jobs N] PATH...
#                          (every test_*.py below)

"""Run unittest suites and end with the line `N passed, N failed, N skipped`."""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import os
import re
import signal
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from pathlib import Path
from types import ModuleType
from typing import Any, Optional, Sequence, TextIO, Union

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "callgrind" / "report")]  # what tests import from

Source = Union[unittest.TestSuite, ModuleType, str, Path]


class Outcome(IntEnum):
    """What became of one test; of several reports about it the highest one holds."""

    PASSED = 1
    SKIPPED = 2
    FAILED = 3


class CountingResult(unittest.TextTestResult):
    """Keeps exactly one outcome per test, for the closing line."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        # Keyed by identity; the test is kept beside its outcome so that no later test can
        # be given the same identity.
        self._outcomes: dict[int, tuple[object, Outcome]] = {}

    def _note(self, test: object, outcome: Outcome) -> None:
        test = getattr(test, "test_case", test)  # a sub-test counts for its test
        _, known = self._outcomes.get(id(test), (test, outcome))
        self._outcomes[id(test)] = (test, max(known, outcome))

    def count(self, outcome: Outcome) -> int:
        return sum(1 for _, known in self._outcomes.values() if known is outcome)

    def addSuccess(self, test: Any) -> None:
        super().addSuccess(test)
        self._note(test, Outcome.PASSED)

    def addFailure(self, test: Any, err: Any) -> None:
        super().addFailure(test, err)
        self._note(test, Outcome.FAILED)

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        self._note(test, Outcome.FAILED)

    def addSkip(self, test: Any, reason: str) -> None:
        super().addSkip(test, reason)
        self._note(test, Outcome.SKIPPED)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self._note(test, Outcome.PASSED)

    def addUnexpectedSuccess(self, test: Any) -> None:
        super().addUnexpectedSuccess(test)
        self._note(test, Outcome.FAILED)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note(test, Outcome.FAILED)


def _failing_import(path: Path, error: BaseException) -> unittest.TestSuite:
    """A suite of one test that reports why a test file could not be loaded."""

    def report() -> None:
        raise error

    return unittest.TestSuite(
        [unittest.FunctionTestCase(report, description=f"import of {path}")]
    )


def _skipped_import(path: Path, reason: str) -> unittest.TestSuite:
    """A suite of one skipped test, for a file that raises SkipTest as a whole."""

    def report() -> None:
        raise unittest.SkipTest(reason)

    return unittest.TestSuite([unittest.FunctionTestCase(report, description=str(path))])


def _load_file(path: Path) -> unittest.TestSuite:
    """The tests of one file, which may import from its folder as when run directly."""
    path = path.resolve()
    # Files of one name in several folders must not displace each other in sys.modules.
    name = "_".join(part.replace(".", "_") for part in path.with_suffix("").parts[1:])
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except unittest.SkipTest as skip:
        return _skipped_import(path, str(skip))
    except (Exception, SystemExit) as error:
        return _failing_import(path, error)
    return unittest.defaultTestLoader.loadTestsFromModule(module)


def _files(path: Path) -> list[Path]:
    """A file itself, or every test_*.py below a folder."""
    return sorted(path.rglob("test_*.py")) if path.is_dir() else [path]


def _load_path(path: Path) -> unittest.TestSuite:
    return unittest.TestSuite(_load_file(file) for file in _files(path))


def _load(source: Source) -> unittest.TestSuite:
    if isinstance(source, unittest.TestSuite):
        return source
    if isinstance(source, ModuleType):
        return unittest.defaultTestLoader.loadTestsFromModule(source)
    if isinstance(source, Path):
        return _load_path(source)
    return unittest.defaultTestLoader.loadTestsFromName(source)


def _heed_interruption() -> None:
    """Let the programs that tests start be interrupted.

    What a shell starts in the background, and `nohup` hands on, ignores SIGINT, and so do
    all its children. A test that interrupts one would wait for its end in vain."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def run_suite(
    sources: Union[Source, Sequence[Source]] = "__main__",
    *,
    verbose: bool = False,
    stream: Optional[TextIO] = None,
) -> int:
    """Run tests and return the exit status: 0, or 1 when one failed or there are none.

    A source is a suite, a module, a dotted name as unittest takes it, or a Path of a file
    or folder.  Without one, the tests of the running script.
    """
    _heed_interruption()
    if isinstance(sources, (unittest.TestSuite, ModuleType, str, Path)):
        sources = [sources]
    suite = unittest.TestSuite(_load(source) for source in sources)
    # One stream for report and closing line, so that the line stays last in a log.
    out = sys.stdout if stream is None else stream
    runner = unittest.TextTestRunner(
        stream=out, verbosity=2 if verbose else 1, resultclass=CountingResult
    )
    result = runner.run(suite)
    assert isinstance(result, CountingResult)
    passed, failed, skipped = (
        result.count(outcome)
        for outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED)
    )
    nothing_ran = passed + failed + skipped == 0
    if nothing_ran:
        print("no tests were found", file=out)
    for test, reason in result.skipped:
        print(f"skipped: {test.id().rpartition('.')[2]}: {reason}", file=out)
    sys.stderr.flush()
    print(f"{passed} passed, {failed} failed, {skipped} skipped", file=out, flush=True)
    return 1 if failed or nothing_ran else 0


CLOSING_LINE = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped")


def _run_apart(file: Path) -> tuple[str, int]:
    """Run a file's tests in a process of their own; its output, and its exit status."""
    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), str(file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="backslashreplace",
        check=False,
    )
    return done.stdout, done.returncode


def run_files(files: Sequence[Path], jobs: int) -> int:
    """Run test files, `jobs` at a time, and return the exit status.

    What each says comes whole, and in the order of the files; a file that ends without its
    closing line, or with a status that denies it, is a failed test more.
    """
    counts = [0, 0, 0]
    with ThreadPoolExecutor(jobs) as pool:
        for file, (said, status) in zip(files, pool.map(_run_apart, files)):
            report, _, last = said.rstrip("\n").rpartition("\n")
            found = CLOSING_LINE.fullmatch(last)
            here = [int(number) for number in found.groups()] if found else [0, 0, 0]
            print(f"{file}: {last}" if found else f"{file}:\n{said}")
            if status or here[2]:
                print(report)
            if found is None or (status == 0) != (here[1] == 0 and sum(here) > 0):
                here[1] += 1
                print(f"FAIL: {file} ended with status {status}")
            counts = [sum(pair) for pair in zip(counts, here)]
            sys.stdout.flush()
    passed, failed, skipped = counts
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed or sum(counts) == 0 else 0


def _jobs(text: str) -> int:
    if text == "auto":
        return min(os.cpu_count() or 1, 8)
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"`{text}` is neither a number above 0 nor auto")
    return int(text)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="summary.py",
        description="Run Python unit tests; the last line is"
        " `N passed, N failed, N skipped`.",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="name each test")
    parser.add_argument(
        "--jobs",
        type=_jobs,
        default=1,
        metavar="N",
        help="test files at a time, each in a process of its own; auto: as many as there"
        " are processors, at most 8 (default: one after another, in this process)",
    )
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="a test file, or a folder of which every test_*.py below is run",
    )
    options = parser.parse_args()
    for path in options.paths:
        if not path.exists():
            parser.error(f"{path}: no such file or folder")
    if options.jobs > 1 and not options.verbose:
        files = [file for path in options.paths for file in _files(path)]
        return run_files(files, options.jobs)
    return run_suite(options.paths, verbose=options.verbose)


if __name__ == "__main__":
    # Test files import this module by its name; they must meet this very instance of it.
    sys.modules.setdefault("summary", sys.modules["__main__"])
    sys.dont_write_bytecode = True
    sys.exit(main())
