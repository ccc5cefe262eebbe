# SPDX-License-Identifier: GPL-2.0-or-later
#
# The processes of a benchmark: started, limited in time, and ended, all of them.
#
# Owns: which processes belong to a benchmark: those of the session that is made for it
# (process groups of a shell's jobs, too), what these have started, and every other one
# whose command line has the mark that only this run's has (a daemon that has left its
# session).  No process outlives the time limit, an interrupt, or the end of the command
# that measures.

"""Run a program, and end all that it has started."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import select
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import BinaryIO, Iterator, Mapping, NoReturn, Sequence

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MOST_PASSES = 200  # to end processes that start others meanwhile
PAUSE = 0.01  # seconds between two: a killed process takes a moment


class OutOfTime(Exception):
    """A program has taken longer than it may."""


def run(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    errors: BinaryIO,
    processors: frozenset[int],
    seconds: float,
    mark: str,
    output: int = subprocess.DEVNULL,
) -> int:
    """Run a program in a session of its own; its status, negative for a signal.

    After so many seconds of real time, all of its processes are killed: OutOfTime.  So
    they are if this process is interrupted.  `mark` is a text in the command line of each
    of them that no other process has."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)  # what it inherits
    try:
        child = subprocess.Popen(
            words,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
    finally:
        os.sched_setaffinity(0, before)
    try:
        _wait(child, seconds)
        return child.wait()
    finally:
        if child.returncode is None:
            _end_all(child.pid, mark)
            child.wait()


def _wait(child: subprocess.Popen[bytes], seconds: float) -> None:
    """OutOfTime if it does not end."""
    try:
        descriptor = os.pidfd_open(child.pid)
    except (AttributeError, OSError):  # an old kernel: Python looks again and again
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(seconds)
            return
        raise OutOfTime from None
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        if not poll.poll(seconds * 1000):
            raise OutOfTime
    finally:
        os.close(descriptor)


# --- Ending them ------------------------------------------------------------------------


def _end_all(leader: int, mark: str) -> None:
    """Kill the processes of a session whose leader has not been waited for, so that its
    number is still its own."""
    for _ in range(MOST_PASSES):
        found = _members(leader, mark.encode())
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
        for process in found:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        if not found:
            return
        time.sleep(PAUSE)


def _members(leader: int, mark: bytes) -> set[int]:
    """The processes of a benchmark that live."""
    parents: dict[int, int] = {}
    found: set[int] = set()
    for name in os.listdir("/proc"):
        if not name.isdecimal():
            continue
        with contextlib.suppress(OSError, ValueError):
            state, parent, _, session = _status(name)
            if state in "ZX":
                continue
            number = int(name)
            parents[number] = int(parent)
            command = Path("/proc", name, "cmdline").read_bytes()
            if int(session) == leader or mark in command:
                found.add(number)
    # What they have started belongs to them.
    more = found
    while more:
        more = {child for child, parent in parents.items() if parent in found} - found
        found |= more
    return found - {os.getpid()}


def _status(process: str) -> list[str]:
    """State, parent, process group and session; the name before may have any byte."""
    text = Path("/proc", process, "stat").read_bytes().decode("ascii", "replace")
    return text.rpartition(")")[2].split()[:4]


# --- The processes that measure ---------------------------------------------------------


@contextlib.contextmanager
def no_signals() -> Iterator[None]:
    """Around the start of threads: they inherit that signals are blocked.  Python runs
    handlers in the main thread, which a signal that another one gets would not wake."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Ended(BaseException):
    """A signal that ends this process."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """While it lasts, a signal that would end this process is raised as Ended, so that
    others are ended before.  Then the process ends by that signal."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING[1:]:
            if signal.getsignal(number) is signal.SIG_DFL:  # not under nohup
                before[number] = signal.signal(number, _raise_ended)
    try:
        yield
    except Ended as ended:
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
        raise
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is _raise_ended:
                signal.signal(number, handler)


def _raise_ended(number: int, frame: object) -> NoReturn:
    raise Ended(number)


_is_busy = False


def start_worker() -> None:
    """In a process that measures: end with the command, and without a word."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)  # see no_signals


def _follow(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os.kill(os.getpid(), signal.SIGTERM)


def _leave(number: int, frame: object) -> None:
    for each in ENDING:
        signal.signal(each, _pass)  # one that has come already finds a handler
    if _is_busy:
        raise Ended(number)
    os._exit(128 + number)


def _pass(number: int, frame: object) -> None:
    """Nothing is done again."""


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """In a worker, around its work: a signal ends it when the work has cleaned up."""
    global _is_busy
    _is_busy = True
    try:
        yield
    except Ended as ended:
        os._exit(128 + ended.number)
    finally:
        _is_busy = False


def end_workers() -> None:
    for worker in multiprocessing.active_children():
        worker.terminate()


def name_of_signal(number: int) -> str:
    """Also of those that Python has no name for."""
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def how_it_ended(status: int) -> str:
    if status < 0:
        return f"was ended by {name_of_signal(-status)}"
    return f"ended with {status}"
