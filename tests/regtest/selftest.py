#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the tests of the test runner itself, that is every test_*.py beside this file.
# They need no build and no Valgrind: a made-up launcher stands in (see sandbox.py).

"""Test `vg_regtest` and the tools beside it."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from summary import run_suite

if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(run_suite(HERE, verbose="--verbose" in sys.argv[1:]))
