#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/run_suites on made-up suites: what it adds up, and what it does not let pass.

"""How the suites are summed up."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

from built import SOURCE, BuildTest, Ended, run


class RunSuites(BuildTest):
    def run_suites(self, suites: dict[str, str], *names: str) -> Ended:
        """A copy of the runner that has these suites, each a shell script."""
        tree = Path(tempfile.mkdtemp(dir=self.folder))
        tests, build = tree / "tests", tree / "build"
        tests.mkdir()
        build.mkdir()
        shutil.copy("/bin/true", build / "vg-in-place")  # anything that can be executed
        for name, script in suites.items():
            (tests / f"{name}.sh").write_text(script)
        listed = "".join(f"{name}   sh tests/{name}.sh\n" for name in suites)
        text = (SOURCE / "tests" / "run_suites").read_text()
        text, replaced = re.subn(r"(?s)\nsuites='\n.*?'\n",
                                 f"\nsuites='\n{listed}'\n", text)
        self.assertEqual(replaced, 1)
        (tests / "run_suites").write_text(text)
        return run("bash", tests / "run_suites", *names, VG_BUILD="")

    def assert_summary(self, ended: Ended, summary: str, status: int) -> None:
        self.assert_ended(ended, status)
        self.assertEqual(ended.out.splitlines()[-1], summary)

    def test_adds_up(self) -> None:
        ended = self.run_suites({
            "one": "echo 3 passed, 0 failed, 1 skipped",
            "two": "echo text; echo 4 passed, 0 failed, 0 skipped",
        })
        self.assert_summary(ended, "7 passed, 0 failed, 1 skipped", 0)

    def test_names_failing_tests_again_at_the_end(self) -> None:
        ended = self.run_suites({
            "one": "echo FAIL: this one; echo ERROR: that one; echo 'FAIL  bare (why)';"
                   "echo 'folder/test: FAIL (stdout)'; echo 'folder/good: PASS';"
                   "echo 1 passed, 4 failed, 0 skipped; exit 1",
            "two": "echo 1 passed, 0 failed, 0 skipped",
        })
        self.assert_summary(ended, "2 passed, 4 failed, 0 skipped", 1)
        end = ended.out.split("These failed:\n")[1].splitlines()[:-1]
        named = ["this one", "that one", "bare (why)", "folder/test"]
        self.assertEqual(end, [f"   one: {name}" for name in named])

    def test_a_suite_without_summary_fails(self) -> None:
        for script in ("exit 0", "echo hello", "kill -9 $$",
                       "echo 5 passed, 0 failed, 0 skipped; echo and more"):
            with self.subTest(script):
                ended = self.run_suites({"broken": script, "two": "exit 0"}, "broken")
                self.assert_summary(ended, "0 passed, 1 failed, 0 skipped", 1)
                self.assertIn("broken: the suite ended without a summary", ended.out)

    def test_a_status_that_denies_the_summary_fails(self) -> None:
        ended = self.run_suites({"one": "echo 5 passed, 0 failed, 0 skipped; exit 4"})
        self.assert_summary(ended, "5 passed, 1 failed, 0 skipped", 1)
        self.assertIn("ended with status 4", ended.out)

    def test_a_failure_with_status_0_fails(self) -> None:
        ended = self.run_suites({"one": "echo 5 passed, 1 failed, 0 skipped"})
        self.assert_summary(ended, "5 passed, 1 failed, 0 skipped", 1)
        self.assertIn("one: 1 that the suite does not name", ended.out)

    def test_a_suite_that_does_not_exist_fails(self) -> None:
        ended = self.run_suites({"one": "exec tests/absent"})
        self.assert_summary(ended, "0 passed, 1 failed, 0 skipped", 1)

    def test_runs_only_what_is_named(self) -> None:
        suites = {name: "echo 1 passed, 0 failed, 0 skipped" for name in ("a", "b", "c")}
        ended = self.run_suites(suites, "a", "c")
        self.assert_summary(ended, "2 passed, 0 failed, 0 skipped", 0)
        self.assertNotIn("=== b", ended.out)

    def test_refuses_an_unknown_name(self) -> None:
        ended = self.run_suites({"one": "echo 1 passed, 0 failed, 0 skipped"}, "on")
        self.assertEqual(ended.status, 2)
        self.assertIn("no suite is called 'on'; there are: one", ended.err)

    def test_the_suites_get_no_input(self) -> None:
        ended = self.run_suites({"one": "cat; echo 1 passed, 0 failed, 0 skipped"})
        self.assert_summary(ended, "1 passed, 0 failed, 0 skipped", 0)


if __name__ == "__main__":
    from summary import run_suite

    sys.exit(run_suite())
