# SPDX-License-Identifier: GPL-2.0-or-later
#
# The changes between two profiles as a table for the terminal.
#
# Owns: the layout, and the lines about limits.  Relies on analysis/profile_diff.py and
# analysis/growth_limits.py for the numbers.

"""The table of changes."""

from __future__ import annotations

from typing import Sequence

from analysis.growth_limits import Breach, Limit
from analysis.profile_diff import Change, ChangeList, Difference
from analysis.surroundings import SurroundingsDifference
from console.text_layout import (
    Cell,
    Painter,
    Style,
    headings,
    number,
    relative,
    signed,
    table_lines,
    trend,
    upper_bound,
    with_unit,
)
from console.untrusted_text import printable
from views.cost_text import ChangeText
from views.labels import sampling_line

UPPER_BOUND_NOTE = "~ between upper bounds: the function is part of a call cycle"


def total_lines(found: Difference, painter: Painter) -> list[str]:
    lines = []
    texts = ChangeText(found)
    for index, event in enumerate(found.events):
        totals = found.old_total, found.new_total
        text = f"{texts.change(*totals, index)} ({texts.relative(*totals, index)})"
        old, new = texts.old.cost(totals[0], index), texts.new.cost(totals[1], index)
        lines.append(
            painter.paint("Total:   ", Style.HEADING)
            + f"{old} -> {new} {event}, "
            + painter.paint(text, trend(found.total_change(index)))
        )
    sides = found.old_estimates, found.new_estimates
    if all(side.is_sampled for side in sides):
        said = " and ".join(f"{side.samples:,}" for side in sides)
        lines.append(painter.paint("Costs:   ", Style.HEADING) + sampling_line(said))
    return lines


def surroundings_line(difference: SurroundingsDifference, events: Sequence[str]) -> str:
    """What differs, and what it can move; `events` are all that are compared."""
    old, new = (printable(side) or "-" for side in (difference.old, difference.new))
    everything = len(difference.events) == len(events)
    moved = "every event" if everything else " ".join(difference.events)
    return f"{difference.name}: {old} -> {new} (can move {moved})"


def surroundings_lines(
    differences: Sequence[SurroundingsDifference], found: Difference, painter: Painter
) -> list[str]:
    """One line for each difference in how the two were measured."""
    return [
        painter.paint("Differs: ", Style.HEADING)
        + surroundings_line(difference, found.events)
        for difference in differences
    ]


def format_changes(found: Difference, chosen: ChangeList, painter: Painter) -> list[str]:
    texts = ChangeText(found)
    titles = ["change", "of total", "relative", "old", "new", "incl. change"]
    titles += [f"{event} change" for event in found.events[1:]]
    rows = [headings([*titles, "object", "function"], words=2)]
    rows += [_row(change, found, painter) for change in chosen.shown]
    lines = table_lines(rows, painter) if chosen.shown else []
    unchanged = sum(change.status == "unchanged" for change in found.changes)
    if chosen.left_out:
        lines.append(
            f"... and {number(chosen.left_out)} more with changes, "
            f"{texts.sum_of_changes(chosen.left_out_change)} in all; "
            f"{number(unchanged)} unchanged"
        )
    else:
        plural = "" if unchanged == 1 else "s"
        lines.append(f"{number(unchanged)} function{plural} unchanged")
    if not all(change.exact for change in chosen.shown):
        lines.append(UPPER_BOUND_NOTE)
    return lines


def _row(change: Change, found: Difference, painter: Painter) -> list[Cell]:
    texts = ChangeText(found)
    own, old, new = change.self_change(), change.old_self, change.new_self
    status = change.status
    if status == "changed":
        status = texts.relative(old, new)
    whole = texts.change(change.old_inclusive, change.new_inclusive)
    others = range(1, len(found.events))
    return [
        Cell(texts.change(old, new), trend(own)),
        Cell(texts.old.share(own, found.old_total)),
        Cell(status),
        Cell(texts.old.cost(old)),
        Cell(texts.new.cost(new)),
        Cell(upper_bound(whole, change.exact)),
        *(Cell(texts.change(old, new, i)) for i in others),
        Cell(printable(change.key.object_file), words=True),
        Cell(painter.name(printable(change.key.name)), words=True),
    ]


def limit_lines(
    limits: Sequence[Limit], exceeded: Sequence[Breach], painter: Painter
) -> list[str]:
    """One line for each limit that is kept; the others are reported on stderr."""
    lines = []
    broken = {breach.limit for breach in exceeded}
    for limit in limits:
        if limit not in broken:
            what = "each function" if limit.per_function else "total"
            text = f"Limit:   {what} by {limit.text}: kept"
            lines.append(painter.paint(text, Style.BETTER))
    return lines


def breach_line(breach: Breach) -> str:
    """The message about growth above a limit."""
    who = f"{breach.function}: " if breach.function else "total: "
    change = breach.new - breach.old
    part = relative(change, breach.old_total)
    of_total = " of the old total" if breach.function else ""
    return (
        f"{who}{breach.event} grew from {number(breach.old, breach.event)} to "
        f"{with_unit(breach.new, breach.event)}, by "
        f"{signed(change, breach.event)} ({part}{of_total}), "
        f"above the limit of {breach.limit.text}"
    )
