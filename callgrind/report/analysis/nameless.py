# SPDX-License-Identifier: GPL-2.0-or-later
#
# Code that was made at run time and that the program has not named.
#
# Owns: how it is told from other code: it is of no object, and is called by its address.
# The page has the same rule in page/tree.js.  Relies on function_costs.py.

"""JIT code without names."""

from __future__ import annotations

import re

from analysis.function_costs import FunctionCosts
from profile_file.model import UNKNOWN, FunctionKey

# With the recursion level, or the callers, that may stand behind it.
ADDRESS = re.compile(r"0x[0-9a-f]+(?:'.*)?", re.DOTALL)


def is_nameless(key: FunctionKey) -> bool:
    return key.object_file in ("", UNKNOWN) and ADDRESS.fullmatch(key.name) is not None


def nameless_cost(costs: FunctionCosts) -> int:
    """Self cost of such code, of the main event."""
    return sum(
        function.self_cost[0]
        for key, function in costs.functions.items()
        if is_nameless(key)
    )
