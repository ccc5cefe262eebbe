# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_gate run --shake: no false alarm in 1,000 comparisons of equal programs, and
# no miss of 200 planted changes; a quarter of either without --long.
#
# A program whose misses depend on where its stack and heap lie is measured in forty
# surroundings.  The base and the new run of a comparison are two random parts of these,
# with none in common.  So they differ as much as runs on two machines do.  With too few
# surroundings the same rule raises alarms: the program is noisy enough to show them.

from __future__ import annotations

import json
import os
import random
import subprocess
import unittest
from fractions import Fraction
from pathlib import Path
from typing import Optional

import pytest

from callgrind.report.tests.gate_case import GateCase
from gate.counts import Costs, Counts, counts_of
from gate.judge import Breach, Pair, Rules, judge, number_of_counts, surroundings_needed
from gate.measure import Job, find_tool, measure_all
from gate.run import Result
from gate.benchmark import Benchmark
from profile_file.model import FunctionKey
from tests.build.built import IN_PLACE
from tests.runner.series import is_long

DATA = Path(__file__).resolve().parent / "data"
SURROUNDINGS = 40
COMPARISONS, PLANTED = (1000, 200) if is_long() else (250, 50)
OPTIONS = ["--cache-sim=yes", "--branch-sim=yes", "--I1=4096,2,64", "--D1=4096,2,64",
           "--LL=65536,8,64"]  # fmt: skip
RULES = Rules(Fraction("0.999"))


def compiled(folder: Path, name: str, *options: str) -> Path:
    program = folder / name
    subprocess.run(
        ["gcc", "-g", "-O1", *options, "-o", program, DATA / f"{name}.c"], check=True
    )
    return program


@pytest.mark.xdist_group("gate_spread")
class Spreads(GateCase):
    """One program, measured once for all of these tests."""

    costs: list[Costs] = []

    def setUp(self) -> None:
        super().setUp()
        self.random = random.Random(self.id())
        if not Spreads.costs:
            Spreads.costs = self.measured()
        self.whole = counts_of(self.costs)
        self.judged = number_of_counts([self.pair(self.whole, self.whole)])
        self.needed = surroundings_needed(self.judged, RULES.confidence)

    def measured(self) -> list[Costs]:
        # Statically, which measures and compares fewer functions of the C library.
        program = compiled(self.folder, "noisy", "-static")
        benchmark = Benchmark("noisy", [str(program)], self.folder, list(OPTIONS))
        tool = find_tool(str(IN_PLACE))
        jobs = [Job(tool, benchmark, n, False) for n in range(SURROUNDINGS)]
        at_once = len(os.sched_getaffinity(0))
        runs = measure_all(jobs, at_once, lambda measured: None)["noisy"]
        self.assertEqual([run.error for run in runs if run.error], [])
        parts = [run.part("noisy") for run in runs]
        return [part.costs for part in parts if part and part.costs]

    @staticmethod
    def pair(old: Counts, new: Counts) -> Pair:
        return Pair(Result("noisy", []), Result("noisy", []), old, new)

    def parts(self, size: int) -> tuple[list[Costs], list[Costs]]:
        """A base and a new run, of which none is in both."""
        drawn = self.random.sample(self.costs, 2 * size)
        return drawn[:size], drawn[size:]

    def breaches(
        self, old: list[Costs], new: list[Costs], counts: Optional[int] = None
    ) -> list[Breach]:
        judged = self.judged if counts is None else counts
        verdict = judge(self.pair(counts_of(old), counts_of(new)), RULES, judged)
        self.assertTrue(verdict.by_spread)
        return verdict.breaches

    def test_the_program_is_noisy(self) -> None:
        misses = self.whole.total[self.whole.events.index("D1mr")]
        self.assertGreater(misses.width * 200, misses.middle)  # 0.5 %
        self.assertGreater(self.judged, 1000)
        self.assertLess(2 * self.needed, SURROUNDINGS)

    def test_no_false_alarm_in_comparisons_of_equals(self) -> None:
        alarms = [self.breaches(*self.parts(self.needed)) for _ in range(COMPARISONS)]
        self.assertEqual([found for found in alarms if found], [])

    def test_with_few_surroundings_there_would_be_some(self) -> None:
        alarms = [bool(self.breaches(*self.parts(3), counts=0)) for _ in range(50)]
        self.assertGreater(sum(alarms), 5)

    def candidates(self) -> list[tuple[FunctionKey, int]]:
        """Functions with a share of an event of 1 % and more, which varies by less than
        the half per cent that is planted."""
        return [
            (key, event)
            for key, function in self.whole.functions.items()
            for event, own in enumerate(function.own)
            if own.low * 100 >= self.whole.total[event].high
            and own.low >= 200
            and own.width * 200 < own.low
        ]

    def test_no_miss_of_planted_changes(self) -> None:
        candidates = self.candidates()
        events = {self.whole.events[event] for _, event in candidates}
        self.assertGreater(len(candidates), 20)
        self.assertTrue({"Ir", "D1mr", "Bcm"} <= events, events)
        missed = []
        for _ in range(PLANTED):
            key, event = self.random.choice(candidates)
            old, new = self.parts(self.needed)
            found = self.breaches(old, [planted(run, key, event) for run in new])
            name = self.whole.events[event]
            if not any(each.event == name and each.name == self.plain(key)
                       for each in found):  # fmt: skip
                missed.append((key, name))
        self.assertEqual(missed, [])

    @staticmethod
    def plain(key: FunctionKey) -> str:
        return RULES.key_of(key).name


