# SPDX-License-Identifier: GPL-2.0-or-later
#
# A callgrind profile, written again as plainly as the format allows: for readers that
# stop at a line that they do not know.
#
# Owns: what is left out and spelt out.  One part with one header, in the order of
# cl-format; each name in full, and with each call those of the callee; lines as numbers;
# neither inlined functions (cfni=) nor jumps, addresses and long names of events.  Costs
# and calls are those of all profiles together.

"""Profiles as plain callgrind profiles."""

from __future__ import annotations

from collections import defaultdict
from typing import BinaryIO, Iterator, NamedTuple, Optional, Sequence, TypeVar

from export.callgrind_names import NameLines, event_names
from export.error import ExportError
from profile_file.model import Arc, FunctionKey, Part, Profile, add_vector, unique

Place = TypeVar("Place")
# Costs by line, and calls, of one source file.
Costs = dict[int, list[int]]
Calls = dict[tuple[int, FunctionKey, int], list[int]]  # line, callee, its line


class _Function:
    """What all profiles have of a function, by the files that its code is from."""

    def __init__(self) -> None:
        self.costs: defaultdict[str, Costs] = defaultdict(dict)
        self.calls: defaultdict[str, Calls] = defaultdict(dict)


def write_plain(
    profiles: Sequence[Profile], wanted: Optional[str], stream: BinaryIO
) -> None:
    """`wanted` names events, separated by commas; None for all.  ExportError for events
    that are not there, and for costs below zero."""
    events = _chosen(profiles, wanted)
    shares = _shares(profiles, events)
    totals = _totals(shares, events)
    names = event_names(events)
    stream.write(_header(profiles, names))
    stream.write(b"summary: %s\n\n" % _costs(totals))
    lines = NameLines()
    for key in sorted(shares):
        function = _added_up(key, shares[key])
        stream.write(b"".join(_function_lines(key, function, lines)))
    stream.write(b"totals: %s\n" % _costs(totals))


def _chosen(profiles: Sequence[Profile], wanted: Optional[str]) -> list[str]:
    known = unique(event for profile in profiles for event in profile.events)
    events = known if wanted is None else unique(wanted.split(","))
    for event in events:
        if event not in known:
            raise ExportError(f"there is no event {event!r} in the file, only {known}")
    return events


# --- Adding up --------------------------------------------------------------------------


class _Share(NamedTuple):
    """A part that has something of a function, and where it has the chosen events: -1 for
    those that it does not have."""

    part: Part
    columns: list[int]

    def chosen(self, costs: Sequence[int]) -> list[int]:
        return [costs[column] if column >= 0 else 0 for column in self.columns]


def _shares(
    profiles: Sequence[Profile], events: Sequence[str]
) -> dict[FunctionKey, list[_Share]]:
    shares: dict[FunctionKey, list[_Share]] = {}
    for profile in profiles:
        for part in profile.parts:
            known = part.header.events
            columns = [known.index(name) if name in known else -1 for name in events]
            share = _Share(part, columns)
            for key in part.functions:
                shares.setdefault(key, []).append(share)
    return shares


def _added_up(key: FunctionKey, shares: Sequence[_Share]) -> _Function:
    function = _Function()
    for share in shares:
        found = share.part.functions[key]
        for file, line, cost in found.lines():
            _add(function.costs[file], line, share.chosen(cost))
        for arc in found.arcs.values():
            _add(function.calls[arc.source.file], _call_of(arc),
                 [arc.count, *share.chosen(arc.inclusive)])  # fmt: skip
    return function


def _call_of(arc: Arc) -> tuple[int, FunctionKey, int]:
    return arc.site.line, arc.callee, arc.target.line


def _add(sums: dict[Place, list[int]], place: Place, costs: list[int]) -> None:
    found = sums.get(place)
    if found is None:
        sums[place] = costs
    else:
        add_vector(found, costs)


def _totals(
    shares: dict[FunctionKey, list[_Share]], events: Sequence[str]
) -> list[int]:
    totals = [0] * len(events)
    for key, of_function in shares.items():
        is_any_below_zero = False
        for share in of_function:
            found = share.part.functions[key]
            add_vector(totals, share.chosen(found.self_cost))
            is_any_below_zero |= found.has_cost_below_zero()
        if is_any_below_zero:  # and others may be added to it
            _refuse_costs_below_zero(key, events, _added_up(key, of_function))
    return totals


def _refuse_costs_below_zero(
    key: FunctionKey, events: Sequence[str], function: _Function
) -> None:
    for costs in function.costs.values():
        for cost in costs.values():
            _refuse_below_zero(key, events, cost)
    for calls in function.calls.values():
        for call in calls.values():
            _refuse_below_zero(key, events, call[1:])


def _refuse_below_zero(
    key: FunctionKey, events: Sequence[str], costs: Sequence[int]
) -> None:
    if min(costs) < 0:
        event = events[list(costs).index(min(costs))]
        raise ExportError(f"{key.name!r} has a cost below zero in {event}, which strict "
                          "readers do not take; name other events with --event")


# --- Writing ----------------------------------------------------------------------------


def _header(profiles: Sequence[Profile], names: Sequence[str]) -> bytes:
    headers = [part.header for profile in profiles for part in profile.parts]
    commands = unique(header.command for header in headers if header.command)
    pids = [header.pid for header in headers if header.pid is not None]
    lines = [
        "# callgrind format",
        "version: 1",
        "creator: callgrind_export",
        *(f"pid: {pid}" for pid in pids[:1]),
        f"cmd: {', '.join(commands)}",
        "part: 1",
        "",
        "positions: line",
        f"events: {' '.join(names)}",
        "",
    ]
    return _bytes("\n".join(lines))


def _bytes(text: str) -> bytes:
    """As it was read; within a line."""
    return text.encode("utf-8", "surrogateescape")


def _costs(costs: Sequence[int]) -> bytes:
    return " ".join(map(str, costs)).encode()


def _place(names: NameLines, keys: Sequence[str], key: FunctionKey) -> list[bytes]:
    return [names.line(word, _bytes(name) or b"???") for word, name in zip(keys, key)]


def _function_lines(
    key: FunctionKey, function: _Function, names: NameLines
) -> Iterator[bytes]:
    yield from _place(names, ("ob", "fl", "fn"), key)
    # Its own file first, so that no fi= goes before it.
    files = sorted({key.source_file, *function.costs, *function.calls},
                   key=lambda file: (file != key.source_file, file))  # fmt: skip
    for file in files:
        if file != key.source_file:
            yield names.line("fi", _bytes(file) or b"???")
        for line, cost in sorted(function.costs[file].items()):
            yield b"%d %s\n" % (max(line, 0), _costs(cost))
        for call, (count, *inclusive) in sorted(function.calls[file].items()):
            line, callee, target = call
            yield from _place(names, ("cob", "cfi", "cfn"), callee)
            # callgrind_annotate takes the cost behind calls=0 for the function's own.
            yield b"calls=%d %d\n" % (count or 1, max(target, 0))
            yield b"%d %s\n" % (max(line, 0), _costs(inclusive))
    yield b"\n"
