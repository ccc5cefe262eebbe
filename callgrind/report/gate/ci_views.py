# SPDX-License-Identifier: GPL-2.0-or-later
#
# A comparison for CI services: JUnit XML, Markdown for a pull request, and GitHub's
# annotations.
#
# Owns: how names are made harmless there.  They come from the code under review, and must
# not become markup, links, mentions or commands.

"""Comparisons for CI services."""

from __future__ import annotations

import re
from html import escape
from typing import Mapping

from console.short_names import shortened
from console.text_layout import number, relative, signed
from console.untrusted_text import printable
from gate.comparison import Comparison
from gate.judge import BETTER, CHANGED, NEW, SAME, UNKNOWN, WORSE, Verdict
from gate.names import group_of, shown, within_group
from gate.wording import (
    MOST_FUNCTIONS,
    breach_text,
    count,
    events_to_show,
    hidden_number,
    notes,
    responsible,
    share_text,
    short_commit,
    summary,
    title,
)

MOST_DETAILED = 50  # benchmarks with a table of functions; a comment has a largest size
MOST_ROWS = 200  # benchmarks in the tables of one comment
MOST_OF_A_CASE = 1000  # characters of a name in JUnit
MOST_ANNOTATIONS = 10  # GitHub shows no more of a step
SIGNS = {WORSE: "🔴", UNKNOWN: "⚠️", BETTER: "🟢", CHANGED: "🔵", NEW: "🆕", SAME: "⚪"}


# --- JUnit ------------------------------------------------------------------------------


def _xml(text: str) -> str:
    """Without what XML cannot hold."""
    return printable(text).encode("utf-8", "backslashreplace").decode("utf-8")


def _attribute(text: str) -> str:
    return f'"{escape(text)}"'


def format_junit(found: Comparison) -> str:
    failures, errors = found.number(WORSE), found.number(UNKNOWN)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="callgrind_gate" tests="{len(found.verdicts)}" '
        f'failures="{failures}" errors="{errors}" skipped="{found.number(NEW)}">',
    ]
    for verdict in found.verdicts:
        name = _attribute(shown(within_group(verdict.name), MOST_OF_A_CASE))
        group = _attribute(shown(group_of(verdict.name)) or "callgrind_gate")
        lines.append(f"<testcase classname={group} name={name}>")
        message = _attribute(_xml(title(verdict)))
        if verdict.state == WORSE:
            what = "\n".join(_xml(breach_text(each)) for each in verdict.breaches)
            lines.append(f"<failure message={message}>{escape(what)}</failure>")
        elif verdict.state == UNKNOWN:
            lines.append(f"<error message={message}/>")
        elif verdict.state == NEW:
            lines.append(f"<skipped message={message}/>")
        else:
            lines.append(f"<system-out>{escape(_xml(title(verdict)))}</system-out>")
        lines.append("</testcase>")
    return "\n".join([*lines, "</testsuite>", ""])


# --- Markdown ---------------------------------------------------------------------------


def plain(text: str) -> str:
    """Text that stays text: every character that could begin markup is an entity."""
    return re.sub(
        r"[^\w .,:/…→-]|_",
        lambda found: f"&#{ord(found.group())};",
        printable(text).encode("utf-8", "backslashreplace").decode("utf-8"),
    )


def code(name: str) -> str:
    return f"<code>{plain(name)}</code>"


def format_markdown(
    found: Comparison, links: Mapping[str, str], inclusive: bool
) -> str:
    """`links` leads from a benchmark to its flame graph."""
    sign = "🔴" if found.number(WORSE) else "⚠️" if found.number(UNKNOWN) else "✅"
    lines = [
        f"### {sign} {plain(summary(found))}",
        "",
        f"Base {code(short_commit(found.base))}, head {code(short_commit(found.head))}.",
    ]
    lines += [f"> {plain(note)}" for note in notes(found)]
    told = [verdict for verdict in found.verdicts if verdict.state != SAME]
    same = [verdict for verdict in found.verdicts if verdict.state == SAME]
    lines += _tables(told, links)
    for verdict in [each for each in told if each.changes][:MOST_DETAILED]:
        lines += ["", *_details(verdict, inclusive)]
    if same:
        lines += ["", f"<details><summary>{len(same)} unchanged</summary>"]
        lines += [*_tables(same, links), "", "</details>"]
    return "\n".join(lines) + "\n"


