# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line of tests/run_suites, and through it of `./check` and `make check`.
# Owns: its options, and how they are said to pytest.  Runs in the top of the source tree.

"""Run test suites."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Sequence

from tests.runner.series import LONG_VARIABLE, TURN_VARIABLE, turn_of_commit
from tests.runner.suites import (
    DEFAULT_NAMES,
    NAMES,
    SUITES,
    WARM_SUITES,
    paths_of,
    why_not_warm,
)

USAGE_STATUS = 2
RUNTIMES = "runtimes"
PACKAGES = Path("tests/runtimes/packages")


def _processes(text: str) -> str:
    if text != "auto" and not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"`{text}` is neither a number above 0 nor auto")
    return text


def _known_runtimes(text: str) -> str:
    lines = PACKAGES.read_text(encoding="utf-8").splitlines()
    known = [line.split()[0] for line in lines if line and not line.startswith("#")]
    for name in text.split(","):
        if name not in known:
            there_are = ", ".join(known)
            raise argparse.ArgumentTypeError(
                f"no runtime is called `{name}`; there are: {there_are}"
            )
    return text


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="run_suites",
        usage="run_suites [options] [SUITE...] [-- PYTEST'S ARGUMENTS]",
        description="Runs the tests, or the named suites alone. The last line is"
        " `N passed, N failed, N skipped`; status 0 when some passed or were skipped and"
        " none failed.",
        epilog="What follows `--` is for pytest: -k EXPRESSION chooses tests by name,"
        " --lf those that failed last, -v names each test.",
    )
    parser.add_argument(
        "suites",
        nargs="*",
        metavar="SUITE",
        help=f"{', '.join(NAMES)}; when none is named, all but {RUNTIMES}",
    )
    parser.add_argument("--list", action="store_true", help="name the suites, and end")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a few tests of each suite, for the inner loop; tests/runner/suites.py says"
        " which, and why",
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="measure the distribution's profiles anew; without this they are taken from"
        " the build folder, where an earlier run has left them",
    )
    parser.add_argument(
        "--long",
        action="store_true",
        help="the long tests as well, and all of each long series of generated programs"
        " and random traces",
    )
    parser.add_argument(
        "--every-turn",
        action="store_true",
        help="as --long, and whole what takes turns: of that, it has a third, which the"
        " commit says",
    )
    parser.add_argument(
        "--by-turn",
        action="store_true",
        help="a third of what takes turns without being long: suite `suites`",
    )
    parser.add_argument(
        "--warm",
        action="store_true",
        help=f"run {' and '.join(WARM_SUITES)}, every program three times: without stored"
        " translations, while they are stored, and with them; all profiles must be right,"
        " and the same",
    )
    parser.add_argument(
        "--runtimes",
        type=_known_runtimes,
        metavar="NAMES",
        help=f"run suite {RUNTIMES} as well, for these runtimes alone (separated by"
        " commas)",
    )
    parser.add_argument(
        "--jobs",
        type=_processes,
        default="auto",
        metavar="N",
        help="tests at a time (default: auto: two more than processors, at most 8)",
    )
    return parser


def _complain(message: str) -> int:
    print(f"run_suites: {message}", file=sys.stderr)
    return USAGE_STATUS


def _existing_paths(suites: Sequence[str]) -> list[str]:
    return [path for path in paths_of(suites) if Path(path).exists()]


def _chosen(options: argparse.Namespace) -> list[str]:
    names = list(options.suites or (WARM_SUITES if options.warm else DEFAULT_NAMES))
    return [*names, *[RUNTIMES] * (options.runtimes is not None)]


def pytest_arguments(options: argparse.Namespace, build: Path) -> list[str]:
    suites = _chosen(options)
    arguments = ["-n", options.jobs, "--dist", "loadgroup"]
    arguments += ["-o", f"cache_dir={build / 'pytest-cache'}"]
    if options.quick:
        arguments.append("--quick")
    for name in suites:
        arguments += ["--suite", name]
    return [*arguments, *_existing_paths(suites)]


def main(words: Sequence[str]) -> int:
    before, after = list(words), []
    if "--" in before:
        at = before.index("--")
        before, after = before[:at], before[at:][1:]
    options = make_parser().parse_intermixed_args(before)
    if options.list:
        print("\n".join(suite.name for suite in SUITES))
        return 0
    for name in options.suites:
        if name not in NAMES:
            known = " ".join(NAMES)
            return _complain(f"no suite is called '{name}'; there are: {known}")
    wrong = why_not_warm(options.suites) if options.warm else None
    if wrong is not None:
        return _complain(wrong)
    build = Path(os.environ.get("VG_BUILD") or "build").resolve()
    if not os.access(build / "vg-in-place", os.X_OK):
        return _complain(f"{build}/vg-in-place is missing: run make, or ./check, first")
    for name in _chosen(options):
        if not _existing_paths([name]):
            paths = " and ".join(paths_of([name]))
            return _complain(f"suite {name} has lost its tests: there is no {paths}")
    os.environ["VG_BUILD"] = str(build)
    if options.fresh:
        os.environ["CT_FRESH"] = "1"
    if options.long or options.every_turn:
        os.environ[LONG_VARIABLE] = "1"
    os.environ.pop(TURN_VARIABLE, None)
    turn = None if options.every_turn else turn_of_commit()
    if (options.long or options.by_turn) and turn is not None:
        os.environ[TURN_VARIABLE] = str(turn)
    if options.warm:
        os.environ["CT_WARM"] = "1"
    if options.runtimes:
        os.environ["CT_RUNTIMES"] = options.runtimes
    import pytest

    with open(os.devnull, "rb") as nothing:  # no test waits for somebody to type
        os.dup2(nothing.fileno(), 0)
    return int(pytest.main([*pytest_arguments(options, build), *after]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
