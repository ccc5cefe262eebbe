# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of checker.py: a profile that agrees with the truth passes, and each way in which
# it can be wrong is found.  Profiles are small texts, changed in one place at a time.

"""Tests of the comparison of a profile with the truth."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from typing import Any

from profile_file.reader import read_profile
from tests.groundtruth.case import Case, CaseError, Rules
from tests.groundtruth.checker import check
from tests.groundtruth.measuring import Measurement, parse_truth

HERE = Path(__file__).resolve().parent

# main calls f twice and printf once; f calls itself once each time.
PROFILE = """\
events: Ir
summary: 128

ob=/lib/ld-linux-x86-64.so.2
fn=0x1000
0 10
cob=program
cfn=main
calls=1 0
0 118

ob=program
fn=main
1 20
cfn=f
calls=2 5
2 68
cob=libc.so
cfn=printf
calls=1 0
3 30

fn=f
5 24
cfn=f'2
calls=2 5
6 44

fn=f'2
5 44

ob=libc.so
fn=printf
0 30

totals: 128
"""

TRUTH = """\
arc\tmain\tf\t2
arc\tf\tf\t2
arc\tmain\tprintf\t1
entered\tmain\t1
entered\tf\t4
"""


def make_case(**rules: Any) -> Case:
    return Case(
        kind="test",
        seed=1,
        sources={},
        functions=["main", "f"],
        outside={"printf": ["printf*"]},
        rules=Rules(**rules),
    )


class CheckerTests(unittest.TestCase):
    def problems(
        self,
        profile: str = PROFILE,
        truth: str = TRUTH,
        case: Any = None,
        **run: Any,
    ) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "profile"
            path.write_text(profile, encoding="utf-8")
            measurement = Measurement(
                command="",
                status=run.get("status", 0),
                output=run.get("output", "1\n"),
                errors=run.get("errors", ""),
                peak_memory=run.get("peak_memory", 1000),
                is_flat=run.get("is_flat", False),
                profiles={1: read_profile(path)},
                truths=run.get("truths", {1: parse_truth(truth)}),
            )
            return check(case or make_case(), measurement)

    def changed(self, old: str, new: str) -> list[str]:
        self.assertIn(old, PROFILE)
        return self.problems(profile=PROFILE.replace(old, new, 1))

    def assert_found(self, problems: list[str], *words: str) -> None:
        text = "\n".join(problems)
        for word in words:
            self.assertIn(word, text)

    def test_flat_tail_calls(self) -> None:
        """Calls follow from the paths that are counted with them."""
        flat = "flat\t1\t0\tmain\t1\nflat\t2\t1\tf\t2\nflat\t3\t2\tf\t2\n"
        entered = "entered\tmain\t1\nentered\tf\t4\n"
        self.assertEqual(self.problems(truth=entered + flat, is_flat=True), [])
        self.assert_found(
            self.problems(truth=TRUTH + flat.replace("f\t2", "f\t3"), is_flat=True),
            "arc main -> f: profile 2, truth 3",
            "arc f -> f: profile 2, truth 3",
        )

    def test_what_agrees_passes(self) -> None:
        self.assertEqual(self.problems(), [])

    def test_a_wrong_count(self) -> None:
        found = self.changed("calls=2 5\n2", "calls=3 5\n2")
        self.assertEqual(found[0], "arc main -> f: profile 3, truth 2")

    def test_levels_are_merged(self) -> None:
        found = self.changed("calls=2 5\n6", "calls=1 5\n6")
        self.assertEqual(found[0], "arc f -> f: profile 1, truth 2")

    def test_an_arc_that_did_not_happen(self) -> None:
        found = self.changed("fn=f'2\n5 44", "fn=f'2\n5 44\ncfn=main\ncalls=1 0\n5 0")
        self.assert_found(found, "arc f -> main: profile 1, truth 0")

    def test_an_arc_that_is_missing(self) -> None:
        found = self.problems(truth=TRUTH + "arc\tf\tmain\t3\nentered\tmain\t3\n")
        self.assert_found(found, "arc f -> main: profile 0, truth 3")

    def test_calls_from_outside(self) -> None:
        found = self.changed("calls=1 0\n0 118", "calls=2 0\n0 118")
        self.assert_found(found, "calls of main from outside: profile 2, truth 1")

    def test_who_may_call_from_outside(self) -> None:
        case = make_case(callers={"main": ["__libc_start*"]})
        self.assert_found(
            self.problems(case=case), "arc 0x1000 -> main", "__libc_start* may call it"
        )

    def test_undeclared_calls_to_the_outside(self) -> None:
        found = self.changed("cfn=printf", "cfn=malloc")
        self.assert_found(
            found,
            "arc main -> malloc: profile 1, truth 0",
            "arc main -> printf: profile 0, truth 1",
        )

    def test_uncounted_calls_to_the_outside_are_allowed_by_name(self) -> None:
        case = make_case(uncounted=[("main", "mal*")])
        truth = TRUTH.replace("arc\tmain\tprintf\t1\n", "")
        profile = PROFILE.replace("printf", "malloc")
        self.assertEqual(self.problems(profile=profile, truth=truth, case=case), [])

    def test_what_a_call_costs(self) -> None:
        found = self.problems(case=make_case(cost_of_call={"f": {"Ir": 10, "Dr": 1}}))
        cost = 4 * 10
        self.assertEqual(
            found, [f"self cost of f: profile 68 Ir, truth {cost} (4 calls)"]
        )

    def test_cost_that_vanishes(self) -> None:
        found = self.changed("calls=2 5\n2 68", "calls=2 5\n2 67")
        self.assert_found(found, "conservation: f ", "conservation: main ")

    def test_roots_have_activations_without_a_caller(self) -> None:
        profile = PROFILE.replace("cfn=f\ncalls=2 5\n2 68", "cfn=f\ncalls=1 5\n2 34")
        profile = profile.replace("0 118", "0 84")
        truth = TRUTH.replace("arc\tmain\tf\t2", "arc\tmain\tf\t1")
        self.assert_found(self.problems(profile, truth), "conservation: f ")
        self.assert_found(self.problems(profile, truth), "calls of f from outside")
        self.assertEqual(self.problems(profile, truth + "root\tf\t1\n"), [])

    def test_live_functions_are_roots(self) -> None:
        profile = PROFILE.replace("cfn=f\ncalls=2 5\n2 68", "cfn=f\ncalls=1 5\n2 34")
        profile = profile.replace("0 118", "0 84")
        truth = TRUTH.replace("arc\tmain\tf\t2", "arc\tmain\tf\t1")
        truth = truth.replace("entered\tf\t4", "entered\tf\t3")
        self.assert_found(self.problems(profile, truth), "conservation: f ")
        self.assertEqual(self.problems(profile, truth + "live\tf\n"), [])

    def test_summary_and_totals(self) -> None:
        self.assert_found(self.changed("summary: 128", "summary: 127"), "summary: [127]")

    def test_an_arc_beyond_the_total(self) -> None:
        case = make_case(bounded_arcs=True, conserves=False)
        profile = PROFILE.replace("6 44", "6 129")
        self.assert_found(self.problems(profile, case=case), "inclusive cost [129]")
        self.assertEqual(self.problems(case=case), [])

    def test_what_the_run_left(self) -> None:
        self.assert_found(self.problems(status=3), "exit status 3, expected 0")
        self.assert_found(self.problems(output=" \n"), "nothing on stdout")
        self.assert_found(self.problems(errors="==1== bad\n"), "stderr: ==1== bad")
        self.assertEqual(
            self.problems(errors="==1== bad\n", case=make_case(complaints=["bad$"])), []
        )
        case = make_case(peak_memory=999)
        self.assert_found(self.problems(case=case), "peak memory 1,000 KB")

    def test_calls_that_were_open_at_the_fork(self) -> None:
        """Shown where the process made none itself: as many as its parent had open."""
        paths = "path\t1\t0\tmain\t0\npath\t2\t1\tf\t0\npath\t3\t2\tf\t0\n"
        made = "arc\tf\tf\t1\narc\tmain\tprintf\t1\nentered\tf\t1\n"
        truth = made + paths + "open\t3\t0\n"
        found = self.problems(truth=truth)
        self.assertEqual(found, ["arc main -> f: profile 2, truth 0"])  # one is open
        right = PROFILE.replace("calls=2 5\n2", "calls=1 5\n2", 1)
        self.assertEqual(self.problems(profile=right, truth=truth), [])
        missing = right.replace("calls=1 0\n0 118", "calls=0 0\n0 118")
        self.assert_found(
            self.problems(profile=missing, truth=truth),
            "calls of main from outside: profile 0, truth 0",
        )
        self.assert_found(
            self.problems(profile=right, truth=made + paths),
            "arc main -> f: profile 1, truth 0",
        )

    def test_processes(self) -> None:
        self.assert_found(self.problems(truths={}), "0 processes", "1 profiles, but 0")
        self.assert_found(
            self.problems(case=make_case(processes=2)), "1 processes wrote", "expected 2"
        )


class TruthTests(unittest.TestCase):
    def test_facts(self) -> None:
        truth = parse_truth("arc\tf(int)\tg h\t7\nentered\tf\t2\nroot\tf\t1\nlive\tg\n")
        self.assertEqual(truth.arcs["f(int)", "g h"], 7)
        self.assertEqual((truth.entered["f"], truth.roots["f"]), (2, 1))
        self.assertEqual(truth.live, {"g"})

    def test_a_line_that_is_none(self) -> None:
        for line in ("arc\tf\tg", "entered f 2", "leaf\tf", "open\t1"):
            with self.assertRaises(CaseError):
                parse_truth(line)
