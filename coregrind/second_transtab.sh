#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes a second table of translations (callgrind/translations/translation_tables.h): a
# copy of the core's own, with other names.
#
#     second_transtab.sh ARCHIVE OBJECT    from libcoregrind; AR, NM and OBJCOPY are used
#
# What is global in the core's object file is renamed to second_..., so that both can be
# linked. The fast cache is not: generated code knows its address, so both share that of
# the core.

set -eu

archive=$1
object=$2
names=$object.names
trap 'rm -f "$names"' EXIT

member=$("${AR:-ar}" t "$archive" | grep 'm_transtab\.o$')
"${AR:-ar}" p "$archive" "$member" > "$object"
"${NM:-nm}" -g --defined-only "$object" |
   while read -r _ _ name; do
      test "$name" = vgPlain_tt_fast || echo "$name second_$name"
   done > "$names"
"${OBJCOPY:-objcopy}" --redefine-syms="$names" --weaken-symbol=vgPlain_tt_fast "$object"
