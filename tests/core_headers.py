# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where the headers for programs that make client requests are.
#
# Relies on pkg-config; where that does not know the core, its headers are in their usual
# place.

"""How programs find callgrind.h and valgrind.h."""

from __future__ import annotations

import subprocess
from pathlib import Path

INCLUDE = Path(__file__).resolve().parent.parent / "include"


def request_flags() -> list[str]:
    """For our callgrind.h, and the core's valgrind.h, which that includes."""
    found = subprocess.run(
        ["pkg-config", "--variable=includedir", "valgrind"],
        stdout=subprocess.PIPE, text=True, check=False,
    )
    return [f"-I{INCLUDE}", f"-I{found.stdout.strip() or '/usr/include/valgrind'}"]
