# SPDX-License-Identifier: GPL-2.0-or-later
#
# What pytest loads in this source tree: our plugins.  tests/runner/ has them.
#
# What Python and pytest have compiled is kept in the build folder, and none in the source
# tree: each process of a run reads all files of tests, which takes half the time then.

"""pytest's entry to the tests."""

import os
import sys
from pathlib import Path

_build = Path(os.environ.get("VG_BUILD") or Path(__file__).parent / "build").resolve()
if (_build / "config.status").exists():
    sys.pycache_prefix = str(_build / "tests" / "pycache")
    sys.dont_write_bytecode = False

pytest_plugins = [
    "tests.runner.plugin",
    "tests.runner.subtests",
    "tests.runner.vgtest",
]

# Programs and libraries that were built are no place for tests.
collect_ignore = ["build"]
