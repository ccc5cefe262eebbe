# SPDX-License-Identifier: GPL-2.0-or-later
#
# The command line of CodSpeed's newest runner: what it passes besides.

from __future__ import annotations

import platform
import unittest
from pathlib import Path

from tests.readers import test_drivers


def newest_options(folder: Path) -> list[str]:
    replaced = "--instr-atstart=no"
    kept = [word for word in test_drivers.codspeed_options(folder) if word != replaced]
    more = ["--fair-sched=yes", "--instr-atstart=inherit", "--separate-threads=yes"]
    return kept + more


class Newest(test_drivers.CodSpeed):
    def test_as_it_stands(self) -> None:
        self.check(newest_options(self.folder))

    @unittest.skipUnless(platform.machine() == "x86_64", "no tables of cycles")
    def test_with_cycles(self) -> None:
        options = [*newest_options(self.folder), "--cycle-estimation=yes"]
        self.check(options, " Ct Cl")
