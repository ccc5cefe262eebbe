# SPDX-License-Identifier: GPL-2.0-or-later
#
# A real integration of a benchmark framework, from npm, speaks to the sampler.

"""A client that others wrote."""

from __future__ import annotations

import os
import shutil
import subprocess

from tests.sampler.sampling import PATIENCE, PROGRAMS, SamplerTest, no_inlining
from tests.sampler.test_control import COMMANDS, in_use

PACKAGES = ["tinybench@6.2.3", "@codspeed/tinybench-plugin@5.7.1"]


class ClientTest(SamplerTest):
    def setUp(self) -> None:
        super().setUp()
        for command in ("node", "npm", "git"):
            if not shutil.which(command):
                self.skipTest(f"{command} is not installed")
        if in_use():
            self.skipTest(f"another profiler is reading {COMMANDS}")
        (self.folder / "package.json").write_text('{"type": "module", "private": true}\n')
        try:
            done = subprocess.run(
                ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
                 *PACKAGES],
                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.skipTest("npm does not get the packages")
        if done.returncode != 0:
            self.skipTest(f"npm does not get the packages: {done.stdout[-200:]!r}")
        shutil.copy(PROGRAMS / "bench.mjs", self.folder)
        subprocess.run(["git", "init", "-q", "."], cwd=self.folder, check=True)

    def test_its_benchmark_is_a_part_with_javascript_names(self) -> None:
        results = self.folder / "results"
        results.mkdir()
        sampled = self.sample(
            "--control=runner", "node", "--perf-basic-prof",
            "--interpreted-frames-native-stack", *no_inlining(), "bench.mjs",
            env={**os.environ, "CODSPEED_ENV": "runner",
                 "CODSPEED_RUNNER_MODE": "walltime",
                 "CODSPEED_PROFILE_FOLDER": str(results)})
        self.assertEqual(sampled.status, 0, sampled.err)
        parts = {p.tree.part.benchmark: p.tree.part for p in sampled.paths()}
        (uri,) = parts
        self.assertTrue(uri.endswith("bench.mjs::hot"), uri)
        self.assertTrue(any(text.startswith("Integration: codspeed-node ")
                            for text in parts[uri].descriptions))
        javascript = [p for p in sampled.paths()
                      if any("bench.mjs" in f.name and f.kind == "j" for f in p.frames)]
        total = sum(p.samples for p in javascript)
        self.assertGreater(total, 50, sampled.err)
        hot = sum(p.samples for p in javascript
                  if any("hotFunction" in f.name and f.kind == "j" for f in p.frames))
        self.assertGreater(hot, 0.9 * total)
        whole = sum(p.samples for p in javascript if p.frames[0].kind != "t")
        self.assertGreater(whole, 0.9 * total)
