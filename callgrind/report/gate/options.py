# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line of callgrind_gate.
#
# Owns: the subcommands, their options, their defaults, and which of them may be combined.

"""The options of callgrind_gate."""

from __future__ import annotations

import argparse
import os
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Optional, Sequence

from analysis.profile_diff import MATCHES, PLAIN
from analysis.renaming_options import add_renaming
from console.command import Parser, number_from
from console.untrusted_text import is_decimal
from gate.counts import MOST_SURROUNDINGS
from gate.judge import DEFAULT_CONFIDENCE
from gate.limits import GateLimit, parse_gate_limit
from gate.benchmark import DEFAULT_TIMEOUT
from gate.settings import MOST_SECONDS, is_timeout

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Parser]

DEFAULT_RUN = "gate-run"
FORMER_OPTIONS = {
    "--function-limit": "--function-growth", "--object-limit": "--object-growth"
}  # fmt: skip
GATE_MATCHES = (PLAIN, *(match for match in MATCHES if match != PLAIN))

DESCRIPTION = """\
Measure many benchmarks under callgrind, and judge what they cost against a base.
"""
EPILOG = """\
Exit status: 0; 1 when a benchmark has got worse; 2 when an option or a file is wrong, or
a benchmark does not run; 3 when a benchmark cannot be compared.
callgrind_gate COMMAND --help lists the options of each command.
"""


def shard(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is not I/N, from 1/N to N/N")
    return int(match[1]), int(match[2])


def confidence(text: str) -> Fraction:
    if re.fullmatch(r"0\.[0-9]{1,12}", text) and Fraction(text):
        return Fraction(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and 1, as in 0.999")


def surroundings(text: str) -> int:
    if is_decimal(text) and len(text) < 10 and 2 <= int(text) <= MOST_SURROUNDINGS:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not 2 to {MOST_SURROUNDINGS}")


def timeout(text: str) -> float:
    is_number = re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) is not None
    if is_number and is_timeout(float(text)):
        return float(text)
    raise argparse.ArgumentTypeError(
        f"{text!r} is no number of seconds, up to {MOST_SECONDS}"
    )


def limit_of(scope: str) -> Callable[[str], GateLimit]:
    def parse(text: str) -> GateLimit:
        try:
            return parse_gate_limit(scope, text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


def make_parser(prog: str) -> Parser:
    parser = Parser(
        prog=prog, description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False
    )
    commands = parser.add_subparsers(
        dest="action", metavar="COMMAND", required=True, parser_class=Parser
    )
    for add in (
        _add_init, _add_run, _add_compare, _add_accept, _add_merge, _add_log
    ):  # fmt: skip
        add(commands)
    return parser


def _command(commands: Commands, name: str, what: str) -> Parser:
    found: Parser = commands.add_parser(
        name, help=what, description=what[0].upper() + what[1:] + ".", allow_abbrev=False
    )
    return found


def _add_init(commands: Commands) -> None:
    parser = _command(commands, "init", "write the first gate.toml of a project")
    parser.add_argument(
        "project",
        metavar="FOLDER",
        type=Path,
        nargs="?",
        default=Path(),
        help="where pyproject.toml, Cargo.toml, go.mod, package.json, CMakeLists.txt or "
        "pom.xml say which suites of benchmarks there are (default: this folder)",
    )


def _add_run(commands: Commands) -> None:
    parser = _command(commands, "run", "measure benchmarks")
    parser.add_argument(
        "words",
        metavar="NAME=COMMAND",
        nargs="*",
        help="benchmarks besides those of the file",
    )
    parser.add_argument(
        "--suite",
        metavar="NAME",
        help="what the suite is called whose command follows -- (default: py, rust, js "
        "and so on, by its framework, or as its program)",
    )
    parser.add_argument(
        "-c",
        "--config",
        metavar="FILE",
        type=Path,
        help="the file of benchmarks, TOML or JSON (default: gate.toml, if no "
        "NAME=COMMAND is given)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="RUN",
        type=Path,
        default=Path(DEFAULT_RUN),
        help="the folder of the run, which is written anew (default: %(default)s)",
    )
    parser.add_argument(
        "--only",
        metavar="PATTERN",
        action="append",
        default=[],
        help="run these alone; * is any text, ? one character; may be repeated",
    )
    parser.add_argument(
        "--shard", metavar="I/N", type=shard, help="run the I-th of N parts of them"
    )
    parser.add_argument(
        "--shake",
        metavar="N",
        type=surroundings,
        help="measure each in N surroundings, to know by how much its counts vary",
    )
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=timeout,
        help="how long one measurement may take, in place of what the file says "
        f"(default: {DEFAULT_TIMEOUT:g})",
    )
    parser.add_argument(
        "--commit", metavar="NAME", help="what is measured (default: the one of git)"
    )
    parser.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=number_from(1),
        default=len(os.sched_getaffinity(0)),
        help="how many run at a time (default: one for each processor)",
    )
    parser.add_argument(
        "--valgrind", metavar="COMMAND", help="the valgrind to use (default: ours)"
    )
    parser.add_argument(
        "--option",
        metavar="OPTION",
        action="append",
        default=[],
        help="an option of Valgrind for all benchmarks: --option=--cache-sim=yes; may be "
        "repeated",
    )
    parser.add_argument(
        "--trees", action="store_true", help="keep the tree of calls, for flame graphs"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write what was measured as JSON, into this file"
    )


