# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which functions of an old and a new run are the same.
#
# Owns: what makes them the same although the program was built again.  Build ids,
# folders and lines differ then.  So a function is known by its name and by the base names
# of its object and its source file; where that finds none, by less, as far as the user's
# --match allows and as only one function of the new run is meant; and last by its name
# without what each build makes anew (build_names.py).

"""Match the functions of two forests."""

from __future__ import annotations

import os
from typing import Sequence

from analysis.build_names import plain_function, plain_object, without_lines
from analysis.profile_diff import PLAIN, Matching
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
    where = "" if matching.match == "name" else plain_object(path)
    plain = (without_lines(name), plain_function(name))
    return [*keys, *((PLAIN, each, where) for each in plain)]


def match_functions(
    old: Forest, new: Forest, matching: Matching = Matching()
) -> None:
    """Replace functions of the old forest by the same ones of the new forest.  None of
    these stands for two."""
    old_keys = [_keys(function, matching) for function in old.functions]
    new_keys = [_keys(function, matching) for function in new.functions]
    old_left = list(range(len(old_keys)))
    new_left = list(range(len(new_keys)))
    for closeness in range(max(map(len, old_keys), default=0)):
        meant = _by_key(new_left, new_keys, closeness)
        asking = _by_key(old_left, old_keys, closeness)
        pairs: dict[int, int] = {}
        for key, indices in asking.items():
            pairs.update(_pairs(key, indices, meant.get(key, []), closeness == 0))
        for index, match in pairs.items():
            old.functions[index] = new.functions[match]
        taken = set(pairs.values())
        old_left = [index for index in old_left if index not in pairs]
        new_left = [index for index in new_left if index not in taken]


def _by_key(
    indices: Sequence[int], keys: Sequence[list[Key]], closeness: int
) -> dict[Key, list[int]]:
    found: dict[Key, list[int]] = {}
    for index in indices:
        found.setdefault(keys[index][closeness], []).append(index)
    return found


def _pairs(
    key: Key, old: Sequence[int], new: Sequence[int], is_closest: bool
) -> "zip[tuple[int, int]]":
    """Which of the old functions with a key are which of the new ones.

    Copies of one function, which only hashes or lines told apart, are in the order in
    which they were defined, if there are as many of them."""
    if len(old) == len(new) == 1 or is_closest or (
        key[0] == PLAIN and len(old) == len(new)
    ):
        return zip(old, new)
    return zip((), ())
