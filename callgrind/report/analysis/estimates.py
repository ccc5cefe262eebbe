# SPDX-License-Identifier: GPL-2.0-or-later
#
# How exact costs are that were sampled, in a profile that callgrind_export has made of a
# tree of samples.
#
# Owns: what such a profile says of itself, and the interval.  The samples of a function
# are a matter of chance, as is a number of drops of rain: of n, 1.96 times the root of n
# is half of an interval that holds the true value in 95 of 100 runs.
#
# The time that passed is what was sampled on a processor, and what was measured off it.
# So its interval is that of the part that was sampled, which differs from row to row; who
# shows that event adds up that part besides.

"""95 % intervals of sampled costs."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Optional, Sequence

from profile_file.model import Part, Profile

SAMPLES = "samples"
# Time on a processor and off it, and the sum of both, as `callgrind_sample --event=wall`
# writes them: names have no hyphens in callgrind profiles.
WALL, ON_CPU, OFF_CPU = "wall", "oncpu", "offcpu"

NANOSECONDS = {"cpuclock", WALL, ON_CPU, OFF_CPU}
NANOSECONDS_OF_A_MILLISECOND = 1_000_000


@dataclass(frozen=True)
class Estimate:
    """How values of an event are shown."""

    is_time: bool
    period: float = 0.0  # what a sample stands for; 0: the event was measured
    sampled_part: str = ""  # the event that is part of it; the rest was measured

    def samples(self, sampled: float) -> float:
        """How many make up what was sampled of a value."""
        return sampled / self.period if self.period else math.inf

    def half(self, sampled: float) -> float:
        """Half of the 95 % interval of a value of which so much was sampled."""
        if not self.period:
            return 0.0
        return 1.96 * math.sqrt(self.samples(sampled)) * self.period


def _longest_period(part: Part) -> int:
    """Of a part for which samples were taken at several rates: so no interval is too
    narrow.  0: there was one rate."""
    for name, text in part.header.descriptions:
        found = re.fullmatch(r"Longest period: (\d{1,15})", text)
        if name == "Note" and found:
            return int(found[1])
    return 0


class Estimates:
    """Of the events of sampled profiles; of others, there are none."""

    def __init__(self, profiles: Sequence[Profile]) -> None:
        self.samples = 0
        self._by_event: dict[str, Estimate] = {}
        parts = [part for profile in profiles for part in profile.parts]
        self.is_sampled = bool(parts) and all(
            any(name == "Note" and text.startswith("sampled;")
                for name, text in part.header.descriptions) for part in parts
        )
        if not self.is_sampled:
            return
        totals: dict[str, int] = {}
        for part in parts:
            for event, cost in zip(part.header.events, part.sum_of_self_costs()):
                totals[event] = totals.get(event, 0) + cost
        self.samples = totals.get(SAMPLES, 0)
        clock = ON_CPU if ON_CPU in totals else next(iter(totals))
        if OFF_CPU in totals:
            self._by_event[OFF_CPU] = Estimate(is_time=True)
        if not self.samples or clock in (SAMPLES, OFF_CPU):
            return
        period = max([totals[clock] / self.samples, *map(_longest_period, parts)])
        self._by_event[clock] = Estimate(clock in NANOSECONDS, period)
        if WALL in totals:
            part_of_it = ON_CPU if clock == ON_CPU else ""
            self._by_event[WALL] = Estimate(True, period, part_of_it)

    def of(self, event: str) -> Optional[Estimate]:
        """None: values of the event are numbers, and exact."""
        return self._by_event.get(event)


def sampled_parts(profiles: Sequence[Profile], events: Sequence[str]) -> list[str]:
    """The events that have to be added up besides, for the intervals of `events`."""
    parts = [part for profile in profiles for part in profile.parts]
    if WALL not in events or ON_CPU in events:
        return []
    return [ON_CPU] if all(ON_CPU in part.header.events for part in parts) else []
