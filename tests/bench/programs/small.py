# SPDX-License-Identifier: GPL-2.0-or-later
"""Benchmark program: many small benchmarks in Python, each between START and STOP.

    small.py LIBRARY N    N benchmarks; LIBRARY has the client requests

Each takes about a millisecond natively, and is called once to warm up.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
from typing import Callable

LIBRARY = ctypes.CDLL(sys.argv[1])


def json_benchmark(number: int) -> Callable[[], int]:
    value = {"numbers": list(range(300 + number)), "text": "a" * number}
    return lambda: len(json.dumps(json.loads(json.dumps(value))))


def words_benchmark(number: int) -> Callable[[], int]:
    text = f"the quick brown fox {number} " * 150
    return lambda: len(re.findall(r"\w+", text))


def sorting_benchmark(number: int) -> Callable[[], int]:
    numbers = [(i * 7919 + number) % 10007 for i in range(3000)]
    return lambda: sorted(numbers, key=lambda value: -value)[1]


KINDS = (json_benchmark, words_benchmark, sorting_benchmark)


def main() -> None:
    for number in range(int(sys.argv[2])):
        function = KINDS[number % len(KINDS)](number)
        function()
        LIBRARY.requests_begin()
        function()
        LIBRARY.requests_end(f"small.py::{number}".encode())


main()
