# SPDX-License-Identifier: GPL-2.0-or-later
#
# How costs went from commit to commit: a sparkline for the terminal, and a page with a
# plot of each benchmark.
#
# Owns: the series, and how they are drawn.  The page needs no network and no script.

"""The history of benchmarks."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Optional, Sequence

from analysis.selection import pattern_of
from console.text_layout import number, relative, with_unit
from console.untrusted_text import printable
from gate.error import GateError
from gate.names import natural, shown
from gate.run import Run
from gate.wording import short_commit

BARS = "▁▂▃▄▅▆▇█"
MISSING = " "
WIDTH, HEIGHT, MARGIN = 720, 120, 8


@dataclass(frozen=True)
class Series:
    """One benchmark: a cost for each run, None where it was not measured."""

    name: str
    event: str
    costs: list[Optional[int]]

    def known(self) -> list[int]:
        return [cost for cost in self.costs if cost is not None]


def series_of(
    runs: Sequence[Run], patterns: Sequence[str], event: Optional[str]
) -> list[Series]:
    """Of the benchmarks whose names match; all without a pattern."""
    names = sorted({name for run in runs for name in run.results}, key=natural)
    for pattern in patterns:
        if not any(_matches(pattern, name) for name in names):
            raise GateError(f"no benchmark is called {pattern!r}; * stands for any text")
    if patterns:
        names = [name for name in names if any(_matches(p, name) for p in patterns)]
    found = []
    for name in names:
        results = [run.results.get(name) for run in runs]
        totals = [result.total if result else {} for result in results]
        events = [known for total in totals for known in total]
        wanted = event or (events[0] if events else "Ir")
        found.append(Series(name, wanted, [total.get(wanted) for total in totals]))
    if event and not any(series.known() for series in found):
        raise GateError(f"no run has the event {event!r}")
    return found


def _matches(pattern: str, name: str) -> bool:
    return pattern == name or pattern_of(pattern).fullmatch(name) is not None


# --- Text -------------------------------------------------------------------------------


def sparkline(costs: Sequence[Optional[int]]) -> str:
    """A bar for each cost, from the lowest to the highest of them."""
    known = [cost for cost in costs if cost is not None]
    if not known:
        return MISSING * len(costs)
    low, height = min(known), max(known) - min(known)
    bars = [
        MISSING
        if cost is None
        else BARS[(cost - low) * (len(BARS) - 1) // height if height else 0]
        for cost in costs
    ]
    return "".join(bars)


def format_log(runs: Sequence[Run], found: Sequence[Series]) -> str:
    """The runs, then a line for each benchmark; the newest run is on the right."""
    lines = [f"{short_commit(run)}  {printable(run.title)}".rstrip() for run in runs]
    width = max((len(shown(series.name)) for series in found), default=0)
    if found:
        lines.append("")
    for series in found:
        known = series.known()
        numbers = "never measured"
        if known:
            numbers = f"{series.event} {number(known[0], series.event)} -> "
            numbers += number(known[-1], series.event)
            numbers += f" ({relative(known[-1] - known[0], known[0])})"
        name = f"{shown(series.name):<{width}}"
        lines.append(f"{name}  {sparkline(series.costs)}  {numbers}")
    return "\n".join(lines)


# --- The page ---------------------------------------------------------------------------

STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 760px;
  color: #1b1f24; background: #fff }
h2 { font-size: 1em; margin: 1.5em 0 0.2em }
h2 span, p { color: #57606a; font-weight: normal }
svg { display: block; width: 100%; background: #f6f8fa; border-radius: 4px }
polyline { fill: none; stroke: #0969da; stroke-width: 2 }
circle { fill: #0969da }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117 } svg { background: #161b22 }
  h2 span, p { color: #9198a1 }
  polyline { stroke: #58a6ff } circle { fill: #58a6ff }
}
"""


def format_page(runs: Sequence[Run], found: Sequence[Series]) -> str:
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>Costs by commit</title><style>{STYLE}</style></head><body>",
        f"<h1>Costs by commit</h1><p>{len(runs)} runs, the oldest on the left. Each "
        "plot goes from its lowest cost to its highest.</p>",
        *(_plot(runs, series) for series in found),
        "<h2>Runs</h2><ol>",
        *(_listed(run) for run in runs),
        "</ol></body></html>\n",
    ]
    return "\n".join(parts)


def _listed(run: Run) -> str:
    return f"<li><code>{_text(short_commit(run))}</code> {_text(run.title)}</li>"


def _plot(runs: Sequence[Run], series: Series) -> str:
    known = series.known()
    heading = f"<h2>{_text(series.name)} "
    if not known:
        return f"{heading}<span>never measured</span></h2>"
    low, high = min(known), max(known)
    heading += (
        f"<span>{_text(series.event)} {number(known[0], series.event)} → "
        f"{number(known[-1], series.event)} "
        f"({relative(known[-1] - known[0], known[0])})</span></h2>"
    )
    step = (WIDTH - 2 * MARGIN) / max(1, len(runs) - 1)
    points, circles = [], []
    for place, (run, cost) in enumerate(zip(runs, series.costs)):
        if cost is None:
            continue
        x = MARGIN + place * step
        y = HEIGHT - MARGIN - (cost - low) / max(1, high - low) * (HEIGHT - 2 * MARGIN)
        points.append(f"{x:.1f},{y:.1f}")
        words = f"{short_commit(run)} {run.title}: {with_unit(cost, series.event)}"
        words += f" {series.event}"
        circles.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{_text(words)}</title>'
            "</circle>"
        )
    label = _text(f"{series.event} of {series.name} by commit")
    return (
        f'{heading}<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">'
        f'<polyline points="{" ".join(points)}"/>{"".join(circles)}</svg>'
        f"<p>{number(low, series.event)} to {with_unit(high, series.event)}</p>"
    )


def _text(words: str) -> str:
    safe = printable(words).encode("utf-8", "backslashreplace").decode("utf-8")
    return html.escape(safe)
