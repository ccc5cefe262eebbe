# SPDX-License-Identifier: GPL-2.0-or-later
"""The file formats, for tests: strict checks of profiles and trees, and makers of trees.

`profile_grammar` and `tree_grammar` check files that the tools have written; both are
commands too.  `tree_maker` and `tree_examples` make tree files.  Nothing here is shared
with the readers in callgrind/report/.
"""
