# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line of callgrind_export.
#
# Owns: the options, their defaults, and which of them may be combined.

"""The options of callgrind_export."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Optional, Sequence

from analysis.profile_diff import MATCHES
from analysis.renaming_options import add_renaming
from console.command import Parser, number_from

FORMATS = ("folded", "speedscope", "pprof", "firefox", "html", "callgrind", "perfetto")
ONE_EVENT = ("folded", "firefox")  # these can hold no more
SEPARATIONS = ("process", "part", "thread")
DEFAULT_MOST_FRAMES = 5_000_000

DESCRIPTION = """\
Turn call trees (tree files, docs/tree-format.md) into flame graphs and the formats of
other viewers; timelines (docs/timeline.md) into perfetto, firefox and speedscope;
callgrind profiles, with --to callgrind, into ones that every reader takes.
"""
EPILOG = """\
Several files are added up.  Exit status: 0, or 2 when an option or a file is
wrong.
"""


def separations(text: str) -> frozenset[str]:
    found = frozenset(text.split(","))
    unknown = found.difference(SEPARATIONS)
    if unknown:
        raise argparse.ArgumentTypeError(
            f"{', '.join(sorted(unknown))!r} is none of {', '.join(SEPARATIONS)}"
        )
    return found


def make_parser(prog: str) -> Parser:
    parser = Parser(
        prog=prog,
        description=DESCRIPTION,
        epilog=EPILOG,
        allow_abbrev=False,
        usage="%(prog)s --to FORMAT [options] TREE...\n"
        "       %(prog)s --to html [options] --diff OLD NEW",
    )
    parser.add_argument("trees", metavar="TREE", nargs="*", type=Path, help="tree files")
    parser.add_argument(
        "--to", metavar="FORMAT", choices=FORMATS, required=True, help=", ".join(FORMATS)
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        default="-",
        help="write to this file (default: -, standard output)",
    )
    parser.add_argument(
        "-e",
        "--event",
        metavar="EVENTS",
        help="events, separated by commas (default: all; the first of the file for "
        f"{' and '.join(ONE_EVENT)}, which hold one)",
    )
    parser.add_argument(
        "--title",
        metavar="TEXT",
        help="the title of what is written (default: the command)",
    )
    _add_selection(parser)
    _add_for_some_formats(parser)
    return parser


def _add_selection(parser: Parser) -> None:
    some = parser.add_argument_group("which trees (default: all)")
    some.add_argument(
        "--part",
        metavar="N",
        type=number_from(0),
        action="append",
        default=[],
        help="this part; may be repeated",
    )
    some.add_argument(
        "--thread",
        metavar="N",
        type=number_from(0),
        action="append",
        default=[],
        help="this thread, by its number; may be repeated",
    )
    some.add_argument(
        "--process",
        metavar="PID",
        type=number_from(0),
        action="append",
        default=[],
        help="this process; may be repeated",
    )


def _add_for_some_formats(parser: Parser) -> None:
    folded = parser.add_argument_group("with --to folded")
    folded.add_argument(
        "--separate",
        metavar="WHAT",
        type=separations,
        default=frozenset(),
        help="frames at the root for each process, part or thread; several with commas",
    )
    html = parser.add_argument_group("with --to html")
    html.add_argument(
        "-d",
        "--diff",
        metavar=("OLD", "NEW"),
        nargs=2,
        type=Path,
        help="what has changed between two runs",
    )
    html.add_argument(
        "--max-frames",
        metavar="N",
        type=number_from(1),
        help="keep this many frames, the costliest; the others become one frame below "
        f"their caller (default: {DEFAULT_MOST_FRAMES})",
    )
    html.add_argument(
        "--lines",
        metavar="PROFILE",
        type=Path,
        action="append",
        default=[],
        help="what source lines cost, from the callgrind profile of the same run; may be "
        "repeated",
    )
    html.add_argument(
        "--timeline",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="the timeline of the same run, for a view of it; may be repeated",
    )
    html.add_argument(
        "--source",
        action="store_true",
        help="with --lines: put the text of the sources into the page",
    )
    html.add_argument(
        "-I",
        "--include",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="with --source: look for sources here, too; may be repeated",
    )
    _add_matching(html)


def _add_matching(html: argparse._ArgumentGroup) -> None:
    html.add_argument(
        "--match",
        choices=MATCHES,
        help=f"with --diff: what makes functions the same (default: {MATCHES[0]}, the "
        "object without its folders)",
    )
    add_renaming(html, "with --diff: ")


def parse_options(
    arguments: Optional[Sequence[str]], prog: str = "callgrind_export"
) -> argparse.Namespace:
    parser = make_parser(prog)
    options = parser.parse_intermixed_args(arguments)
    if options.diff and options.trees:
        parser.error(f"--diff takes OLD and NEW alone, not {options.trees[0]} as well")
    if not options.diff and not options.trees:
        parser.error("which TREE file?")
    if options.to != "html" and (options.diff or options.max_frames):
        parser.error("--diff and --max-frames go together with --to html alone")
    if options.to != "html" and options.lines:
        parser.error("--lines goes together with --to html alone")
    if options.diff and options.lines:
        parser.error("--lines shows one run; it does not go together with --diff")
    if options.timeline and options.to != "html":
        parser.error("--timeline goes together with --to html alone; of a timeline "
                     "itself, --to perfetto, firefox and speedscope are made")
    if options.timeline and options.diff:
        parser.error("--timeline shows one run; it does not go together with --diff")
    if options.source and not options.lines:
        parser.error("--source needs --lines PROFILE, which says what lines cost")
    if options.include and not options.source:
        parser.error("--include needs --source")
    if not options.diff and (options.match or options.map_name or options.map_path):
        parser.error("--match, --map-name and --map-path need --diff OLD NEW")
    if options.to != "folded" and options.separate:
        parser.error(
            "--separate goes together with --to folded alone; the other formats keep "
            "processes, parts and threads apart"
        )
    options.match = options.match or MATCHES[0]
    if options.max_frames is None:
        options.max_frames = DEFAULT_MOST_FRAMES
    return options
