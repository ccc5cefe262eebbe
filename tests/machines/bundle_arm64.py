# SPDX-License-Identifier: GPL-2.0-or-later
#
# The bundle of a cross build, under the emulator: what it must do wherever it runs
# (try_bundle.sh), with programs for arm64.  Owns: which of that can be seen there.
# Relies on who calls for a build, and for where programs for arm64 run.

"""Try the bundle for arm64."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Protocol, Sequence

from tests.machines.choice import Sum
from tests.machines.debian_root import Log

HERE = Path(__file__).resolve().parent
SCRIPT = HERE / "try_bundle.sh"
PROGRAM = HERE / "bundle_program.c"
ARCHIVES = "bundle/callgrind-exact-*-linux-aarch64.tar.xz"
# The launcher and the tool, with a static program and one that has a C library; how it
# finds its parts; and the sampler's message, as the emulator has no perf events.
QUICK = ("static_program", "dynamic_program", "places", "sampler")
# Not `children`: they are a shell's, which is this machine's.
CHECKS = (
    *QUICK,
    *("whole_program", "caches", "trees", "kept_translations", "steady", "no_tool"),
    *("speak_to_it", "report", "annotate", "gate"),
)
CANNOT_BE_SEEN = 77


class Emulated(Protocol):
    """Where programs for arm64 run."""

    def run(
        self, *words: str, folder: Path = ...
    ) -> "subprocess.CompletedProcess[str]": ...

    def program(self, name: str) -> str: ...


def try_bundle(
    machine: Emulated, build: Path, compiler: Path, quick: bool, log: Log
) -> Sum:
    log("making the bundle")
    for path in build.glob(ARCHIVES):
        path.unlink()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = machine.run("make", "-s", "bundle", folder=build)
        archive = next(build.glob(ARCHIVES), None)
        if made.returncode != 0 or archive is None:
            return failure("make bundle", made.stdout, log)
        log(f"{archive.name}, {archive.stat().st_size:,} bytes")
        for words in commands(folder, archive, compiler):
            done = machine.run(*words, folder=folder)
            if done.returncode != 0:
                return failure(" ".join(words), done.stdout, log)
        surroundings = [f"{name}={value}" for name, value in {
            "EXPECTED": str(executed_outside(machine, build, folder)),
            "PERF": "no",
            "CHILD": machine.program("true"),
            # Never waits, as vgdb could not see that: the emulator is what it would stop.
            "ENDLESS": machine.program("yes"),
        }.items()]
        result = Sum()
        for check in QUICK if quick else CHECKS:
            words = ("env", *surroundings, "sh", str(SCRIPT), str(folder), check)
            result.add(judged(check, machine.run(*words, folder=folder), log))
        return result


def commands(folder: Path, archive: Path, compiler: Path) -> Sequence[Sequence[str]]:
    """Unpack it as bundle/, and build the programs that are measured beside it."""
    compiled = (str(compiler), "-O2", "-I", "bundle/include/valgrind", str(PROGRAM), "-o")
    return (
        ("tar", "-xJf", str(archive)),
        ("mv", archive.name[: -len(".tar.xz")], "bundle"),
        (*compiled, "static", "-static"),
        (*compiled, "dynamic"),
    )


def executed_outside(machine: Emulated, build: Path, folder: Path) -> int:
    """Instructions between START and STOP of the static program, without the bundle; 0 if
    that fails, which no run is then equal to."""
    profile = folder / "profile"
    machine.run(str(build / "vg-in-place"), "-q", "--tool=callgrind",
                "--instr-atstart=no", f"--callgrind-out-file={profile}",
                str(folder / "static"), folder=folder)
    text = profile.read_text(encoding="utf-8") if profile.exists() else ""
    found = re.search(r"^totals: (\d+)$", text, re.M)
    return int(found[1]) if found else 0


def judged(check: str, ended: "subprocess.CompletedProcess[str]", log: Log) -> Sum:
    if ended.returncode == CANNOT_BE_SEEN:
        log(f"skipped {check}: {ended.stdout.strip().splitlines()[-1]}")
        return Sum(skipped=1)
    if ended.returncode != 0:
        return failure(f"the bundle: {check}", ended.stdout, log)
    return Sum(passed=1)


def failure(what: str, said: str, log: Log) -> Sum:
    print(said)
    log(f"FAIL: {what}")
    return Sum(failed=1)
