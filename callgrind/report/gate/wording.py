# SPDX-License-Identifier: GPL-2.0-or-later
#
# How a comparison is put into words, in every form but JSON.
#
# Owns: these words, and which functions of a benchmark are named.

"""The words of verdicts."""

from __future__ import annotations

from typing import Sequence

from console.short_names import shortened
from console.text_layout import number, relative, signed
from console.untrusted_text import printable
from gate.comparison import Comparison
from gate.counts import Spread
from gate.judge import SAME, STATES, WORSE, Breach, Change, Verdict
from gate.names import shown
from gate.run import Run, without_changes

MOST_FUNCTIONS = 10
MOST_NAMES = 20  # of benchmarks, in one line
SHORT_COMMIT = 10


def short_commit(run: Run) -> str:
    name = without_changes(run.commit)
    is_hash = len(name) >= 40 and not set(name) - set("0123456789abcdef")
    return name[:SHORT_COMMIT] + run.commit[len(name):] if is_hash else run.commit


def count(spread: Spread, event: str) -> str:
    """The middle; with what it varies by, if it does."""
    text = number(spread.middle, event)
    if spread.width:
        text += f" [{number(spread.low, event)} … {number(spread.high, event)}]"
    return text


def change_text(old: Spread, new: Spread, event: str) -> str:
    """`+12 (+1.20%)`."""
    grown = new.middle - old.middle
    if not grown:
        return "0"
    return f"{signed(grown, event)} ({relative(grown, old.middle)})"


def share_text(change: Change, event: int) -> str:
    """The growth of a function as a share of its old cost; or `new`, or `gone`."""
    if change.status != "changed":
        return change.status
    return relative(change.growth(event), change.old[event].middle)


def summary(found: Comparison) -> str:
    parts = [
        f"{found.number(state)} {state}" for state in STATES if found.number(state)
    ]
    total = len(found.verdicts)
    plural = "" if total == 1 else "s"
    return f"{total} benchmark{plural}: {', '.join(parts) or 'none'}"


def breach_text(breach: Breach) -> str:
    """One regression."""
    who = f"{breach.scope} {shortened(printable(breach.name))}: " if breach.name else ""
    why = "beyond its spread"
    if breach.limit:
        why = f"above the limit of {printable(breach.limit)}"
    return (
        f"{who}{breach.event} {count(breach.old, breach.event)} -> "
        f"{count(breach.new, breach.event)}, "
        f"{change_text(breach.old, breach.new, breach.event)}, {why}"
    )


def events_to_show(verdict: Verdict) -> list[str]:
    """Those with a regression, or the main one."""
    broken = {breach.event for breach in verdict.breaches}
    found = [event for event in verdict.judged if event in broken]
    found += [event for event in verdict.events if event in broken - set(found)]
    return found or verdict.judged[:1]


def responsible(verdict: Verdict, event: str, inclusive: bool) -> list[Change]:
    """The functions that moved, those that moved most first.

    Functions whose inclusive cost alone moved call these; they are named on request."""
    index = verdict.index(event)
    named = {breach.name for breach in verdict.breaches if breach.event == event}
    found = [
        change
        for change in verdict.changes
        if change.moved(index)
        or (inclusive and change.old_inclusive[index] != change.new_inclusive[index])
    ]
    return sorted(
        found,
        key=lambda change: (
            change.key.name not in named,
            -abs(change.growth(index)),
            -abs(change.new_inclusive[index] - change.old_inclusive[index]),
            change.key,
        ),
    )


def hidden_number(verdict: Verdict, event: str) -> int:
    """How many functions' inclusive cost alone moved."""
    index = verdict.index(event)
    return sum(
        not change.moved(index)
        and change.old_inclusive[index] != change.new_inclusive[index]
        for change in verdict.changes
    )


def notes(found: Comparison) -> list[str]:
    """What holds for the comparison as a whole."""
    lines = []
    if found.needed:
        lines.append(
            f"too few surroundings for the spread of {number(found.counts)} counts to "
            f"decide alone: it takes run --shake {found.needed} on both sides; limits "
            "decide here"
        )
    for difference in shared_differences(found.verdicts):
        name, old, new = map(printable, difference)
        lines.append(
            f"surroundings differ: {name}: {old or 'nothing'} in the base, "
            f"{new or 'nothing'} here"
        )
    for limit in found.idle_limits:
        lines.append(
            f"the limit {printable(limit)} is of nothing: no benchmark has a function or "
            "object of that name (a compiler may have put it into its callers)"
        )
    if found.left_out:
        lines.append(f"not run: {some_of(found.left_out)}")
    return lines


def some_of(names: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    told = ", ".join(map(shown, names[:MOST_NAMES]))
    more = len(names) - MOST_NAMES
    return f"{told} and {more} more" if more > 0 else told


def shared_differences(verdicts: Sequence[Verdict]) -> list[tuple[str, str, str]]:
    return sorted({each for verdict in verdicts for each in verdict.differences})


def title(verdict: Verdict) -> str:
    """The first words on a benchmark."""
    name = shown(verdict.name)
    if verdict.reason:
        return f"{name}: {verdict.reason}"
    if not verdict.old_total:
        return f"{name}: is not in the base"
    event = events_to_show(verdict)[0]
    index = verdict.index(event)
    old, new = verdict.old_total[index], verdict.new_total[index]
    numbers = f"{count(old, event)} -> {count(new, event)}"
    return f"{name}: {event} {numbers}, {change_text(old, new, event)}"


def is_worth_words(verdict: Verdict) -> bool:
    return verdict.state != SAME


def is_regression(verdict: Verdict) -> bool:
    return verdict.state == WORSE
