# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs one program under two callgrinds in surroundings as equal as they can be made.
#
# Owns: the environment of the runs.  Instruction counts are only as equal as what the
# program sees: the dynamic linker and the C library walk the environment, so one more
# variable or a longer path in LD_PRELOAD is a few hundred instructions more.  Measured
# with the distribution's callgrind alone (bzip2): two equal runs differ by 0, a
# variable more by 451, and a longer VALGRIND_LIB by about 6 a character.  Hence:
#   - address space randomisation is off (setarch -R), hash seeds and allocators are
#     pinned;
#   - the environment that the launcher under test leaves to the program is asked for, and
#     the distribution's callgrind is run with the same variables in the same order;
#   - both find their tool folder by paths of the same length (a symbolic link), which
#     differ in one bit where that can be: the C library looks up each character in a
#     table, and the same lines of that shall be used.
# What cannot be made equal is said in the report (Surroundings.notes).

"""Equal surroundings for two callgrinds."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Optional

BASE_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C",
    "PYTHONHASHSEED": "0",
    "PYTHONMALLOC": "malloc",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PERL_HASH_SEED": "0",
    "PERL_PERTURB_KEYS": "0",
    # The core adds its library here; after all others if this is not there already.  Then
    # random bytes would follow (AT_RANDOM), and strcspn looks up a few behind the end.
    "LD_PRELOAD": "",
}
PRELOAD = "LD_PRELOAD"
DISTRIBUTION_LAUNCHERS = ("/usr/bin/valgrind.bin", "/usr/bin/valgrind")


class LaunchError(Exception):
    """A profiler cannot be run at all."""


@dataclass
class RunResult:
    """What one run left behind."""

    status: int
    output: bytes
    errors: str
    command: list[str]


@dataclass
class Launcher:
    """One of the two callgrinds, with the environment it is started in."""

    path: str
    environment: dict[str, str]

    def run(self, options: list[str], command: list[str], folder: Path) -> RunResult:
        words = [
            *fixed_addresses(),
            self.path,
            "-q",
            "--tool=callgrind",
            *options,
            *command,
        ]
        environment = self.environment
        if "PWD" in environment:  # set by our launcher, which is a shell script
            environment = {**environment, "PWD": str(folder)}
        try:
            result = subprocess.run(
                words,
                cwd=folder,
                env=environment,
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
        except OSError as error:
            raise LaunchError(f"{self.path}: {error.strerror}") from error
        return RunResult(
            result.returncode,
            result.stdout,
            result.stderr.decode("utf-8", "replace"),
            words,
        )

    def client_environment(self, folder: Path) -> dict[str, str]:
        """The variables that a program sees under this launcher, in their order."""
        profile = folder / f"environment.{os.getpid()}.out"
        result = self.run(
            [f"--callgrind-out-file={profile}"], ["/usr/bin/env", "-0"], folder
        )
        profile.unlink(missing_ok=True)
        if result.status != 0:
            raise LaunchError(f"{self.path} does not run: {result.errors.strip()[:300]}")
        words = result.output.decode("utf-8", "surrogateescape").split("\0")
        return dict(word.partition("=")[::2] for word in words if word)


@dataclass
class Surroundings:
    """Both launchers, made as equal as they can be, and what remains unequal."""

    stock: Launcher
    ours: Launcher
    notes: list[str] = field(default_factory=list)
    addresses_are_fixed: bool = False


@lru_cache(maxsize=None)
def fixed_addresses() -> tuple[str, ...]:
    """The prefix that switches address space randomisation off, where that is allowed."""
    setarch = shutil.which("setarch")
    if setarch is None:
        return ()
    allowed = subprocess.run([setarch, "-R", "true"], check=False, capture_output=True)
    return (setarch, "-R") if allowed.returncode == 0 else ()


def default_stock() -> str:
    """The distribution's launcher; its plain binary where /usr/bin/valgrind wraps it."""
    for path in DISTRIBUTION_LAUNCHERS:
        if os.access(path, os.X_OK):
            return path
    raise LaunchError(
        "the distribution's valgrind is not installed: apt install valgrind"
    )


def equal_surroundings(stock: str, ours: str, folder: Path) -> Surroundings:
    """Start from what ours leaves to the program, and give the same to stock."""
    notes = (
        []
        if fixed_addresses()
        else ["address space randomisation cannot be switched off"]
    )
    ours_launcher = Launcher(ours, dict(BASE_ENVIRONMENT))
    seen = ours_launcher.client_environment(folder)
    wanted = {name: "" if name == PRELOAD else value for name, value in seen.items()}
    tool_folder = Path(seen.get(PRELOAD, "").split(":")[0]).parent
    if "VALGRIND_LIB" in wanted:
        # The launcher names its tool folder: so does stock's, in as many characters.
        stand_in = path_beside(Path(wanted["VALGRIND_LIB"])) or path_of_length(
            len(wanted["VALGRIND_LIB"]), folder
        )
        if stand_in is None:
            notes.append(
                f"no path of {len(wanted['VALGRIND_LIB'])} characters for the "
                f"distribution's tools"
            )
        else:
            make_link(stand_in, distribution_tools())
            wanted["VALGRIND_LIB"] = str(stand_in)
    stock_launcher = Launcher(stock, wanted)
    stock_sees = stock_launcher.client_environment(folder)
    notes += unequal_variables(stock_sees, seen, tool_folder)
    fixed = bool(fixed_addresses())
    return Surroundings(stock_launcher, ours_launcher, notes, fixed)


def make_link(path: Path, target: Path) -> None:
    """A symbolic link that is never missing while another process uses it."""
    if path.is_symlink() and os.readlink(path) == str(target):
        return
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.symlink_to(target)
    new.replace(path)


def path_beside(tools: Path) -> Optional[Path]:
    """A name for a symbolic link that differs from the folder's in the last bit only."""
    path = tools.with_name(tools.name[:-1] + chr(ord(tools.name[-1]) ^ 1))
    is_free = path.is_symlink() or not path.exists()
    usable = tools.name[-1].isalnum() and is_free and os.access(tools.parent, os.W_OK)
    return path if usable else None


def path_of_length(length: int, folder: Path) -> Optional[Path]:
    """A name for a symbolic link whose full path has exactly this many characters."""
    for parent in (folder, Path("/tmp")):
        room = length - len(str(parent)) - 1
        if 1 <= room <= 255:
            return parent / ("s" * room)
    return None


def distribution_tools() -> Path:
    for path in (
        Path("/usr/libexec/valgrind"),
        Path("/usr/lib/valgrind"),
        Path("/usr/lib/x86_64-linux-gnu/valgrind"),
    ):
        if list(path.glob("callgrind-*-linux")):
            return path
    raise LaunchError("the distribution's callgrind tool was not found")


def unequal_variables(
    stock: dict[str, str], ours: dict[str, str], tool_folder: Path
) -> list[str]:
    """What would count differently: names, their order, and the lengths of values."""
    if list(stock) != list(ours):
        return [
            f"the programs see other variables: stock {' '.join(stock)}; "
            f"ours {' '.join(ours)} (tools in {tool_folder})"
        ]
    notes = []
    for name, value in ours.items():
        if len(stock[name]) != len(value):
            notes.append(
                f"{name} has {len(stock[name])} characters under stock "
                f"({stock[name]}) and {len(value)} under ours ({value})"
            )
    return notes
