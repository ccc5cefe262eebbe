# SPDX-License-Identifier: GPL-2.0-or-later
#
# The branch predictor against the naive model, on random branches.

"""The branch predictor does what the naive model does."""

from __future__ import annotations

import ctypes
import random
import unittest
from dataclasses import dataclass

from tests.simulators.naive import Predictor
from tests.simulators.native import TracedBranch, library

TRACES = 60


@dataclass(frozen=True)
class Branch:
    address: int
    target: int
    is_indirect: bool
    taken: bool


def random_branches(source: random.Random, count: int) -> list[Branch]:
    """Some branches that run again and again, with habits of their own."""
    addresses = [source.randrange(1 << source.choice([8, 16, 47, 64]))
                 for _ in range(source.choice([3, 20, 300]))]
    habits = {address: source.choice([0.02, 0.3, 0.5, 0.95]) for address in addresses}
    found = []
    for _ in range(count):
        address = source.choice(addresses)
        taken = source.random() < habits[address]
        target = source.randrange(1 << 64) if source.random() < 0.3 else address ^ 64
        found.append(Branch(address, target, address % 3 == 0, taken))
    return found


def naively(branches: list[Branch], emptied_at: int) -> list[int]:
    predictor = Predictor()
    answers = []
    for position, branch in enumerate(branches):
        if position == emptied_at:
            predictor = Predictor()
        if branch.is_indirect:
            answers.append(int(predictor.indirect(branch.address, branch.target)))
        else:
            answers.append(int(predictor.conditional(branch.address, branch.taken)))
    return answers


def simulated(branches: list[Branch], emptied_at: int) -> list[int]:
    traced = (TracedBranch * len(branches))(
        *[TracedBranch(each.address, each.target, each.is_indirect, each.taken)
          for each in branches])
    answers = (ctypes.c_uint8 * len(branches))()
    library().replay_branches(ctypes.c_size_t(len(branches)), traced,
                              ctypes.c_size_t(emptied_at), answers)
    return list(answers)


class BranchSimulator(unittest.TestCase):
    def test_random_branches(self) -> None:
        for seed in range(TRACES):
            source = random.Random(seed)
            branches = random_branches(source, 3000)
            emptied_at = source.randrange(6000)
            expected = naively(branches, emptied_at)
            answers = simulated(branches, emptied_at)
            for position, (answer, wanted) in enumerate(zip(answers, expected)):
                if answer != wanted:
                    start = max(0, position - 9)
                    before = "\n".join(map(str, branches[start:position + 1]))
                    self.fail(f"seed {seed}, emptied at {emptied_at}, branch {position}:"
                              f" {answer}, but naively {wanted}; the last of:\n{before}")
            self.assertEqual(set(expected), {0, 1})

    def test_a_new_predictor_expects_no_branch_to_be_taken(self) -> None:
        """And it takes two that are to change its mind, with the same history."""
        taken, other = Branch(5, 0, False, True), Branch(6, 0, False, False)
        again = [taken, *[other] * 7]
        self.assertEqual(simulated(again * 3, 100), [1, *[0] * 7, 1, *[0] * 7, *[0] * 8])

    def test_an_indirect_branch_leaves_the_history_alone(self) -> None:
        def conditionals(with_indirect: bool) -> list[int]:
            source = random.Random(1)
            branches = []
            for _ in range(2000):
                if with_indirect:
                    branches.append(Branch(source.randrange(4), 9, True, True))
                else:
                    source.randrange(4)
                branches.append(Branch(8, 0, False, source.random() < 0.7))
            answers = simulated(branches, len(branches))
            return [answer for branch, answer in zip(branches, answers)
                    if not branch.is_indirect]
        self.assertEqual(conditionals(True), conditionals(False))
