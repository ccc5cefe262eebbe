# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the tests are run, lowest first: suites (which test belongs to which suite), sharing
# (the order of the tests, and which process runs which), costs (what each takes of the
# processors), counting (what became of each), report (what a person sees), plugin (joins
# these to pytest).  subtests and vgtest teach pytest what it does not know: unittest's
# sub-tests, and .vgtest files.  __main__ is the command line that `./check` and `make
# check` call.

"""Our part of pytest."""
