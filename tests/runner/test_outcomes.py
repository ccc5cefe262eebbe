# SPDX-License-Identifier: GPL-2.0-or-later
#
# What counts as passed, failed and skipped, and what the report says of it.  All kinds of
# tests are in one tree, which is run once in one process and once in several: a start of
# pytest takes much longer than any of them.

"""One outcome per test, and the closing line."""

from __future__ import annotations

import re
import subprocess
from collections import Counter

from tests.runner.sandbox import WAYS, RunnerTest

# Test files below tests/, the body of their only class, and what becomes of its tests.
FILES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("readers/test_kinds.py", """
    def test_passes(self): pass
    def test_fails(self): self.fail("here")
    def test_raises(self): raise OSError
    @unittest.skip("not now")
    def test_is_skipped(self): pass
    @unittest.expectedFailure
    def test_is_known_to_fail(self): self.fail()
    @unittest.expectedFailure
    def test_is_wrongly_known_to_fail(self): pass
""", {
        "passes": "passed", "fails": "failed", "raises": "failed",
        "is_skipped": "skipped", "is_known_to_fail": "passed",
        "is_wrongly_known_to_fail": "failed",
    }),
    ("readers/test_clean_up.py", """
    def tearDown(self): raise OSError("left behind")
    def test_passes(self): pass
    def test_fails(self): self.fail()
""", {"passes": "failed", "fails": "failed"}),
    ("readers/test_sub_tests.py", """
    def test_one_of_three_fails(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)
    def test_two_of_three_fail_and_so_does_the_rest(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertEqual(number, 1, f"told of {number}")
        self.fail("told of the rest")
    def test_all_pass(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertLess(number, 3)
    def test_one_of_two_is_skipped(self):
        for number in range(2):
            with self.subTest(number=number):
                if number: self.skipTest("an odd one")
    def test_one_is_skipped_before_another_fails(self):
        for number in range(2):
            with self.subTest(number=number):
                if number == 0: self.skipTest("even")
                self.fail("told of the odd one")
    @unittest.expectedFailure
    def test_known_to_fail(self):
        with self.subTest("first"):
            self.fail()
""", {
        "one_of_three_fails": "failed",
        "two_of_three_fail_and_so_does_the_rest": "failed",
        "all_pass": "passed",
        "one_of_two_is_skipped": "skipped",
        "one_is_skipped_before_another_fails": "failed",
        "known_to_fail": "passed",
    }),
    # Of one name in several folders; and one that is no test file.
    ("readers/a/test_x.py", "    def test_it(self): pass\n", {"it": "passed"}),
    ("readers/b/test_x.py", "    def test_it(self): self.fail()\n", {"it": "failed"}),
    ("readers/b/other.py", "    def test_it(self): self.fail()\n", {}),
    # Those that cannot be imported have no tests.
    ("readers/test_lacks.py", "    def test_it(self): pass\nimport no_such_module\n", {}),
    ("readers/test_exits.py", "    def test_it(self): pass\nraise SystemExit(0)\n", {}),
    ("readers/test_skips.py", "    pass\nraise unittest.SkipTest('all of it')\n", {}),
    ("readers/test_set_up_fails.py", """
    @classmethod
    def setUpClass(cls): raise OSError
    def test_never_reached(self): pass
    def test_nor_this(self): pass
""", {"never_reached": "failed", "nor_this": "failed"}),
    ("readers/test_set_up_once.py", """
    @classmethod
    def setUpClass(cls):
        with open("mark", "a") as file:
            print("x", file=file)
""" + "".join(f"    def test_{number}(self): pass\n" for number in range(12)),
     {str(number): "passed" for number in range(12)}),
    ("readers/test_world.py", """
    def test_nobody_types(self):
        import os
        self.assertEqual(os.read(0, 1), b'')
    def test_programs_can_be_interrupted(self):
        import subprocess
        done = subprocess.run(["sh", "-c", "kill -INT $$; exit 7"])
        self.assertEqual(done.returncode, -2)
    def test_long(self):
        import time
        time.sleep(0.5)
""", {
        "nobody_types": "passed", "programs_can_be_interrupted": "passed",
        "long": "passed",
    }),
    ("documents/test_a.py", "    def test_it(self): self.skipTest('no')\n",
     {"it": "skipped"}),
)
# What is told of whole files.
FAILED_FILES = ["tests/readers/test_exits.py", "tests/readers/test_lacks.py"]
SKIPPED_FILES = ["tests/readers/test_skips.py"]

# Regression tests are tests like others: what is expected, `prereq`, and the outcome.
VGTESTS = {
    "good": ("said", "true", "passed"),
    "bad": ("other", "true", "failed"),
    "absent": ("said", "echo not here; false", "skipped"),
}


def expected_outcomes() -> dict[str, str]:
    outcomes = {
        f"tests/{file}::T::test_{test}": outcome
        for file, _, tests in FILES
        for test, outcome in tests.items()
    }
    for name, (_, _, outcome) in VGTESTS.items():
        outcomes[f"callgrind/tests/{name}.vgtest"] = outcome
    return outcomes


