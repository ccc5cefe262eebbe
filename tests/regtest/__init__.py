# SPDX-License-Identifier: GPL-2.0-or-later
#
# The regression test runner, lowest first: description (what a .vgtest file says), places
# (where its programs and filters are), run_folder (the folder that it runs in), shell
# (commands with a time limit), remembered (answers about a file that has not changed),
# profile_query and tree_query (questions about profiles and trees), queries (which
# `post:` lines are such questions), compare (expected against actual), profiles (the form
# of what a test leaves), runner (one test), api (the same for others), update (accepts
# what a test printed), cli (the command line and the report).

"""The parts of the regression test runner `vg_regtest`."""
