# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests callgrind/sim/historysim.c: which branches a history predicts.

"""What comes again is predicted, and what does not is not."""

from __future__ import annotations

import subprocess
import unittest
from functools import lru_cache

from tests.native.building import build


@lru_cache(maxsize=None)
def mispredicted() -> dict[str, int]:
    """Of a thousand, once the predictor has seen nineteen thousand."""
    done = subprocess.run([build("history_branches", "sim/historysim.c")],
                          stdout=subprocess.PIPE, check=True, universal_newlines=True)
    rows = (line.split() for line in done.stdout.splitlines())
    return {name: int(number) for name, number in rows}


class Histories(unittest.TestCase):
    def test_what_comes_again_is_predicted(self) -> None:
        for name in ("always", "alternating", "loop_of_8", "loop_of_40"):
            self.assertEqual(mispredicted()[name], 0, name)

    def test_chance_is_not(self) -> None:
        self.assertGreater(mispredicted()["at_random"], 400)
        self.assertLess(mispredicted()["at_random"], 600)

    def test_so_with_indirect_branches(self) -> None:
        self.assertEqual(mispredicted()["indirect_always"], 0)
        self.assertEqual(mispredicted()["program_of_12"], 0)
        self.assertGreater(mispredicted()["random_of_4"], 600)


if __name__ == "__main__":
    unittest.main()