def planted(run: Costs, key: FunctionKey, event: int) -> Costs:
    """That run, in which a function costs half a per cent more of an event."""
    own, inclusive = run.functions[key]
    more = -(-own[event] // 200)
    changed = [cost + more * (at == event) for at, cost in enumerate(own)]
    total = [cost + more * (at == event) for at, cost in enumerate(run.total)]
    return Costs(run.events, total, {**run.functions, key: (changed, inclusive)})


class Programs(GateCase):
    """Whole programs: the same, built elsewhere, and one that does more."""

    def run_built(
        self, folder: str, out: str, number: int, *options: str, name: str = "noisy"
    ) -> None:
        os.makedirs(folder)
        compiled(Path(folder), name, *options)
        config = Path(folder, "gate.json")
        config.write_text(json.dumps({"benchmarks": {name: {"command": f"./{name}"}}}))
        status, _, errors = self.gate(
            "run", "-c", str(config), f"--shake={number}", "--commit", out, "-o", out,
            "--valgrind", str(IN_PLACE), *(f"--option={word}" for word in OPTIONS),
        )  # fmt: skip
        self.assertEqual((status, errors), (0, ""))

    def test_a_change_of_half_a_per_cent_of_a_function_is_found(self) -> None:
        # C(22, 9) = 497,420 is too few for some 3,300 counts, C(25, 12) is enough.
        self.run_built("a", "old", 13)
        self.assertEqual(self.gate("accept", "base", "old")[0], 0)
        self.run_built("another/much/longer/folder", "same", 12)
        found, output, _ = self.gate("compare", "base", "same")
        self.assertEqual((found, "1 same" in output or "1 changed" in output), (0, True),
                         output)  # fmt: skip
        self.run_built("b", "more", 12, "-DEXTRA=1")
        found, output, _ = self.gate("compare", "base", "more")
        self.assertEqual(found, 1, output)
        grown = r"function step: Ir 9,\d+ -> 9,\d+, \+48 \(\+0\.53%\), beyond its spread"
        self.assertRegex(output, grown)
        self.assertNotIn("too few", output)

    def test_too_few_are_told_and_limits_decide(self) -> None:
        self.run_built("a", "old", 3)
        self.gate("accept", "base", "old")
        self.run_built("b", "more", 3, "-DEXTRA=1")
        found, output, _ = self.gate("compare", "base", "more")
        self.assertEqual(found, 0, output)
        self.assertRegex(output, r"it takes run --shake 1[0-9] on both sides")

    def test_the_length_of_the_folder_is_within_the_spread(self) -> None:
        self.run_built("a", "old", 13, name="folder")
        self.gate("accept", "base", "old")
        # A name that is longer by 61 bytes costs more, but no more than has been seen.
        self.run_built("b" * 62, "longer", 13, name="folder")
        words = ["compare", "base", "longer", "--json", "found.json", "--confidence"]
        found, output, errors = self.gate(*words, "0.99")
        self.assertEqual((found, errors), (0, ""), output)
        (benchmark,) = json.loads(Path("found.json").read_text())["benchmarks"]
        self.assertTrue(benchmark["by_spread"])
        (hash_of,) = [f for f in benchmark["functions"] if f["name"] == "hash"]
        old, new = hash_of["old_self"]["Ir"], hash_of["new_self"]["Ir"]
        each = (new["low"] - old["low"]) / 61  # instructions for a byte
        self.assertGreater(each, 1)
        self.assertGreater(old["high"] - old["low"], 64 * each)


if __name__ == "__main__":
    unittest.main()
