# SPDX-License-Identifier: GPL-2.0-or-later
#
# How much of the stack is copied: less for shallow stacks, more when it was too little,
# and what was lost is said.

"""The size of stack copies."""

from __future__ import annotations

import os
import re
import signal
import subprocess

from tests.sampler.driving import drive
from tests.sampler.sampling import (
    OFTEN,
    PATIENCE,
    SAMPLER,
    SamplerTest,
    processes_of,
)

SMALL, MIDDLE, LARGE = "4096", "16384", "65528"


class SizesTest(SamplerTest):
    needs_sampling = False

    def sizes(self, *words: str, fixed: str = "0") -> list[str]:
        return drive("copies", fixed, *words).splitlines()

    def test_what_was_given_is_kept(self) -> None:
        self.assertEqual(self.sizes("1000x10", "1000xdeep", fixed="8192"), ["8192"])

    def test_shallow_stacks_are_copied_in_small(self) -> None:
        """A fifth of the copy stays free."""
        self.assertEqual(self.sizes("1000x3277"), [LARGE, f"200: {SMALL}"])
        self.assertEqual(self.sizes("1000x3278"), [LARGE, f"200: {MIDDLE}"])
        self.assertEqual(self.sizes("1000x13107"), [LARGE, f"200: {MIDDLE}"])
        self.assertEqual(self.sizes("1000x13108"), [LARGE])

    def test_the_deepest_of_many_counts(self) -> None:
        self.assertEqual(self.sizes("199x100", "5000", "199x100"),
                         [LARGE, f"200: {MIDDLE}"])

    def test_it_grows_at_once(self) -> None:
        self.assertEqual(self.sizes("200x100", "50x100", "deep"),
                         [LARGE, f"200: {SMALL}", f"251: {LARGE}"])

    def test_it_grows_before_it_has_to(self) -> None:
        self.assertEqual(self.sizes("200x100", "200x3500"),
                         [LARGE, f"200: {SMALL}", f"400: {MIDDLE}"])

    def test_each_mistake_makes_it_slower(self) -> None:
        """So there are few: the samples between two of them double."""
        self.assertEqual(
            self.sizes("200x100", "deep", "400x100", "deep", "800x100", "deep"),
            [LARGE, f"200: {SMALL}", f"201: {LARGE}", f"601: {SMALL}", f"602: {LARGE}",
             f"1402: {SMALL}", f"1403: {LARGE}"])

    def test_what_no_size_suffices_for_changes_nothing(self) -> None:
        self.assertEqual(self.sizes("1000xdeep", "200x10"), [LARGE, f"1200: {SMALL}"])

    def test_a_size_that_sufficed_for_long_is_proved(self) -> None:
        """So that the rings may be drained less often."""
        self.assertEqual(
            self.sizes("ask", "200x100", "ask", "199x100", "ask", "1x100", "ask",
                       "deep", "ask"),
            [LARGE, "new", f"200: {SMALL}", "new", "new", "proved", f"401: {LARGE}",
             "new"])


class DeepTest(SamplerTest):
    """Shallow for a time, then deep, several times."""

    def test_few_are_truncated(self) -> None:
        sampled = self.sample(OFTEN, self.build("deepening.c"))
        self.assertEqual(sampled.status, 0, sampled.err)
        deep = [p for p in sampled.paths() if "deep" in p.names()
                or p.frames[0].kind == "t"]
        whole = [p for p in deep if "main" in p.names()]
        cut = [p for p in deep if "main" not in p.names()]
        for path in whole:
            self.assertEqual(path.names().count("descend"), 301)
        for path in cut:
            self.assertEqual((path.frames[0].name, path.frames[0].kind),
                             ("[truncated]", "t"))
        # 0.8 seconds each time, of which it takes less than 0.1 to see it.
        self.assertGreater(sum(p.samples for p in whole),
                           sum(p.samples for p in cut), sampled.err)

    def test_it_shrinks_in_a_real_run(self) -> None:
        """The kernel gives less than the largest size: that must not hide that it was
        the one that is wanted."""
        program = self.build("two_paths.c", "-pthread")
        with subprocess.Popen([SAMPLER, OFTEN, "-v", "-o", self.folder / "tree", program,
                               "120000"],
                              stderr=subprocess.PIPE, text=True) as running:
            assert running.stderr is not None
            found = None
            for line in running.stderr:
                found = re.search(r" (\d+) samples, .* stacks of (\d+) bytes", line)
                if found is None or int(found[1]) > 1000:
                    break
            for process in processes_of(program):
                os.kill(process, signal.SIGKILL)
            running.communicate(timeout=PATIENCE)
        assert found is not None, line
        self.assertIn(found[2], (SMALL, MIDDLE), line)

    def test_with_one_size_all_of_them_are(self) -> None:
        sampled = self.sample(OFTEN, "--stack-size=4096", self.build("deepening.c"))
        deep = [p for p in sampled.paths() if "deep" in p.names()]
        self.assertTrue(deep)
        self.assertEqual([p for p in deep if "main" in p.names()], [])
