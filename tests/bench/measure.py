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
import os
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional, Sequence

from tests.bench.columns import Column
from tests.bench.figures import Run


class Failed(Exception):
    """A run that does not count; the text says why."""


@dataclass(frozen=True)
class Surroundings:
    """The same for every run: nothing of the user's settings gets in."""

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
    # What columns the workload is for: Column.suits().
    asks: Optional[bool] = None
    only: Optional[str] = None
    varies: Optional[float] = 0.001  # by how much its counts may differ


@dataclass(frozen=True)
class _Finished:
    user: float
    system: float
    wall: float
    peak_kib: int
    output: str  # digest


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        # In pieces: a child's peak memory begins with what this process had when it
        # was started, so this process has to stay small.
        for piece in iter(lambda: file.read(65536), b""):
            digest.update(piece)
    return digest.hexdigest()


def _complaint(path: Path) -> str:
    lines = path.read_bytes().decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1]}" if lines else ""


def _ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"died of signal {-code}" if code < 0 else f"ended with status {code}"


def run_command(command: Sequence[str], surroundings: Surroundings) -> _Finished:
    """Run one command to its end; Failed unless its status is 0."""
    output = surroundings.folder / "stdout"
    errors = surroundings.folder / "stderr"
    words = [*surroundings.prefix, *command]
    with output.open("wb") as output_file, errors.open("wb") as error_file:
        begin = time.monotonic()
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output_file,
                stderr=error_file,
                cwd=surroundings.folder,
                env=surroundings.environment(),
            )
        except OSError as error:
            raise Failed(f"cannot start {words[0]}: {error.strerror}") from error
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
    if status != 0:
        raise Failed(f"{command[0]} {_ending(status)}{_complaint(errors)}")
    return _Finished(
        usage.ru_utime, usage.ru_stime, wall, usage.ru_maxrss, _digest(output)
    )


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
    load = os.getloadavg()[0]
    finished: list[_Finished] = []
    words = column.command(launcher, surroundings.folder)
    for command, output in zip(commands, expected):
        if column.cache == "cold":
            empty_cache(column, surroundings)
        finished.append(run_command([*words, *command], surroundings))
        if finished[-1].output != output:
            raise Failed(f"{command[0]} printed something else than without Valgrind")
    total = profile_total(surroundings.folder)
    _check_profile(column, total)
    return Run(
        user=sum(one.user for one in finished),
        system=sum(one.system for one in finished),
        wall=sum(one.wall for one in finished),
        peak_kib=max(one.peak_kib for one in finished),
        load=load,
        counted=total,
    )


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
    expected = [run_command(command, surroundings).output for command in commands]
    others = [run_command(command, surroundings).output for command in less]
    series = Series(commands)
    for number in range(1, rounds + 1):
        for column in columns:
            if column.key in series.failures:
                continue
            progress(number, column, None)
            try:
                if column.cache == "warm" and number == 1:
                    empty_cache(column, surroundings)
                    run_workload(
                        column, launchers[column.ours], commands, expected, surroundings
                    )
                run = run_workload(
                    column, launchers[column.ours], commands, expected, surroundings
                )
                if less:
                    run = run.without(run_workload(
                        column, launchers[column.ours], less, others, surroundings
                    ))
            except Failed as failure:
                # What it measured before may be as wrong as this run.
                series.failures[column.key] = str(failure)
                series.runs.pop(column.key, None)
                profile_total(surroundings.folder)
                continue
            series.runs.setdefault(column.key, []).append(run)
            progress(number, column, run)
    return series