class Outcomes(RunnerTest):
    def setUp(self) -> None:
        super().setUp()
        for name, body, _ in FILES:
            self.write(name, body)
        folder = self.tree / "callgrind" / "tests"
        folder.mkdir(parents=True)
        for name, (expected, prereq, _) in VGTESTS.items():
            (folder / f"{name}.vgtest").write_text(
                f"prog-asis: echo\nargs: said\nvgopts: --tool=none\nprereq: {prereq}\n"
                f"stdout:\n   | {expected}\n"
            )

    def check_all(self, *way: str) -> None:
        """Run all in a way, and look at what is said."""
        suites = ("readers", "documents", "regression")
        words = [*suites, *way, *(() if "--" in way else ("--",)), "-v"]
        # From a shell that has SIGINT ignored, as it does in the background.
        done = subprocess.run(
            ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *self.command(*words)],
            input="typed by somebody\n", env=self.environment(), text=True,
            cwd=self.tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
        said = done.stdout
        self.assertEqual(done.returncode, 1, said)
        outcomes = expected_outcomes()
        told = re.findall(r"(?m)^(passed|failed|skipped|\?): (\S+) \d+\.\d\d s$", said)
        self.assertEqual({name: outcome for outcome, name in told}, outcomes, said)
        self.assertEqual(len(told), len(outcomes), said)
        self.check_report(said, outcomes)
        self.check_texts(said)
        self.assertEqual((self.tree / "mark").read_text(), "x\n", "set up more than once")

    def check_report(self, said: str, outcomes: dict[str, str]) -> None:
        """Lines for what failed and for each suite, the longest tests, the sum."""
        failed = sorted([
            *FAILED_FILES, *(name for name in outcomes if outcomes[name] == "failed")
        ])
        # Said once more for each sub-test.
        self.assertEqual(sorted(set(re.findall(r"(?m)^FAIL: (\S+)$", said))), failed)
        counts = Counter(outcomes.values())
        closing_line = (
            f"{counts['passed']} passed, {len(failed)} failed,"
            f" {counts['skipped'] + len(SKIPPED_FILES)} skipped"
        )
        lines = said.splitlines()
        listed = [f"   {name}" for name in failed]
        end = ["These failed:", *listed, closing_line]
        self.assertEqual(lines[-len(end):], end)
        _, _, rest = said.partition("\nThe slowest:\n")
        slowest = rest.partition("\nThese failed:\n")[0].splitlines()
        self.assertEqual(len(slowest), 10, said)
        seconds = [float(line.split()[0]) for line in slowest]
        self.assertEqual(seconds, sorted(seconds, reverse=True))
        # On a busy machine others may take as long as the one that sleeps.
        long = [at for at, line in zip(seconds, slowest) if line.endswith("::test_long")]
        self.assertGreaterEqual(min(long or seconds), 0.5, said)
        for suite, folder in (("readers", "tests/readers"),
                              ("documents", "tests/documents"),
                              ("regression", "callgrind/tests")):
            sums = Counter(
                outcome for name, outcome in outcomes.items() if name.startswith(folder)
            )
            sums["failed"] += sum(name.startswith(folder) for name in FAILED_FILES)
            sums["skipped"] += sum(name.startswith(folder) for name in SKIPPED_FILES)
            self.assertRegex(
                said,
                rf"(?m)^{suite} +{sums['passed']} passed +{sums['failed']} failed"
                rf" +{sums['skipped']} skipped +\d+\.\d s +\d+\.\d s of processors$",
            )

    def check_texts(self, said: str) -> None:
        for text in (
            "AssertionError: here\n",
            "   not now: tests/readers/test_kinds.py::T::test_is_skipped\n",
            "left behind",
            "told of 0", "told of 2", "told of the odd one",
            "(number=0)", "(number=2)",
            "no_such_module",
            "all of it: tests/readers/test_skips.py\n",
            "\n-other\n+said\n",
            "   not here: callgrind/tests/absent.vgtest\n",
        ):
            self.assertIn(text, said)

    def test_every_kind_in_one_process(self) -> None:
        self.check_all(*WAYS[0])

    def test_every_kind_in_several_processes(self) -> None:
        self.check_all(*WAYS[1])


class Chosen(RunnerTest):
    def test_by_name(self) -> None:
        self.write("readers/test_a.py", "    def test_it(self): pass\n"
                   "    def test_that(self): self.fail()\n")
        done = self.run_suites("readers", "--", "-n", "0", "-k", "test_it")
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 0 failed, 0 skipped")
        self.assertEqual(done.returncode, 0, done.stdout)


class WithoutTests(RunnerTest):
    def test_no_test_at_all_is_a_failure(self) -> None:
        said = self.check("0 passed, 1 failed, 0 skipped", 1)
        self.assertIn("suite readers has no test\n", said)

    def test_a_suite_that_has_lost_its_tests_is_a_failure(self) -> None:
        self.write("readers/test_a.py", "    def test_it(self): pass\n")
        said = self.check("1 passed, 1 failed, 0 skipped", 1, "documents")
        self.assertIn("suite documents has no test\n", said)
