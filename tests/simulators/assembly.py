# SPDX-License-Identifier: GPL-2.0-or-later
#
# Accesses to memory as amd64 instructions that callgrind counts one by one.

"""Random accesses as assembly programs."""

from __future__ import annotations

import random
from dataclasses import dataclass

READ, WRITE, MODIFY = "read", "write", "modify"

# A load whose value is not used is optimised away before it is counted, so each one adds
# to what is in its register.
LOADS = {1: "add {}, %al", 2: "add {}, %ax", 4: "add {}, %eax", 8: "add {}, %rax",
         16: "vpxor {}, %xmm0, %xmm0", 32: "vpxor {}, %ymm0, %ymm0"}
STORES = {1: "mov %al, {}", 2: "mov %ax, {}", 4: "mov %eax, {}", 8: "mov %rax, {}",
          16: "vmovdqu %xmm0, {}", 32: "vmovdqu %ymm0, {}"}
CHANGES = {1: "incb {}", 2: "incw {}", 4: "incl {}", 8: "incq {}"}


@dataclass(frozen=True)
class Access:
    kind: str
    address: int  # below 2^31
    size: int

    def text(self) -> str:
        forms = {READ: LOADS, WRITE: STORES, MODIFY: CHANGES}[self.kind]
        return forms[self.size].format(f"{self.address:#x}")


def random_accesses(
    source: random.Random, count: int, start: int, span: int, kinds: str = "rrrwwm"
) -> list[Access]:
    """Accesses within `span` bytes, some near the last one, of all sizes and places."""
    found: list[Access] = []
    at = start
    for _ in range(count):
        kind = {"r": READ, "w": WRITE, "m": MODIFY}[source.choice(kinds)]
        size = source.choice([1, 2, 4, 8] if kind == MODIFY else [1, 2, 4, 8, 16, 32])
        if source.random() < 0.4:
            at += source.choice([-64, -8, 0, 1, 8, 31, 64, 128])
        else:
            at = start + source.randrange(span)
        at = min(max(at, start), start + span - size)
        found.append(Access(kind, at, size))
    return found


def program(accesses: list[Access]) -> str:
    return "\n".join(f"    {each.text()}" for each in accesses)
