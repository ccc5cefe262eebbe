# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/base/table.h: what was added is found until it is removed, whatever the
# hashes.

"""The tool's hash table, against a list."""

from __future__ import annotations

import re
import subprocess
import unittest

from tests.native.building import HERE, SOURCE, build_of

STEPS = 40_000
SOURCES = (
    *(HERE / f"{name}.c" for name in ("use_table", "fake_core", "fake_tables", "faults")),
    SOURCE / "callgrind/base/table.c",
)


class UseTable(unittest.TestCase):
    def assert_holds(self, seed: int, hashes: int) -> None:
        program = build_of("use_table", *SOURCES)
        done = subprocess.run(
            [program, str(seed), str(STEPS), str(hashes)],
            capture_output=True, text=True, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        counts = re.fullmatch(r"(\d+) found, (\d+) not\n", done.stdout)
        assert counts, done.stdout
        self.assertGreater(min(int(count) for count in counts.groups()), STEPS // 5)

    def test_each_has_a_hash_of_its_own(self) -> None:
        for seed in range(4):
            self.assert_holds(seed, 1 << 31)

    def test_some_share_a_hash(self) -> None:
        for seed in range(4):
            self.assert_holds(seed, 2_000)

    def test_many_share_a_hash(self) -> None:
        self.assert_holds(5, 20)
