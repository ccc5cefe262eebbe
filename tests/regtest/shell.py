# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs shell commands for tests.  Owns: process groups, the time limit, and that nothing
# goes on running after an interruption.  All output goes to files, never to pipes, so a
# process that a test leaves in the background cannot hold the runner up.

"""Shell commands with a safety net."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Callable, Iterable, Iterator, Optional, Sequence, Union


INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class TimedOut(Exception):
    """A command did not end within the limit; it has been killed with its group."""


def _block_only(signals: Iterable[int]) -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, signals)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a command that runs, and all that it started, unless it made a group of its
    own."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _ends_by(deadline: float, process: subprocess.Popen[bytes]) -> bool:
    """Wait until a command ends or the time is over; whether it has ended.

    Popen.wait() with a limit looks again every 50 ms; this returns at once.
    """
    descriptor = os.pidfd_open(process.pid)
    try:
        seconds = max(0.0, deadline - time.monotonic())
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


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
    ) -> None:
        self.folder = folder
        self.environment = environment
        self._limit = limit
        self._log = log

    def run(self, command: Command) -> int:
        """Run one command; its status as a shell gives it (128 + n for signal n)."""
        return self.run_together([command])[0]

    def run_together(self, commands: Sequence[Command]) -> list[int]:
        """Start the commands in their order, and wait for all of them."""
        deadline = time.monotonic() + self._limit
        statuses: list[int] = []
        with contextlib.ExitStack() as stack:
            started = [
                (command, stack.enter_context(self._started(command)))
                for command in commands
            ]
            for command, process in started:
                if not _ends_by(deadline, process):
                    late = [other.what for other, one in started if one.poll() is None]
                    names = " and ".join(late or [command.what])
                    raise TimedOut(f"{names} timed out after {self._limit:g} s")
                status = process.wait()
                statuses.append(status if status >= 0 else 128 - status)
                self._log(f"{command.what} ended with status {statuses[-1]}")
        return statuses

    @contextlib.contextmanager
    def _started(self, command: Command) -> Iterator[subprocess.Popen[bytes]]:
        """A running command, whose whole group dies if this is left before it ended."""
        self._log(f"{command.what}: {command.line}")
        with contextlib.ExitStack() as files:
            stdin = files.enter_context(open(command.stdin, "rb"))
            stdout = files.enter_context(open(command.stdout, "wb"))
            stderr: Union[int, IO[bytes]] = (
                subprocess.STDOUT
                if command.stderr is None
                else files.enter_context(open(command.stderr, "wb"))
            )
            # No signal may interrupt Popen(): the command would run on, unknown.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
            process: Optional[subprocess.Popen[bytes]] = None
            try:
                process = subprocess.Popen(
                    ["/bin/sh", "-c", command.line],
                    cwd=self.folder,
                    env=self.environment,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                    # The command itself is not to block them.
                    preexec_fn=lambda: _block_only(before),
                )
                _block_only(before)  # an interruption that came meanwhile is raised here
                yield process
            finally:
                if process is not None:
                    kill_group(process)
                    process.wait()
                _block_only(before)
