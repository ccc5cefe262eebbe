# SPDX-License-Identifier: BSD-2-Clause
#
# Requests that a Python program makes of callgrind while it runs under it.
#
# Owns: the names that others import.  _requests.c makes the requests; measuring.py
# measures a call.

"""Client requests of callgrind.  Without Valgrind they have no effect.

start(), stop()     begin and cease to measure; with --instr-atstart=no, everything before
                    runs at full speed
dump_at(name)       write what was counted as a part of this name, and set it to zero
dump(), zero()      the one without the other
toggle_collect()    switch collection over
add_obj_skip(path)  fold the functions of an object into their callers
add_desc(text)      a line "name: value" for the header of the next part
mark(text)          mark this moment on the timeline (--timeline=yes)
measure(name, function, *args, **kwargs)
                    call it, and write what it has spent as a part of this name
"""

from __future__ import annotations

from ._requests import (
    add_desc,
    add_obj_skip,
    dump,
    dump_at,
    mark,
    running_on_valgrind,
    start,
    stop,
    toggle_collect,
    zero,
)
from ._version import VERSION
from .measuring import measure, skip_interpreter

__version__ = VERSION
__all__ = [
    "add_desc",
    "add_obj_skip",
    "dump",
    "dump_at",
    "mark",
    "measure",
    "running_on_valgrind",
    "skip_interpreter",
    "start",
    "stop",
    "toggle_collect",
    "zero",
]
