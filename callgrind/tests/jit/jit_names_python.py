# SPDX-License-Identifier: GPL-2.0-or-later
#
# Calls our_outer 5 times and our_inner 150 times.


def our_inner(n: int) -> int:
    return n * n


def our_outer() -> int:
    return sum([our_inner(n) for n in range(30)])


for _ in range(5):
    our_outer()
