# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cache simulators against the naive models, on random traces through random shapes.
# A trace that tells them apart is shortened and printed with its shape and seed.
#
# The models take nearly all of the time.  So each goes through a trace once, and every
# build of the simulators is compared with what it said: the usual one, and one for
# vectors, as machine/data_access_avx2.c compiles them.

"""The cache simulators do what the naive models do."""

from __future__ import annotations

import ctypes
import itertools
import random
import unittest
from dataclasses import dataclass
from typing import Optional, Sequence

from tests.runner.series import in_turn, is_long
from tests.simulators import naive
from tests.simulators.native import (
    CacheGeometry, TracedAccess, host_has_avx2, library)
from tests.simulators.naive import Geometry

SHAPES = in_turn(range(3000)) if is_long() else range(1000)
MRU_HIT_MISSED, MRU_HIT_CHANGED, MRU_HIT_SAID = 0x10, 0x20, 0x40
# From answers to outcomes; what is wrong in any case is no outcome.
OUTCOMES = bytes(0xff if answer & (MRU_HIT_MISSED | MRU_HIT_CHANGED) else answer & 0xf
                 for answer in range(256))
TOP = 1 << 64
# Options of the compiler for each build.
BUILDS: list[tuple[str, ...]] = [(), *[("-mavx2",)] * host_has_avx2()]


@dataclass(frozen=True)
class Step:
    """An access to one of two first levels; before it, the caches may be emptied."""

    address: int
    size: int
    first: int
    empties: bool
    writes: bool = False
    collects: bool = True


Levels = tuple[Geometry, Geometry, Geometry]
Answers = tuple[list[int], dict[int, list[int]]]  # outcomes; waste by position

# In the order of replay.c.
MODELS: list[type[naive.Machine]] = [
    naive.Machine, naive.WritebackMachine, naive.PrefetchMachine, naive.UseMachine,
    naive.WatchedWritebackMachine]


def random_shape(source: random.Random) -> Geometry:
    line = 1 << source.randrange(4, 9)
    ways = source.choice([1, 2, 3, 4, 5, 7, 8, 8, 8, 12, 15, 16, 24])
    sets = 1 << source.choice([0, 0, 1, 2, 3, 6, 7])
    if ways * sets == 1:
        ways = 2
    return Geometry(sets * ways * line, ways, line)


def random_trace(source: random.Random, shapes: Levels, length: int) -> list[Step]:
    """Accesses that hit often, at places that differ in bits of all heights."""
    span = max(2, int(shapes[source.randrange(3)].size * source.uniform(0.2, 3)))
    # The simulator cannot tell the line below 2^63 from none, if there is a single set.
    bases = [0, source.randrange(1 << 47), TOP - span - 64, 1 << 62]
    base = source.choice(bases)
    recent = [base]
    steps = []
    collects = True
    for _ in range(length):
        if source.random() < 0.02:
            collects = not collects
        if source.random() < 0.5:
            address = source.choice(recent) + source.randrange(-16, 80)
        else:
            address = base + source.randrange(span)
            if source.random() < 0.02:
                address = source.choice(bases) + source.randrange(span)
        size = source.choice([1, 2, 4, 8, 8, 16, 32, source.randrange(1, 65)])
        address = min(max(address, 0), TOP - size)
        recent = (recent + [address])[-6:]
        steps.append(Step(address, size, source.randrange(2), source.random() < 0.002,
                          source.random() < 0.4, collects))
    return steps


def first_without_tag(shape: Geometry) -> int:
    """The first address too high for the 32 bits by which a cache knows its lines."""
    return shape.line_size * shape.sets * ((1 << 32) - 1)


def trace_around_limit(source: random.Random, shape: Geometry, length: int) -> list[Step]:
    """Accesses that a cache of this shape often hits, and smaller ones miss.  In the
    first half all are below the first address that has no tag.  In the second half some
    are not, among them addresses that differ from others only in bits that a tag has no
    room for."""
    limit, cut_off = first_without_tag(shape), shape.line_size * shape.sets << 32
    span = int(shape.size * source.uniform(0.5, 1.5)) + 64
    low = [0, source.randrange(limit), limit - 2 * span]
    high = [limit - span // 2, low[1] + 2 * cut_off, low[1] + cut_off,
            0x7ffffffff000 - span]
    steps = []
    for position in range(length):
        base = source.choice(low)
        if position > length // 2 and source.random() < 0.1:
            base = source.choice(high)
        offset = source.randrange(span) // shape.line_size * shape.line_size
        offset += source.choice([0, 0, 8, shape.line_size - 4])
        steps.append(Step(base + offset, 8, 1, source.random() < 0.002))
    return steps


def answers_of_naive(model: int, shapes: Levels, steps: list[Step]) -> Answers:
    machine = MODELS[model](shapes)
    outcomes = []
    waste: dict[int, list[int]] = {}
    for position, step in enumerate(steps):
        if step.empties:
            waste.update(machine.waste)
            machine = MODELS[model](shapes)
        machine.collects = step.collects
        outcomes.append(
            machine.access(step.first, step.address, step.size, step.writes, position))
    machine.collects = True
    machine.settle()
    waste.update(machine.waste)
    return outcomes, waste


