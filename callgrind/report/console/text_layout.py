# SPDX-License-Identifier: GPL-2.0-or-later
#
# How reports look as text: columns, numbers, shares, colours.
#
# Owns: whether there are colours, and what they mean.  Numbers are right-aligned, words
# are left-aligned, and the last column is never padded.  Knows nothing of profiles.

"""Tables, numbers and colours for reports on a terminal."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from typing import Sequence, TextIO

from console.short_names import shortened

# Shares from which a number stands out.
HOT = 0.05
WARM = 0.005


class Style(Enum):
    """What a colour means; the values are SGR parameters of the terminal."""

    PLAIN = ""
    HEADING = "1"
    HOT = "31"
    WARM = "32"
    WORSE = "31"
    BETTER = "32"
    FAINT = "2"
    NAME = "36"


@dataclass(frozen=True)
class Cell:
    """One field of a table."""

    text: str
    style: Style = Style.PLAIN
    words: bool = False  # left-aligned


class Painter:
    """Puts colours on text and shortens names, or leaves both as they are."""

    def __init__(self, coloured: bool, full_names: bool = False) -> None:
        self.coloured = coloured
        self.full_names = full_names

    def name(self, text: str) -> str:
        """The name of a function in a table: C++ has some of thousands of characters."""
        return text if self.full_names else shortened(text)

    def paint(self, text: str, style: Style) -> str:
        if not self.coloured or not style.value or not text:
            return text
        return f"\033[{style.value}m{text}\033[0m"


def wants_colour(choice: str, stream: TextIO) -> bool:
    """--color decides; then NO_COLOR; then whether the output is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


# Events in hundredths of a cycle; they are shown in cycles.
CYCLES = ("Ct", "Cl", "Cy")


def number(value: int, event: str = "") -> str:
    """A count; a cost if it is one of an event."""
    if event not in CYCLES:
        return f"{value:,}"
    whole, part = divmod(abs(value), 100)
    return f"{'-' if value < 0 else ''}{whole:,}.{part:02}"


def with_unit(value: int, event: str) -> str:
    """As number(), for a sentence."""
    return number(value, event) + (" cycles" if event in CYCLES else "")


def signed(value: int, event: str = "") -> str:
    return f"{'+' if value > 0 else ''}{number(value, event)}" if value else "0"


def share(cost: int, total: int) -> str:
    return f"{100 * cost / total:.2f}%" if total else "-"


def relative(change: int, old: int) -> str:
    """A change as a share of the old value; `-` if that was 0."""
    if not old:
        return "-"
    return f"{100 * change / old:+.2f}%" if change else "0.00%"


def heat(cost: int, total: int) -> Style:
    if not total or cost / total < WARM:
        return Style.PLAIN
    return Style.HOT if cost / total >= HOT else Style.WARM


def trend(change: int) -> Style:
    if not change:
        return Style.PLAIN
    return Style.WORSE if change > 0 else Style.BETTER


def upper_bound(text: str, exact: bool) -> str:
    """Put ~ before an upper bound."""
    return text if exact else f"~{text}"


def headings(names: Sequence[str], words: int) -> list[Cell]:
    """The first row of a table, whose last `words` columns are words."""
    first_word = len(names) - words
    return [
        Cell(name, Style.HEADING, words=index >= first_word)
        for index, name in enumerate(names)
    ]


def table_lines(rows: Sequence[Sequence[Cell]], painter: Painter) -> list[str]:
    """Rows of equal length, as lines of text."""
    if not rows:
        return []
    columns = range(len(rows[0]))
    widths = [max(len(row[column].text) for row in rows) for column in columns]
    widths[-1] = 0
    lines = []
    for row in rows:
        cells = []
        for cell, width in zip(row, widths):
            padding = " " * (width - len(cell.text))
            text = painter.paint(cell.text, cell.style)
            cells.append(text + padding if cell.words else padding + text)
        lines.append("  ".join(cells).rstrip())
    return lines
