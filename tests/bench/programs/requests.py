# SPDX-License-Identifier: GPL-2.0-or-later
"""Benchmark program: benchmarks in Python, run as pytest's plugin for CodSpeed runs them.

    requests.py LIBRARY N R    N benchmarks, R rounds of work in each; LIBRARY has the
                               client requests

A round takes about a millisecond natively. Each benchmark is called once to warm up, then
measured, from some calls deep.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys

LIBRARY = ctypes.CDLL(sys.argv[1])
COUNT, ROUNDS = map(int, sys.argv[2:])


def json_benchmark(number: int) -> int:
    value = {"numbers": list(range(300 + number)), "text": "a line of text\n" * number}
    return len(json.dumps(json.loads(json.dumps(value))))


def words_benchmark(number: int) -> int:
    counts: dict[str, int] = {}
    for word in re.findall(r"\w+", f"the quick brown fox {number} " * 150):
        counts[word] = counts.get(word, 0) + 1
    return counts["fox"]


def sorting_benchmark(number: int) -> int:
    numbers = [(i * 7919 + number) % 10007 for i in range(3000)]
    return sorted(numbers, key=lambda value: -value)[1]


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


KINDS = (json_benchmark, words_benchmark, sorting_benchmark,
         lambda number: fibonacci(17) + number)


class Fixture:
    def __call__(self, number: int) -> int:
        self.rounds(number)
        LIBRARY.requests_begin()
        try:
            return self.rounds(number)
        finally:
            LIBRARY.requests_end(f"requests.py::{number}".encode())

    def rounds(self, number: int) -> int:
        return sum(KINDS[number % len(KINDS)](number) for _ in range(ROUNDS))


for each in range(COUNT):
    print(each, Fixture()(each))
