# SPDX-License-Identifier: GPL-2.0-or-later
"""What a result has to be read with: machine, versions, date, revision.

Every fact is optional; "unknown" stands for what cannot be found out.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any, Optional, Sequence

UNKNOWN = "unknown"


def first_line(command: Sequence[str], folder: Optional[Path] = None) -> Optional[str]:
    """The first line that a command prints, None when it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              check=True, cwd=folder)
    except (OSError, subprocess.CalledProcessError):
        return None
    return (done.stdout.strip().splitlines() or [""])[0]


def cpu_model(text: str) -> str:
    """From the text of /proc/cpuinfo."""
    found = re.search(r"^model name\s*: *(.*)$", text, re.M)
    return found.group(1) if found else platform.machine() or UNKNOWN


def revision(source: Path) -> str:
    commit = first_line(["git", "rev-parse", "HEAD"], source)
    if commit is None:
        return UNKNOWN
    changed = first_line(["git", "status", "--porcelain", "--untracked-files=no"], source)
    return commit[:12] + (" with changes" if changed else "")


def fixed_addresses() -> tuple[str, ...]:
    """The command prefix that switches off address space randomisation, as a driver
    in CI does; nothing where that is not allowed, as in many containers."""
    prefix = ("setarch", platform.machine(), "--addr-no-randomize")
    return prefix if first_line([*prefix, "true"]) is not None else ()


def facts(
    source: Path, launchers: dict[bool, Path], compiler: str, command_line: Sequence[str]
) -> dict[str, Any]:
    """launchers: by whether it is ours."""
    stock, ours = launchers[False], launchers.get(True)
    programs = {
        "valgrind": [str(stock), "--version"],
        "gcc": [compiler, "--version"],
        "python": ["/usr/bin/python3", "--version"],
        "perl": ["/usr/bin/perl", "-e", 'print "perl $^V"'],
        **({"ours": [str(ours), "--version"]} if ours else {}),
    }
    return {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "command_line": list(command_line),
        "revision": revision(source),
        "versions": {
            name: first_line(command) or UNKNOWN for name, command in programs.items()
        },
        "machine": {
            "cpu": cpu_model(Path("/proc/cpuinfo").read_text(errors="replace")),
            "cpus": os.cpu_count(),
            "kernel": f"{platform.system()} {platform.release()}",
            "load_at_start": list(os.getloadavg()),
            "bench_python": platform.python_version(),
        },
        "launchers": {"stock": str(stock), "ours": str(ours) if ours else None},
    }
