# SPDX-License-Identifier: GPL-2.0-or-later
#
# How long series of tests are that go by the seed, each on something that is drawn anew.
#
# Owns: the switch CT_LONG=1 (`./check --long`), with which they are whole, as in
# continuous integration.  Without it a part of each runs.

"""Tell whether long series of tests are to be whole."""

from __future__ import annotations

import os

LONG_VARIABLE = "CT_LONG"


def is_long() -> bool:
    return os.environ.get(LONG_VARIABLE, "") not in ("", "0")
