# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions that nobody called within the measurement, as others than the profiler know
# them: the function at the process's entry point, and what was live at START.
#
# Owns: the reading of the entry point from ELF files, and of the stack that
# programs/start_at_allocation.c writes.  Relies on tests/differential/code_map.py for
# whose code an address is.

"""Tell which functions may have cost that no arc brought."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Optional

from profile_file.model import FunctionKey
from tests.differential.code_map import CodeMap, Place, nameless_name

ENTRY_POINT = "entry point of the process"
LIVE_AT_START = "live at START"
PT_INTERP = 3
PROGRAM_HEADER = "<IIQQQQQQ"


def _interpreter(image: bytes) -> Optional[Path]:
    """The dynamic linker that an executable names."""
    (table,) = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    for index in range(count):
        kind, _, offset, _, _, length, _, _ = struct.unpack_from(
            PROGRAM_HEADER, image, table + index * size
        )
        if kind == PT_INTERP:
            return Path(image[offset : offset + length - 1].decode())
    return None


def entry_point(executable: Path) -> Optional[Place]:
    """Where the first instruction of the process lies; None for what is no ELF file."""
    image = executable.read_bytes()
    if image[:6] != b"\x7fELF\x02\x01":
        return None
    interpreter = _interpreter(image)
    if interpreter is not None:
        executable = interpreter.resolve()
        image = executable.read_bytes()
    (entry,) = struct.unpack_from("<Q", image, 24)
    return Place(str(executable), entry)


def read_stack(path: Path, executable: Path) -> list[Place]:
    """The calls that were under way at START: a place in each, innermost first."""
    places = []
    for line in path.read_text(encoding="utf-8").splitlines():
        address, _, name = line.partition(" ")
        if name == "?":
            continue
        # The dynamic linker gives the executable an empty name.
        real = Path(name).resolve() if name else executable
        # A return address may lie behind the function's end.
        places.append(Place(str(real), int(address, 16) - 1))
    return places


class KnownRoots:
    """The roots of one run."""

    def __init__(
        self, files: CodeMap, entry: Optional[Place], live: set[FunctionKey]
    ) -> None:
        self._files = files
        self._entry = entry
        self._live = live

    def reason(self, function: FunctionKey) -> Optional[str]:
        """Why less may arrive in a function than it spends; None if it must balance."""
        if self._entry is not None and self._is_entry(function, self._entry):
            return ENTRY_POINT
        return LIVE_AT_START if function in self._live else None

    def _is_entry(self, function: FunctionKey, entry: Place) -> bool:
        if function.object_file != entry.object_file:
            return False
        if not self._files.is_described(entry):
            return function.name == nameless_name(entry.address)
        return self._files.misplaced(function, entry) is None
