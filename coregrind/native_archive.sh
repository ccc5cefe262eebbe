#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes an archive whose object files are for LTO alone into one of native code.
#
#     native_archive.sh ARCHIVE RESULT     CC, with its flags, and AR are used
#
# Fedora builds its core so.  Linked as it is, all of the core and of VEX is compiled anew
# in each link, and calls within it pass the linker's --wrap by, in silence.  Each object
# file is compiled by itself here, which takes as long as one such link; in one piece, as
# LTO makes what is local to the file global if it divides it.

set -eu

case $1 in /*) archive=$1 ;; *) archive=$PWD/$1 ;; esac
case $2 in /*) result=$2 ;; *) result=$PWD/$2 ;; esac
work=$result.work
rm -rf "$work" "$result.new"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
cd "$work"
"${AR:-ar}" x "$archive"
jobs=$(nproc 2> /dev/null) || jobs=1
# shellcheck disable=SC2016  # the inner shell expands them; CC has flags
LC_ALL=C grep -l __gnu_lto_slim ./*.o | CC=${CC:-cc} xargs -P "$jobs" -I NAME sh -c '
   $CC -r -flinker-output=nolto-rel -flto-partition=none -nostdlib -o "$1.native" "$1" &&
      mv "$1.native" "$1"' sh NAME
if LC_ALL=C grep -l __gnu_lto_slim ./*.o > left; then
   exit 1
fi
"${AR:-ar}" t "$archive" | xargs "${AR:-ar}" cr "$result.new"
mv -f "$result.new" "$result"
