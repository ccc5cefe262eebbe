#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A benchmark as integrations run it: folds the interpreter away, starts the measurement
# some calls deep in Python code, and lets extensions work.
#
#    runtime_obj_skip_py.py LIBRARY fold|keep
#
# LIBRARY has the client requests.  With `keep` it does the same, and nothing is
# skipped.

"""Measure extension modules without the interpreter."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import zlib

DEPTH = 12
TEXT = json.dumps([{"name": f"entry {i}", "value": i * i} for i in range(20)])


class SymbolInfo(ctypes.Structure):
    """What dladdr() says of an address."""

    _fields_ = [
        ("object_path", ctypes.c_char_p),
        ("object_base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def interpreter_paths() -> list[str]:
    """The interpreter and its library, as they are called and as they are mapped."""
    info = SymbolInfo()
    some_function = ctypes.cast(ctypes.pythonapi.Py_GetVersion, ctypes.c_void_p)
    paths = {sys.executable}
    if ctypes.CDLL(None).dladdr(some_function, ctypes.byref(info)):
        paths.add(os.fsdecode(info.object_path))
    return sorted(paths | {os.path.realpath(path) for path in paths})


def measured(library: ctypes.CDLL, depth: int) -> int:
    """Goes `depth` calls deep, measures there, and comes back."""
    if depth > 0:
        return measured(library, depth - 1) + 1
    library.requests_start()
    data = TEXT
    for _ in range(3):
        data = json.dumps(json.loads(data))
        packed = zlib.compress(data.encode(), 9)
        assert zlib.decompress(packed).decode() == data
        library.user_function()
    library.requests_stop()
    return 0


def main() -> int:
    library = ctypes.CDLL(sys.argv[1])
    is_real = int(sys.argv[2] == "fold")
    for path in interpreter_paths():
        library.requests_add_obj_skip(os.fsencode(path), is_real)
    # Everything is imported and looked up before.
    json.dumps(json.loads(TEXT))
    zlib.compress(TEXT.encode())
    library.user_function()
    functions = library.requests_start, library.requests_stop
    gc.disable()
    assert functions and measured(library, DEPTH) == DEPTH
    return 0


if __name__ == "__main__":
    sys.exit(main())
