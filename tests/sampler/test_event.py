# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which event is asked of the kernel.  Many machines that run tests have no counters for
# cycles, so the kernel's answers are ours here; see driver.c.

"""The choice of the event."""

from __future__ import annotations

from tests.sampler.driving import drive
from tests.sampler.sampling import SamplerTest

CYCLES, CPU_CLOCK = "cycles, type 0, config 0, ", "cpu-clock, type 1, config 0, "


class EventTest(SamplerTest):
    needs_sampling = False

    def chosen(self, *words: str) -> str:
        return drive("event", *words).splitlines()[0]

    def test_cycles_where_there_are_some(self) -> None:
        for event in ("auto", "cycles"):
            self.assertEqual(self.chosen(event, "auto"),
                             CYCLES + "with the kernel, with build ids")
        self.assertEqual(self.chosen("cpu-clock", "auto"),
                         CPU_CLOCK + "with the kernel, with build ids")

    def test_the_clock_where_there_are_none(self) -> None:
        self.assertEqual(self.chosen("auto", "auto", "cycles"),
                         CPU_CLOCK + "with the kernel, with build ids")
        self.assertEqual(self.chosen("cycles", "auto", "cycles"),
                         "refused: this machine has no event 'cycles'; try "
                         "--event=cpu-clock")

    def test_the_kernel_where_it_allows(self) -> None:
        self.assertEqual(self.chosen("auto", "no"),
                         CYCLES + "without the kernel, with build ids")
        self.assertEqual(self.chosen("auto", "auto", "kernel"),
                         CYCLES + "without the kernel, with build ids")
        self.assertEqual(self.chosen("auto", "auto", "kernel", "cycles"),
                         CPU_CLOCK + "without the kernel, with build ids")
        self.assertRegex(self.chosen("auto", "yes", "kernel"),
                         r"^refused: no right to sample")

    def test_without_the_right_to_sample(self) -> None:
        self.assertRegex(self.chosen("auto", "auto", "sampling"),
                         r"^refused: no right to sample")

    def test_old_kernels_have_no_build_ids(self) -> None:
        self.assertEqual(self.chosen("auto", "auto", "build-ids"),
                         CYCLES + "with the kernel, without build ids")

    def test_what_is_asked_for(self) -> None:
        self.assertEqual(drive("event", "auto", "auto").splitlines()[1],
                         "frequency 997; stacks 4096 16384 65528*, those with * on at "
                         "exec; tracking: dummy, always on")

    def test_the_clock_has_lower_rates(self) -> None:
        """The last events that are opened; off at exec."""
        self.assertEqual(drive("event", "cpu-clock", "auto").splitlines()[1],
                         "frequency 62; stacks 4096 16384 65528* 65528 65528, those with "
                         "* on at exec; tracking: dummy, always on")
