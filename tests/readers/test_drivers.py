# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the tool as the programs do that drive callgrind in CI, with their command lines as
# they stand, and reads what comes of it with the strict readers.

"""The command lines of CodSpeed's runner and of gungraun."""

from __future__ import annotations

import os
import platform
import re
import unittest
from pathlib import Path

from tests.build.built import IN_PLACE, SOURCE, BuildTest, makefile_variable, run
from tests.readers.command_lines import codspeed_options, gungraun_options
from tests.readers.strict_reader import Costs, strict_benchmark, strict_flame_graph

HERE = Path(__file__).resolve().parent
CACHE_EVENTS = "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw"


class DriverTest(BuildTest):
    def compiled(self, name: str) -> Path:
        program = self.folder / Path(name).stem
        compiler = os.environ.get("CXX", "g++") if name.endswith("pp") else "gcc"
        ended = run(
            compiler, "-g", "-O1", f"-I{SOURCE}/include",
            f"-I{makefile_variable('CORE_INCLUDEDIR')}", "-o", program, HERE / name,
        )  # fmt: skip
        self.assert_ended(ended, 0)
        return program

    def assert_caches(self, text: str, more_events: str = "") -> None:
        """The caches that were asked for, and their events."""
        self.assertEqual(
            set(re.findall(r"^events: (.*)$", text, re.MULTILINE)),
            {CACHE_EVENTS + more_events},
        )
        self.assertIn("\ndesc: I1 cache: 32768 B, 64 B, 8-way associative\n", text)
        self.assertIn("\ndesc: LL cache: 8388608 B, 64 B, 16-way associative\n", text)


class CodSpeed(DriverTest):
    def profiles_of(self, options: list[str]) -> dict[str, str]:
        """By the last word of the command, of the processes that have measured."""
        program = self.compiled("benchmark.c")
        script = self.folder / "script"
        script.write_text(f"#!/bin/sh\necho begin\n{program}\necho end\n")
        script.chmod(0o755)
        ended = run(
            "setarch", platform.machine(), "--addr-no-randomize", IN_PLACE, *options,
            f"--obj-skip={program.with_name('libnone.so')}", script,
            PYTHONHASHSEED="0", PYTHONMALLOC="malloc",
        )  # fmt: skip
        self.assert_ended(ended, 0)
        self.assertEqual(ended.out, "begin\nend\n")
        found: dict[str, str] = {}
        for path in self.folder.glob("*.out"):
            text = path.read_text()
            self.assertRegex(text, rf"(?m)^pid: {path.stem}$")
            if "Benchmark pid" in text:
                found[path.stem] = text
        return found

    def check(self, options: list[str], more_events: str = "") -> None:
        profiles = self.profiles_of(options)
        self.assertEqual(len(profiles), 1)
        ((pid, text),) = profiles.items()
        self.assertEqual(
            re.findall(r"^desc: Trigger: (.*)$", text, re.MULTILINE),
            [
                "Client Request: Metadata: integration 1.0",
                "Client Request: benchmark.c::first",
                "Client Request: benchmark.c::second",
                "Program termination",
            ],
        )
        self.assertEqual(
            re.findall(r"^desc: Benchmark pid: (.*)$", text, re.MULTILINE), [pid, pid]
        )
        self.assert_caches(text, " sysCount sysTime sysCpuTime" + more_events)
        whole = strict_flame_graph(text)
        self.assertEqual(whole.calls["first_benchmark", "leaf"], 10)
        self.assertEqual(whole.calls["second_benchmark", "leaf"], 2)
        # What was under way at the start was not called after it.
        self.assertEqual(whole.calls["run_all", "measure"], 0)

    def test_as_it_stands(self) -> None:
        self.check(codspeed_options(self.folder))

    @unittest.skipUnless(platform.machine() == "x86_64", "no tables of cycles")
    def test_with_cycles(self) -> None:
        options = [*codspeed_options(self.folder), "--cycle-estimation=yes"]
        self.check(options, " Ct Cl")


class Gungraun(DriverTest):
    def check(self, options: list[str]) -> None:
        ended = run(IN_PLACE, *options, self.compiled("wrapped.cpp"))
        self.assert_ended(ended, 0)
        measured: list[Costs] = []
        paths = sorted(self.folder.glob("callgrind.bench.out.#*"))
        self.assertTrue(paths)
        for path in paths:
            costs = strict_benchmark(path.read_text())
            self.assertEqual(sum(costs.self_costs.values()), costs.total)
            if costs.total:
                measured.append(costs)
                self.assert_caches(path.read_text())
        self.assertEqual(len(measured), 1)
        bench = "my_bench::__iai_callgrind_wrapper_mod::bench(int)"
        self.assertEqual(measured[0].calls[bench, "leaf(int)"], 3)
        self.assertEqual(set(measured[0].self_costs), {bench, "leaf(int)"})

    def test_as_it_stands(self) -> None:
        self.check(gungraun_options(self.folder))