def traced(steps: list[Step]) -> ctypes.Array[TracedAccess]:
    return (TracedAccess * len(steps))(
        *[TracedAccess(step.address, step.size, step.first, step.writes, step.collects)
          for step in steps])


def answers_of_simulator(model: int, shapes: Levels, steps: list[Step],
                         is_code: bool = False,
                         accesses: Optional[ctypes.Array[TracedAccess]] = None,
                         build: tuple[str, ...] = ()) -> Answers:
    geometries = (CacheGeometry * 3)(
        *[CacheGeometry(each.size, each.ways, each.line_size) for each in shapes])
    emptied = [position for position, step in enumerate(steps) if step.empties]
    positions = (ctypes.c_size_t * (len(emptied) + 1))(*emptied, len(steps))
    answers = (ctypes.c_uint8 * len(steps))()
    waste = (ctypes.c_uint64 * 4 * len(steps))()
    library(*build).replay_caches(
        model, is_code, geometries, ctypes.c_size_t(len(steps)),
        accesses or traced(steps), positions, answers, waste)
    # Most models count no waste.
    is_waste = bytes(waste).strip(b"\0")
    return list(answers), {position: list(costs) for position, costs in enumerate(waste)
                           if any(costs)} if is_waste else {}


def fault(model: int, shapes: Levels, steps: list[Step],
          accesses: Optional[ctypes.Array[TracedAccess]] = None) -> Optional[str]:
    """The first thing that a simulator does wrong on this trace; None if nothing."""
    expected = answers_of_naive(model, shapes, steps)
    accesses = accesses or traced(steps)
    for build in BUILDS:
        found = fault_of_build(build, model, shapes, steps, accesses, expected)
        if found is not None:
            return " ".join([*build, found])
    return None


def fault_of_build(build: tuple[str, ...], model: int, shapes: Levels, steps: list[Step],
                   accesses: ctypes.Array[TracedAccess],
                   naively: Answers) -> Optional[str]:
    """The trace is replayed a second time with a cache for code as the first one."""
    expected, expected_waste = naively
    answers, waste = answers_of_simulator(model, shapes, steps, False, accesses, build)
    with_code, _ = answers_of_simulator(model, shapes, steps, True, accesses, build)
    outcomes = bytes(expected)
    if (bytes(answers).translate(OUTCOMES) == outcomes and waste == expected_waste
            and bytes(with_code).translate(OUTCOMES) == outcomes):
        return None
    for position, answer in enumerate(with_code):
        if answer & (MRU_HIT_MISSED | MRU_HIT_CHANGED):
            return f"step {position}: line of code that is there, but no MRU hit"
        if answer & 0xf != expected[position]:
            return (f"step {position}: {answer & 0xf} with a cache for code, "
                    f"but naively {expected[position]}")
    for position, answer in enumerate(answers):
        if answer & MRU_HIT_MISSED:
            return f"step {position}: MRU hit, but the access missed"
        if answer & MRU_HIT_CHANGED:
            return f"step {position}: MRU hit, but the access changed the cache"
        if answer & 0xf != expected[position]:
            return f"step {position}: {answer & 0xf}, but naively {expected[position]}"
    for position in range(len(steps)):
        costs, wanted = waste.get(position), expected_waste.get(position)
        if costs != wanted:
            return f"step {position}: waste {costs}, but naively {wanted}"
    return None


def shortened(model: int, shapes: Levels, steps: list[Step]) -> list[Step]:
    """A part of a failing trace that fails still, without a run that it can spare."""
    run = len(steps) // 2
    while run:
        position = 0
        while position < len(steps):
            rest = steps[:position] + steps[position + run:]
            if rest and fault(model, shapes, rest):
                steps = rest
            else:
                position += run
        run //= 2
    return steps


