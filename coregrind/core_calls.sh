#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lists which functions and data of the core and of VEX are used across object files.
#
#     core_calls.sh ARCHIVE...    NM is used
#
# Prints a line for each: `used SYMBOL OBJECT`, if the object file refers to what another
# one has, and `defined SYMBOL OBJECT`.  An object file is named without what the core's
# build puts before its name.

set -eu

"${NM:-nm}" -A -g "$@" |
   sed -n -e 's/^.*:\([^:]*\.o\): *U \(.*\)$/used \2 \1/p' \
       -e 's/^.*:\([^:]*\.o\):[0-9a-f]* [A-Z] \(.*\)$/defined \2 \1/p' |
   sed 's/ lib[a-z_0-9]*_a-/ /'
