# SPDX-License-Identifier: GPL-2.0-or-later
#
# callgrind_report --diff: what differs in the surroundings of two profiles, what that can
# move, and that such a comparison can be refused.

from __future__ import annotations

import json
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

from callgrind.report.tests.report_case import run

STEADY = {
    "Steady": "yes",
    "Core": "Valgrind 3.19.0, amd64-linux",
    "Tool": "callgrind-exact 0.1.0",
    "Guest CPU": "x86-64-v3",
    "Working folder": "10 bytes",
    "I1 cache": "32768 B, 64 B, 8-way associative",
    "D1 cache": "32768 B, 64 B, 8-way associative",
    "LL cache": "8388608 B, 64 B, 16-way associative",
}
EVENTS = "Ir D1mr ILmr DLmr"


class SurroundingsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)

    def profile(
        self,
        name: str,
        told: dict[str, str],
        command: str = "/a/p 1",
        cost: int = 100,
    ) -> str:
        lines = ["creator: callgrind-exact-0.1.0 (Valgrind 3.19.0)", f"cmd: {command}"]
        lines += [f"desc: {key}: {value}" for key, value in told.items()]
        lines += [f"events: {EVENTS}", "fn=f", f"1 {cost} 1 1 1", f"totals: {cost} 1 1 1"]
        path = self.folder / name
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return str(path)

    def differs(self, new: dict[str, str], command: str = "/a/p 1") -> Any:
        pair = [self.profile("old", STEADY), self.profile("new", new, command)]
        status, output, _ = run("--json", "--diff", *pair)
        self.assertEqual(status, 0)
        return {
            each["name"]: each["events"] for each in json.loads(output)["surroundings"]
        }


class Told(SurroundingsTest):
    def test_nothing_of_equal_surroundings(self) -> None:
        self.assertEqual(self.differs(STEADY), {})

    def test_the_processor_can_move_every_event(self) -> None:
        other = {**STEADY, "Guest CPU": "x86-64-v2"}
        self.assertEqual(self.differs(other), {"Guest CPU": EVENTS.split()})

    def test_a_first_level_moves_its_own_misses_and_all_of_the_last(self) -> None:
        small = "16384 B, 64 B, 8-way associative"
        first = self.differs({**STEADY, "D1 cache": small})
        self.assertEqual(first, {"D1 cache": ["D1mr", "ILmr", "DLmr"]})
        code = self.differs({**STEADY, "I1 cache": small})
        self.assertEqual(code, {"I1 cache": ["ILmr", "DLmr"]})
        last = self.differs({**STEADY, "LL cache": small})
        self.assertEqual(last, {"LL cache": ["ILmr", "DLmr"]})

    def test_what_cannot_move_the_compared_event_is_not_told(self) -> None:
        other = {**STEADY, "D1 cache": "16384 B, 64 B, 8-way associative"}
        pair = [self.profile("old", STEADY), self.profile("new", other)]
        self.assertNotIn("Differs", run("--diff", *pair, "-e", "Ir")[1])

    def test_measured_without(self) -> None:
        caches = {name: text for name, text in STEADY.items() if name.endswith("cache")}
        self.assertEqual(list(self.differs(caches)), ["Steady"])

    def test_one_side_alone_by_names(self) -> None:
        self.assertEqual(
            self.differs({**STEADY, "Layout": "names"}), {"Layout": ["ILmr", "DLmr"]}
        )

    def test_the_folder_of_the_program_is_no_difference(self) -> None:
        self.assertEqual(self.differs(STEADY, "/elsewhere/p 1"), {})
        self.assertEqual(list(self.differs(STEADY, "/a/p 2")), ["Command"])

    def test_text(self) -> None:
        other = {**STEADY, "Guest CPU": "x86-64-v2\x1b[31m"}
        pair = [self.profile("old", STEADY), self.profile("new", other)]
        lines = run("--diff", *pair)[1].splitlines()
        self.assertEqual(
            lines[1],
            "Differs: Guest CPU: x86-64-v3 -> x86-64-v2\\x1b[31m (can move every event)",
        )


class Refused(SurroundingsTest):
    def compare(self, *options: str, cost: int = 100) -> tuple[int, str, str]:
        other = {**STEADY, "Working folder": "99 bytes"}
        pair = [self.profile("old", STEADY), self.profile("new", other, cost=cost)]
        return run("--diff", *pair, *options)

    def test_status_and_reason(self) -> None:
        status, output, errors = self.compare("--same-surroundings")
        self.assertEqual(status, 3)
        self.assertIn("Total:   100 -> 100", output)
        self.assertEqual(
            errors,
            "callgrind_report: not comparable: Working folder: 10 bytes -> 99 bytes "
            "(can move every event)\n",
        )

    def test_no_limit_is_judged(self) -> None:
        limited = ["--fail-above=1%"]
        self.assertEqual(self.compare(*limited, cost=200)[0], 1)
        status, output, errors = self.compare(
            *limited, "--same-surroundings", cost=200
        )
        self.assertEqual(status, 3)
        self.assertNotIn("limit", output + errors)

    def test_allowed_by_name(self) -> None:
        allowed = ["--same-surroundings", "--may-differ=Working folder"]
        self.assertEqual(self.compare(*allowed)[0], 0)
        self.assertEqual(self.compare(*allowed, "--fail-above=1%", cost=200)[0], 1)

    def test_misuse(self) -> None:
        status, _, errors = self.compare("--same-surroundings", "--may-differ=Moon")
        self.assertEqual(status, 2)
        self.assertIn("--may-differ=Moon: not one of Steady, Core", errors)
        self.assertEqual(self.compare("--may-differ=Kernel")[0], 2)


if __name__ == "__main__":
    unittest.main()
