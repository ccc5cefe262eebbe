# SPDX-License-Identifier: GPL-2.0-or-later
#
# The order of names of benchmarks.

"""Names with numbers in them, in order."""

from __future__ import annotations

import re


def natural(name: str) -> list[tuple[int, str]]:
    """A key for sorting: numbers in names count as such, so sort-9 is before sort-10."""
    words = re.split(r"([0-9]+)", name)
    return [(int(word) if word.isdecimal() else -1, word) for word in words]
