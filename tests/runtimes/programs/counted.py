# SPDX-License-Identifier: GPL-2.0-or-later
#
# Python code that calls functions of C, and functions of its own, and counts the calls:
#
#    counted.py plain|named|asyncio|greenlet|gevent
#
# `getppid` and `umask` are the C library's.  `named` does the same as `plain` and says
# also how often Python's own functions were called: they have names with -X perf alone.

"""Count calls from coroutines of many kinds."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from typing import Any, Callable, Iterator

counts = {"getppid": 0, "umask": 0}
TASKS = 12
STEPS = 8


def call_c(times: int) -> int:
    for _ in range(times):
        counts["getppid"] += 1
        os.getppid()
    return times


def counted_leaf(number: int) -> int:
    counts["counted_leaf"] = counts.get("counted_leaf", 0) + 1
    return number * number % 97


def counted_recursion(depth: int) -> int:
    counts["counted_recursion"] = counts.get("counted_recursion", 0) + 1
    if depth == 0:
        call_c(3)
        return 0
    return counted_recursion(depth - 1) + counted_leaf(depth)


def counted_generator(length: int) -> Iterator[int]:
    # Entered once for each value and once more to its end; its caller counts the entry
    # that makes the generator.
    for number in range(length):
        counts["counted_generator"] += 1
        yield counted_leaf(number)
    counts["counted_generator"] += 1


def counted_raising(number: int) -> int:
    counts["counted_raising"] = counts.get("counted_raising", 0) + 1
    if number % 3 == 0:
        raise ValueError(number)
    return number


def plain() -> int:
    counts["counted_generator"] = 1
    total = sum(counted_generator(30)) + counted_recursion(20)
    for number in range(30):
        try:
            total += counted_raising(number)
        except ValueError:
            call_c(1)
    # C calls Python, which calls C.
    numbers = sorted(range(50), key=lambda number: (call_c(1), counted_leaf(number)))
    counts["umask"] += 2
    os.umask(os.umask(0o22))
    return total + numbers[7]


def with_asyncio() -> int:
    async def step(number: int, left: int) -> int:
        call_c(2)
        if left == 0:
            return number
        await asyncio.sleep(0)
        call_c(1)
        return await step(number + 1, left - 1)

    async def all_steps() -> int:
        return sum(await asyncio.gather(*(step(task, STEPS) for task in range(TASKS))))

    return asyncio.run(all_steps())


def in_turns(switch: Callable[[], Any], depth: int) -> int:
    """Calls itself, so that there is a stack, and switches at each level to and fro."""
    call_c(1)
    if depth == 0:
        return 1
    switch()
    call_c(1)
    # By way of a function of C, so that C's stack is deep as well.
    result = max(map(lambda left: in_turns(switch, left), [depth - 1]))
    switch()
    counts["umask"] += 1
    os.umask(0o22)
    return result + 1


def with_greenlet() -> int:
    greenlets = importlib.import_module("greenlet")
    main = greenlets.getcurrent()
    total = 0
    make = greenlets.greenlet
    tasks = [make(lambda: in_turns(main.switch, STEPS)) for _ in range(TASKS)]
    while tasks:
        for task in list(tasks):
            value = task.switch()
            if task.dead:
                total += value
                tasks.remove(task)
    return total


def with_gevent() -> int:
    gevent = importlib.import_module("gevent")
    tasks = [gevent.spawn(in_turns, lambda: gevent.sleep(0), STEPS) for _ in range(TASKS)]
    gevent.joinall(tasks)
    return sum(int(task.value) for task in tasks)


RUNS = {
    "plain": plain,
    "named": plain,
    "asyncio": with_asyncio,
    "greenlet": with_greenlet,
    "gevent": with_gevent,
}
print("sum", RUNS[sys.argv[1]]())
for name, count in counts.items():
    if sys.argv[1] == "named" or not name.startswith("counted"):
        print("count", name, count)
