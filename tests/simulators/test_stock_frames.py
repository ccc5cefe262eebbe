# SPDX-License-Identifier: GPL-2.0-or-later
#
# Accesses at several distances from bases that move through memory: each event of each
# instruction, by the distribution's callgrind and by ours. Generated code looks at such
# accesses together, and not at all of them.

"""Accesses to fields of frames and structures are counted as stock counts them."""

from __future__ import annotations

import os
import random
import unittest

from tests.simulators import stock
from tests.simulators.assembly import CHANGES, LOADS, STORES

OURS = os.path.join(os.environ.get("VG_BUILD", ""), "vg-in-place")
ROUNDS = 300
BASES = ("%rbx", "%rbp", "%r12")
STEPS = (-8, 4, 8, 8, 12, 24, 48, 64, 200)

# D1 of few lines, of which some are shorter and some longer than the common ones; and one
# set, in which only one line can be the MRU line.
D1_SHAPES = ("1024,2,32", "1024,2,64", "3072,3,128", "4096,8,64", "512,1,64", "256,4,64")

# Bases begin this far apart, which is in the same set or near it: as they go on, their
# lines evict each other.
APART = 0x1000


def field_access(source: random.Random, base: str, reach: int) -> str:
    forms = source.choice([LOADS, LOADS, STORES, CHANGES])
    size = source.choice([8, 8, 8, 4, 4, 1] if forms is CHANGES else
                         [8, 8, 8, 8, 4, 4, 2, 1, 16, 32])
    distance = source.randrange(-reach, reach)
    if source.random() < 0.8:
        distance = distance // size * size
    return forms[size].format(f"{distance}({base})")


def loop(seed: int) -> str:
    """Bases go on by steps of their own; at each, some fields are accessed, in an order
    that is mixed with that of other bases, and with an exit here and there."""
    source = random.Random(seed)
    bases = BASES[:source.choice([1, 2, 2, 3, 3])]
    reach = {base: source.choice([16, 32, 40, 64, 100, 150]) for base in bases}
    starts = [stock.DATA + (i + 16) * APART + source.randrange(200)
              for i in range(len(bases))]
    body = [f"loop_{seed}:"]
    body += [f"    mov ${start:#x}, {base}" for start, base in zip(starts, bases)]
    body += [f"    mov ${ROUNDS}, %ecx", "1:"]
    for _ in range(source.randrange(2, 8)):
        base = source.choice(bases)
        for _ in range(source.choice([1, 2, 3, 5])):
            body.append("    " + field_access(source, base, reach[base]))
        if source.random() < 0.15:
            body += ["    test $1, %cl", f"    jz {len(body)}f",
                     "    " + field_access(source, base, reach[base]), f"{len(body)}:"]
    # Most often they stay together.
    step = source.choice(STEPS)
    for base in bases:
        this_step = step if source.random() < 0.7 else source.choice(STEPS)
        body.append(f"    add ${this_step}, {base}")
    return "\n".join([*body, "    dec %ecx", "    jnz 1b"])


@unittest.skipIf(stock.missing(), str(stock.missing()))
@unittest.skipUnless(os.path.exists(OURS), "VG_BUILD names no build of the tool")
class Frames(unittest.TestCase):
    def compare_loops(self, seeds: range, cold_runs: int) -> list[stock.Run]:
        """All loops with one shape of D1 are one program: the start of Valgrind takes
        longer than many of them do."""
        runs = []
        for number, d1 in enumerate(D1_SHAPES):
            chosen = [seed for seed in seeds if seed % len(D1_SHAPES) == number]
            with self.subTest(d1=d1):
                runs.append(self.compare("\n".join(map(loop, chosen)), cold_runs, d1))
        return runs

    def compare(self, body: str, cold_runs: int, d1: str) -> stock.Run:
        options = ["--cache-sim=yes", "--I1=512,2,32", f"--D1={d1}", "--LL=2048,4,64"]
        with stock.built(stock.with_data(body)) as program:
            expected = program.run(options)
            run = program.run([*options, f"--ct-cold-runs={cold_runs}"], OURS)
        self.assertEqual(expected.status, 0, expected.log)
        self.assertEqual(run.status, 0, run.log)
        self.assertGreater(len(expected.instructions), run.body() + 3)
        # The last superblock is not in stock's profile; see with_data().
        for ours, theirs in list(zip(run.instructions, expected.instructions))[:-3]:
            self.assertEqual(nonzero(ours.events), nonzero(theirs.events),
                             f"{ours.label}: {ours.text}")
        return run

    def test_random_fields(self) -> None:
        """The loops hit and miss, so that there is something to tell apart."""
        runs = self.compare_loops(range(90), 0)
        misses = sum(run.total("D1mr") + run.total("D1mw") for run in runs)
        accesses = sum(run.total("Dr") + run.total("Dw") for run in runs)
        self.assertGreater(misses, accesses / 20)
        self.assertLess(misses, accesses / 2)

    def test_random_fields_of_code_that_was_cold(self) -> None:
        self.compare_loops(range(90, 120), 20)

    def test_a_line_between_two_others(self) -> None:
        """The first and the last field are two bytes more than a line apart, and are MRU
        hits each time; the one between them is in a line of its own, and misses."""
        run = self.compare(f"""
    mov ${stock.DATA + APART + 63:#x}, %rbx
    mov ${stock.DATA + 2 * APART + 64:#x}, %rbp
    mov ${ROUNDS}, %ecx
1:
    add 0(%rbx), %al
    add 9(%rbx), %rax
    add 65(%rbx), %al
    incl 0(%rbp)
    dec %ecx
    jnz 1b""", 0, "512,1,64")
        self.assertEqual((run.total("D1mr"), run.total("D1mw")), (ROUNDS + 2, ROUNDS))


def nonzero(events: dict[str, int]) -> dict[str, int]:
    return {event: cost for event, cost in events.items() if cost}
