# SPDX-License-Identifier: GPL-2.0-or-later
#
# The architecture that generated programs are built for.
#
# Owns: the question, which the C compiler answers, and by what names compiler and linker
# know what both architectures have.

"""Tell which architecture the programs are for."""

from __future__ import annotations

import subprocess
from functools import lru_cache

AMD64 = "amd64"
ARM64 = "arm64"
_BY_MACHINE = {"x86_64": AMD64, "aarch64": ARM64}


@lru_cache(maxsize=None)
def target() -> str:
    """What `gcc` compiles for; amd64 where it does not say."""
    try:
        machine = subprocess.run(
            ["gcc", "-dumpmachine"],
            check=True,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return AMD64
    return _BY_MACHINE.get(machine.split("-")[0], AMD64)


# Indirect calls and jumps have to end at instructions that are marked, on arm64 return
# addresses are signed; and a PLT that is made for it.
IS_AMD64 = target() == AMD64
PROTECTION = "-fcf-protection=full" if IS_AMD64 else "-mbranch-protection=standard"
# It warns of objects that are not so.
PROTECTED_PLT = (
    ["-Wl,-z,ibtplt"] if IS_AMD64 else ["-Wl,-z,force-bti", "-Wl,-z,pac-plt"]
)
