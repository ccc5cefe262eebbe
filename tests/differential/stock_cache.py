# SPDX-License-Identifier: GPL-2.0-or-later
#
# Keeps what the distribution's callgrind wrote, for the next time that it would be asked
# for the same.
#
# Owns: the entries in the build folder, and what makes one valid.  An entry is a folder
# with the profiles of one run, `result.json` (exit status, output, messages) and
# `key.json`.  The key holds all that a run depends on:
#   - Valgrind: the contents of its launcher, of the callgrind tool, and of what it
#     preloads;
#   - the command line, the working folder and the names of what is in it (Python looks),
#     and every variable of the environment, in order;
#   - the contents of every file that the command line names;
#   - the files that the program reads besides (`Case.reads`), and the objects that the
#     core found in the process, with their debug files: by name, size and time of change;
#   - what the dynamic linker and the C library look at: ld.so.cache, processor, kernel,
#     limits, user; and the state of the distribution's packages.
# An entry with any other key is not used.  There is one for each case and set of
# options, so the cache does not grow.  Besides, measuring.py makes a comparison that
# fails again, without the cache, and keeps only what has passed: a stale entry cannot
# fail a test.
#
# With CT_FRESH=1 in the environment (`./check --fresh`) no entry is used, and all are
# replaced.

"""Profiles of the distribution's callgrind, kept for the next run of the tests."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import resource
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterable, Optional

from tests.differential.code_map import load_addresses
from tests.differential.launching import Launcher, RunResult, distribution_tools
from tests.differential.reuse import (
    contents,
    is_fresh,
    packages_stamp,
    stamp,
    tree_digest,
)

FORMAT = 1  # of the entries; another one makes all of them invalid
DEBUG_FOLDER = Path("/usr/lib/debug")
ALWAYS_READ = (Path("/etc/ld.so.cache"), Path("/etc/ld.so.preload"))
VALGRIND_FILES = ("callgrind-*", "vgpreload_core-*", "vgpreload_callgrind-*")
# Of /proc/cpuinfo: what does not say what the processor can do, but how it is just now.
MOMENTARY = ("cpu MHz", "bogomips")
LIMITS = (resource.RLIMIT_STACK, resource.RLIMIT_DATA, resource.RLIMIT_AS)


Key = dict[str, Any]


@lru_cache(maxsize=None)
def _machine() -> Key:
    """What a program can see of the machine."""
    try:
        first = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0]
    except OSError:
        first = ""
    system = os.uname()
    return {
        "kernel": [system.sysname, system.release, system.version, system.machine],
        "processor": [
            line for line in first.splitlines() if not line.startswith(MOMENTARY)
        ],
        "processors": len(os.sched_getaffinity(0)),
        "limits": [list(resource.getrlimit(which)) for which in LIMITS],
        "user": [os.getuid(), os.geteuid(), os.getgid(), os.getegid()],
        "packages": packages_stamp(),
        "linker": [contents(path) for path in ALWAYS_READ],
    }


@lru_cache(maxsize=None)
def _debug_files() -> str:
    """The files, not their folders: a file that a test has put there and taken away again
    has changed nothing but a folder's time."""
    files = sorted(
        Path(folder, name) for folder, _, names in os.walk(DEBUG_FOLDER) for name in names
    )
    found = [(str(path), stamp(path)) for path in files]
    return hashlib.sha256(repr(found).encode()).hexdigest()


@lru_cache(maxsize=None)
def _valgrind(path: str) -> Key:
    tools = distribution_tools()
    files = [found for name in VALGRIND_FILES for found in sorted(tools.glob(name))]
    return {str(found): contents(found) for found in [Path(path), *files]}


def make_key(
    launcher: Launcher,
    options: list[str],
    command: list[str],
    folder: Path,
    reads: Iterable[Path],
) -> Key:
    """All that a run depends on and that is known before it; `folder` is where it runs.
    `options` are without the name of the output file, which a program does not see."""
    named = [folder / word for word in command if (folder / word).is_file()]
    beside = {path.resolve().parent for path in named} - {folder}
    return {
        "format": FORMAT,
        "valgrind": _valgrind(launcher.path),
        "options": options,
        "command": command,
        "folder": [str(folder), sorted(path.name for path in folder.iterdir())],
        "environment": [list(pair) for pair in launcher.environment.items()],
        "files": {str(path): contents(path) for path in named},
        # Interpreters look for their settings beside themselves, and one folder up.
        "beside": {
            str(path): [stamp(path), stamp(path.parent)] for path in sorted(beside)
        },
        "reads": tree_digest(reads),
        "debug files": _debug_files(),
        "machine": _machine(),
    }


def object_stamps(messages: str) -> dict[str, Optional[list[int]]]:
    """Of the objects that the core has found, as its messages (-v -v) name them."""
    return {path: stamp(Path(path)) for path in load_addresses(messages)}


class StockCache:
    """The entries of one build folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def entry(self, case: str, options: list[str]) -> Path:
        """The folder of a run, whether there is one or not."""
        words = re.sub(r"[^A-Za-z0-9.,=-]+", "_", "".join(options).replace("--", "_"))
        short = hashlib.sha256("\0".join(options).encode()).hexdigest()[:8]
        return self.folder / f"{case}{words[:60]}.{short}"

    def find(
        self, case: str, options: list[str], key: Key
    ) -> Optional[tuple[RunResult, Path]]:
        """What a run left behind, and the folder with its profiles, if it is as `key`
        says."""
        entry = self.entry(case, options)
        if is_fresh():
            return None
        try:
            known = json.loads((entry / "key.json").read_text(encoding="utf-8"))
            said = json.loads((entry / "result.json").read_text(encoding="utf-8"))
            result = RunResult(
                said["status"],
                base64.b64decode(said["output"]),
                said["errors"],
                said["command"],
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None  # none, or one that was not written to its end
        objects = object_stamps(result.errors)
        if known != json.loads(json.dumps({**key, "objects": objects})):
            return None
        return result, entry

    def keep(
        self,
        case: str,
        options: list[str],
        key: Key,
        result: RunResult,
        profiles: Iterable[Path],
    ) -> None:
        """Takes the place of an earlier entry, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))
        try:
            for path in profiles:
                shutil.copyfile(path, new / path.name)
            said = {
                "status": result.status,
                "output": base64.b64encode(result.output).decode("ascii"),
                "errors": result.errors,
                "command": result.command,
            }
            (new / "result.json").write_text(json.dumps(said), encoding="utf-8")
            whole = {**key, "objects": object_stamps(result.errors)}
            (new / "key.json").write_text(
                json.dumps(whole, indent=1), encoding="utf-8"
            )
            entry = self.entry(case, options)
            shutil.rmtree(entry, ignore_errors=True)
            new.rename(entry)
        except OSError:
            shutil.rmtree(new, ignore_errors=True)  # a full disk is no failed test
