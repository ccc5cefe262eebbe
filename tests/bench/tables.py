# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of figures, in Markdown that is aligned, for a terminal and for a page."""

from __future__ import annotations

from typing import Optional, Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> str:
    """Text cells; the first column is flush left, all others flush right."""
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in (header, *rows)]
    widths = [max(3, *map(len, column)) for column in zip(*escaped)]
    lines = [
        " | ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
        for row in escaped
    ]
    lines.insert(1, " | ".join(["-" * widths[0], *("-" * (width - 1) + ":"
                                                   for width in widths[1:])]))
    text = "".join(f"| {line} |\n" for line in lines)
    return f"**{title}**\n\n{text}" if title else text


def two_places(value: Optional[float]) -> str:
    return "-" if value is None else f"{value:.2f}"
