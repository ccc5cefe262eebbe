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

So that two runs count the same, the program sees the same machine in each
(--steady=yes, docs/steady.md): it is 1 January 2026, there is one processor, random
numbers repeat.  What it writes may differ from what it writes by itself.  --steady=no
shows it the real ones.

The first use installs what is missing (apt-get; through sudo where needed) and builds
into build/; later ones build what has changed.  Options before PROGRAM, in any order, go
to Valgrind but for those below: build/vg-in-place --tool=callgrind --help lists them.

   --html     make a page, too, with a flame graph, a timeline and the costs of source
              lines, and end with its path (docs/flame-graphs.md)
   --source   with --html: put the text of the program's sources into the page
   --by-clock sample the program in place of counting: the table tells in which functions
              its time was spent, on all processors and in all processes, and
              callgrind.sample.PID is a tree file for build/callgrind_export.  Options
              are those of build/callgrind_sample --help, and --html
   --help     this text
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
# The options end at the program, or at `--`; the value of an option may be a word.
by_clock=no
words=()
while [ $# -gt 0 ]; do
   case $1 in
      --by-clock)
         by_clock=yes
         shift
         continue ;;
      # As WITH_VALUE of coregrind/sample_run.py; Valgrind takes values behind = alone.
      -o|-p|--output|--pid|--frequency|--event|--stack-size|--kernel|--start|--control| \
         --obj-skip|--test-without|--test-with)
         words+=("$1")
         shift
         if [ $# = 0 ]; then
            break
         fi ;;
      --) break ;;
      -*) ;;
      *) break ;;
   esac
   words+=("$1")
   shift
done
set -- "${words[@]}" "$@"
if [ $by_clock = yes ]; then
   packages+=(libdw-dev libiberty-dev)
fi
setup profile "${packages[@]}"
if [ $by_clock = yes ]; then
   exec python3 "$source_folder/coregrind/sample_run.py" \
      "$source_folder/build/callgrind_sample" "$@"
fi
exec python3 "$source_folder/coregrind/profile_run.py" \
   "$source_folder/build/vg-in-place" "$@"
