# SPDX-License-Identifier: GPL-2.0-or-later
"""Benchmark program: CPython at its ordinary work.

interpreted.py N    does N rounds each of JSON, regular expressions and recursion,
                    and prints one line of results for each kind.

The interpreter's loop, its allocator and two C extensions' worth of library; a
generator of its own makes the data, so that every Python gives the same output.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Iterator

ADDRESS = re.compile(
    r"(?P<name>[a-z]+)\.(?P<number>\d+)@(?P<host>(?:[a-z]+\.)+[a-z]{2,})"
)


def random_numbers(seed: int) -> Iterator[int]:
    """An endless sequence of numbers below 2**31."""
    state = seed
    while True:
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        yield state >> 8


def order(numbers: Iterator[int], serial: int) -> dict[str, Any]:
    """A record such as services pass around."""
    return {
        "id": serial,
        "customer": f"customer {next(numbers) % 97} \u00e4\u00f6\u00fc",
        "paid": next(numbers) % 3 == 0,
        "lines": [
            {"item": f"item-{next(numbers) % 50}", "count": next(numbers) % 9,
             "price": (next(numbers) % 10000) / 100}
            for _ in range(5)
        ],
    }


def json_round(serial: int) -> int:
    numbers = random_numbers(serial)
    compact = json.dumps([order(numbers, i) for i in range(60)], sort_keys=True)
    return len(compact) + len(json.dumps(json.loads(compact), indent=2))


def regular_expression_round(serial: int) -> int:
    numbers = random_numbers(serial)
    text = " ".join(
        f"user.{next(numbers) % 1000}@mail.example.org" if next(numbers) % 4 == 0
        else f"no address here {next(numbers)}"
        for _ in range(300)
    )
    found = sum(int(match["number"]) for match in ADDRESS.finditer(text))
    return found + len(re.sub(r"(\d)(\d)", r"\2-\1", text))


def binary_tree(depth: int) -> Any:
    return None if depth == 0 else (binary_tree(depth - 1), depth, binary_tree(depth - 1))


def tree_sum(tree: Any) -> int:
    return 0 if tree is None else tree_sum(tree[0]) + int(tree[1]) + tree_sum(tree[2])


def ackermann(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


def recursion_round(serial: int) -> int:
    return tree_sum(binary_tree(9 + serial % 2)) + ackermann(2, 12)


for kind in (json_round, regular_expression_round, recursion_round):
    print(kind.__name__, sum(kind(serial) for serial in range(int(sys.argv[1]))))
