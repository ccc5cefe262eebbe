# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs shell commands for tests.  Owns: process groups, the time limit, and what goes on
# running when a run is interrupted (nothing).  All output goes to files, never to pipes,
# so a process that a test leaves in the background cannot hold the runner up.

"""Shell commands with a safety net."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Optional, Sequence


class TimedOut(Exception):
    """A command did not end within the limit; it has been killed with its group."""


class Interrupted(Exception):
    """The run is to end, and this command with it."""


class Processes:
    """All commands that are running, for tests in whatever thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def go_on(self) -> None:
        """Raise Interrupted when the run is to end."""
        if self._stopped:
            raise Interrupted

    def add(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._running.add(process)
            if self._stopped:
                kill_group(process)

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._running.discard(process)

    def stop(self) -> None:
        """Kill what runs, and what is about to start."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a command that runs, and all that it started, unless it made a group of its
    own."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@dataclass(frozen=True)
class Command:
    """One shell command and the files it is connected to."""

    what: str  # its name in messages, such as `post`
    line: str
    stdout: Path
    stderr: Optional[Path] = None  # None: into the same file as stdout
    stdin: Path = Path(os.devnull)


class Shell:
    """Runs commands in one folder, with one environment."""

    def __init__(
        self,
        folder: Path,
        environment: dict[str, str],
        limit: float,
        log: Callable[[str], None],
        processes: Processes,
    ) -> None:
        self.folder = folder
        self.environment = environment
        self._limit = limit
        self._log = log
        self._processes = processes

    def run(self, command: Command) -> int:
        """Run one command; its status as a shell gives it (128 + n for signal n)."""
        return self.run_together([command])[0]

    def run_together(self, commands: Sequence[Command]) -> list[int]:
        """Start the commands in their order, and wait for all of them."""
        deadline = time.monotonic() + self._limit
        with contextlib.ExitStack() as stack:
            started = [
                (command, stack.enter_context(self._started(command)))
                for command in commands
            ]
            statuses: list[int] = []
            for command, process in started:
                try:
                    status = process.wait(max(0.0, deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    late = [other.what for other, one in started if one.poll() is None]
                    names = " and ".join(late or [command.what])
                    raise TimedOut(f"{names} timed out after {self._limit:g} s") from None
                self._processes.go_on()
                statuses.append(status if status >= 0 else 128 - status)
                self._log(f"{command.what} ended with status {statuses[-1]}")
            return statuses

    @contextlib.contextmanager
    def _started(self, command: Command) -> Iterator[subprocess.Popen[bytes]]:
        """A running command, whose whole group dies if this is left before it ended."""
        self._processes.go_on()
        self._log(f"{command.what}: {command.line}")
        with contextlib.ExitStack() as files:
            stdin = files.enter_context(open(command.stdin, "rb"))
            stdout = files.enter_context(open(command.stdout, "wb"))
            stderr = (
                subprocess.STDOUT
                if command.stderr is None
                else files.enter_context(open(command.stderr, "wb"))
            )
            process = subprocess.Popen(
                ["/bin/sh", "-c", command.line],
                cwd=self.folder,
                env=self.environment,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
        self._processes.add(process)
        try:
            yield process
        finally:
            kill_group(process)
            process.wait()
            self._processes.remove(process)
