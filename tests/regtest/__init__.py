# SPDX-License-Identifier: GPL-2.0-or-later
#
# The parts of tests/vg_regtest, lowest first: description (a .vgtest file), places (where
# its programs, filters and outputs are), run_folder (the folder that it runs in), shell
# (commands with a time limit), compare (expected against actual), runner (one test), cli
# (the command line and the report).

"""The parts of the regression test runner `vg_regtest`."""
