# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line of callgrind_report.
#
# Owns: the options, their defaults, and which of them may be combined.

"""The options of callgrind_report."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Optional, Sequence

from analysis.growth_limits import Limit, parse_limit
from analysis.profile_diff import MATCHES
from analysis.renaming_options import add_renaming
from analysis.selection import SORTS
from analysis.surroundings import SURROUNDINGS
from console.command import Parser, number_from
from console.short_names import MOST_CHARACTERS

DEFAULT_LIMIT = 25
DEFAULT_FILE_THRESHOLD = 1.0  # per cent; for --annotate

DESCRIPTION = """\
Show where the costs in callgrind profiles are: the costliest functions, the callers and
callees of a function, the costs of source lines, or what has changed between two runs.
"""
EPILOG = """\
Without FILE: the newest callgrind.out.* in this folder.  Several files are added up; a
folder stands for all callgrind.out.* in it.  Exit status: 0; 1 when a limit of
--fail-above or --fail-function-above is exceeded; 2 when an option or a file is wrong; 3
when --same-surroundings refuses to compare.
"""


def per_cent(text: str) -> float:
    if "_" in text or not text.isascii():  # float() takes these
        raise ValueError
    value = float(text[:-1] if text.endswith("%") else text)
    if not math.isfinite(value) or not 0 <= value <= 100:
        raise ValueError
    return value


# argparse names the function in its message: "invalid per cent value: 'x'".
per_cent.__name__ = "per cent"


def total_limit(text: str) -> Limit:
    return _limit(text, False)


def function_limit(text: str) -> Limit:
    return _limit(text, True)


def _limit(text: str, per_function: bool) -> Limit:
    try:
        return parse_limit(text, per_function)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def make_parser(prog: str) -> Parser:
    parser = Parser(
        prog=prog,
        description=DESCRIPTION,
        epilog=EPILOG,
        allow_abbrev=False,
        usage="%(prog)s [options] [FILE...]\n" "       %(prog)s [options] --diff OLD NEW",
    )
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help="profiles")
    _add_views(parser)
    _add_selection(parser)
    _add_diff(parser)
    _add_form(parser)
    return parser


def _add_views(parser: Parser) -> None:
    views = parser.add_argument_group("what to show (default: the costliest functions)")
    views.add_argument(
        "-f",
        "--function",
        metavar="NAME",
        action="append",
        default=[],
        help="callers and callees of a function; * is any text, ? one character; "
        "may be repeated",
    )
    views.add_argument(
        "-a",
        "--annotate",
        action="store_true",
        help="costs of source lines; with --function, of these functions only",
    )
    views.add_argument(
        "--file",
        metavar="NAME",
        action="append",
        default=[],
        dest="sources",
        help="annotate this source file: its path, the end of it, or a pattern; "
        "may be repeated",
    )
    views.add_argument(
        "-d",
        "--diff",
        metavar=("OLD", "NEW"),
        nargs=2,
        type=Path,
        help="what has changed, by function; OLD and NEW are profiles or folders of them",
    )


def _add_selection(parser: Parser) -> None:
    some = parser.add_argument_group("how much to show")
    some.add_argument(
        "-e",
        "--event",
        metavar="EVENTS",
        help="events, separated by commas, or all; the first one sorts (default: the "
        "first of the profile; all of them in JSON and CSV)",
    )
    some.add_argument(
        "-s",
        "--sort",
        choices=SORTS,
        default="self",
        help="the order of functions (default: %(default)s)",
    )
    some.add_argument(
        "-n",
        "--limit",
        metavar="N",
        type=number_from(0),
        help=f"show this many, 0 for all (default: {DEFAULT_LIMIT}; all in JSON, CSV and "
        "--annotate)",
    )
    some.add_argument(
        "-t",
        "--threshold",
        metavar="PERCENT",
        type=per_cent,
        help="leave out what is below this share of the total (default: 0; "
        f"{DEFAULT_FILE_THRESHOLD:g} for files of --annotate)",
    )
    some.add_argument(
        "-r",
        "--merge-recursion",
        action="store_true",
        help="show the recursion levels of a function (f, f'2) as one",
    )
    some.add_argument(
        "-C",
        "--context",
        metavar="N",
        type=number_from(0),
        default=3,
        help="source lines around those with costs, in --annotate (default: %(default)s)",
    )
    some.add_argument(
        "-I",
        "--source-dir",
        metavar="FOLDER",
        type=Path,
        action="append",
        default=[],
        help="look for sources here first; may be repeated",
    )


def _add_diff(parser: Parser) -> None:
    diff = parser.add_argument_group("with --diff")
    diff.add_argument(
        "--fail-above",
        metavar="[EVENT:]LIMIT",
        type=total_limit,
        action="append",
        default=[],
        help="exit with 1 if the total grows by more: 1%%, Dr:0.5%%, Ir:20000; may be "
        "repeated",
    )
    diff.add_argument(
        "--fail-function-above",
        metavar="[EVENT:]LIMIT",
        type=function_limit,
        action="append",
        default=[],
        help="the same for the self cost of each function; %% is of the old total",
    )
    diff.add_argument(
        "--same-surroundings",
        action="store_true",
        help="exit with 3, and judge no limit, if the profiles were measured in "
        "surroundings that differ and can move what is compared",
    )
    diff.add_argument(
        "--may-differ",
        metavar="NAME",
        action="append",
        default=[],
        help="do not refuse for this, such as Kernel; may be repeated",
    )
    diff.add_argument(
        "--match",
        choices=MATCHES,
        default=MATCHES[0],
        help="what makes functions the same (default: %(default)s, the object without "
        "its folders)",
    )
    add_renaming(diff)


def _add_form(parser: Parser) -> None:
    form = parser.add_argument_group("how to write it")
    kinds = form.add_mutually_exclusive_group()
    kinds.add_argument(
        "--json", dest="form", action="store_const", const="json", help="as JSON"
    )
    kinds.add_argument(
        "--csv", dest="form", action="store_const", const="csv", help="as CSV"
    )
    form.add_argument(
        "--full-names",
        action="store_true",
        help="names of functions in full in tables, however long (default: at most "
        f"{MOST_CHARACTERS} characters)",
    )
    form.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours (default: %(default)s, on a terminal if NO_COLOR is not set)",
    )
    form.add_argument(
        "--progress",
        choices=("auto", "always", "never"),
        default="auto",
        help="show how far a large file has been read (default: %(default)s, on a "
        "terminal)",
    )
    parser.set_defaults(form="text")


def parse_options(
    arguments: Optional[Sequence[str]], prog: str = "callgrind_report"
) -> argparse.Namespace:
    parser = make_parser(prog)
    options = parser.parse_intermixed_args(arguments)
    options.limits = options.fail_above + options.fail_function_above
    if options.sources:
        options.annotate = True
    if options.diff:
        if options.files:
            parser.error(
                f"--diff takes OLD and NEW alone, not {options.files[0]} as well"
            )
        if options.annotate or options.function:
            parser.error("--diff does not go together with --function or --annotate")
        if options.sort == "calls":
            parser.error("--sort=calls: --diff compares costs, not calls")
    else:
        given = options.limits or options.map_name or options.map_path
        if given or options.same_surroundings or options.match != MATCHES[0]:
            parser.error(
                "--fail-above, --fail-function-above, --same-surroundings, --match, "
                "--map-name and --map-path need --diff OLD NEW"
            )
    if options.may_differ and not options.same_surroundings:
        parser.error("--may-differ needs --same-surroundings")
    unknown = set(options.may_differ) - set(SURROUNDINGS)
    if unknown:
        parser.error(
            f"--may-differ={sorted(unknown)[0]}: not one of {', '.join(SURROUNDINGS)}"
        )
    if options.limit is None:
        everything = options.form != "text" or options.annotate
        options.limit = 0 if everything else DEFAULT_LIMIT
    if options.threshold is None:
        options.threshold = 0.0
        if options.annotate and options.form == "text":
            options.threshold = DEFAULT_FILE_THRESHOLD
    return options