class CacheSimulators(unittest.TestCase):
    def check(self, models: Sequence[int], shapes: Levels, steps: list[Step],
              seed: int) -> None:
        accesses = traced(steps)
        for model in models:
            if fault(model, shapes, steps, accesses) is None:
                continue
            short = shortened(model, shapes, steps)
            trace = "\n".join(map(str, short))
            self.fail(f"{MODELS[model].__name__}, seed {seed}, {shapes}:\n{trace}\n"
                      f"{fault(model, shapes, short)}")

    def test_random_traces(self) -> None:
        """The plain model on each of them, the others on one in three."""
        for number, seed in enumerate(SHAPES):
            source = random.Random(seed)
            shapes = (random_shape(source), random_shape(source), random_shape(source))
            models = range(len(MODELS)) if number % 3 == 0 else [0]
            self.check(models, shapes, random_trace(source, shapes, 250), seed)

    def test_long_traces_of_common_shapes(self) -> None:
        common = (Geometry(32768, 8, 64), Geometry(49152, 12, 64),
                  Geometry(1 << 20, 16, 64))
        for seed in range(4):
            source = random.Random(seed)
            self.check([seed], common, random_trace(source, common, 30000), seed)

    def test_all_ways(self) -> None:
        """Of a last level, then of a first one; below the addresses that their tags can
        tell apart, and above."""
        small = Geometry(128, 2, 64)
        for seed, ways in enumerate([*range(1, 42), 63, 64, 65, 100, 1000]):
            source = random.Random(seed)
            for sets in (1, 2, 64, 1024):
                line = 1 << source.randrange(4, 9)
                if sets * ways * line < 1 << 22 and sets * ways > 1:
                    shape = Geometry(sets * ways * line, ways, line)
                    steps = trace_around_limit(source, shape, 1000)
                    self.check([0, 2], (small, small, shape), steps, seed)
                    self.check([0], (small, shape, small), steps, seed)

    def test_both_levels_are_hit_before_and_after_the_first_high_address(self) -> None:
        """That is, the traces above test what they are made for."""
        small, shape = Geometry(128, 2, 64), Geometry(1 << 14, 16, 64)
        steps = trace_around_limit(random.Random(1), shape, 1000)
        first_high = next(position for position, step in enumerate(steps)
                          if step.address >= first_without_tag(shape))
        for shapes, hit in (((small, small, shape), naive.LL_HIT),
                            ((small, shape, small), naive.HIT)):
            answers, _ = answers_of_naive(0, shapes, steps)
            for part in (answers[:first_high], answers[first_high:]):
                for outcome in (hit, naive.MEMORY):
                    self.assertGreater(part.count(outcome), 50)

    def test_all_of_a_large_last_level_is_emptied(self) -> None:
        """Only what was used is looked at.  So a few lines are used, anywhere, and asked
        for again after the caches have been emptied."""
        small = Geometry(128, 2, 64)
        shapes = [Geometry(1 << 20, 16, 64), Geometry(1 << 20, 8, 32),
                  Geometry(3 << 19, 24, 64), Geometry(1 << 14, 64, 64)]
        for seed, shape in enumerate(shapes):
            source = random.Random(seed)
            steps = []
            for _ in range(100):
                lines = [source.randrange(1 << 40) * shape.line_size
                         for _ in range(source.randrange(1, 5))]
                steps += [Step(line, 1, 0, False) for line in lines * 2]
                steps += [Step(line, 1, 0, line == lines[0]) for line in lines]
            self.check([0, 2], (small, small, shape), steps, seed)

    def test_streams(self) -> None:
        """Lines one after the other, up and down, turning now and then."""
        for seed in range(100):
            source = random.Random(seed)
            shapes = (random_shape(source),) * 2 + (random_shape(source),)
            line = shapes[2].line_size
            block, direction, steps = source.randrange(1 << 30), 1, []
            for _ in range(400):
                direction = source.choice([direction] * 12 + [-direction, 0, 2])
                block += direction
                steps.append(Step(block * line + source.randrange(line), 1, 0, False))
            self.check([2, 4], shapes, steps, seed)

    def test_mru_hits_are_frequent_enough_to_be_tested(self) -> None:
        source = random.Random(0)
        shapes = (Geometry(1024, 8, 64), Geometry(1024, 1, 64), Geometry(4096, 4, 64))
        trace = random_trace(source, shapes, 10000)
        for build, model, is_code in itertools.product(BUILDS, range(3), (False, True)):
            answers, _ = answers_of_simulator(model, shapes, trace, is_code, build=build)
            said = sum(1 for answer in answers if answer & MRU_HIT_SAID)
            self.assertGreater(said, 1000)
            self.assertLess(said, 9000)

    def test_an_access_larger_than_a_line_is_never_an_mru_hit(self) -> None:
        shapes = (Geometry(1024, 2, 16), Geometry(1024, 2, 16), Geometry(4096, 4, 16))
        steps = [Step(0x1000, size, 0, False) for size in (16, 17, 16, 64, 64)]
        for build in BUILDS:
            answers, _ = answers_of_simulator(0, shapes, steps, build=build)
            self.assertEqual([answer & MRU_HIT_SAID for answer in answers],
                             [0, 0, MRU_HIT_SAID, 0, 0])
            self.assertEqual(
                [answer & 0xf for answer in answers],
                [naive.MEMORY, naive.MEMORY, naive.HIT, naive.MEMORY, naive.HIT])

    def test_shortening_keeps_the_failure(self) -> None:
        """The helper that is trusted when something fails: here with a wrong shape."""
        source = random.Random(7)
        right = (Geometry(1024, 2, 64),) * 3
        steps = random_trace(source, right, 400)
        real = globals()["answers_of_naive"]
        wrong = (Geometry(512, 1, 64),) * 3
        globals()["answers_of_naive"] = lambda model, _, some: real(model, wrong, some)
        try:
            self.assertIsNotNone(fault(0, right, steps))
            short = shortened(0, right, steps)
            self.assertIsNotNone(fault(0, right, short))
            self.assertLess(len(short), 10)
        finally:
            globals()["answers_of_naive"] = real

    @unittest.skipUnless(host_has_avx2(), "this host has no AVX2")
    def test_with_vectors_it_is_another_library(self) -> None:
        self.assertIsNot(library(*BUILDS[1]), library())
