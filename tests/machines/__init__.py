# SPDX-License-Identifier: GPL-2.0-or-later
#
# Other machines, lowest first: choice (what is to run, and the sum of it), source_copy
# (the source tree in another place), debian_root with enter_root.sh (folders that hold
# another Debian), other_debian (what runs in one), check_on (the command line).

"""The parts of `./check debian13` and the like."""
