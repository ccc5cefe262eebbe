# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_report --diff: which functions are the same, what has changed, and limits.

from __future__ import annotations

import csv
import io
import json
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

from analysis.growth_limits import parse_limit
from analysis.profile_diff import substitution
from callgrind.report.tests.report_case import CACHE, TINY, run

DATA = Path(__file__).resolve().parent / "data"


class DiffTest(unittest.TestCase):
    """A test with an old and a new profile, written as costs by object and function."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)

    def profile(self, name: str, costs: dict[str, int], events: str = "Ir") -> str:
        """`costs` has OBJECT:FILE:FUNCTION, or FUNCTION alone, and self costs."""
        text = f"events: {events}\n"
        for place, cost in costs.items():
            object_file, file, function = ("/o:/s:" + place).split(":")[-3:]
            text += f"ob={object_file}\nfl={file}\nfn={function}\n1 {cost}\n"
        path = self.folder / name
        path.write_text(text, "utf-8")
        return str(path)

    def pair(self, old: dict[str, int], new: dict[str, int]) -> list[str]:
        return ["--diff", self.profile("old", old), self.profile("new", new)]

    def document(self, *arguments: str) -> Any:
        status, output, _ = run("--json", *arguments)
        self.assertIn(status, (0, 1))
        return json.loads(output)

    def statuses(self, *arguments: str) -> dict[str, str]:
        found = self.document(*arguments)
        return {each["name"]: each["status"] for each in found["functions"]}


class Changes(DiffTest):
    OLD = {"same": 1000, "worse": 500, "better": 300, "gone": 40}
    NEW = {"same": 1000, "worse": 600, "better": 290, "new": 20}

    def test_table(self) -> None:
        status, output, errors = run(*self.pair(self.OLD, self.NEW))
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(
            output.splitlines(),
            [
                "Total:   1,840 -> 1,910 Ir, +70 (+3.80%)",
                "",
                "change  of total  relative  old  new  incl. change  object  function",
                "  +100     5.43%   +20.00%  500  600          +100  o       worse",
                "   -40    -2.17%      gone   40    0           -40  o       gone",
                "   +20     1.09%       new    0   20           +20  o       new",
                "   -10    -0.54%    -3.33%  300  290           -10  o       better",
                "1 function unchanged",
            ],
        )

    def test_what_is_left_out_is_told(self) -> None:
        output = run("-n1", *self.pair(self.OLD, self.NEW))[1].splitlines()
        self.assertEqual(
            output[-1], "... and 3 more with changes, -30 in all; 1 unchanged"
        )
        output = run("-t2%", *self.pair(self.OLD, self.NEW))[1].splitlines()
        self.assertEqual(len(output), 3 + 2 + 1)

    def test_sorting(self) -> None:
        names = list(self.statuses("-s", "name", *self.pair(self.OLD, self.NEW)))
        self.assertEqual(names, ["better", "gone", "new", "worse"])
        found = self.document(
            "-s", "inclusive", "--diff", str(DATA / "tiny_recs1.out"), TINY
        )
        self.assertEqual(found["functions"][0]["name"], "factorial'2")

    def test_a_profile_is_equal_to_itself(self) -> None:
        status, output, _ = run(
            "--diff", TINY, TINY, "--fail-function-above=0", "--fail-above=0%"
        )
        self.assertEqual(status, 0)
        self.assertIn("7 functions unchanged", output)
        self.assertIn("Total:   279 -> 279 Ir, 0 (0.00%)", output)

    def test_levels_can_be_merged_first(self) -> None:
        arguments = ["--diff", str(DATA / "tiny_recs1.out"), TINY]
        self.assertEqual(self.statuses(*arguments)["factorial'2"], "new")
        found = self.document("--merge-recursion", *arguments)["functions"]
        # Without levels the circle of even and odd has upper bounds only.
        self.assertTrue(all(f["old_self"] == f["new_self"] for f in found))

    def test_folders_are_added_up(self) -> None:
        for side, costs in (("a", (1, 2)), ("b", (3, 4))):
            (self.folder / side).mkdir()
            for number, cost in enumerate(costs):
                self.profile(f"{side}/callgrind.out.{number}", {"f": cost})
        found = self.document("--diff", str(self.folder / "a"), str(self.folder / "b"))
        self.assertEqual(
            (found["old"]["total"], found["new"]["total"]), ({"Ir": 3}, {"Ir": 7})
        )

    def test_csv(self) -> None:
        output = run("--csv", *self.pair(self.OLD, self.NEW))[1]
        rows = list(csv.DictReader(io.StringIO(output)))
        self.assertEqual(
            [(row["function"], row["status"], row["new self Ir"]) for row in rows],
            [
                ("worse", "changed", "600"),
                ("gone", "gone", "0"),
                ("new", "new", "20"),
                ("better", "changed", "290"),
            ],
        )

    def test_unknown_events_are_refused(self) -> None:
        status, _, errors = run("--diff", TINY, CACHE, "-e", "Dr")
        self.assertEqual(status, 2)
        self.assertIn("tiny_default.out: has no event 'Dr'", errors)
        status, _, errors = run("--diff", TINY, CACHE, "--fail-above=Xy:1%")
        self.assertEqual(status, 2)
        self.assertIn("no event 'Xy'", errors)

    def test_events_that_both_have(self) -> None:
        found = self.document("--diff", TINY, CACHE)
        self.assertEqual(found["events"], ["Ir"])


class Matching(DiffTest):
    def test_folders_of_objects_and_source_files_do_not_matter(self) -> None:
        pair = self.pair({"/a/x.so:/one/s.c:f": 5}, {"/b/x.so:/two/t.c:f": 6})
        self.assertEqual(self.statuses(*pair), {"f": "changed"})

    def test_other_objects_are_other_functions(self) -> None:
        pair = self.pair({"/x.so.1:s:f": 5}, {"/x.so.2:s:f": 6})
        self.assertEqual(len(self.document(*pair)["functions"]), 2)
        self.assertEqual(self.statuses("--match=name", *pair), {"f": "changed"})
        self.assertEqual(
            self.statuses(r"--map-path=s/\.so\.[0-9]+/.so/", *pair), {"f": "changed"}
        )

    def test_source_files_can_matter(self) -> None:
        pair = self.pair({"o:/one/s.c:f": 5}, {"o:/two/s.c:f": 5})
        self.assertEqual(self.statuses(*pair), {})
        both = self.document("--match=name+object+file", *pair)["functions"]
        self.assertEqual({each["status"] for each in both}, {"new", "gone"})
        self.assertEqual(
            self.statuses(
                "--match=name+object+file", "--map-path=s,^/(one|two)/,,", *pair
            ),
            {},
        )

    def test_hashes_of_a_build_can_be_left_out(self) -> None:
        pair = self.pair(
            {"/t/bench-0123456789abcdef:s:f.llvm.123": 5},
            {"/u/bench-fedcba9876543210:t:f.llvm.4567": 7},
        )
        self.assertEqual(len(self.statuses(*pair)), 2)
        self.assertEqual(self.statuses("--match=plain", *pair), {"f": "changed"})

    def test_names_can_be_rewritten(self) -> None:
        pair = self.pair({"f.constprop.0": 5, "f": 1}, {"f.constprop.1": 7})
        self.assertEqual(
            self.document(r"--map-name=s/\.constprop\.\d+//", *pair)["functions"],
            [
                {
                    "name": "f",
                    "object": "o",
                    "file": "",
                    "status": "changed",
                    "old_self": {"Ir": 6},
                    "new_self": {"Ir": 7},
                    "old_inclusive": {"Ir": 6},
                    "new_inclusive": {"Ir": 7},
                    "inclusive_exact": True,
                }
            ],
        )

    def test_substitutions(self) -> None:
        for script, word, result in (
            ("s/a/b/", "aaa", "baa"),
            ("s/a/b/g", "aaa", "bbb"),
            ("s/A/b/gi", "aaa", "bbb"),
            (r"s,^/x/,,", "/x/y", "y"),
            (r"s/\/x\//|/", "/x/y", "|y"),
            (r"s/(.)(.)/\2\1/", "abc", "bac"),
        ):
            self.assertEqual(substitution(script)(word), result, script)
        for script in (
            "",
            "s",
            "s/a",
            "s/a/b",
            "s//b/",
            "s/(/b/",
            r"s/a/\1/",
            "y/a/b/",
            "s/a/b/x",
            "s/a/b/c/",
        ):
            with self.assertRaises(ValueError, msg=script):
                substitution(script)
        status, _, errors = run("--diff", TINY, TINY, "--map-name=s/a")
        self.assertEqual((status, errors.count("\n")), (2, 1))


class Limits(DiffTest):
    def check(self, expected: int, *limits: str) -> str:
        pair = self.pair({"f": 900, "g": 100}, {"f": 905, "g": 105})
        status, _, errors = run(*pair, *limits)
        self.assertEqual(status, expected, limits)
        self.assertEqual(bool(errors), expected == 1)
        return errors

    def test_total(self) -> None:
        self.check(0, "--fail-above=1%")  # grown by exactly that
        self.check(0, "--fail-above=10")
        self.check(0, "--fail-above=Ir:1.01%")
        errors = self.check(1, "--fail-above=0.99%")
        self.assertEqual(
            errors,
            "callgrind_report: total: Ir grew from 1,000 to 1,010, by +10 (+1.00%), "
            "above the limit of 0.99%\n",
        )
        self.check(1, "--fail-above=9", "--fail-above=5%")

    def test_functions_by_share_of_the_old_total(self) -> None:
        self.check(0, "--fail-function-above=0.5%")
        errors = self.check(1, "--fail-function-above=0.4%")
        self.assertEqual(errors.count("\n"), 2)
        self.assertIn(
            "f: Ir grew from 900 to 905, by +5 (+0.50% of the old total)", errors
        )
        self.check(0, "--fail-function-above=5")
        self.check(1, "--fail-function-above=4")

    def test_a_new_function_is_judged_as_any_other(self) -> None:
        pair = self.pair({"f": 100}, {"f": 90, "g": 10})
        self.assertEqual(run(*pair, "--fail-above=0")[0], 0)
        self.assertEqual(run(*pair, "--fail-function-above=9%")[0], 1)

    def test_growth_from_nothing_is_above_every_share(self) -> None:
        pair = self.pair({"f": 0}, {"f": 1})
        self.assertEqual(run(*pair, "--fail-above=100%")[0], 1)

    def test_less_is_never_too_much(self) -> None:
        pair = self.pair({"f": 100}, {"f": 1})
        self.assertEqual(run(*pair, "--fail-above=0", "--fail-function-above=0")[0], 0)

    def test_many_breaches_are_not_all_told(self) -> None:
        names = [f"f{number}" for number in range(30)]
        pair = self.pair(dict.fromkeys(names, 1), dict.fromkeys(names, 2))
        status, output, errors = run("--json", *pair, "--fail-function-above=0")
        self.assertEqual((status, errors.count("\n")), (1, 11))
        self.assertIn("and 20 more above a limit", errors)
        self.assertEqual(len(json.loads(output)["exceeded"]), 30)

    def test_other_events(self) -> None:
        self.assertEqual(run("--diff", CACHE, CACHE, "--fail-above=DLmw:0%")[0], 0)

    def test_kept_limits_are_told(self) -> None:
        output = run(*self.pair({"f": 1}, {"f": 1}), "--fail-above=1%")[1]
        self.assertIn("Limit:   total by 1%: kept", output)

    def test_spelling(self) -> None:
        limit = parse_limit("Ir:2.5%", False)
        self.assertEqual(
            (limit.event, float(limit.amount), limit.is_share), ("Ir", 2.5, True)
        )
        for text in ("", "%", "-1%", "1%%", "Ir:", "a:b:1", "1e3", "nan"):
            with self.assertRaises(ValueError, msg=text):
                parse_limit(text, False)
        status, _, errors = run("--diff", TINY, TINY, "--fail-above=much")
        self.assertEqual((status, errors.count("\n")), (2, 1))