def _tables(verdicts: list[Verdict], links: Mapping[str, str]) -> list[str]:
    """A table for each file of each suite, in the order of their first benchmarks."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts[:MOST_ROWS]:
        groups.setdefault(group_of(verdict.name), []).append(verdict)
    lines = []
    for group, members in groups.items():
        lines += ["", *([f"#### {code(shown(group))}", ""] if group else [])]
        lines += _table(members, links)
    if len(verdicts) > MOST_ROWS:
        lines += ["", f"... and {len(verdicts) - MOST_ROWS} more benchmarks"]
    return lines


def _table(verdicts: list[Verdict], links: Mapping[str, str]) -> list[str]:
    titles = ["", "benchmark", "event", "base", "head", "change"]
    titles += ["flame graph"] if links else []
    rules = ["---", "---", "---", "---:", "---:", "---:", "---"]
    rows = [titles, rules[: len(titles)]]
    for verdict in verdicts:
        rows.append(_row(verdict))
        if links:
            link = links.get(verdict.name)
            rows[-1].append(f"[open]({link})" if link else "")
    return [f"| {' | '.join(row)} |" for row in rows]


def _row(verdict: Verdict) -> list[str]:
    sign = f"{SIGNS[verdict.state]} {verdict.state}"
    name = code(shown(within_group(verdict.name)))
    if not verdict.old_total:
        return [sign, name, plain(verdict.reason), "", "", ""]
    event = events_to_show(verdict)[0]
    index = verdict.index(event)
    old, new = verdict.old_total[index], verdict.new_total[index]
    grown = relative(new.middle - old.middle, old.middle)
    text = f"**{plain(grown)}**" if verdict.state == WORSE else plain(grown)
    numbers = [number(spread.middle, event) for spread in (old, new)]
    return [sign, name, code(event), *numbers, text]


def _details(verdict: Verdict, inclusive: bool) -> list[str]:
    is_open = " open" if verdict.state == WORSE else ""
    lines = [
        f"<details{is_open}><summary>{SIGNS[verdict.state]} {code(shown(verdict.name))}: "
        f"functions</summary>",
        "",
    ]
    told = verdict.breaches[:MOST_FUNCTIONS]
    lines += [f"- {plain(breach_text(each))}" for each in told]
    if len(verdict.breaches) > MOST_FUNCTIONS:
        lines.append(f"- and {len(verdict.breaches) - MOST_FUNCTIONS} more")
    for event in events_to_show(verdict):
        lines += ["", *_functions(verdict, event, inclusive)]
    if verdict.hint:
        lines += ["", plain(verdict.hint)]
    return [*lines, "", "</details>"]


def _functions(verdict: Verdict, event: str, inclusive: bool) -> list[str]:
    index = verdict.index(event)
    changes = responsible(verdict, event, inclusive)
    lines = []
    if changes:
        lines = [
            f"| function | base {plain(event)} | head {plain(event)} | change | |",
            "|---|---:|---:|---:|---:|",
        ]
    for change in changes[:MOST_FUNCTIONS]:
        grown, old = change.growth(index), change.old[index]
        part = share_text(change, index)
        cells = [
            code(shortened(change.key.name)),
            plain(count(old, event)),
            plain(count(change.new[index], event)),
            plain(signed(grown, event)),
            plain(part),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    more = len(changes) - MOST_FUNCTIONS
    hidden = 0 if inclusive else hidden_number(verdict, event)
    if more > 0:
        lines += ["", f"... and {more} more functions"]
    if hidden:
        lines += ["", f"Not shown: {hidden} whose inclusive cost alone moved."]
    return lines


# --- GitHub's annotations ---------------------------------------------------------------


def _message(text: str) -> str:
    """The text of a workflow command: it stays on one line."""
    for char, code_of in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(char, code_of)
    return text


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def format_annotations(found: Comparison) -> str:
    """A line for each benchmark that is worse or cannot be compared."""
    lines = []
    for verdict in found.verdicts:
        if verdict.state == WORSE:
            what = "\n".join(breach_text(each) for each in verdict.breaches[:5])
            heading = _property(f"{shown(verdict.name)} is slower")
            lines.append(f"::error title={heading}::{_message(what)}")
        elif verdict.state == UNKNOWN:
            heading = _property(f"{shown(verdict.name)} cannot be compared")
            lines.append(f"::warning title={heading}::{_message(title(verdict))}")
    if len(lines) > MOST_ANNOTATIONS:
        more = len(lines) - MOST_ANNOTATIONS + 1
        lines[MOST_ANNOTATIONS - 1:] = [f"::error::and {more} more; see the log"]
    return "".join(line + "\n" for line in lines)
