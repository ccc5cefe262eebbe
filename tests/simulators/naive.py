# SPDX-License-Identifier: GPL-2.0-or-later
#
# The models of the simulators, as plainly as they can be said: lists in the order of last
# use, no cleverness.  What callgrind/sim/ computes must be what these compute, and these
# what stock counts.

"""Reference models of caches and branch predictors, slow and obvious."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Optional, Sequence


@dataclass(frozen=True)
class Geometry:
    """A cache of `size` bytes with `ways` lines of `line_size` bytes in each set."""

    size: int
    ways: int
    line_size: int

    @cached_property
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


HIT, LL_HIT, MEMORY, MEMORY_DIRTY = range(4)


class Machine:
    """Two first levels, 0 and 1, and a last one.  This is the plain model."""

    def __init__(self, shapes: Sequence[Geometry]) -> None:
        self.first = [Cache(shape) for shape in shapes[:2]]
        self.last = Cache(shapes[2])
        self.collects = True
        # AcCost1, SpLoss1, AcCost2, SpLoss2 by who brought lines in.
        self.waste: dict[int, list[int]] = {}

    def access(self, first: int, address: int, size: int, writes: bool, who: int) -> int:
        """Who serves an access to the first level `first`, made by `who`."""
        if self.first[first].touch(address, size):
            return HIT
        return LL_HIT if self.last.touch(address, size) else MEMORY

    def settle(self) -> None:
        """At the end: adds what is still there to the waste."""


class TagZeroCache:
    """A cache whose empty places look like lines with the tag 0.  What `lines` holds of a
    line stays with it."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        # Another oddity of stock's: in a single set it does not see a second line.
        self.sees_second_line = geometry.sets > 1
        ways = geometry.ways
        self.sets = [[Line(0, number * ways + way) for way in range(ways)]
                     for number in range(geometry.sets)]

    def blocks(self, address: int, size: int) -> range:
        held = blocks(address, size, self.geometry.line_size)
        return held if self.sees_second_line else held[:1]

    def find(self, block: int) -> tuple[bool, Line]:
        """The line first in its set now; if it was not there, in the place of another."""
        lines = self.sets[block % self.geometry.sets]
        tag = block // self.geometry.sets
        line = next((line for line in lines if line.tag == tag), None)
        hit = line is not None
        line = line or lines[-1]
        lines.remove(line)
        lines.insert(0, line)
        line.tag = tag
        return hit, line


@dataclass(eq=False)
class Line:
    tag: int
    slot: int
    changed: bool = False
    accesses: int = 0
    parts: frozenset[int] = frozenset()
    who: Optional[int] = None
    source: int = 0


class WritebackMachine(Machine):
    """Every write reaches the last level, which remembers what was changed."""

    def __init__(self, shapes: Sequence[Geometry]) -> None:
        super().__init__(shapes)
        self.marked = TagZeroCache(shapes[2])

    def access(self, first: int, address: int, size: int, writes: bool, who: int) -> int:
        first_hit = self.first[first].touch(address, size)
        if first_hit and not writes:
            return HIT
        hit, dirty = True, False
        for block in self.marked.blocks(address, size):
            block_hit, line = self.marked.find(block)
            if not block_hit:
                hit = False
                dirty = dirty or line.changed
                line.changed = False
            line.changed = line.changed or writes
        if first_hit:
            return HIT
        return LL_HIT if hit else MEMORY_DIRTY if dirty else MEMORY


class PrefetchMachine(Machine):
    """By page number modulo 8: the last line there, and how many steps led to it."""

    def __init__(self, shapes: Sequence[Geometry]) -> None:
        super().__init__(shapes)
        self.blocks = [0] * 8
        self.steps = [0] * 8

    def watch(self, address: int) -> None:
        stream = address // 4096 % 8
        block = address // self.last.geometry.line_size
        step = block - self.blocks[stream]
        self.blocks[stream] = block
        if step == 0:
            return
        turns = self.steps[stream] * step < 0
        self.steps[stream] = 0 if turns or abs(step) > 1 else self.steps[stream] + step
        if abs(self.steps[stream]) >= 2:
            self.bring_in((block + 5 * step) * self.last.geometry.line_size % (1 << 64))

    def bring_in(self, ahead: int) -> None:
        self.last.touch(ahead, 1)

    def access(self, first: int, address: int, size: int, writes: bool, who: int) -> int:
        if self.first[first].touch(address, size):
            return HIT
        self.watch(address)
        return LL_HIT if self.last.touch(address, size) else MEMORY


