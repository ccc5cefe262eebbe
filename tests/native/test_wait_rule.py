# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/surroundings/wait_rule.c: what a wait counts with --steady=yes, by the
# table of docs/steady.md.

"""What waits count, and that noise does not change it."""

from __future__ import annotations

import random
import subprocess
import unittest

from tests.native.building import build

UNKNOWN, OTHERS, CHILD, WITHIN, CORE, DISK, THREAD = range(7)
MS = 1_000_000
FIXED = MS  # of a call that waits for others
SHORT = 40 * MS
STEPS = [5 * 10**power * MS for power in range(2, 8)]
REST = STEPS[1]
Wait = tuple[int, int, int, int]


class WaitRule(unittest.TestCase):
    def counted(self, *waits: Wait) -> list[int]:
        """What these count, one after the other in one program."""
        text = "".join(" ".join(map(str, wait)) + "\n" for wait in waits)
        program = build("count_waits", "surroundings/wait_rule.c")
        done = subprocess.run([program], input=text, capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [int(line) for line in done.stdout.split()]

    def test_long_waits_count_the_next_step(self) -> None:
        for kind in (UNKNOWN, OTHERS, CHILD, WITHIN, THREAD):
            self.assertEqual(self.counted((kind, 1, SHORT, 0)), [STEPS[0]])
            for step, following in zip(STEPS, STEPS[1:]):
                bound = step * 9 // 10
                waits = [(kind, 1, passed, 0)
                         for passed in (bound, step, following * 9 // 10 - 1)]
                self.assertEqual(self.counted(*waits), [following] * 3)
                self.assertEqual(self.counted((kind, 0, bound - 1, 0)), [step])

    def test_short_ones_count_a_fixed_amount(self) -> None:
        for passed in (0, 1, FIXED, SHORT - 1):
            self.assertEqual(self.counted((CHILD, 1, passed, 0)), [STEPS[0]])
            self.assertEqual(self.counted((OTHERS, 1, passed, 0)), [FIXED])
            self.assertEqual(self.counted((THREAD, 1, passed, 0)), [FIXED])
            self.assertEqual(self.counted((UNKNOWN, 1, passed, 0)), [0])
            self.assertEqual(self.counted((WITHIN, 1, passed, 0)), [0])
            self.assertEqual(self.counted((OTHERS, 0, passed, 0)), [0])

    def test_a_disk_is_never_so_slow_that_one_wait_counts(self) -> None:
        self.assertEqual(self.counted((DISK, 1, SHORT, 0)), [0])
        self.assertEqual(self.counted((DISK, 1, 900 * MS, 0)), [0])
        self.assertEqual(self.counted((DISK, 1, REST + MS, 0)), [REST])

    def test_what_the_core_reads_is_no_wait_of_the_program(self) -> None:
        waits = [(CORE, well, passed, 0) for well in (0, 1)
                 for passed in (0, 19 * MS, 56 * MS, 5000 * MS)]
        self.assertEqual(self.counted(*waits), [0] * len(waits))
        # Nor is it kept for what comes later.
        self.assertEqual(self.counted((CORE, 1, REST, 0), (UNKNOWN, 1, 19 * MS, 0)),
                         [0, 0])

    def test_the_rest_of_short_ones_is_not_lost(self) -> None:
        for kind in (UNKNOWN, OTHERS, DISK):
            for passed in (MS // 50, MS // 2, 3 * MS, SHORT - 1):
                n = 2000
                total = sum(self.counted(*[(kind, 1, passed, 0)] * n))
                self.assertGreater(total, n * passed - REST)
                self.assertLessEqual(total, n * max(passed, FIXED))

    def test_every_wait_counts_at_least_what_it_took(self) -> None:
        rng = random.Random(1)
        waits = [(rng.randrange(3), rng.randrange(2), int(10 ** rng.uniform(3, 12)), 0)
                 for _ in range(20_000)]
        total, took = 0, 0
        for (_, _, passed, _), counts in zip(waits, self.counted(*waits)):
            total, took = total + counts, took + passed
            self.assertGreaterEqual(total, took - REST)

    def test_less_than_the_limit(self) -> None:
        limit = 2000 * MS
        self.assertEqual(self.counted((OTHERS, 1, 300 * MS, limit)), [500 * MS])
        self.assertEqual(self.counted((OTHERS, 1, 1200 * MS, limit)), [1750 * MS])
        self.assertEqual(self.counted((OTHERS, 1, 1800 * MS, limit)), [limit])
        self.assertEqual(self.counted((OTHERS, 1, 9000 * MS, limit)), [limit])
        self.assertEqual(self.counted((OTHERS, 1, 0, 1000)), [875])

    def test_what_sleeps_for_a_usual_time_counts_the_same_each_time(self) -> None:
        # Late by up to 40 %, and up to 150 ms, as on a machine that has too much to do.
        rng = random.Random(2)
        for usual in (50, 100, 150, 200, 250, 300, 500, 1000, 1500, 2000, 3000, 5000,
                      10_000, 30_000):
            late = min(usual * 2 // 5, 150) * MS
            waits = [(kind, 1, usual * MS + rng.randrange(late + 1), 0)
                     for kind in (UNKNOWN, OTHERS, CHILD, WITHIN) for _ in range(20)]
            self.assertEqual(len(set(self.counted(*waits))), 1, usual)


if __name__ == "__main__":
    unittest.main()