def _add_compare(commands: Commands) -> None:
    parser = _command(commands, "compare", "judge a run against a base")
    parser.add_argument("base", metavar="BASELINE", type=Path, help="a folder of runs")
    _add_the_run(parser)
    parser.add_argument(
        "--base",
        dest="base_commit",
        metavar="COMMIT",
        help="compare with the run of this commit (default: the nearest ancestor in "
        "BASELINE, or else its newest run)",
    )
    parser.add_argument(
        "--allow-missing",
        action="store_true",
        help="do not fail if BASELINE is empty or one of its benchmarks was not run",
    )
    _add_rule(parser)
    _add_matching(parser)
    _add_forms(parser)


def _add_the_run(parser: Parser) -> None:
    parser.add_argument(
        "run",
        metavar="RUN",
        type=Path,
        nargs="?",
        default=Path(DEFAULT_RUN),
        help="the folder that run has written (default: %(default)s)",
    )


def _add_rule(parser: Parser) -> None:
    rule = parser.add_argument_group("what is a regression")
    for scope, form in (("total", "[EVENT:]LIMIT"), ("function", "NAME:[EVENT:]LIMIT"),
                        ("object", "NAME:[EVENT:]LIMIT")):  # fmt: skip
        of_what = {"total": "a benchmark's total",
                   "function": "functions of this name; %% is of their own cost",
                   "object": "objects of this name; %% is of their own cost"}  # fmt: skip
        rule.add_argument(
            "--limit" if scope == "total" else f"--{scope}-growth",
            metavar=form,
            type=limit_of(scope),
            action="append",
            default=[],
            dest=f"{scope}_limits",
            help=f"growth that is allowed to {of_what[scope]}; in place of the limits of "
            "the file; may be repeated",
        )
    rule.add_argument(
        "--confidence",
        metavar="P",
        type=confidence,
        default=confidence(DEFAULT_CONFIDENCE),
        help="how sure a comparison of equal programs raises no alarm, where spreads "
        f"decide (default: {DEFAULT_CONFIDENCE})",
    )
    rule.add_argument(
        "--strict",
        action="store_true",
        help="what was measured in other surroundings cannot be compared",
    )


def _add_matching(parser: Parser) -> None:
    same = parser.add_argument_group("which functions are the same")
    same.add_argument(
        "--match",
        choices=GATE_MATCHES,
        default=GATE_MATCHES[0],
        help="what makes them the same (default: %(default)s, name and object without "
        "the hashes of a build)",
    )
    add_renaming(same)


def _add_forms(parser: Parser) -> None:
    form = parser.add_argument_group("what is written besides the text")
    for name, what in (("json", "JSON"), ("junit", "JUnit XML"),
                       ("markdown", "Markdown for a pull request")):  # fmt: skip
        form.add_argument(f"--{name}", metavar="FILE", help=f"{what}, into this file")
    form.add_argument(
        "--annotations",
        action="store_true",
        help="annotations for GitHub, on standard output",
    )
    form.add_argument(
        "--pages",
        metavar="FOLDER",
        type=Path,
        help="a flame graph of what has changed in each benchmark, where both runs have "
        "trees",
    )
    form.add_argument(
        "--link",
        metavar="URL",
        help="where FOLDER will be, for the links of the Markdown (default: FOLDER)",
    )
    form.add_argument(
        "--inclusive",
        action="store_true",
        help="show functions whose inclusive cost alone has changed, too",
    )
    form.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours (default: %(default)s, on a terminal if NO_COLOR is not set)",
    )


def _add_accept(commands: Commands) -> None:
    parser = _command(commands, "accept", "make a run part of a baseline")
    parser.add_argument("base", metavar="BASELINE", type=Path, help="a folder of runs")
    _add_the_run(parser)
    parser.add_argument(
        "--keep",
        metavar="N",
        type=number_from(1),
        help="then remove all but the runs of the N newest commits",
    )
    parser.add_argument(
        "--replace",
        action="store_true",
        help="make a run of a work tree with changes the run of the commit itself "
        "(default: it is kept as COMMIT+changes)",
    )


def _add_merge(commands: Commands) -> None:
    parser = _command(commands, "merge", "make one run of the shards of a run")
    parser.add_argument("run", metavar="RUN", type=Path, help="the folder to write")
    parser.add_argument("shards", metavar="SHARD", type=Path, nargs="+", help="its parts")


def _add_log(commands: Commands) -> None:
    parser = _command(commands, "log", "show how costs went from commit to commit")
    parser.add_argument("base", metavar="BASELINE", type=Path, help="a folder of runs")
    parser.add_argument(
        "patterns", metavar="PATTERN", nargs="*", help="benchmarks (default: all)"
    )
    parser.add_argument(
        "-e", "--event", metavar="EVENT", help="the event (default: a benchmark's first)"
    )
    parser.add_argument("--html", metavar="FILE", help="write a page with plots")


def parse_options(
    arguments: Optional[Sequence[str]], prog: str = "callgrind_gate"
) -> argparse.Namespace:
    parser = make_parser(prog)
    words = list(sys.argv[1:] if arguments is None else arguments)
    command: list[str] = []
    if words[:1] == ["run"] and "--" in words:  # what follows is the command of a suite
        place = words.index("--")
        words, command = words[:place], words[place + 1:]
        if not command:
            parser.error("no command follows --, as in run -- pytest --codspeed tests/")
    for word in words:
        for former, name in FORMER_OPTIONS.items():
            if word == former or word.startswith(f"{former}="):
                parser.error(f"{former} is called {name} now")
    options = parser.parse_args(words)
    if options.action == "run":
        options.command = command
        if options.suite and not command:
            parser.error("--suite names a command that follows --")
    if options.action == "compare":
        options.limits = [
            *options.total_limits, *options.function_limits, *options.object_limits
        ]  # fmt: skip
        if options.link and not options.pages:
            parser.error("--link needs --pages FOLDER")
    return options
