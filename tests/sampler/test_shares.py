# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs with known shares of the time, compiled without frame pointers: shares must
# come out within three points, and every path must be whole.

"""Known shares, deep stacks."""

from __future__ import annotations

import math

from tests.sampler.sampling import Sampled, SamplerTest

POINTS = 0.03

# So many samples (9000 in 1.5 seconds) that three points are six standard deviations, and
# still over four where the host takes half of the processor away.
OFTEN = "--frequency=5987"
LONG = "1500"

# Where only the way to the callers is another, less will do: so are five points for 3600.
MORE_POINTS = 0.05
SHORT = "600"


class SharesTest(SamplerTest):
    def check_two_paths(self, sampled: Sampled, root: str = "main",
                        points: float = MORE_POINTS) -> None:
        self.assertEqual(sampled.status, 0, sampled.err)
        worked = [p for p in sampled.paths() if "work" in p.names()]
        count = sum(p.samples for p in worked)
        self.assertGreater(count, 500)
        # Where the host has left few samples, they say less.
        points = max(points, 5 * math.sqrt(0.75 * 0.25 / count))
        self.assertAlmostEqual(sampled.share("dear", within="work"), 0.75, delta=points)
        self.assertAlmostEqual(sampled.share("cheap", within="work"), 0.25, delta=points)
        # The rest of the turns is the kernel's clock, which may be slow.
        self.assertLess(1 - sampled.share("work", within="turns"), 0.1)
        for path in worked:
            names = path.names()
            self.assertIn(root, names)
            kind = "dear" if "dear" in names else "cheap"
            self.assertEqual(names.count(kind), 61, names)
            self.assertFalse([f for f in path.frames if f.kind == "t"], names)

    def test_c(self) -> None:
        program = self.build("two_paths.c", "-pthread")
        self.check_two_paths(self.sample(OFTEN, program, LONG), points=POINTS)

    def test_with_short_stacks_what_is_missing_is_said(self) -> None:
        program = self.build("two_paths.c", "-pthread")
        sampled = self.sample("--stack-size=512", program, "300")
        cut = [p for p in sampled.paths() if "work" in p.names()]
        self.assertTrue(cut)
        for path in cut:
            self.assertEqual((path.frames[0].name, path.frames[0].kind),
                             ("[truncated]", "t"))
        self.assertRegex(sampled.err, r" (9[0-9]|100)\.\d% truncated")

    def test_threads(self) -> None:
        sampled = self.sample(OFTEN, self.build("two_paths.c", "-pthread"), "200", "3")
        self.check_two_paths(sampled, root="thread")
        threads = {p.tree.thread.number for p in sampled.paths()
                   if "turns" in p.names()}
        self.assertEqual(len(threads), 3)

    def test_static(self) -> None:
        program = self.build("two_paths.c", "-pthread", "-static", "-no-pie")
        self.check_two_paths(self.sample(OFTEN, program, SHORT))

    def test_static_position_independent(self) -> None:
        program = self.build("two_paths.c", "-pthread", "-static-pie")
        self.check_two_paths(self.sample(OFTEN, program, SHORT))

    def test_without_the_search_table(self) -> None:
        """Without .eh_frame_hdr, .eh_frame is read from its beginning."""
        program = self.build("two_paths.c", "-pthread", "-Wl,--no-eh-frame-hdr")
        self.check_two_paths(self.sample(OFTEN, program, SHORT))

    def test_debug_frame_alone(self) -> None:
        program = self.build("two_paths.c", "-pthread", "-g",
                             "-fno-asynchronous-unwind-tables", "-fno-unwind-tables")
        self.check_two_paths(self.sample(OFTEN, program, SHORT))

    def test_segments_apart(self) -> None:
        program = self.build("two_paths.c", "-pthread", "-Wl,-z,separate-code")
        self.check_two_paths(self.sample(OFTEN, program, SHORT))
        program = self.build("two_paths.c", "-pthread", "-Wl,-z,noseparate-code")
        self.check_two_paths(self.sample(OFTEN, program, SHORT))

    def test_exceptions_in_flight(self) -> None:
        sampled = self.sample(OFTEN, self.build("thrown.cpp"), "2000")
        self.assertEqual(sampled.status, 0, sampled.err)
        worked = [p for p in sampled.paths() if "work()" in p.names()]
        total = sum(p.samples for p in worked)
        self.assertGreater(total, 500)
        # The compiler may have made clones, which have longer names.
        unwinding = sum(p.samples for p in worked
                        if "Guard::while_unwinding()" in ";".join(p.names()))
        points = max(POINTS, 5 * math.sqrt(0.5 * 0.5 / total))
        self.assertAlmostEqual(unwinding / total, 0.5, delta=points)
        for path in worked:
            names = path.names()
            self.assertIn("main", names)
            depth = sum(name.startswith("deep::descend(int)") for name in names)
            self.assertEqual(depth, 21, names)
        unwinder = [p for p in sampled.paths() if "_Unwind_RaiseException" in p.names()]
        cut = [p.names() for p in unwinder if "main" not in p.names()]
        self.assertEqual(cut, [])
        self.assertGreater(sum(p.samples for p in unwinder), 10)
