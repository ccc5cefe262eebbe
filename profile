#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Profiles a program: sets up on first use, runs the program under callgrind, prints what
# was written and where the instructions went.  The set-up is coregrind/setup.sh, running
# and reporting is coregrind/profile_run.py, or coregrind/sample_run.py by the clock.

set -euo pipefail

usage()
{
   cat <<'END'
usage: ./profile [valgrind options] PROGRAM [ARGS]
       ./profile --by-clock [sampling options] PROGRAM [ARGS]

Runs PROGRAM under callgrind and tells in which functions its instructions were spent.

   ./profile ls -l
   ./profile --dump-instr=yes ./my-benchmark --fast
   ./profile python3 script.py

   ./profile --html ./my-benchmark

The program's input, output and exit status are its own.  On stderr follow the path of
the profile (callgrind.out.PID in this folder, or --callgrind-out-file=FILE) and a table
of the costliest functions.  KCachegrind, callgrind_annotate and other readers of the
callgrind format open the profile.

The first use installs what is missing (apt-get; through sudo where needed) and builds
into build/; later ones build what has changed.  Every option before PROGRAM goes to
Valgrind: build/vg-in-place --tool=callgrind --help lists them.

With --by-clock as the first word, the program is sampled in place of counted: the table
tells in which functions its time was spent, on all processors and in all processes, and
callgrind.sample.PID is a tree file for build/callgrind_export.  Options before PROGRAM
are those of build/callgrind_sample --help, and --html.

   --html   make a page with a flame graph, too, and end with its path
   --help   this text
END
}

if [ $# = 0 ]; then
   usage >&2
   exit 2
fi
case $1 in
   -h|--help) usage; exit 0 ;;
esac

source_folder=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=coregrind/setup.sh
. "$source_folder/coregrind/setup.sh"
packages=(valgrind gcc make autoconf automake pkg-config python3 libc6-dev)
by_clock=no
if [ "$1" = --by-clock ]; then
   by_clock=yes
   packages+=(libdw-dev libiberty-dev)
   shift
fi
setup profile "${packages[@]}"
if [ $by_clock = yes ]; then
   exec python3 "$source_folder/coregrind/sample_run.py" \
      "$source_folder/build/callgrind_sample" "$@"
fi
exec python3 "$source_folder/coregrind/profile_run.py" \
   "$source_folder/build/vg-in-place" "$@"
