# SPDX-License-Identifier: GPL-2.0-or-later
#
# Frameworks that start valgrind themselves, once for each benchmark: gungraun, which was
# called iai-callgrind.  The command runs natively; the first `valgrind` in its PATH is a
# script that starts the gate's, with the gate's options before the framework's own.
#
# Owns: that script, the folder in which the framework puts its profiles, and the names of
# benchmarks: their places in that folder, `parse::numbers` of module and function.

"""Suites whose framework starts valgrind."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Iterator, Mapping, Sequence

SCRIPTS, RESULTS = "bin", "results"  # in the scratch folder of a run
# The profile of a process or a thread, not of a run before, nor a log.
PROFILE = re.compile(r"callgrind\..*\.out(?:\.[^.]+)*")
PROCESS = re.compile(rb"(?m)^pid: ([0-9]+)$")
TRIGGER = re.compile(rb"(?m)^desc: Trigger: .*$")
REQUEST = b"desc: Trigger: Client Request: "


def prepared(
    env: Mapping[str, str], scratch: Path, valgrind: Sequence[str]
) -> dict[str, str]:
    """Variables with which the framework finds the script.  It gives programs none of
    its own variables, so all is in the script."""
    scripts = scratch / SCRIPTS
    scripts.mkdir()
    script = scripts / "valgrind"
    script.write_text(
        f"#!/bin/sh\n# Made by callgrind_gate.\nexec {shlex.join(valgrind)} \"$@\"\n",
        "utf-8", "surrogateescape",
    )  # fmt: skip
    script.chmod(0o700)
    results = str(scratch / RESULTS)
    return {
        **env,
        "PATH": f"{scripts}{os.pathsep}{env.get('PATH', os.defpath)}",
        "GUNGRAUN_HOME": results,
        "IAI_CALLGRIND_HOME": results,
    }


def gather(scratch: Path, profiles: Path) -> None:
    """Put what the framework has kept where profiles are looked for: each a dump under
    the name of its benchmark."""
    taken: dict[bytes, int] = {}
    for path in _profiles_in(scratch / RESULTS):
        content = path.read_bytes()
        match = PROCESS.search(content)
        if match is None:
            continue
        number = taken[match[1]] = taken.get(match[1], 0) + 1
        name = _name_of(path.parent.relative_to(scratch / RESULTS))
        named = TRIGGER.sub(lambda _: REQUEST + os.fsencode(name), content)
        target = profiles / f"{match[1].decode()}.1-{number:02}"
        target.write_bytes(named)


def _profiles_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("callgrind.*")):
        if PROFILE.fullmatch(path.name) and ".old" not in path.suffixes:
            yield path


def _name_of(place: Path) -> str:
    """The package comes first, and the benchmark's function and id last."""
    return "::".join(place.parts[1:] or place.parts)
