# SPDX-License-Identifier: GPL-2.0-or-later
#
# How often samples are taken: less often where that would slow the program too much, and
# what a sample stands for is right then, too.

"""The rate of samples."""

from __future__ import annotations

import os
import re
import subprocess

from callgrind.report.tests.report_case import run
from tests.sampler.driving import drive
from tests.sampler.sampling import PATIENCE, SAMPLER, SamplerTest

FULL, LESS, LEAST = "997", "249", "62"
MICROSECOND, MILLISECOND = 1000, 1000000


class RateTest(SamplerTest):
    needs_sampling = False

    def rates(self, *activities: str, most: float = 3, interrupt: float = 0,
              setting: float = 0) -> list[str]:
        """With a tick of 4 ms; activities are seconds of work, numbers of arrivals and of
        threads that have ended."""
        costs = [str(interrupt * MICROSECOND), str(setting * MICROSECOND)]
        return drive("rate", str(most), FULL, *costs, str(4 * MILLISECOND),
                     *activities).splitlines()

    def test_interrupts_that_cost_too_much(self) -> None:
        # Each takes twice as long, and the estimate may be too low: 0.85 of 3 % are left,
        # and just under that are 12.75 microseconds 997 times a second.
        self.assertEqual(self.rates("1,0", interrupt=12.7), [FULL])
        self.assertEqual(self.rates("1,0", interrupt=12.9), [LESS])
        self.assertEqual(self.rates("1,0", interrupt=51.0), [LESS])
        self.assertEqual(self.rates("1,0", interrupt=51.4), [LEAST])

    def test_threads_that_often_get_a_processor(self) -> None:
        # One millisecond ends before the tick in seven of eight times: 4.375 us each.
        self.assertEqual(self.rates("1,5800", "1,5900", setting=5), [FULL, LESS])
        # It is the time that they work that counts.
        self.assertEqual(self.rates("0.5,2900", "2,11800", setting=5), [FULL, LESS])

    def test_threads_that_get_a_processor_all_the_time(self) -> None:
        # 4 milliseconds do so in half of all times, 16 in an eighth.
        self.assertEqual(self.rates("1,10100", "1,10300", setting=5), [LESS, LEAST])
        # There is no lower rate; this one is not given up for nothing.
        self.assertEqual(self.rates("1,99999", setting=5), [LEAST])

    def test_both_together(self) -> None:
        self.assertEqual(self.rates("1,1000", "1,2000", interrupt=10, setting=5),
                         [FULL, LESS])

    def test_it_does_not_come_and_go(self) -> None:
        self.assertEqual(self.rates("1,5900", "1,5800", "1,5300", "1,5200", "1,5800",
                                    setting=5), [LESS, LESS, LESS, FULL, FULL])
        self.assertEqual(self.rates("1,10300", "1,10100", "1,9300", "1,9100", "1,10100",
                                    setting=5), [LEAST, LEAST, LEAST, LESS, LESS])
        # Where it falls far, or rises far, it takes two steps at once.
        self.assertEqual(self.rates("1,20000", "1,100", "1,20000", setting=5),
                         [LEAST, FULL, LEAST])

    def test_little_work_says_nothing(self) -> None:
        self.assertEqual(self.rates("0.01,9000", "1,9000", "0.01,0", setting=5),
                         [FULL, LESS, LESS])

    def test_threads_that_end_all_the_time_are_seen(self) -> None:
        """Of each, 2 ms have no sample at the first lower rate, 8 ms at the second."""
        self.assertEqual(self.rates("1,9000,24", "1,9000,26", "1,9000,24", setting=5),
                         [LESS, FULL, LESS])
        self.assertEqual(self.rates("2,40000,12", "2,40000,13", setting=5),
                         [LEAST, LESS])

    def test_without_a_limit(self) -> None:
        self.assertEqual(self.rates("1,99999", most=0, interrupt=99, setting=99), [FULL])

    def test_a_rare_timer_is_set_for_less(self) -> None:
        """So what is left of the cost is below the limit again, if that is possible."""
        self.assertEqual(drive("rate", "3", "249", "12500", "5000", "4000000",
                               "1,7500").split(), ["249"])

    def test_there_are_always_two_samples_a_second(self) -> None:
        self.assertEqual(drive("steps", "997").split(), [FULL, LESS, LEAST])
        self.assertEqual(drive("steps", "32").split(), ["32", "8", "2"])
        self.assertEqual(drive("steps", "31").split(), ["31", "7"])
        self.assertEqual(drive("steps", "7").split(), ["7"])

    def test_a_sample_tells_its_step(self) -> None:
        """Whatever the frequency: the kernel's periods are whole nanoseconds."""
        for frequency in (8, 11, 31, 33, 47, 63, 127, 997, 4000, 49999):
            rates = [int(word) for word in drive("steps", str(frequency)).split()]
            periods = [str(10 ** 9 // rate + more) for rate in rates for more in (0, 1)]
            steps = drive("steps", str(frequency), *periods).splitlines()[len(rates):]
            self.assertEqual(steps, [f"step {step}" for step in range(len(rates))
                                     for _ in (0, 1)], frequency)


class ThreadsTest(SamplerTest):
    needs_sampling = False

    def test_what_a_thread_has_done(self) -> None:
        """Since it is known, and no more than once."""
        me = os.getpid()
        first, second = drive("threads", f"thread,{me}", f"fork,{me}", "read",
                              "read").splitlines()
        self.assertGreater(float(first.split()[0]), 0.0)
        self.assertGreater(int(first.split()[1]), 0)
        self.assertLess(float(second.split()[0]), float(first.split()[0]))

    def test_threads_that_have_ended(self) -> None:
        me = os.getpid()
        ended = drive("threads", f"fork,{me}", f"exit,{me}", "read", "fork,999999999",
                      "read", "exit,999999999", "exit,999999998", "read",
                      "read").splitlines()
        self.assertEqual(ended, ["0.000 0 1", "0.000 0 0", "0.000 0 2", "0.000 0 0"])


class SlowTest(SamplerTest):
    """A program that would be slowed by too much."""

    def sampled_slowly(self, *options: str, seconds: float = 1) -> str:
        """What the sampler says of a program that works for so long, of CPU time, or
        little longer; self.worked is how long."""
        program = (f"import time\nwhile time.process_time() < {seconds}: pass\n"
                   "print(time.process_time())")
        done = subprocess.run([SAMPLER, "--event=cpu-clock", "--test-with=dear-timer",
                               *options, "-o", self.folder / "tree", "python3", "-c",
                               program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=PATIENCE, check=True)
        self.worked = float(done.stdout)
        return done.stderr

    def test_it_is_sampled_less_often_and_its_time_is_as_long(self) -> None:
        said = self.sampled_slowly(seconds=2)
        found = re.search(r"(\d+) samples of cpu-clock, "
                          r"((?:\d+ of them at \d+ a second, )+)(\d+) lost", said)
        assert found is not None, said
        if found.group(3) != "0":
            self.skipTest("the machine was too busy to read all samples")
        samples = int(found.group(1))
        # By rate.  The rate falls by one step or several.
        slow = {int(rate): int(count) for count, rate in
                re.findall(r"(\d+) of them at (\d+) a second", found.group(2))}
        self.assertGreater(sum(slow.values()), 20)
        slowest = min(slow)
        self.assertLessEqual(slowest, 249)
        text = (self.folder / "tree").read_text(encoding="utf-8", errors="replace")
        told = " and".join(f" {rate} for {count}" for rate, count in slow.items())
        self.assertIn(f"desc Samples per second of CPU time: 997;{told} of {samples} "
                      "samples, so as not to slow the program by over 3 %\n"
                      f"desc Longest period: {10**9 // slowest}\n", text)
        words = text[text.rindex("\nend "):].split()
        self.assertEqual(int(words[4]), samples)
        fast = samples - sum(slow.values())
        self.assertEqual(int(words[3]), sum(count * (10**9 // rate) for rate, count in
                                            [(997, fast), *slow.items()]))
        # Some may miss, where the host takes the processor away; but what each stands for
        # is not a quarter, nor four times as long, as what passes between two.
        self.assertGreater(int(words[3]) / 1e9, 0.3 * self.worked)
        self.assertLess(int(words[3]) / 1e9, 2 * self.worked)

    def test_intervals_are_those_of_the_longest_period(self) -> None:
        self.sampled_slowly(seconds=2)
        status, output, errors = run(str(self.folder / "tree"))
        self.assertEqual((status, errors), (0, ""))
        found = re.search(r"Total: +([\d,]+) ms ±(\d+)", output)
        assert found is not None, output
        total = int(found[1].replace(",", ""))
        # 1.96 times the root of the total times 16.129, which is told in one digit.
        self.assertAlmostEqual(int(found[2]), 1.96 * (total * 16.129) ** 0.5, delta=51)

    def test_not_where_a_frequency_is_given(self) -> None:
        said = self.sampled_slowly("--frequency=997")
        self.assertNotIn("of them", said)
        self.assertIn("of them at 62", self.sampled_slowly("--frequency=997",
                                                           "--slowdown=1"))
        self.assertNotIn("of them", self.sampled_slowly("--slowdown=0"))

    def test_what_it_costs_is_told(self) -> None:
        done = subprocess.run([SAMPLER, "-v", "--event=cpu-clock", "-o",
                               self.folder / "tree", "true"], stderr=subprocess.PIPE,
                              text=True, timeout=PATIENCE, check=True)
        found = re.search(r": a sample's interrupt takes (\d+\.\d) us, setting its timer "
                          r"(\d+\.\d) us\n", done.stderr)
        assert found is not None, done.stderr
