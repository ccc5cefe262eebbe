# SPDX-License-Identifier: GPL-2.0-or-later
#
# Puts functions into the files that they are defined in.
#
# A profile has a function in the file of its first instruction, as stock has; where that
# is inlined code, the file is a header.  callgrind-exact then writes a comment behind
# `fn=`, which other readers pass over, with the file of its definition.  Costs stay on
# the lines that they were of.
#
# Owns: how a part is changed for that.  Relies on model.py.

"""Functions by the files of their definitions."""

from __future__ import annotations

from profile_file.model import FunctionKey, Part, add_arc, add_jump
from profile_file.packed import PackedFunctions

DEFINITION = "# defined in: "  # and the path, up to the end of the line


def put_where_defined(part: Part, defined_in: dict[FunctionKey, str]) -> None:
    """Change the keys of these functions, wherever the part has them.

    One whose place is taken (two functions of one name that is no name for the linker,
    such as the several constructors of a class) stays where its code begins."""
    taken = set(part.functions)
    moved: dict[FunctionKey, FunctionKey] = {}
    for key, file in defined_in.items():
        place = key._replace(source_file=file)
        if place not in taken:
            taken.add(place)
            moved[key] = place
    if not moved:
        return
    if isinstance(part.functions, PackedFunctions):
        part.functions.rename(moved)
        return
    part.functions = {
        moved.get(key, key): function for key, function in part.functions.items()
    }
    for key, function in part.functions.items():
        function.key = key
        for arc in function.arcs.values():
            arc.caller = key
        if any(arc_key.callee in moved for arc_key in function.arcs):
            arcs, function.arcs = function.arcs, {}
            for arc in arcs.values():
                arc.callee = moved.get(arc.callee, arc.callee)
                add_arc(function.arcs, arc)
        for jump in function.jumps.values():
            jump.function = key
        if any(jump_key[2] in moved for jump_key in function.jumps):
            jumps, function.jumps = function.jumps, {}
            for jump in jumps.values():
                goal = jump.target_function
                jump.target_function = moved.get(goal, goal)
                add_jump(function.jumps, jump)
