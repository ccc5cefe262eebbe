# SPDX-License-Identifier: GPL-2.0-or-later
#
# A command as a process: its standard streams, and how it ends.
#
# Owns: that a crash never looks like a verdict.  Python ends with 1 after an exception
# that nobody caught, and with 120 if it cannot write what waits in a stream; 1 is what a
# command says of a limit that is exceeded.  So nothing here is left to Python: whatever
# happens, the status is the one that the work returned, or 2, or the signal of ^C.

"""Run a command as the process that it is."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from typing import Any, Callable, NoReturn, Optional, TextIO

from console.command import FAILED, drop_output, reason_of, tell

VERDICTS = (0, 1, 3)


def end_process(name: str, work: Callable[[], int]) -> NoReturn:
    """Run `work`, which returns the status or leaves by SystemExit; end with that."""
    # The collector would walk millions of objects again and again, and nothing here makes
    # reference cycles.
    gc.disable()
    status = FAILED
    try:
        open_standard_streams()
        status = _run(name, work)
        status = _flush(name, status)
    except KeyboardInterrupt:
        _end_by_interrupt()
    except BaseException:  # pylint: disable=broad-except
        status = FAILED  # not even the message could be written
    finally:
        # Without what Python does at its end: it may fail, and it takes time to free
        # millions of objects one by one.
        os._exit(status)


def _run(name: str, work: Callable[[], int]) -> int:
    try:
        return _status_of(name, work())
    except SystemExit as left:
        return _status_of(name, left.code)
    except Exception as error:  # pylint: disable=broad-except
        tell(name, reason_of(error))
        return FAILED


def _status_of(name: str, code: object) -> int:
    """None is what argparse leaves with after --help, a text a reason, as for Python."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code if code in VERDICTS else FAILED
    tell(name, str(code))
    return FAILED


def _flush(name: str, status: int) -> int:
    """Write what waits.  What cannot be written makes a verdict void."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
    except OSError as error:
        if status != FAILED:
            tell(name, f"standard output: {error.strerror or error}")
        status = FAILED
    sys.stderr.flush()
    return status


def _end_by_interrupt() -> NoReturn:
    """As a program without a handler, so that a shell knows that ^C was meant for it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
    os._exit(128 + signal.SIGINT)  # where the signal is blocked


# --- Standard streams -------------------------------------------------------------------


class _WhatCanBeTold(io.FileIO):
    """stderr: a message that cannot be written is lost, and changes nothing else."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError:
            return len(data)


def open_standard_streams() -> None:
    """Make all three usable.  A closed one goes nowhere: left alone, its number would be
    given to the next file that is opened, and what is printed would go into that."""
    for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        if not _is_open(number):
            _open_nowhere(number, flags)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(_WhatCanBeTold(2, "w", closefd=False)),
        encoding=_encoding_of(sys.stderr),
        errors="backslashreplace",
        line_buffering=True,
    )


def _encoding_of(stream: Optional[TextIO]) -> str:
    return getattr(stream, "encoding", None) or "utf-8"


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _open_nowhere(number: int, flags: int) -> None:
    """All lower numbers are open, so this one is what open() gives."""
    descriptor = os.open(os.devnull, flags)
    if descriptor != number:
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.set_inheritable(number, True)  # as what a shell opens is
