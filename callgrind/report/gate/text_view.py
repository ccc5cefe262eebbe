# SPDX-License-Identifier: GPL-2.0-or-later
#
# A comparison as text for a terminal or a log.

"""Comparisons as text."""

from __future__ import annotations

import os

from console.short_names import shortened
from console.text_layout import (
    Cell,
    Painter,
    Style,
    headings,
    signed,
    table_lines,
    trend,
)
from console.untrusted_text import printable
from gate.comparison import Comparison
from gate.judge import BETTER, UNKNOWN, WORSE, Verdict
from gate.wording import (
    MOST_FUNCTIONS,
    breach_text,
    count,
    events_to_show,
    hidden_number,
    is_worth_words,
    notes,
    responsible,
    share_text,
    short_commit,
    summary,
    title,
)

STYLES = {WORSE: Style.WORSE, BETTER: Style.BETTER, UNKNOWN: Style.WORSE}
MOST_BREACHES = 10


def format_text(found: Comparison, painter: Painter, inclusive: bool) -> str:
    lines = [
        f"base {short_commit(found.base)}, head {short_commit(found.head)}",
        painter.paint(summary(found), Style.HEADING),
        *notes(found),
    ]
    for verdict in filter(is_worth_words, found.verdicts):
        lines += ["", *_benchmark(verdict, painter, inclusive)]
    return "\n".join(lines)


def _benchmark(verdict: Verdict, painter: Painter, inclusive: bool) -> list[str]:
    state = painter.paint(verdict.state.upper(), STYLES.get(verdict.state, Style.HEADING))
    lines = [f"{state} {title(verdict)}"]
    if verdict.hint:
        lines.append(f"   {verdict.hint}")
    if verdict.reason or not verdict.old_total:
        return lines
    lines += [f"   {breach_text(each)}" for each in verdict.breaches[:MOST_BREACHES]]
    if len(verdict.breaches) > MOST_BREACHES:
        lines.append(f"   and {len(verdict.breaches) - MOST_BREACHES} more regressions")
    for event in events_to_show(verdict):
        lines += [f"   {line}" for line in _functions(verdict, event, painter, inclusive)]
    return lines


def _functions(
    verdict: Verdict, event: str, painter: Painter, inclusive: bool
) -> list[str]:
    index = verdict.index(event)
    changes = responsible(verdict, event, inclusive)
    titles = [f"{event} change", "relative", "old", "new"]
    titles += ["incl. change"] if inclusive else []
    rows = [headings([*titles, "object", "function"], words=2)]
    for change in changes[:MOST_FUNCTIONS]:
        grown, old = change.growth(index), change.old[index]
        part = share_text(change, index)
        cells = [
            Cell(signed(grown, event), trend(grown)),
            Cell(part),
            Cell(count(old, event)),
            Cell(count(change.new[index], event)),
        ]
        if inclusive:
            whole = change.new_inclusive[index] - change.old_inclusive[index]
            cells.append(Cell(signed(whole, event)))
        owner = printable(os.path.basename(change.key.object_file))
        cells.append(Cell(owner, words=True))
        cells.append(Cell(shortened(printable(change.key.name)), words=True))
        rows.append(cells)
    lines = table_lines(rows, painter) if changes else []
    if len(changes) > MOST_FUNCTIONS:
        lines.append(f"... and {len(changes) - MOST_FUNCTIONS} more functions")
    hidden = 0 if inclusive else hidden_number(verdict, event)
    if hidden:
        lines.append(f"... {hidden} whose inclusive cost alone moved (--inclusive)")
    return lines
