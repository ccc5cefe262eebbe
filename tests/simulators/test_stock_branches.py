# SPDX-License-Identifier: GPL-2.0-or-later
#
# The naive model of a branch predictor against the distribution's callgrind: branches at
# chosen addresses, each of them in each round of a loop.

"""The naive branch predictor counts what stock counts."""

from __future__ import annotations

import random
import unittest

from tests.simulators import stock
from tests.simulators.naive import Predictor

BRANCHES = 40
ROUNDS = 150
PLACES = 3  # an indirect branch goes to one of so many addresses, a byte apart


class Plan:
    """Which branches there are, how far apart, and what each does in each round."""

    def __init__(self, seed: int) -> None:
        source = random.Random(seed)
        self.indirect = [source.random() < 0.4 for _ in range(BRANCHES)]
        # Near each other, far apart, and so that low bits of addresses are often equal.
        self.gaps = [source.choice([source.randrange(40), source.randrange(20000),
                                    128 - 7, 512 - 9, 4096 - 9]) for _ in range(BRANCHES)]
        likely = [source.choice([0.05, 0.5, 0.9]) for _ in range(BRANCHES)]
        self.outcomes = [[self.outcome(source, position, likely[position])
                          for position in range(BRANCHES)] for _ in range(ROUNDS)]

    def outcome(self, source: random.Random, position: int, likely: float) -> int:
        """0 or 1: taken or not; of an indirect branch, to which place."""
        if self.indirect[position]:
            return source.randrange(PLACES) if source.random() < likely else 0
        return int(source.random() < likely)

    def body(self) -> str:
        lines = ["lea table(%rip), %r12", f"mov ${ROUNDS}, %r13d", "again:"]
        for position, gap in enumerate(self.gaps):
            lines += [f".nops {gap}" if gap else "", "mov (%r12), %rbx", "add $8, %r12"]
            if self.indirect[position]:
                jump = "jmp *%rbx" if position % 2 else "push %rax; call *%rbx"
                lines += [jump, f"place{position}:", "nop; nop; nop"]
            else:
                lines += ["shr %rbx", f"jc over{position}", "nop", f"over{position}:"]
        lines += [stock.request(stock.DUMP), "dec %r13d", "jnz again"]
        return "\n".join(f"    {line}" for line in lines)

    def table(self) -> str:
        words = [
            f"place{position} + {outcome}" if self.indirect[position] else f"{outcome}"
            for outcomes in self.outcomes for position, outcome in enumerate(outcomes)]
        return ".data\ntable: .quad " + ", ".join(words) + "\n"


@unittest.skipIf(stock.missing(), str(stock.missing()))
class StockBranches(unittest.TestCase):
    def test_random_branches(self) -> None:
        for seed in range(3):
            with self.subTest(seed=seed):
                self.compare(Plan(seed))

    def compare(self, plan: Plan) -> None:
        run = stock.run(stock.with_data(plan.body()) + plan.table(), ["--branch-sim=yes"])
        self.assertEqual(run.status, 0, run.log)
        branches = [each for each in run.instructions
                    if "*%rbx" in each.text or each.text.startswith("jb ")]
        loop = next(each for each in run.instructions if each.text.startswith("jne"))
        self.assertEqual(len(branches), BRANCHES)
        predictor = Predictor()
        predicted_right = 0
        for number, outcomes in enumerate(plan.outcomes):
            for branch, outcome in zip(branches, outcomes):
                counted = run.parts[number].get(branch.address, {})
                if "*" in branch.text:
                    event = "Bi"
                    target = branch.address + branch.size + outcome
                    wrong = predictor.indirect(branch.address, target)
                else:
                    event = "Bc"
                    wrong = predictor.conditional(branch.address, bool(outcome))
                predicted_right += not wrong
                self.assertEqual((counted.get(event), counted.get(event + "m", 0)),
                                 (1, int(wrong)), f"round {number}: {branch}")
            # The loop's own branch comes behind the dump.
            wrong = predictor.conditional(loop.address, number < ROUNDS - 1)
            counted = run.parts[number + 1].get(loop.address, {})
            self.assertEqual((counted.get("Bc"), counted.get("Bcm", 0)), (1, int(wrong)))
        self.assertGreater(predicted_right, BRANCHES * ROUNDS // 4)
