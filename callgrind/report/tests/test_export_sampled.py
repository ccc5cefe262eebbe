# SPDX-License-Identifier: GPL-2.0-or-later
#
# What callgrind_export makes says whether costs were counted or sampled.

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
import unittest
from pathlib import Path

from callgrind.report.tests.test_report_sampled import CLOCK, WALL, samples, tree
from callgrind_export import main


class KindOfCosts(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def export(self, form: str, kind: str, *options: str) -> bytes:
        made, given = self.folder / "made", self.folder / "tree"
        given.write_bytes(tree(samples(400, 100), CLOCK, kind))
        self.assertEqual(main(["--to", form, "-o", str(made), *options, str(given)]), 0)
        return made.read_bytes()

    def test_speedscope(self) -> None:
        for kind in ("sampled", "counted"):
            found = json.loads(self.export("speedscope", kind))
            self.assertIn(f", costs {kind}", found["exporter"])
            names = [profile["name"] for profile in found["profiles"]]
            self.assertEqual(["sampled" in name for name in names],
                             [kind == "sampled"] * 2, names)
            self.assertEqual(found["profiles"][0]["unit"], "nanoseconds")

    def test_firefox(self) -> None:
        for kind in ("sampled", "counted"):
            found = json.loads(self.export("firefox", kind))
            self.assertTrue(found["meta"]["product"].endswith(f"(cpu-clock, {kind})"))

    def test_pprof(self) -> None:
        for kind in ("sampled", "counted"):
            self.assertIn(f"Costs: {kind}".encode(),
                          gzip.decompress(self.export("pprof", kind)))

    def test_callgrind(self) -> None:
        self.assertIn(b"\ndesc: Note: sampled;", self.export("callgrind", "sampled"))
        self.assertNotIn(b"sampled", self.export("callgrind", "counted"))

    def test_all_events_of_waits(self) -> None:
        """Each has its name and unit."""
        given, made = self.folder / "tree", self.folder / "made"
        given.write_bytes(tree([[500, 300, 200, 3, 1]], WALL))
        self.assertEqual(main(["--to", "speedscope", "-o", str(made), str(given)]), 0)
        found = json.loads(made.read_bytes())["profiles"]
        self.assertEqual([(each["name"].split(",")[0], each["unit"], each["endValue"])
                          for each in found],
                         [("wall", "nanoseconds", 500), ("on-cpu", "nanoseconds", 300),
                          ("off-cpu", "nanoseconds", 200), ("samples", "none", 3),
                          ("waits", "none", 1)])
        for event, cost in (("off-cpu", 200), ("waits", 1)):
            self.assertEqual(main(["--to", "folded", "-e", event, "-o", str(made),
                                   str(given)]), 0)
            self.assertEqual(made.read_text(), f"main;f {cost}\n")
