# SPDX-License-Identifier: GPL-2.0-or-later
"""Benchmark program: a suite of pytest, whose plugin asks for instrumentation.

    suite.py LIBRARY N    N benchmarks; LIBRARY has the client requests

A benchmark takes about a millisecond natively, the start of pytest a few hundred. What
pytest prints has times in it; only results are printed here.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
from typing import Callable

import pytest

LIBRARY = ctypes.CDLL(sys.argv[1])
COUNT = int(sys.argv[2])


def parse(number: int) -> int:
    value = {"numbers": list(range(300 + number)), "text": "a line of text\n" * number}
    return len(json.dumps(json.loads(json.dumps(value))))


def words(number: int) -> int:
    return len(set(re.findall(r"\w+", f"the quick brown fox {number} " * 150)))


def order(number: int) -> int:
    numbers = [(i * 7919 + number) % 10007 for i in range(3000)]
    return sorted(numbers, key=lambda value: -value)[1]


KINDS = (parse, words, order)


class Plugin:
    """Calls each benchmark once to warm up, then measures it."""

    @pytest.fixture
    def benchmark(self, request: pytest.FixtureRequest) -> Callable[..., int]:
        def run(function: Callable[[int], int], number: int) -> int:
            function(number)
            LIBRARY.requests_begin()
            try:
                return function(number)
            finally:
                LIBRARY.requests_end(request.node.nodeid.encode())

        return run


@pytest.mark.parametrize("number", range(COUNT))
def test_benchmark(benchmark: Callable[..., int], number: int) -> None:
    print(number, benchmark(KINDS[number % len(KINDS)], number), file=sys.__stdout__)


if __name__ == "__main__":
    options = ("-p no:terminal -p no:cacheprovider --noconftest --capture=no "
               "--import-mode=importlib -c /dev/null --rootdir=/")
    sys.exit(pytest.main([__file__, *options.split()], [Plugin()]))
