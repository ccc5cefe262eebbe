# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs workloads and measures them.

Owns processes: how one is started, what is taken from the kernel about it, and how
its output is checked. Relies on os.wait4(), whose figures are those of the child and
of all the descendants that it waited for, to the precision of the scheduler's clock.

Method: the columns of a workload are interleaved. Each round runs every column once
before the next round begins, so that a disturbance of the machine falls on all of
them. What the program prints is compared with what it prints without Valgrind.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Callable, Mapping, Optional, Sequence

from tests.bench.columns import GATE_JSON, PLAIN, Column


class Failed(Exception):
    """A run that does not count; the text says why."""


@dataclass(frozen=True)
class Run:
    """What one execution of a workload in one column took."""

    user: float  # seconds
    system: float  # seconds
    wall: float  # seconds
    peak_kib: int  # the largest resident set among its processes
    load: float  # load average of the machine when it began
    counted: Optional[int]  # the profile's total of its first event, if it wrote one

    @property
    def cpu(self) -> float:
        return self.user + self.system

    def then(self, other: Run) -> Run:
        """Both, one after the other."""
        return replace(
            self, user=self.user + other.user, system=self.system + other.system,
            wall=self.wall + other.wall, peak_kib=max(self.peak_kib, other.peak_kib),
        )

    def without(self, other: Run) -> Run:
        """What it took more than another one."""
        known = self.counted is not None and other.counted is not None
        return replace(
            self, user=self.user - other.user, system=self.system - other.system,
            wall=self.wall - other.wall,
            counted=(self.counted or 0) - (other.counted or 0) if known else None,
        )


@dataclass(frozen=True)
class Surroundings:
    """One for every run: nothing of the user's settings gets in."""

    folder: Path  # working directory, and home of all that is written
    prefix: tuple[str, ...] = ()  # such as setarch, for addresses that do not vary
    variables: tuple[tuple[str, str], ...] = ()  # those of the workload

    def environment(self) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.folder),  # no ~/.valgrindrc
            "LC_ALL": "C",
            "PYTHONHASHSEED": "0",
            "PERL_HASH_SEED": "0",
            "PERL_PERTURB_KEYS": "0",
            **dict(self.variables),
        }


