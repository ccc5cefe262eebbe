# SPDX-License-Identifier: GPL-2.0-or-later
"""Benchmark program: benchmarks in Python, run as pytest's plugin for CodSpeed runs them.

    benchmarks.py LIBRARY N    N rounds in each; LIBRARY has the client requests

Each is called once to warm up, then measured, from some calls deep.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
from typing import Callable

LIBRARY = ctypes.CDLL(sys.argv[1])
ROUNDS = int(sys.argv[2])


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def test_recursion() -> int:
    return fibonacci(12 + ROUNDS)


def test_json() -> int:
    value = {"numbers": list(range(200)), "text": "a line of text\n" * 20}
    for _ in range(ROUNDS * 5):
        value = json.loads(json.dumps(value))
    return len(json.dumps(value))


def test_words() -> int:
    text = "the quick brown fox jumps over the lazy dog " * 60
    counts: dict[str, int] = {}
    for _ in range(ROUNDS):
        for word in re.findall(r"\w+", text):
            counts[word] = counts.get(word, 0) + 1
    return counts["fox"]


def test_sorting() -> int:
    numbers = [(i * 7919) % 10007 for i in range(1000 * ROUNDS)]
    return sorted(numbers, key=lambda number: -number)[10]


def measured(name: str, function: Callable[[], int]) -> int:
    LIBRARY.requests_begin()
    try:
        return function()
    finally:
        LIBRARY.requests_end(f"benchmarks.py::{name}".encode())


class Fixture:
    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, function: Callable[[], int]) -> int:
        function()
        return measured(self.name, function)


def main() -> None:
    for name, function in sorted(globals().items()):
        if name.startswith("test_"):
            print(name, Fixture(name)(function))


main()