class WatchedWritebackMachine(Machine):
    """Both: what is brought in ahead makes no access dirty, and is found again."""

    def __init__(self, shapes: Sequence[Geometry]) -> None:
        super().__init__(shapes)
        self.writeback = WritebackMachine(shapes)
        self.prefetch = PrefetchMachine(shapes)
        self.writeback.first = self.first
        self.prefetch.bring_in = self.bring_in  # type: ignore[assignment]

    def bring_in(self, ahead: int) -> None:
        line_size = self.last.geometry.line_size
        hit, line = self.writeback.marked.find(ahead // line_size)
        line.changed = line.changed and hit

    def access(self, first: int, address: int, size: int, writes: bool, who: int) -> int:
        level = self.first[first]
        numbers = {block % level.geometry.sets
                   for block in blocks(address, size, level.geometry.line_size)}
        before = [(number, list(level.sets[number])) for number in numbers]
        is_hit = level.touch(address, size)
        for number, lines in before:
            level.sets[number] = lines  # the access itself touches it
        if not is_hit:
            self.prefetch.watch(address)
        return self.writeback.access(first, address, size, writes, who)


class UseMachine(Machine):
    """What was accessed of a line is added to the slot of the last level it came from."""

    def __init__(self, shapes: Sequence[Geometry]) -> None:
        super().__init__(shapes)
        self.levels = [TagZeroCache(shape) for shape in shapes]
        self.slots = {line.slot: line for lines in self.levels[2].sets for line in lines}

    def book(self, level: TagZeroCache, line: Line) -> None:
        if line.accesses == 0 or line.who is None or not self.collects:
            return
        size = level.geometry.line_size
        costs = self.waste.setdefault(line.who, [0] * 4)
        which = 2 if level is self.levels[2] else 0
        costs[which] += 1000 // line.accesses
        costs[which + 1] += max(0, size - len(line.parts) * max(1, size // 32))

    def leave_first(self, level: TagZeroCache, line: Line) -> None:
        if not self.collects:
            return
        self.book(level, line)
        self.slots[line.source].accesses += line.accesses
        self.slots[line.source].parts |= line.parts

    def access(self, first: int, address: int, size: int, writes: bool, who: int) -> int:
        level, last = self.levels[first], self.levels[2]
        line_size = level.geometry.line_size
        outcome = HIT
        for block in level.blocks(address, size):
            hit, line = level.find(block)
            if not hit:
                self.leave_first(level, line)
                last_hit, source = last.find(block * line_size // last.geometry.line_size)
                if not last_hit:
                    self.book(last, source)
                    source.accesses, source.parts, source.who = 0, frozenset(), who
                outcome = max(outcome, LL_HIT if last_hit else MEMORY)
                line.accesses, line.parts, line.who = 0, frozenset(), who
                line.source = source.slot
            part = max(1, line_size // 32)
            held = {byte % line_size // part for byte in range(address, address + size)
                    if byte // line_size == block}
            line.accesses += 1
            if level.sees_second_line or (address + size - 1) // line_size == block:
                line.parts |= held
        return outcome

    def settle(self) -> None:
        for level in self.levels[:2]:
            for lines in level.sets:
                for line in lines:
                    self.leave_first(level, line)
        for line in self.slots.values():
            self.book(self.levels[2], line)


class Predictor:
    """By the low bits of a conditional branch's address and the outcomes of the last
    seven branches: how often it was taken, less how often it was not, kept within 0 to 3.
    By the low bits of an indirect one's address: where one went last."""

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
