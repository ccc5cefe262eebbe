# SPDX-License-Identifier: GPL-2.0-or-later
#
# Timelines for tests: a small one that is written out, and one with names of all kinds.

"""Timelines for tests, and what each of their stacks lasted."""

from __future__ import annotations

from tests.format.tree_examples import HOSTILE
from tests.format.tree_maker import escaped
from tree_file.timeline_model import TimedThread, Timeline

TIMELINE = """\
callgrind-timeline 1
creator a test
process 1 4711 0 ./demo
limit 5
object 1 9c3b1f00aa52e1d7 /home/me/demo
source 1 demo.c
function 1 1 1 3 parse
function 2 0 0 0 main
thread 1 1 1 0 0 100
calls 3
1 10 30
1 60 60
o2 95 10
mark 30 mark here
mark 40 signal 10
thread 2 1 2 1 50 120
calls 1
2 20 20
end 4 2 0
"""

# As TIMELINE, with what the process held: 700 bytes at most, in stretches of 20.
WITH_HELD = TIMELINE.replace(
    "mark 40 signal 10\n",
    "mark 40 signal 10\nheld 20 2\n20 500 200\n40 700 0\n",
).replace("2 20 20\nend", "2 20 20\nheld 10 1\n0 350 350\nend")


def hostile_timeline() -> bytes:
    """Two threads; each name calls the next, which begins and ends a step later."""
    count = len(HOSTILE)
    lines = [b"callgrind-timeline 1", b"creator a test", b"process 1 7 0 ./x", b"limit 1"]
    for number, name in enumerate(HOSTILE, 1):
        lines.append(b"function %d 0 0 0 %s" % (number, escaped(name)))
    for thread in (1, 2):
        time = 2 * count * thread
        lines.append(b"thread %d 1 %d %d 0 %d" % (thread, thread, thread - 1, time))
        lines.append(b"calls %d" % count)
        for number in range(count, 0, -1):
            duration = 2 * thread * (count - number + 1)
            step = (count + 1) * thread if number == count else thread
            lines.append(b"%d %d %d" % (number, duration, step))
        lines.append(b"mark 1 mark %s" % escaped(HOSTILE[0]))
    lines.append(b"end %d 2 0" % (2 * count))
    return b"\n".join(lines) + b"\n"


def stays(
    timeline: Timeline, thread: TimedThread
) -> list[tuple[int, int, tuple[str, ...]]]:
    """From when to when the thread had which stack of calls, outermost first: found by
    asking at each time, so that nothing of how the exports find it is used."""
    calls = thread.calls
    times = sorted({0, thread.time, *calls.begins, *calls.ends})
    found = []
    for begin, end in zip(times, times[1:]):
        inside = [
            call
            for call in range(len(calls))
            if calls.begins[call] <= begin and calls.ends[call] >= end
        ]
        names = [timeline.functions[calls.functions[call]].name for call in inside]
        found.append((begin, end, tuple(reversed(names))))
    return found
