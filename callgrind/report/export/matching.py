# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which functions of an old and a new run are the same.
#
# Owns: what makes them the same although the program was built again.  Build ids,
# folders and lines differ then.  So a function is known by its name and by the base names
# of its object and its source file; where that finds none, by less, as far as the user's
# --match allows and as only one function of the new run is meant.

"""Match the functions of two forests."""

from __future__ import annotations

import os

from analysis.profile_diff import Matching
from tree_file.model import Forest, Function

Key = tuple[str, ...]  # how much is compared, and what


def _keys(function: Function, matching: Matching) -> list[Key]:
    """The keys of a function, the closest match first."""
    path = function.object.path if function.object is not None else ""
    name, source = function.name, function.source
    for change in matching.map_names:
        name = change(name)
    for change in matching.map_paths:
        path, source = change(path), change(source)
    owner, file = os.path.basename(path), os.path.basename(source)
    if matching.match == "name+object+file":
        return [("all", name, owner, source)]
    keys: list[Key] = [("file", name, owner, file), ("object", name, owner)]
    if matching.match == "name":
        keys += [("name and file", name, file), ("name", name)]
    return keys


def match_functions(
    old: Forest, new: Forest, matching: Matching = Matching()
) -> None:
    """Replace functions of the old forest by the same ones of the new forest."""
    found: dict[Key, Function] = {}
    ambiguous: set[Key] = set()
    for function in new.functions:
        for key in _keys(function, matching):
            if key in found:
                ambiguous.add(key)
            found.setdefault(key, function)
    for index, function in enumerate(old.functions):
        closest, *others = _keys(function, matching)
        if closest in found:
            old.functions[index] = found[closest]
            continue
        for key in others:
            if key in found and key not in ambiguous:
                old.functions[index] = found[key]
                break
