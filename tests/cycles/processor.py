# SPDX-License-Identifier: GPL-2.0-or-later
#
# What processor this is, by what the kernel says: its model, and its last level.

"""The processor at hand, as the tool's options say it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Optional

# Models by Intel's numbers of the family 6 (CPUID); Xeons and their like.
INTEL = {
    "haswell": (60, 61, 63, 69, 70, 71, 79, 86),
    "skylake": (78, 85, 94, 142, 158),
    # Ice Lake, Tiger Lake and Rocket Lake, which LLVM takes for the same.
    "icelake-server": (106, 108, 125, 126, 140, 141, 167),
    "sapphirerapids": (143, 207),
    "graniterapids": (173, 174),
}
# Kilobytes of the last level that servers with this processor have for each core.
SLICES = {"haswell": 2560, "skylake": 1408, "icelake-server": 1536,
          "sapphirerapids": 1920, "graniterapids": 4096, "znver3": 4096, "znver4": 4096}


def model_of(cpuinfo: str, code_cache: int = 32) -> Optional[str]:
    """The model for the processor that /proc/cpuinfo describes, with so many kilobytes of
    a first level for code, if there is one.  A virtual machine may show the number of an
    older processor with features that only a newer one has."""

    def number(name: str) -> int:
        found = re.search(rf"^{name}\s*: (\d+)$", cpuinfo, re.M)
        return int(found.group(1)) if found else -1

    family, kind = number("cpu family"), number("model")
    if "AuthenticAMD" in cpuinfo and family == 25:
        return "znver4" if 0x10 <= kind < 0x20 or 0x60 <= kind < 0xb0 else "znver3"
    if "GenuineIntel" not in cpuinfo or family != 6:
        return None
    found = next((name for name, kinds in INTEL.items() if kind in kinds), None)
    if "amx_tile" in cpuinfo and found not in ("sapphirerapids", "graniterapids"):
        return "graniterapids" if code_cache == 64 else "sapphirerapids"
    return found


def caches_of(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What the kernel shows of a processor's caches, as "1Data", "1Instruction",
    "3Unified": kilobytes, ways, and bytes of a line."""
    caches = {}
    for cache in folder.glob("index*"):
        level, kind, size, ways, line = ((cache / name).read_text().strip() for name in (
            "level", "type", "size", "ways_of_associativity", "coherency_line_size"))
        caches[level + kind] = int(size.rstrip("K")), int(ways), int(line)
    return caches


def last_level(caches: dict[str, tuple[int, int, int]],
               share: Optional[int] = None) -> Optional[str]:
    """As --LL takes it, from what the kernel shows of a processor's caches.  The tool
    itself asks the processor, which in a virtual machine may speak of more.  The number
    of sets is rounded down to a power of two, as only such can be simulated.  A virtual
    machine that has others beside it has no more than its share in kilobytes."""
    if not caches:
        return None
    size, ways, line = caches[max(caches)]
    if share is not None:
        size = min(size, share)
    sets = 1 << (size * 1024 // (ways * line)).bit_length() - 1
    return f"{sets * ways * line},{ways},{line}"


def share_of(cpuinfo: str, model: str) -> Optional[int]:
    """How many kilobytes of the last level are those of the processors of this virtual
    machine; nothing if it is no virtual machine."""
    is_virtual = re.search(r"^flags.*\bhypervisor\b", cpuinfo, re.M)
    return SLICES[model] * len(os.sched_getaffinity(0)) if is_virtual else None
