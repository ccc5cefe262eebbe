# SPDX-License-Identifier: GPL-2.0-or-later
#
# Frames that are not an ordinary function's: stubs of the linker, the vDSO, signal
# handlers; and our unwinder beside libdw's, on every sample of several programs.

"""Stubs, the vDSO, signals; libdw's unwinder."""

from __future__ import annotations

import platform
import re
import sys
import unittest
from pathlib import Path

from tests.sampler.driving import beside_libdw
from tests.sampler.sampling import OFTEN, Sampled, SampledPath, SamplerTest, Word

LINKED = {"lazy": ["-Wl,-z,lazy", "-fcf-protection=none"],
          "indirect branch tracking": ["-Wl,-z,now,-z,ibtplt", "-fcf-protection=full"],
          "without stubs": ["-fno-plt"]}


def user_frames(path: SampledPath) -> list[str]:
    return [frame.name for frame in path.frames if frame.kind != "k"]


class FramesTest(SamplerTest):
    def sample_beside_libdw(self, *command: Word) -> Sampled:
        return self.sample(OFTEN, *command, sampler=beside_libdw())

    def stubs(self, what: str, *flags: Word) -> Sampled:
        library = self.build("library.c", "-shared", "-fPIC", "-DNAME=true_work",
                             name="library.so")
        program = self.build("stubs.c", *flags, library)
        sampled = self.sample_beside_libdw(program, what)
        self.assertEqual(sampled.status, 0, sampled.err)
        self.agrees_with_libdw(sampled)
        return sampled

    def agrees_with_libdw(self, sampled: Sampled, at_least: int = 300) -> None:
        """Where libdw knows a caller, so do we, and the same."""
        found = re.search(r"libdw's unwinder: (\d+) agree, (\d+) end earlier,"
                          r" (\d+) go on, (\d+) differ", sampled.err)
        assert found is not None, sampled.err
        agree, ends_earlier, goes_on, differ = map(int, found.groups())
        self.assertGreater(agree, at_least, sampled.err)
        self.assertLess(ends_earlier, 0.01 * agree, sampled.err)
        self.assertEqual((goes_on, differ), (0, 0), sampled.err)

    def test_stubs_of_the_linker(self) -> None:
        for name, flags in LINKED.items():
            with self.subTest(name):
                sampled = self.stubs("plt", *flags)
                stubs = [p for p in sampled.paths() if "(plt)" in p.names()]
                if name != "without stubs":
                    self.assertGreater(sum(p.samples for p in stubs), 0)
                for path in stubs:
                    if "through_stubs" in path.names():
                        self.assertEqual(user_frames(path)[-3:],
                                         ["main", "through_stubs", "(plt)"])
                inside = [p for p in sampled.paths() if "tiny" in p.names()]
                self.assertGreater(sum(p.samples for p in inside), 20)
                for path in inside:
                    self.assertEqual(user_frames(path)[-3:],
                                     ["main", "through_stubs", "tiny"])

    def test_the_vdso(self) -> None:
        sampled = self.stubs("vdso")
        inside = [p for p in sampled.paths() if p.frames[-1].object == "[vdso]"]
        if not inside:
            self.skipTest("the clock of this machine is not read in the vDSO")
        self.assertGreater(sum(p.samples for p in inside), 100)
        for path in inside:
            self.assertIn("in_vdso", path.names())
            self.assertIn("main", path.names())
            # What it calls there has a name in some kernels only.
            named = [f.name for f in path.frames if f.object == "[vdso]"]
            self.assertRegex(named[0], r"^(__vdso_)?clock_gettime$")

    @unittest.skipUnless(platform.machine() == "x86_64", "the stub is x86-64's")
    def test_a_stub_in_no_file(self) -> None:
        """It has neither rules nor a frame pointer."""
        sampled = self.sample(OFTEN, self.build("aligning.c"))
        self.assertEqual(sampled.status, 0, sampled.err)
        worked = [p for p in sampled.paths() if "work" in p.names()]
        self.assertGreater(sum(p.samples for p in worked), 100)
        for path in worked:
            names = path.names()
            self.assertEqual(names[names.index("main"):][:2], ["main", "by_stub"])
            self.assertEqual(names.index("work"), names.index("by_stub") + 2)

    @unittest.skipUnless(platform.machine() == "x86_64", "calls push their address there")
    def test_system_calls_without_rules(self) -> None:
        sampled = self.waits_of("reads")
        inside = [p for p in sampled.paths() if "bare_read" in p.names()]
        self.assertTrue(inside)
        for path in inside:
            self.assertEqual(user_frames(path)[-3:-1], ["reads", "reading"])
            self.assertIn("main", path.names())

    @unittest.skipUnless(platform.machine() == "x86_64", "calls push their address there")
    def test_a_thread_that_is_started(self) -> None:
        """clone() has callers on the one stack, and none on the other."""
        sampled = self.waits_of("threads")
        for path in sampled.paths():
            if any(name.lstrip("_").startswith("clone3") for name in path.names()[1:]):
                self.assertIn("starting", path.names())

    def waits_of(self, what: str) -> Sampled:
        program = self.build("bare_calls.c", "-pthread")
        sampled = self.sample("--event=wall", program, what)
        self.assertEqual(sampled.status, 0, sampled.err)
        self.assertIn(" 0.0% truncated", sampled.err)
        return sampled

    def test_signal_handlers(self) -> None:
        """What was interrupted is the caller of the handler."""
        sampled = self.stubs("signal")
        handled = [p for p in sampled.paths() if "in_handler" in p.names()]
        self.assertGreater(sum(p.samples for p in handled), 0.8 * sampled.samples())
        for path in handled:
            names = user_frames(path)
            self.assertEqual(names[-2:], ["handler", "in_handler"])
            self.assertLess(names.index("main"), names.index("interrupted"))
            self.assertLess(names.index("interrupted"), names.index("handler"))

    def test_a_handler_on_a_stack_of_its_own(self) -> None:
        """Only the stack that is in use is copied: of the other, what registers tell."""
        sampled = self.stubs("altstack")
        handled = [p for p in sampled.paths() if "in_handler" in p.names()]
        self.assertGreater(sum(p.samples for p in handled), 0.8 * sampled.samples())
        for path in handled:
            self.assertEqual(path.frames[0].kind, "t")
            self.assertEqual(user_frames(path)[-2:], ["handler", "in_handler"])

    def test_libdw_finds_the_same(self) -> None:
        programs: dict[str, list[Word]] = {
            "deep": [self.build("two_paths.c", "-pthread", name="deep"), "200"],
            "threads": [self.build("two_paths.c", "-pthread", name="threads"), "100",
                        "2"],
            "static": [self.build("two_paths.c", "-pthread", "-static", name="static"),
                       "200"],
            "debug_frame": [self.build("two_paths.c", "-pthread", "-g",
                                       "-fno-asynchronous-unwind-tables",
                                       "-fno-unwind-tables", name="debug"), "200"],
            "exceptions": [self.build("thrown.cpp"), "300"],
            "an interpreter": [sys.executable, Path(__file__).parent.parent / "bench"
                               / "programs" / "interpreted.py", "100"],
        }
        for name, command in programs.items():
            with self.subTest(name):
                self.agrees_with_libdw(
                    self.sample_beside_libdw(*command))