@dataclass
class Series:
    """Everything measured of one workload."""

    commands: list[list[str]]
    runs: dict[str, list[Run]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    kind: str = PLAIN  # which says the columns that the workload is for
    varies: Optional[float] = 0.001  # by how much its counts may differ


def timed(command: Sequence[str], folder: Path, environment: Mapping[str, str],
          prefix: Sequence[str] = ()) -> Run:
    """Run one command to its end; Failed unless its status is 0. What it prints is in
    the folder's file `stdout`."""
    load = os.getloadavg()[0]
    errors = folder / "stderr"
    with (folder / "stdout").open("wb") as output, errors.open("wb") as error_file:
        begin = time.monotonic()
        try:
            process = subprocess.Popen(
                [*prefix, *command], cwd=folder, env=environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=error_file,
            )
        except OSError as error:
            raise Failed(f"cannot start {command[0]}: {error.strerror}") from error
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall = time.monotonic() - begin
        code = process.returncode = os.waitstatus_to_exitcode(status)
    if code != 0:
        how = f"died of signal {-code}" if code < 0 else f"ended with status {code}"
        said = errors.read_text(errors="replace").strip().splitlines()
        raise Failed(": ".join([f"{command[0]} {how}", *said[-1:]]))
    return Run(usage.ru_utime, usage.ru_stime, wall, usage.ru_maxrss, load, None)


def cpu_seconds(command: Sequence[str], folder: Path, **variables: str) -> float:
    """Of one run with its children, in the environment at hand and these variables."""
    return timed(command, folder, {**os.environ, **variables}).cpu


def run_command(command: Sequence[str], surroundings: Surroundings) -> tuple[Run, str]:
    """The run, and a digest of what it printed."""
    run = timed(command, surroundings.folder, surroundings.environment(),
                surroundings.prefix)
    digest = hashlib.sha256()
    with (surroundings.folder / "stdout").open("rb") as file:
        # In pieces: a child's peak memory begins with what this process had when it
        # was started, so this process has to stay small.
        for piece in iter(lambda: file.read(65536), b""):
            digest.update(piece)
    return run, digest.hexdigest()


def profile_total(folder: Path) -> Optional[int]:
    """The sum of the `totals:` of all profiles in the folder, of their first event;
    None when there is no profile. Removes them."""
    total: Optional[int] = None
    for path in sorted(folder.glob("profile.*")):
        with path.open("rb") as file:
            for line in file:
                if line.startswith(b"totals:"):
                    costs = line.split()[1:]
                    total = (total or 0) + (int(costs[0]) if costs else 0)
        path.unlink()
    return total


def gate_total(folder: Path) -> Optional[int]:
    """The sum of what all benchmarks cost that callgrind_gate has measured, of their
    first event; None when it has said nothing. Removes the file."""
    path = folder / GATE_JSON
    if not path.exists():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    return sum(next(iter(each["total"].values()), 0) for each in found["benchmarks"])


def _check_profile(column: Column, total: Optional[int]) -> None:
    if column.counts is True and total is None:
        raise Failed("no profile was written")
    if column.counts is True and total == 0:
        raise Failed("the profile is empty")
    if column.counts is False and total:
        raise Failed(f"the profile counts {total}, with instrumentation off")


def empty_cache(column: Column, surroundings: Surroundings) -> None:
    """Forget what runs of a column have stored."""
    shutil.rmtree(column.cache_folder(surroundings.folder), ignore_errors=True)


def run_workload(
    column: Column,
    launcher: Path,
    commands: Sequence[Sequence[str]],
    expected: Sequence[str],
    surroundings: Surroundings,
) -> Run:
    """All commands of a workload in one column, checked. A cold cache is empty before
    each of them: or else the second one would use what the first has stored."""
    finished: list[Run] = []
    words = column.command(launcher, surroundings.folder)
    for command, output in zip(commands, expected):
        if column.cache == "cold":
            empty_cache(column, surroundings)
        run, printed = run_command([*words, *command], surroundings)
        if printed != output and not column.by_gate:
            raise Failed(f"{command[0]} printed something else than without Valgrind")
        finished.append(run)
    own_total = gate_total if column.by_gate else profile_total
    total = own_total(surroundings.folder)
    _check_profile(column, total)
    return replace(reduce(Run.then, finished), counted=total)


def measure(
    commands: list[list[str]],
    columns: Sequence[Column],
    launchers: dict[bool, Path],
    rounds: int,
    surroundings: Surroundings,
    progress: Callable[[int, Column, Optional[Run]], None],
    less: Sequence[list[str]] = (),
) -> Series:
    """One workload in every column, `rounds` times. The runs without Valgrind that
    give the expected output also warm the page cache. launchers: ours or not; less:
    commands that run after it each time, and are subtracted."""
    expected = [run_command(command, surroundings)[1] for command in commands]
    others = [run_command(command, surroundings)[1] for command in less]
    series = Series(commands)
    for number in range(1, rounds + 1):
        for column in columns:
            if column.key in series.failures:
                continue
            launcher = launchers[column.ours]
            progress(number, column, None)
            try:
                if column.cache == "warm" and number == 1:
                    empty_cache(column, surroundings)
                    run_workload(column, launcher, commands, expected, surroundings)
                run = run_workload(column, launcher, commands, expected, surroundings)
                if less:
                    run = run.without(
                        run_workload(column, launcher, less, others, surroundings))
            except Failed as failure:
                # What it measured before may be as wrong as this run.
                series.failures[column.key] = str(failure)
                series.runs.pop(column.key, None)
                profile_total(surroundings.folder)
                continue
            series.runs.setdefault(column.key, []).append(run)
            progress(number, column, run)
    return series
