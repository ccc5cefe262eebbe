# SPDX-License-Identifier: GPL-2.0-or-later
#
# Source text with the costs of its lines.
#
# Owns: the layout, and the remarks on a source that is missing or newer than the
# profile.  Relies on analysis/line_costs.py for the numbers.

"""Annotated source for the terminal."""

from __future__ import annotations

from typing import Optional, Sequence

from analysis.function_costs import FunctionCosts
from analysis.line_costs import FileCost, FileList, LineCost
from analysis.source_files import Source
from console.text_layout import (
    Cell,
    Painter,
    Style,
    headings,
    heat,
    number,
    table_lines,
    upper_bound,
)
from console.untrusted_text import printable
from profile_file.model import UNKNOWN, Vector
from views.cost_text import CostText
from views.labels import UPPER_BOUND_NOTE, display_name


class Annotator:
    """Lays out files, with the options that hold for all of them."""

    def __init__(self, costs: FunctionCosts, context: int, painter: Painter) -> None:
        self._events = costs.events
        self._total = costs.total
        self._texts = CostText(costs.estimates, costs.added_up)
        self._context = context
        self._painter = painter
        self.exact = True

    def cost(self, costs: Vector) -> str:
        """Of the event that files are sorted by."""
        return self._texts.cost(costs)

    def _share(self, costs: Vector) -> str:
        return self._texts.share(costs[0], self._total)

    def file_lines(self, file: FileCost, source: Optional[Source]) -> list[str]:
        name = printable(file.name)
        own, event = file.self_cost, self._events[0]
        cost = f"{self.cost(own)}, {self._share(own)} of {event}"
        if source is None or source.refused:
            reason = "the source is not known" if file.name == UNKNOWN else "not found"
            reason = f"not shown: {source.refused}" if source else reason
            return [self._painter.paint(f"-- {name}: {cost}; {reason}", Style.HEADING)]
        title = name if str(source.path) == file.name else f"{name} ({source.path})"
        lines = [self._painter.paint(f"-- {title}: {cost}", Style.HEADING)]
        if source.is_newer:
            lines.append("   newer than the profile: its lines may have moved")
        rows = [headings(["self", "share", *self._events[1:], "line", "source"], 1)]
        rows += self._rows(file, source)
        return lines + table_lines(rows, self._painter)

    def _rows(self, file: FileCost, source: Source) -> list[list[Cell]]:
        rows: list[list[Cell]] = []
        last = 0
        for line in self._shown_lines(file, len(source.lines)):
            if line > last + 1:
                rows.append(self._row("", "", "...", Cell("", words=True)))
            last = line
            text = "(past the end of the file)"
            if line == 0:
                text = "(no line known)"
            elif line <= len(source.lines):
                text = printable(source.lines[line - 1].expandtabs(4))
            cost = file.lines.get(line)
            if cost is None:
                rows.append(self._row("", "", str(line), Cell(text, words=True)))
            else:
                rows.append(self._cost_row(line, text, cost))
                rows += self._call_rows(cost)
        if last < len(source.lines):
            rows.append(self._row("", "", "...", Cell("", words=True)))
        return rows

    def _shown_lines(self, file: FileCost, length: int) -> list[int]:
        """Lines with costs, and those around them."""
        shown = set(file.lines)
        for line in file.lines:
            if 0 < line <= length:
                first = max(1, line - self._context)
                shown.update(range(first, min(length, line + self._context) + 1))
        return sorted(shown)

    def _row(self, own: str, part: str, line: str, text: Cell) -> list[Cell]:
        others = [Cell("") for _ in self._events[1:]]
        return [Cell(own), Cell(part), *others, Cell(line, Style.FAINT), text]

    def _cost_row(self, line: int, text: str, cost: LineCost) -> list[Cell]:
        own = cost.self_cost
        row = self._row(self.cost(own), self._share(own), str(line), Cell(""))
        row[1] = Cell(row[1].text, heat(own[0], self._total[0]))
        for place in range(1, len(self._events)):
            row[1 + place] = Cell(self._texts.cost(own, place))
        row[-1] = Cell(text, words=True)
        return row

    def _call_rows(self, cost: LineCost) -> list[list[Cell]]:
        rows = []
        calls = sorted(
            cost.calls.values(), key=lambda call: (-call.inclusive[0], call.callee)
        )
        for call in calls:
            self.exact = self.exact and call.exact
            whole = call.inclusive
            plural = "" if call.count == 1 else "s"
            count = f"{number(call.count)} call{plural}, "
            text = (
                f"  -> {display_name(call.callee, self._painter)}: "
                f"{'' if self._texts.is_sampled else count}"
                f"{upper_bound(self.cost(whole), call.exact)}, {self._share(whole)}"
            )
            rows.append(self._row("", "", "", Cell(text, Style.NAME, words=True)))
        return rows


def format_annotated(
    found: FileList, sources: Sequence[Optional[Source]], annotator: Annotator
) -> list[str]:
    """The lines for all files; `sources` has an entry for each of found.shown."""
    lines: list[str] = []
    missing = False
    for file, source in zip(found.shown, sources):
        if lines:
            lines.append("")
        lines += annotator.file_lines(file, source)
        missing = missing or (source is None and file.name != UNKNOWN)
    if found.left_out:
        plural = "s" if found.left_out > 1 else ""
        cost = annotator.cost(found.left_out_self)
        lines += [
            "",
            f"... and {found.left_out:,} more file{plural}, {cost} of self cost",
        ]
    if missing:
        lines.append("--source-dir=FOLDER: where to look for sources that were not found")
    if not annotator.exact:
        lines.append(UPPER_BOUND_NOTE)
    return lines
