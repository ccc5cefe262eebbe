# SPDX-License-Identifier: GPL-2.0-or-later
#
# Benchmarks in node by CodSpeed's plugins of tinybench and vitest, under the command line
# of CodSpeed's runner, node itself skipped.
#
# Owns: what is demanded of each benchmark's part of the profile.
#   form     it is well-formed, and its totals are the sums of its costs
#   calls    each counted function is called as often as the benchmark counts
#   share    the benchmark has nearly all of the cost, by arcs
#   balance  no function is given more than it spends
#   roots    no function spends more than it is given, but those that are under way at
#            START, and threads
# plugins/ has the benchmarks and the packages of npm, which are installed in the build.

"""Check the profiles of CodSpeed's plugins for node."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

import pytest

from callgrind.report.tests.npm_packages import Absent, npm_folder
from profile_file.model import Part
from profile_file.reader import Detail, read_profile
from tests.bench.workloads import NODE_OPTIONS
from tests.differential.launching import BASE_ENVIRONMENT
from tests.differential.options import build_folder
from tests.groundtruth.conservation import base_name, violations_by_levels
from tests.readers.command_lines import codspeed_options
from tests.regtest.profile_query import breaches_of_form, disagreements
from tests.runtimes.runtime_table import PROGRAMS, Unavailable, answer, needed

CHOICE = "CT_RUNTIMES"
TRIGGER = re.compile(r"Client Request: (?P<file>[^:]*)::(.*::)?(?P<name>\w+)")

# What the runner asks for where it follows subprocesses, and where it does not.
ALONE = "--instr-atstart=no --separate-threads=no"
FOLLOWING = (
    "--instr-atstart=inherit --separate-threads=yes --fair-sched=yes "
    "--cycle-estimation=yes"
)

# Functions that have no caller in the measurement: of node's own modules and of the
# plugins, which were called before; of the addon that says START; and of threads.
LIVE_AT_START = re.compile(r".*(/@codspeed/| node:internal/).*")
LIVE_OBJECTS = ("node.napi.node", "libc.so.6")

# Of the cost, in per cent, where a benchmark is called once and does not wait.
LEAST_SHARE = 90
WAITS = "promises"


@dataclass(frozen=True)
class Plugin:
    """How the benchmarks of one plugin are started, and the file that has them."""

    words: tuple[str, ...]
    file: str


PLUGINS = {
    "tinybench": Plugin(("{node}", *NODE_OPTIONS, "tinybench.mjs"), "tinybench.mjs"),
    "vitest": Plugin(
        ("{node}", "node_modules/.bin/vitest", "bench", "--run"), "counted.bench.mjs"
    ),
}


def _run(plugin: Plugin, more: str, packages: Path, folder: Path) -> None:
    """Runs all benchmarks, by a script as the runner does."""
    node = answer([needed("node"), "-p", "process.execPath"])
    script = folder / "script"
    words = " ".join(plugin.words).replace("{node}", node)
    script.write_text(f"#!/bin/sh\ncd '{packages}' && exec {words}\n", encoding="ascii")
    script.chmod(0o755)
    ended = subprocess.run(
        [
            "setarch", platform.machine(), "--addr-no-randomize",
            str(build_folder() / "vg-in-place"), *codspeed_options(folder, more),
            f"--obj-skip={node}", str(script),
        ],
        env={
            **BASE_ENVIRONMENT,
            "HOME": str(folder),
            "COUNTS": str(folder / "counts.json"),
            "CODSPEED_ENV": "runner",
            "CODSPEED_RUNNER_MODE": "simulation",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr


def _parts(folder: Path, plugin: Plugin) -> Iterator[tuple[str, Path, Part]]:
    """Each part that a benchmark's end has written, with the benchmark's name."""
    for path in sorted(folder.glob("*.out")):
        for part in read_profile(path, Detail.FUNCTIONS).parts:
            trigger = dict(part.header.descriptions).get("Trigger", "")
            found = TRIGGER.fullmatch(trigger)
            if found and any(part.sum_of_self_costs()):
                assert found["file"].endswith(plugin.file), trigger
                yield found["name"], path, part


def _is_named(name: str, function: str) -> bool:
    """Is it the name of this function of bodies.mjs?  V8 tells how it is compiled."""
    return (
        re.fullmatch(rf"\w+:[~^+*]?{function} \S*/bodies\.mjs:.*", base_name(name))
        is not None
    )


def _calls(part: Part, function: str) -> int:
    return sum(
        arc.count for arc in part.arcs() if _is_named(arc.callee.name, function)
    )


def _wrong_calls(part: Part, counts: dict[str, int]) -> Iterator[str]:
    for function, count in counts.items():
        calls = _calls(part, function)
        if calls != count:
            yield f"{function}: arcs count {calls:,} calls, not {count:,}"


def _wrong_share(part: Part, name: str) -> Iterator[str]:
    arcs = (arc for arc in part.arcs() if _is_named(arc.callee.name, name))
    given = sum(arc.inclusive[0] for arc in arcs)
    share = 100 * given / part.sum_of_self_costs()[0]
    if name != WAITS and not LEAST_SHARE <= share <= 100:
        yield f"{share:.2f} % arrive in it"


def _unbalanced(part: Part) -> Iterator[str]:
    for levels, violation in violations_by_levels(part):
        function = violation.function
        is_live = (
            LIVE_AT_START.fullmatch(function.name)
            or Path(function.object_file).name in LIVE_OBJECTS
        )
        if violation.missing < 0 or not is_live:
            yield f"{levels}: {violation}"


def _remove(folder: Path) -> None:
    for path in folder.glob("*.out"):
        Path(f"/tmp/perf-{path.stem}.map").unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("more", [ALONE, FOLLOWING], ids=["alone", "following"])
@pytest.mark.parametrize("name", PLUGINS)
def test_plugin(name: str, more: str) -> None:
    chosen = os.environ.get(CHOICE)
    if chosen and "node" not in chosen.split(","):
        pytest.skip("node is not among the runtimes to test")
    work = build_folder() / "tests" / "runtimes"
    try:
        packages = npm_folder("plugins", "vitest", PROGRAMS.parent, work)
    except (Absent, Unavailable) as error:
        pytest.skip(str(error))
    # What the plugins take for the top of a work tree.
    (packages / ".git").mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=work))
    try:
        _run(PLUGINS[name], more, packages, folder)
        counts = json.loads((folder / "counts.json").read_text(encoding="utf-8"))
        seen = []
        problems = []
        for benchmark, path, part in _parts(folder, PLUGINS[name]):
            found = [*breaches_of_form(path), *disagreements(path, part)]
            found += _unbalanced(part)
            if part.header.thread in (None, 1):
                seen.append(benchmark)
                found += _wrong_calls(part, counts[benchmark])
                found += _wrong_share(part, benchmark)
            problems += [f"{benchmark}: {problem}" for problem in found]
        assert not problems, "\n".join(problems)
        assert seen == list(counts)
    finally:
        _remove(folder)
