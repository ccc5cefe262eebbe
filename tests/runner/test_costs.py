# SPDX-License-Identifier: GPL-2.0-or-later
#
# Processor time by test: what is in the file, and that a program's time is its test's.

"""The costs of tests."""

from __future__ import annotations

from tests.runner.sandbox import WAYS, RunnerTest

# As long as the least that the kernel counts, many times over.
BUSY = "import time\nwhile time.process_time() < 0.3: pass\n"


class Costs(RunnerTest):
    def test_a_test_has_its_own_time_and_that_of_its_programs(self) -> None:
        self.write("readers/test_a.py", f"""
    def test_program(self):
        import subprocess, sys
        subprocess.run([sys.executable, "-c", {BUSY!r}])
    def test_idle(self):
        import time
        time.sleep(0.6)
    def test_itself(self):
        import time
        end = time.process_time() + 0.3
        while time.process_time() < end: pass
""")
        self.write("documents/test_b.py", "    def test_it(self): pass\n")
        for way in WAYS:
            self.run_suites("readers", "documents", *way)
            text = (self.tree / "build" / "test-costs").read_text()
            total, suites, tests = (part.splitlines() for part in text.split("\n\n"))
            cost = {
                line.split()[1].rpartition("::")[2]: float(line.split()[0])
                for line in [*suites, *tests]
            }
            self.assertEqual(list(cost)[:2], ["readers", "documents"], text)
            self.assertGreaterEqual(cost["test_program"], 0.3, text)
            self.assertGreaterEqual(cost["test_itself"], 0.3, text)
            self.assertLess(cost["test_idle"], 0.3, text)
            self.assertAlmostEqual(float(total[0].split()[0]),
                                   cost["readers"] + cost["documents"], delta=0.02)
