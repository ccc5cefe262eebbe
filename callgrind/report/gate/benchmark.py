# SPDX-License-Identifier: GPL-2.0-or-later
#
# A benchmark: what is measured, how, and by how much it may grow.
#
# Owns: the data class that settings.py fills in.

"""Benchmarks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gate.limits import GateLimit

DEFAULT_TIMEOUT = 600.0


@dataclass
class Benchmark:
    """What is measured, and how much it may grow."""

    name: str
    command: list[str]
    folder: Path
    options: list[str] = field(default_factory=list)  # of Valgrind
    toggles: list[str] = field(default_factory=list)  # functions, for --toggle-collect
    start: str = "begin"  # request: with CALLGRIND_START_INSTRUMENTATION
    env: dict[str, str] = field(default_factory=dict)
    keep_env: list[str] = field(default_factory=list)  # variables that are passed on
    status: int = 0  # what the command ends with
    timeout: float = DEFAULT_TIMEOUT  # seconds that one measurement may take
    events: list[str] = field(default_factory=list)
    limits: list[GateLimit] = field(default_factory=list)

    def valgrind_options(self) -> list[str]:
        words = list(self.options)
        if self.start == "request":
            words.append("--instr-atstart=no")
        return words + [f"--toggle-collect={name}" for name in self.toggles]
