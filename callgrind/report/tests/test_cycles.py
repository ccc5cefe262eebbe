# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events in hundredths of a cycle are shown in cycles; files hold what the profile has.

"""How callgrind_report shows Ct, Cl and Cy."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from callgrind.report.tests.report_case import document, run

PROFILE = """# callgrind format
version: 1
positions: line
event: Ct : Cycles by throughput (1/100)
events: Ir Ct Cl
summary: {ir} {ct} 700
fn=f
10 {ir} {ct} 700
totals: {ir} {ct} 700
"""


class Cycles(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.old = self.profile("old", 1000, 123456)
        self.new = self.profile("new", 1000, 133400)

    def profile(self, name: str, instructions: int, cycles: int) -> str:
        path = Path(self.folder.name, name)
        path.write_text(PROFILE.format(ir=instructions, ct=cycles))
        return str(path)

    def shown(self, *arguments: str) -> str:
        status, output, errors = run(*arguments)
        self.assertEqual((status, errors), (0, ""))
        return output

    def test_the_table_is_in_cycles(self) -> None:
        text = self.shown("--event", "Ct,Ir,Cl", self.old)
        self.assertRegex(text, r"Total: +1,234\.56 cycles\n")
        self.assertRegex(text, r"(?m)^ *1,234\.56 +100\.00% +1,234\.56 .* 1,000 .* 7\.00")

    def test_so_is_a_comparison(self) -> None:
        text = self.shown("--event", "Ct", "--diff", self.old, self.new)
        self.assertIn("1,234.56 -> 1,334.00 Ct, +99.44 (+8.05%)", text)

    def test_so_is_growth_above_a_limit(self) -> None:
        status, _, errors = run(
            "--event", "Ct", "--diff", self.old, self.new, "--fail-above", "Ct:1%"
        )
        self.assertEqual(status, 1)
        self.assertIn("Ct grew from 1,234.56 to 1,334.00 cycles, by +99.44 ", errors)

    def test_json_has_what_the_profile_has(self) -> None:
        self.assertIn("123456", str(document("--event", "Ct", self.old)))


if __name__ == "__main__":
    unittest.main()
