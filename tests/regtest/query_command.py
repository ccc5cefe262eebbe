# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the commands that answer questions of regression tests have in common: which files
# they are asked about, and a help that lists the queries.

"""The command lines of profile_query, tree_query and timeline_query."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Callable, Mapping, Optional


def query_parser(
    prog: str, text: Optional[str], queries: Mapping[str, Callable[[Any], list[str]]]
) -> argparse.ArgumentParser:
    """A parser whose help has the first line of each query's documentation."""
    width = max(map(len, queries))
    return argparse.ArgumentParser(
        prog=prog,
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(
            f"{name:{width}} {(query.__doc__ or '').splitlines()[0]}"
            for name, query in queries.items()
        ),
    )


def add_question(
    parser: argparse.ArgumentParser, queries: Mapping[str, Callable[[Any], list[str]]]
) -> None:
    """One query, and the names that are meant."""
    parser.add_argument("query", choices=sorted(queries), metavar="QUERY")
    parser.add_argument(
        "names", nargs="?", default="", help="patterns of function names (default: all)"
    )


def add_files(
    parser: argparse.ArgumentParser, option: str, default: str, when: str = ""
) -> None:
    """`when` is put in front of the help."""
    parser.add_argument(
        option,
        action="extend",
        nargs="+",
        type=Path,
        metavar="FILE",
        help=f"{when}one or more (default: {default})",
    )
