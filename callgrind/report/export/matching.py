# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which functions of an old and a new run are the same.
#
# Owns: what makes them the same although the program was built again.  Build ids,
# folders and lines differ then.  So a function is known by its name and by the base names
# of its object and its source file; where the object has only one function of that name,
# by name and object alone.

"""Match the functions of two forests."""

from __future__ import annotations

import os
from typing import Optional

from tree_file.model import Forest, Function

Key = tuple[str, str, Optional[str]]


def _keys(function: Function) -> tuple[Key, Key]:
    """The keys of a function, the closest match first."""
    path = function.object.path if function.object is not None else ""
    name, owner = function.name, os.path.basename(path)
    return (name, owner, os.path.basename(function.source)), (name, owner, None)


def match_functions(old: Forest, new: Forest) -> None:
    """Replace functions of the old forest by the same ones of the new forest."""
    found: dict[Key, Function] = {}
    ambiguous: set[Key] = set()
    for function in new.functions:
        for key in _keys(function):
            if key in found:
                ambiguous.add(key)
            found.setdefault(key, function)
    for index, function in enumerate(old.functions):
        for key in _keys(function):
            if key in found and (key not in ambiguous or key[2] is not None):
                old.functions[index] = found[key]
                break
