#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Starts callgrind_report, callgrind_export or callgrind_gate: installed commands run it.
#
#    start.py NAME READER [ARGUMENT..]
#
# READER is the program that reads large profiles; without it they are read in Python.
#
# Owns: that a command which cannot even be loaded (Python is too old, memory is short, a
# file is missing, ^C comes early) does not end with 1, as Python does by itself: 1 is a
# verdict.  So it may use nothing that an older Python cannot compile.

"""Start a command of the report family."""

import os
import signal
import sys

LEAST_PYTHON = (3, 9)


def main():  # type: ignore[no-untyped-def]
    """Ends the process."""
    name = sys.argv[1]
    try:
        if sys.version_info < LEAST_PYTHON:
            os.write(2, ("%s: needs Python %d.%d or newer; python3 is %d.%d\n" % (
                (name,) + LEAST_PYTHON + sys.version_info[:2])).encode())
            os._exit(2)
        from importlib import import_module
        from console.process import end_process
        import_module("profile_file.native").use_program(sys.argv[2])
        end_process(name, lambda: import_module(name).main(sys.argv[3:]))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException as error:
        try:
            os.write(2, ("%s: cannot be started: %s: %s\n" % (
                name, type(error).__name__, " ".join(str(error).split())
            )).encode("utf-8", "backslashreplace"))
        finally:
            os._exit(2)


if __name__ == "__main__":
    main()
