# SPDX-License-Identifier: GPL-2.0-or-later
#
# What pytest loads in this source tree: our plugins.  tests/runner/ has them.

"""pytest's entry to the tests."""

pytest_plugins = [
    "tests.runner.plugin",
    "tests.runner.subtests",
    "tests.runner.vgtest",
]

# Programs and libraries that were built are no place for tests.
collect_ignore = ["build"]
