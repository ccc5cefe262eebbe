# SPDX-License-Identifier: GPL-2.0-or-later
#
# The models of the simulators, as plainly as they can be said: lists in the order of last
# use, no cleverness.  What callgrind/sim/ computes must be what these compute, and these
# what stock counts.

"""Reference models of caches and branch predictors, slow and obvious."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Geometry:
    """A cache of `size` bytes with `ways` lines of `line_size` bytes in each set."""

    size: int
    ways: int
    line_size: int

    @property
    def sets(self) -> int:
        return self.size // self.line_size // self.ways

    def option(self) -> str:
        return f"{self.size},{self.ways},{self.line_size}"


def blocks(address: int, size: int, line_size: int) -> range:
    """The numbers of the lines that hold `size` bytes at `address`, ascending."""
    return range(address // line_size, (address + size - 1) // line_size + 1)


class Cache:
    """One level: by set, the numbers of its lines, last used first."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.sets: list[list[int]] = [[] for _ in range(geometry.sets)]

    def touch_block(self, block: int) -> bool:
        lines = self.sets[block % self.geometry.sets]
        hit = block in lines
        if hit:
            lines.remove(block)
        lines.insert(0, block)
        del lines[self.geometry.ways:]
        return hit

    def touch(self, address: int, size: int) -> bool:
        numbers = blocks(address, size, self.geometry.line_size)
        return all([self.touch_block(block) for block in numbers])


HIT, LL_HIT, MEMORY = range(3)


def access(first: Cache, last: Cache, address: int, size: int) -> int:
    """Who serves an access: `first`, `last` or the memory."""
    if first.touch(address, size):
        return HIT
    return LL_HIT if last.touch(address, size) else MEMORY


class Predictor:
    """By the low bits of a conditional branch's address and the outcomes of the last seven
    branches: how often it was taken, less how often it was not, kept within 0 to 3.  By
    the low bits of an indirect one's address: where one went last."""

    def __init__(self) -> None:
        self.counts: dict[tuple[int, tuple[bool, ...]], int] = {}
        self.history: tuple[bool, ...] = (False,) * 7
        self.targets: dict[int, int] = {}

    def conditional(self, address: int, taken: bool) -> bool:
        """True: mispredicted."""
        key = (address % 128, self.history)
        count = self.counts.get(key, 0)
        self.counts[key] = min(3, count + 1) if taken else max(0, count - 1)
        self.history = (*self.history[1:], taken)
        return taken != (count >= 2)

    def indirect(self, address: int, target: int) -> bool:
        """True: mispredicted."""
        known = self.targets.get(address % 512, 0)
        self.targets[address % 512] = target
        return known != target
