# SPDX-License-Identifier: GPL-2.0-or-later
#
# Surroundings in which the same program is measured: environment, folder, names, user,
# priority, processors, model of processor.
#
# Owns: the forty of docs/steady.md, and how a program is run in one of them.  The tool is
# started itself, without the launchers before it: those add variables, and qemu, which
# emulates other processors, would not follow their exec.

"""Forty surroundings, and a run in one of them."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Sequence


def folder_of_libraries() -> str:
    """The folder of the C library; "" if this Python has none of its own."""
    maps = Path("/proc/self/maps").read_text("utf-8", "replace")
    paths = (line.split()[-1] for line in maps.splitlines() if "/" in line)
    return next((os.path.dirname(path) for path in paths
                 if os.path.basename(path).startswith("libc.so.")), "")


# Where the dynamic linker looks for libraries before it asks its cache, which is another
# one whenever somebody installs a library: then its search takes other steps.
LIBRARIES = {"LD_LIBRARY_PATH": folder_of_libraries()}
BASE = {"PATH": "/usr/bin:/bin", "HOME": "/", "LANG": "C.UTF-8", **LIBRARIES}
KEPT = "--steady-env=" + ",".join(BASE)
CACHES = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"]
OPTIONS = ["--tool=callgrind", "-q", "--cache-sim=yes", "--branch-sim=yes", *CACHES]


QEMU = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")
# The process has the same number in each run; needs root.
SAME_NUMBER = ("unshare", "--pid", "--fork", "--mount-proc")
MODELS = ("Haswell", "Skylake-Client", "EPYC")


@dataclass(frozen=True)
class Valgrind:
    """An installed tool, and options for it."""

    library: Path  # the folder of tools
    launcher: Path
    options: tuple[str, ...] = ()
    before: tuple[str, ...] = ()  # a command that starts the tool

    def command(self, model: str) -> list[str]:
        tool = str(self.library / "callgrind-amd64-linux")
        emulator = [QEMU, "-cpu", model] if QEMU and model else []
        return [*self.before, *emulator, tool, *OPTIONS, *self.options]

    def variables(self) -> dict[str, str]:
        return {
            "VALGRIND_LAUNCHER": str(self.launcher),
            "VALGRIND_LIB": str(self.library),
        }


@dataclass(frozen=True)
class Surroundings:
    name: str
    channel: str  # what differs from the first one
    variables: dict[str, str] = field(default_factory=dict)
    folder: str = "w"  # in which the program runs and lies
    program: str = "p"  # the name of the copy
    out: str = "out"
    user: str = ""
    nice: int = 0
    processors: tuple[int, ...] = ()
    model: str = ""  # of the processor, which qemu emulates


def _of_environment() -> list[Surroundings]:
    sizes = [1, 7, 16, 40, 100, 333, 1000, 2049, 5000, 20000]
    found = [
        Surroundings(f"{size} bytes more", "environment", {"MORE": "x" * size})
        for size in sizes
    ]
    for count in (10, 60, 200):
        variables = {f"VARIABLE_{i}": str(i) for i in range(count)}
        found.append(Surroundings(f"{count} variables", "environment", variables))
    return found


def _of_names() -> list[Surroundings]:
    found = [
        Surroundings(f"folder of {size}", "folder", folder="f" * size)
        for size in (2, 5, 16, 31, 60, 120, 200)
    ]
    found += [
        Surroundings(f"program of {size}", "program's name", program="p" * size)
        for size in (2, 8, 17, 64, 200)
    ]
    found += [
        Surroundings(f"output of {size}", "output's name", out="o" * size)
        for size in (1, 16, 63, 200)
    ]
    return found


def _of_system() -> list[Surroundings]:
    found = [
        Surroundings(f"nice {value}", "nice", nice=value) for value in (1, 10, 19)
    ]
    online = sorted(os.sched_getaffinity(0))
    for number in online[:2]:
        found.append(
            Surroundings(f"processor {number}", "affinity", processors=(number,))
        )
    for model in MODELS if QEMU is not None else ():
        found.append(Surroundings(f"{model} (qemu)", "processor", model=model))
    if os.geteuid() == 0:
        found.append(Surroundings("user nobody", "user", user="nobody"))
    found.append(Surroundings("again", "time"))
    return found


FIRST = Surroundings("first", "-")


def forty() -> list[Surroundings]:
    """The first one, and those that differ from it in one thing."""
    return [FIRST, *_of_environment(), *_of_names(), *_of_system()]


class RunError(Exception):
    """The program did not end as it should."""


def run(
    surroundings: Surroundings,
    valgrind: Valgrind,
    work: Path,
    program: Path,
    interpreter: Sequence[str] = (),
) -> Path:
    """Measure a copy of `program`; the path of the profile.

    `interpreter` runs the copy if it is a script."""
    folder = work / surroundings.folder
    folder.mkdir(mode=0o777, exist_ok=True)
    folder.chmod(0o777)
    copy = folder / (surroundings.program + program.suffix)
    shutil.copy(program, copy)
    # Elsewhere: interpreters look at what lies in the folder of the script.
    results = work / "results"
    results.mkdir(mode=0o777, exist_ok=True)
    results.chmod(0o777)
    out = results / surroundings.out
    out.unlink(missing_ok=True)
    command = [
        *valgrind.command(surroundings.model),
        f"--callgrind-out-file={out}",
        *interpreter,
        str(copy),
    ]
    ended = subprocess.run(
        command,
        cwd=folder,
        env={**BASE, **valgrind.variables(), **surroundings.variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: _become(surroundings),
        check=False,
    )
    copy.unlink()
    if ended.returncode != 0 or not out.exists():
        message = ended.stderr.decode("utf-8", "replace")
        raise RunError(f"{surroundings.name}: status {ended.returncode}: {message}")
    return out


def _become(surroundings: Surroundings) -> None:
    """In the child, before it starts the tool."""
    if surroundings.processors:
        os.sched_setaffinity(0, surroundings.processors)
    if surroundings.nice:
        os.nice(surroundings.nice)
    user: Optional[pwd.struct_passwd] = None
    if surroundings.user:
        user = pwd.getpwnam(surroundings.user)
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
