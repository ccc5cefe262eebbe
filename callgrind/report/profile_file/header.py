# SPDX-License-Identifier: GPL-2.0-or-later
#
# The header lines of a callgrind profile: what each `key: value` says of its part.
#
# Owns: the meaning of every header key but `totals:`, which closes a part and is the
# reader's (reader.py).  A ValueError says what is wrong with a value.

"""Read header lines of a callgrind profile into a PartHeader."""

from __future__ import annotations

import re
from typing import Callable

from console.untrusted_text import printable
from profile_file.lexer import parse_number, parse_signed
from profile_file.model import PartHeader

POSITION_NAMES = ("instr", "bb", "line")


# What other writers have there may be no number, but their own version: 0.9.6.
LATER_VERSION = re.compile(r"0*([2-9]|[1-9][0-9]+)")


def read_version(header: PartHeader, value: str) -> None:
    if LATER_VERSION.fullmatch(value):
        raise ValueError(f"version {value} of the format; this reader knows 0 and 1")
    header.version = value


def read_creator(header: PartHeader, value: str) -> None:
    header.creator = value


def read_cmd(header: PartHeader, value: str) -> None:
    header.command = value


def read_pid(header: PartHeader, value: str) -> None:
    header.pid = parse_number(value)


def read_part(header: PartHeader, value: str) -> None:
    header.part = parse_number(value)


def read_thread(header: PartHeader, value: str) -> None:
    header.thread = parse_number(value)


def read_desc(header: PartHeader, value: str) -> None:
    name, _, text = value.partition(":")
    header.descriptions.append((name.strip(), text.strip()))


def read_positions(header: PartHeader, value: str) -> None:
    positions = value.split()
    known = [name for name in POSITION_NAMES if name in positions]
    if not positions or positions != known:
        raise ValueError(
            f"positions: {value!r}, expected some of "
            f"{' '.join(POSITION_NAMES)}, in this order"
        )
    header.positions = positions


def read_events(header: PartHeader, value: str) -> None:
    """Names that are shown in many places: made safe to print here."""
    header.events = [printable(name) for name in value.split()]
    if not header.events:
        raise ValueError("events: names no event")


def read_event(header: PartHeader, value: str) -> None:
    """`event: short : long name`, or with `= formula` for one that is calculated."""
    name, _, long_name = printable(value).partition(":")
    header.event_names[name.split("=")[0].strip()] = long_name.strip()


def read_summary(header: PartHeader, value: str) -> None:
    header.summary = [parse_signed(cost) for cost in value.split()]


HEADER_LINES: dict[str, Callable[[PartHeader, str], None]] = {
    "version": read_version,
    "creator": read_creator,
    "cmd": read_cmd,
    "pid": read_pid,
    "part": read_part,
    "thread": read_thread,
    "desc": read_desc,
    "positions": read_positions,
    "events": read_events,
    "event": read_event,
    "summary": read_summary,
}
