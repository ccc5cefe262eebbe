# SPDX-License-Identifier: GPL-2.0-or-later
#
# The simulators of callgrind/sim/ as a shared library for this host, reached by ctypes.

"""Builds the simulators natively and calls them."""

from __future__ import annotations

import atexit
import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOL = HERE.parent.parent / "callgrind"

# The tool is built without a C library; here a sanitizer looks on.
FLAGS = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes",
         "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all",
         "-fPIC", "-shared"]


class CacheGeometry(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("ways", ctypes.c_uint32),
                ("line_size", ctypes.c_uint32)]


class TracedAccess(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint64), ("size", ctypes.c_uint32),
                ("first", ctypes.c_uint8), ("is_write", ctypes.c_uint8),
                ("is_collected", ctypes.c_uint8)]


class TracedBranch(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint64), ("target", ctypes.c_uint64),
                ("is_indirect", ctypes.c_uint32), ("taken", ctypes.c_uint32)]


class MadeUpAnswer(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32)
                for name in ("leaf", "subleaf", "eax", "ebx", "ecx", "edx")]


class HostCaches(ctypes.Structure):
    _fields_ = [("i1", CacheGeometry), ("d1", CacheGeometry), ("ll", CacheGeometry),
                ("is_unknown", ctypes.c_bool), ("ll_is_l3", ctypes.c_bool),
                ("is_without_l2", ctypes.c_bool), ("trace_cache_kb", ctypes.c_uint32),
                ("ll_reported", CacheGeometry), ("i1_reported", CacheGeometry),
                ("d1_reported", CacheGeometry)]


def host_has_avx2() -> bool:
    cpuinfo = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    return any(line.startswith("flags") and "avx2" in line.split()
               for line in cpuinfo.splitlines())


@lru_cache(maxsize=None)
def library(*vectors: str) -> ctypes.CDLL:
    """The simulators and replay.c; built on first use, gone at exit.  `vectors` are
    options of the compiler."""
    folder = tempfile.mkdtemp(prefix="simulators.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    built = os.path.join(folder, "simulators.so")
    sources = [str(HERE / "replay.c"), *map(str, sorted((TOOL / "sim").glob("*.c")))]
    compiler = shlex.split(os.environ.get("CC", "gcc"))
    flags = [*FLAGS, *vectors, f"-I{TOOL}"]
    subprocess.run([*compiler, *flags, "-o", built, *sources], check=True)
    return ctypes.CDLL(built)
