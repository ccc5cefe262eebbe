# SPDX-License-Identifier: GPL-2.0-or-later
#
# How functions and events are written in text reports, and the heading of each report.
#
# Owns: these words.  Names come from files, so they go through printable().

"""Names of functions and events, and headings, for text reports."""

from __future__ import annotations

import os
from typing import Sequence

from analysis.function_costs import FunctionCosts
from analysis.nameless import nameless_cost
from console.text_layout import Painter, Style
from console.untrusted_text import printable
from profile_file.model import UNKNOWN, FunctionKey, Profile, unique
from views.cost_text import CostText

HOW_TO_NAME = "docs/runtimes.md says how a JIT compiler is asked for names"
WORTH_A_NOTE = 0.01  # of all cost; as the page's

UPPER_BOUND_NOTE = "~ upper bound: the function is part of a call cycle"


def display_name(key: FunctionKey, painter: Painter) -> str:
    """The function's name, with its source file where that is known."""
    name = painter.name(printable(key.name))
    if key.source_file == UNKNOWN:
        return name
    return f"{name} ({printable(os.path.basename(key.source_file))})"


def display_object(key: FunctionKey) -> str:
    """The base name of the function's object."""
    return printable(os.path.basename(key.object_file))


def nameless_notes(costs: FunctionCosts) -> list[str]:
    """A line of how much code has no name, if that is much, and how it gets one."""
    cost, total = nameless_cost(costs), costs.total[0]
    if total <= 0 or cost / total < WORTH_A_NOTE:
        return []
    share = CostText(costs.estimates, costs.added_up).share(cost, costs.total)
    return [f"{share} is code made at run time without names: {HOW_TO_NAME}"]


def event_title(event: str, profiles: Sequence[Profile]) -> str:
    """The event's short name, with its long one where a profile has it."""
    names = {"Ir": "instructions executed"}
    for profile in profiles:
        for part in profile.parts:
            names.update(part.header.event_names)
    return f"{event} ({names[event]})" if names.get(event) else event


def sampling_line(samples: str) -> str:
    """What the reader has to know of costs that were sampled so often."""
    if samples == "0":
        return "sampled"
    return f"sampled, {samples} times; ± holds the true value in 95 of 100 runs"


def heading_lines(
    costs: FunctionCosts, profiles: Sequence[Profile], reason: str, painter: Painter
) -> list[str]:
    """The first lines of every report but a diff.

    `reason` says why these files were chosen; '' if the user has named them."""
    known = unique(name for profile in profiles for name in profile.events)
    event = costs.events[0]
    others = [name for name in known if name != event]
    lines = []
    if reason:
        names = ", ".join(printable(str(profile.path)) for profile in profiles)
        lines.append(("File", f"{names} ({reason})"))
    elif len(profiles) > 1:
        lines.append(("Files", f"{len(profiles)}, added up"))
    lines.append(("Event", event_title(event, profiles)))
    if others:
        lines.append(("Others", f"{', '.join(others)} (see --event)"))
    texts = CostText(costs.estimates, costs.added_up)
    lines.append(("Total", texts.with_unit(costs.total)))
    if costs.estimates.is_sampled:
        lines.append(("Costs", sampling_line(f"{costs.estimates.samples:,}")))
    for command in unique(
        part.header.command for profile in profiles for part in profile.parts
    ):
        if command:
            lines.append(("Command", printable(command)))
    return [
        painter.paint(f"{name + ':':<9}", Style.HEADING) + text for name, text in lines
    ]
